/* Calls of the families that fold an axis: reduce, argreduce, scan, segments, moments. */
#ifndef GA_CALL_REDUCE_H
#define GA_CALL_REDUCE_H

#include "base.h"

/* Reduction of a binary ufunc (in and out dtype equal) over the `red` axes for each point of the
 * `keep` axes. src is read in src_dtype and converted to dtype on load, converted by truth for b1.
 * Without an initial value the core guarantees at least one element or an op with identity; an
 * empty reduction yields the identity. With a mask, elements where it is false do not count.
 * ordered: strictly left to right (red axes outermost first); otherwise a tree of fixed shape,
 * which depends on the shapes alone, never on the number of processors. */
typedef struct {
    enum ga_ufunc op;
    enum ga_dtype src_dtype, dtype;
    int32_t nkeep, nred;
    bool ordered, has_initial, has_where;
    int64_t keep_size, red_size;
    int64_t keep_shape[GA_ITER_DIMS], red_shape[GA_ITER_DIMS];
    const void *src;
    int64_t src_keep[GA_ITER_DIMS], src_red[GA_ITER_DIMS];
    void *dst; /* dtype */
    int64_t dst_keep[GA_ITER_DIMS];
    const void *where; /* bool */
    int64_t where_keep[GA_ITER_DIMS], where_red[GA_ITER_DIMS];
    ga_scalar initial; /* in dtype */
    int64_t divisor;   /* add of float32 and float64: the sum is divided by it, in that dtype, for a mean; 0 otherwise */
} ga_reduce_call;

/* Position (C order over the red axes, 0-based int64) of the first maximum or minimum; NaN and NaT win. */
typedef struct {
    bool maximum;
    enum ga_dtype dtype;
    int32_t nkeep, nred;
    int64_t keep_size, red_size;
    int64_t keep_shape[GA_ITER_DIMS], red_shape[GA_ITER_DIMS];
    const void *src;
    int64_t src_keep[GA_ITER_DIMS], src_red[GA_ITER_DIMS];
    int64_t *dst;
    int64_t dst_keep[GA_ITER_DIMS];
} ga_argreduce_call;

/* Every intermediate result of a reduction along one axis, for each point of the `keep` axes: dst[0] = src[0] and
 * dst[i] = op(dst[i - 1], src[i]); op, dtypes, conversion and `ordered` as in ga_reduce_call. Otherwise pieces of
 * the axis are added up first, and where they are cut depends on the shapes alone. dst overlaps src nowhere. */
typedef struct {
    enum ga_ufunc op;
    enum ga_dtype src_dtype, dtype;
    int32_t nkeep;
    bool ordered;
    int64_t keep_size, axis_size;
    int64_t keep_shape[GA_ITER_DIMS];
    const void *src;
    int64_t src_axis, src_keep[GA_ITER_DIMS];
    void *dst;
    int64_t dst_axis, dst_keep[GA_ITER_DIMS];
} ga_scan_call;

/* Reductions of slices of one axis: result k is that of src[starts[k]:starts[k + 1]], the last one goes to the end of
 * the axis, and a slice that would be empty is the one element starts[k]. `scan.axis_size` is the length of src along
 * the axis, `scan.dst_axis` the stride between results. starts lies on the device, each within the axis. */
typedef struct {
    ga_scan_call scan;
    int64_t segments;
    const int64_t *starts;
} ga_segments_call;

/* Variance, or with `root` standard deviation, over the `red` axes of a reduction: op and initial
 * do not count, the source is of any dtype but times, results are float64, or float32 where that is
 * `dtype`. The sum of squared distances from the mean is divided by the number of elements (where
 * the mask is true) minus ddof, by zero where that is negative. One read of src. */
typedef struct {
    ga_reduce_call reduce;
    double ddof;
    bool root;
} ga_moments_call;

#endif
