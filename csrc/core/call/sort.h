/* Calls of the families that order and choose: sort, search, select. */
#ifndef GA_CALL_SORT_H
#define GA_CALL_SORT_H

#include "base.h"

/* Stable sort of each of `rows` contiguous rows of `length` elements, NaN and NaT last in either direction. `dst` gets
 * the elements (it may be src), `positions` where in its row each one came from; one of them may be NULL. With `order`
 * the rows are first permuted: element i of a row is src[order[i]], and positions are those of src; order may be
 * positions. Values alone put -0.0 before 0.0; to positions they are equal. */
typedef struct {
    enum ga_dtype dtype;
    bool descending;
    int64_t rows, length;
    const void *src;
    void *dst;
    int64_t *positions;
    const int64_t *order;
} ga_sort_call;

/* Where each of `values` belongs in `sorted` (ascending as above; through `order`, unless NULL):
 * before elements that equal it, or behind them. All contiguous and of one dtype. An order that
 * leaves the array is clipped to it. Instead of dst: `bytes`, the same where there are at most 255
 * elements, or `found`, whether an element equals each value, which NaN and NaT do not. `closed`, which
 * wants `right`: values that sort as the last element does go before it. */
typedef struct {
    enum ga_dtype dtype;
    bool right, closed;
    int64_t size, count; /* of sorted; of values and dst */
    const void *sorted, *values;
    const int64_t *order;
    int64_t *dst; /* or NULL */
    uint8_t *bytes;
    bool *found;
} ga_search_call;

/* Compaction by a contiguous mask of bytes (any non-zero one counts), in two calls. The first has dst NULL: it fills
 * `tiles`, of GA_SELECT_ENTRIES(size) entries, and gives the number of true elements to the
 * host. The second writes either the elements of src that are selected, contiguous as the mask is, or without src the
 * index of each along every axis of `shape`: axis d to dst[d * count + i]. */
#define GA_SELECT_TILE 4096
#define GA_SELECT_GROUP 16 /* tiles */
/* One for each tile, one for each group begun, and that of all. */
#define GA_SELECT_ENTRIES(size) \
    (((size) / (GA_SELECT_TILE * GA_SELECT_GROUP) + 1) * (GA_SELECT_GROUP + 1) + 1)
typedef struct {
    const uint8_t *mask;
    int64_t size, count; /* count: what the first call gave */
    int64_t *tiles;
    const void *src;
    int32_t itemsize, ndim;
    int64_t shape[GA_MAXDIMS];
    void *dst;
} ga_select_call;

#endif
