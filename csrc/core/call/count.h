/* The call of count: how often each small integer is there. */
#ifndef GA_CALL_COUNT_H
#define GA_CALL_COUNT_H

#include "base.h"

/* counts[places[i]] += 1 for every place in [0, bins); other places are passed over. Both are contiguous. */
typedef struct {
    int64_t size, bins;
    const int64_t *places;
    int64_t *counts;
} ga_count_call;

#endif
