/* The call that finds connected elements, and the one that numbers them. */
#ifndef GA_CALL_LABEL_H
#define GA_CALL_LABEL_H

#include "base.h"

#define GA_LABEL_DIMS 4
#define GA_LABEL_NEIGHBOURS 40 /* half of those that an element has in four dimensions */

/* roots[i] is the first element, in C order, of those that true elements connect with element i of a contiguous mask,
 * or -1 where the mask is false; firsts[i] says whether it is i. Elements are connected by steps (-1, 0 or 1 along each
 * axis) that lead back in C order, in C order themselves, and by their opposites. */
typedef struct {
    int32_t ndim, count;
    int64_t size;
    int64_t shape[GA_LABEL_DIMS];
    int8_t steps[GA_LABEL_NEIGHBOURS][GA_LABEL_DIMS];
    const uint8_t *mask;
    int64_t *roots;
    uint8_t *firsts;
} ga_label_call;

/* labels[i], int32 where they are short and int64 otherwise, is numbers[roots[i]], or 0 where the root is -1. */
typedef struct {
    int64_t size;
    const int64_t *roots, *numbers;
    void *labels;
    bool short_labels;
} ga_number_call;

#endif
