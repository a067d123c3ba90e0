/* Calls of the families that read an array between its elements: interpolate, and spline, which prepares it. */
#ifndef GA_CALL_RESAMPLE_H
#define GA_CALL_RESAMPLE_H

#include "base.h"

#define GA_RESAMPLE_DIMS 4   /* along which an array is interpolated */
#define GA_RESAMPLE_PLACES 5 /* of the result */
#define GA_RESAMPLE_ORDER 5  /* of splines, at most */

/* What a coordinate outside [0, n - 1] stands for. GRID_CONSTANT and GRID_WRAP see the space
 * between the last element and what follows it, constant or the first one; CONSTANT and WRAP end
 * with the last element. */
enum ga_resample_mode {
    GA_RESAMPLE_CONSTANT,
    GA_RESAMPLE_NEAREST,
    GA_RESAMPLE_REFLECT,
    GA_RESAMPLE_MIRROR,
    GA_RESAMPLE_WRAP,
    GA_RESAMPLE_GRID_CONSTANT,
    GA_RESAMPLE_GRID_WRAP
};

/* dst[i], contiguous, is src at a coordinate: coordinates[d * size + i] along axis d,
 * or without them offset[d] + the sum of matrix[d * dst_ndim + e] * i_e, and `pad` added to either.
 * Axes that are the same in both and nothing is interpolated along are no axes of src here: a step along axis e of dst
 * leads carry[e] bytes on in src, 0 for the other axes.
 * src is for orders above 1 the coefficients that `spline` makes, with `pad` elements before and
 * behind each axis of what they were made of. Each array is float64, or float32 where its `short` is
 * set; the arithmetic is float64's. dst may also have integers, of `whole` bytes: then values are rounded, halves away
 * from zero, and held within [least, greatest]. */
typedef struct {
    enum ga_resample_mode mode;
    int32_t order, ndim, dst_ndim; /* dst_ndim is 1 where there are coordinates */
    int32_t whole;                 /* 0: no integers */
    int64_t pad, size;
    double outside, least, greatest;
    int64_t shape[GA_RESAMPLE_DIMS], strides[GA_RESAMPLE_DIMS]; /* of src */
    int64_t dst_shape[GA_RESAMPLE_PLACES], carry[GA_RESAMPLE_PLACES];
    double matrix[GA_RESAMPLE_DIMS * GA_RESAMPLE_PLACES], offset[GA_RESAMPLE_DIMS];
    const void *src, *coordinates;
    void *dst;
    bool short_src, short_coordinates, short_dst;
} ga_interpolate_call;

/* Turns float64 values along an axis, in place, into the coefficients of the spline through them, for each point of the
 * other axes. Mode MIRROR, REFLECT or GRID_WRAP: how they go on behind the ends. Order 2 to 5. */
typedef struct {
    enum ga_resample_mode mode;
    int32_t order, nlines; /* axes of lines */
    int64_t size, length, stride;
    int64_t shape[GA_ITER_DIMS], strides[GA_ITER_DIMS]; /* of the other axes; size is their product */
    void *data;
} ga_spline_call;

#endif
