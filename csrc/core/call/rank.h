/* Calls of the family that selects without sorting: order statistics, partitions. */
#ifndef GA_CALL_RANK_H
#define GA_CALL_RANK_H

#include "base.h"

#define GA_RANK_PLACES 32

/* Of each of `rows` contiguous rows of `length` elements those that a sort of values would put at `count` places: that
 * at place t of row r goes to dst[t * rows + r]. Places are place[t], the same for all rows, or, on the device,
 * places[t * rows + r]; they are clipped to the row. */
typedef struct {
    enum ga_dtype dtype;
    int32_t count; /* at most GA_RANK_PLACES without `places` */
    int64_t rows, length;
    const void *src;
    const int64_t *places; /* or NULL */
    int64_t place[GA_RANK_PLACES];
    void *dst;
} ga_rank_call;

/* Each row in an order in which the element at place `kth` is the one that a sort puts there, none
 * before it comes later in the sort and none behind it earlier. Of that order the first `kept`
 * elements of each row are written: to `dst` the elements, to `positions` where in their row they
 * were; one of them may be NULL, and none is src. kth < kept <= length. Where positions are asked
 * for, -0.0 and 0.0 are equal; with kept == kth + 1 it is the first of those like that at kth that
 * are kept, and elements alike keep their order. */
typedef struct {
    enum ga_dtype dtype;
    bool descending;
    int64_t rows, length, kth, kept;
    const void *src;
    void *dst;
    int64_t *positions;
} ga_partition_call;

#endif
