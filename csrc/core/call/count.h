/* The calls of count, weigh and histogram: how often each of some neighbouring integers is there, what the weights at
 * each add up to, how many floats each bin has. */
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

/* sums[b] = the sum of weights[i] where values[i] is b + least, for each b below `bins`, in an order that the values
 * alone decide; 0 where there is none. Weights and sums have `parts` numbers each: 2 for complex ones. Values are as
 * those of count. */
typedef struct {
    enum ga_dtype dtype;
    int32_t parts;
    int64_t size, bins, least;
    const void *values;
    const double *weights;
    double *sums;
} ga_weigh_call;

#define GA_HISTOGRAM_BINS 1023 /* at most */

/* counts[b] += 1 for every value from edges[b] on and below edges[b + 1]; the last bin has its
 * upper edge too. dtype is f32 or f64; edges are finite, rise, and are evenly spaced but for
 * rounding. All are contiguous. */
typedef struct {
    enum ga_dtype dtype;
    int64_t size, bins;
    const void *values, *edges;
    int64_t *counts;
} ga_histogram_call;

#endif
