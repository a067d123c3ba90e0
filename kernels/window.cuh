/* How kernels walk the box of neighbours of an element. Owns the plan of a launch, borders and the
 * walk.
 *
 * A plan has dst's axes innermost first and up to three window axes. A box that lies within src is
 * walked by pointer alone; at the borders each index is settled by the border's rule, or the
 * element outside stands for it. Elements of dst count with 31 bits. Includes border.cuh,
 * iterate.cuh (the divider) and csrc/core/call/window.h. */
#pragma once
#include "../csrc/core/call/window.h"
#include "border.cuh"
#include "iterate.cuh"

struct window_dim {
    ga_divider size;
    int64_t src, dst; /* bytes; src is 0 for window axes */
    int32_t window;   /* which window axis it is, or -1 */
};

/* Window axes are filled from the end: of a box with one, it is the third, and the others have one place. */
struct window_axis {
    int64_t size, stride; /* of src */
    int64_t window, start;
};

struct window_plan {
    int32_t ndim, border;
    int64_t size, piece;
    int64_t rank;
    double divisor;
    ga_scalar outside;
    window_dim dims[GA_ITER_DIMS];
    window_axis axes[GA_WINDOW_AXES];
    const char *src;
    char *dst;
    const void *weights; /* NULL: those of few */
    double few[GA_WINDOW_FEW];
    const uint8_t *mask;
    bool largest;
};

/* One element of dst and the corner of its box. */
struct window_place {
    const char *src; /* of the corner, were it inside, along all axes */
    char *dst;
    int64_t corner[GA_WINDOW_AXES];
};

GA_FN window_place locate_window(const window_plan &plan, uint32_t i)
{
    window_place at = {plan.src, plan.dst, {0, 0, 0}};
    GA_ROLLED
    for (int d = 0; d < plan.ndim; d++) {
        const window_dim &dim = plan.dims[d];
        uint32_t rest = d + 1 < plan.ndim ? ga_divide_by(dim.size, i) : 0;
        int64_t here = i - rest * dim.size.divisor;
        at.src += here * dim.src;
        at.dst += here * dim.dst;
        GA_UNROLL
        for (int a = 0; a < GA_WINDOW_AXES; a++)
            if (dim.window == a)
                at.corner[a] = here;
        i = rest;
    }
    GA_UNROLL
    for (int a = 0; a < GA_WINDOW_AXES; a++) {
        at.corner[a] += plan.axes[a].start;
        at.src += at.corner[a] * plan.axes[a].stride;
    }
    return at;
}

GA_FN bool window_is_inside(const window_plan &plan, const window_place &at)
{
    bool inside = true;
    GA_UNROLL
    for (int a = 0; a < GA_WINDOW_AXES; a++)
        inside = inside && at.corner[a] >= 0 && at.corner[a] + plan.axes[a].window <= plan.axes[a].size;
    return inside;
}

/* What window axis `a` adds to the address at its place `k`; false outside. */
GA_FN bool step_window(const window_plan &plan, const window_place &at, int a, int64_t k, int64_t *offset)
{
    const window_axis &axis = plan.axes[a];
    int64_t i = settle_index(at.corner[a] + k, axis.size, plan.border);
    *offset = (i - at.corner[a]) * axis.stride;
    return i >= 0;
}

/* visitor.take(x, k) for every place k of the box that the mask shows. */
template <class T, class Visitor>
GA_FN void visit_inside(const window_plan &plan, const window_place &at, Visitor &visitor)
{
    int64_t place = 0;
    for (int64_t i = 0; i < plan.axes[0].window; i++)
        for (int64_t j = 0; j < plan.axes[1].window; j++) {
            const char *line = at.src + i * plan.axes[0].stride + j * plan.axes[1].stride;
            for (int64_t k = 0; k < plan.axes[2].window; k++, place++)
                if (!plan.mask || plan.mask[place])
                    visitor.take(ga_load(reinterpret_cast<const T *>(line + k * plan.axes[2].stride)), place);
        }
}

template <class T, class Visitor>
GA_FN void visit_border(const window_plan &plan, const window_place &at, Visitor &visitor)
{
    int64_t place = 0, first, second, third;
    T outside;
    memcpy(&outside, &plan.outside, sizeof outside);
    for (int64_t i = 0; i < plan.axes[0].window; i++) {
        bool in_first = step_window(plan, at, 0, i, &first);
        for (int64_t j = 0; j < plan.axes[1].window; j++) {
            bool in_line = step_window(plan, at, 1, j, &second) && in_first;
            for (int64_t k = 0; k < plan.axes[2].window; k++, place++) {
                if (plan.mask && !plan.mask[place])
                    continue;
                bool inside = step_window(plan, at, 2, k, &third) && in_line;
                if (!inside && plan.border == GA_BORDER_NOTHING)
                    continue;
                const char *p = at.src + first + second + third;
                visitor.take(inside ? ga_load(reinterpret_cast<const T *>(p)) : outside, place);
            }
        }
    }
}

template <class T, class Visitor>
GA_FN void visit_window(const window_plan &plan, const window_place &at, Visitor &visitor)
{
    if (window_is_inside(plan, at))
        visit_inside<T>(plan, at, visitor);
    else
        visit_border<T>(plan, at, visitor);
}
