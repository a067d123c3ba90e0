/* The call of the filters that make each element of its neighbours: convolution, smallest, largest, ranked. */
#ifndef GA_CALL_WINDOW_H
#define GA_CALL_WINDOW_H

#include "base.h"

#define GA_WINDOW_AXES 3 /* along which a window has more than one element */
#define GA_WINDOW_FEW 64 /* weights that a launch carries with it */

enum ga_window_op {
    GA_WINDOW_SUM,      /* of products with weights of the dtype, in its own arithmetic: integers wrap, bool is OR of ANDs */
    GA_WINDOW_WIDE_SUM, /* of products with weights in double precision, divided by `divisor`, converted to the dtype */
    GA_WINDOW_MINIMUM,
    GA_WINDOW_MAXIMUM,
    GA_WINDOW_RANK /* the element that `rank` others come before */
};

/* What stands for the element at i of n where i is outside: `outside`, the nearest, or the array goes on mirrored about
 * its ends (the end elements twice: reflect, or once: mirror) or from the start; or nothing: the box ends there. */
enum ga_border {
    GA_BORDER_CONSTANT,
    GA_BORDER_NEAREST,
    GA_BORDER_REFLECT,
    GA_BORDER_MIRROR,
    GA_BORDER_WRAP,
    GA_BORDER_NOTHING
};

/* An axis of dst; `src_size` and `start` count where window > 1 or they differ from dst. */
typedef struct {
    int64_t size, src_size;
    int64_t src_stride, dst_stride;
    int64_t window, start; /* element i of dst sees elements i + start to i + start + window - 1 of src */
} ga_window_axis;

/* Whether dst and src go along an axis together, element by element. */
static inline bool ga_window_is_plain(const ga_window_axis *axis)
{
    return axis->window == 1 && axis->start == 0 && axis->src_size == axis->size;
}

/* Each element of dst from a box of src. Weights (sums) and the mask (of the others; NULL for the
 * whole box) have an element for each of the box, C order. src and dst are of one dtype and do not
 * overlap. At most GA_WINDOW_FEW real weights of a wide sum may lie on the host: a copy less. At least one
 * element of the mask is true. Complex numbers have sums alone, float16 the
 * first of them. */
typedef struct {
    enum ga_window_op op;
    enum ga_dtype dtype;
    enum ga_border border;
    ga_scalar outside;
    double divisor;
    int64_t rank;
    int32_t ndim;
    int64_t size;  /* elements of dst */
    int64_t count; /* elements of the box */
    ga_window_axis axes[GA_ITER_DIMS];
    const void *src, *weights;
    const uint8_t *mask;
    void *dst;
    bool weights_on_host;
} ga_window_call;

#endif
