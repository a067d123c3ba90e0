/* The call of interp: values of the lines that join points. */
#ifndef GA_CALL_INTERP_H
#define GA_CALL_INTERP_H

#include "base.h"

/* dst[i] is what the line between neighbouring points (xp, fp) has at x[i]; `left` before the first
 * point and `right` behind the last one; NaN where x is. xp must not fall, else values are
 * unspecified. All contiguous and on the device; x is f32 or f64, xp is f64, and the elements of
 * fp, left, right and dst are `parts` doubles each (complex numbers: 2). */
typedef struct {
    enum ga_dtype dtype; /* of x */
    int32_t parts;
    int64_t size, points; /* of x; of xp, at least one */
    const void *x;
    const double *xp, *fp, *left, *right;
    double *dst;
} ga_interp_call;

#endif
