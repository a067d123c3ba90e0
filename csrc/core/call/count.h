/* The call of count: how often each of some neighbouring integers is there. */
#ifndef GA_CALL_COUNT_H
#define GA_CALL_COUNT_H

#include "base.h"

/* counts[values[i] - least] += 1 for every value that is one of the `bins` integers from `least` on; others are passed
 * over. Both are contiguous, dtype is of integers or bool, and `least` is taken modulo 2^64. */
typedef struct {
    enum ga_dtype dtype;
    int64_t size, bins, least;
    const void *values;
    int64_t *counts;
} ga_count_call;

#endif
