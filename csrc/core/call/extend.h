/* The call of extend: an array that goes on beyond its ends, by one rule for all axes. */
#ifndef GA_CALL_EXTEND_H
#define GA_CALL_EXTEND_H

#include "base.h"
#include "window.h"

/* Element i of dst along an axis is element i - before of src, of which there are `inner` (not 0
 * unless `size` is, or all of dst is outside), or what the border's rule has in its place: constant
 * (`outside`), nearest, reflect, mirror or wrap. dst is contiguous and, as src, aligned to
 * itemsize. */
typedef struct {
    int32_t itemsize, ndim; /* 1, 2, 4, 8 or 16; at least one axis, outermost first */
    enum ga_border border;
    int64_t size; /* of dst */
    int64_t shape[GA_ITER_DIMS], inner[GA_ITER_DIMS], before[GA_ITER_DIMS], strides[GA_ITER_DIMS];
    ga_scalar outside;
    const void *src;
    void *dst;
} ga_extend_call;

#endif
