/* Arrays between their elements: values of B-splines at coordinates, one thread each. Owns
 * ga_interpolate_run.
 *
 * Most coordinates have all of their elements inside the array: the kernels of few axes and usual orders know by two
 * comparisons an axis, and go on with 32-bit numbers, all loads before the arithmetic. What lies at a border goes the
 * long way, which the kernel for everything else takes throughout. Maps that leave axes apart are resample_grid.cu's. Includes
 * iterate.cuh (the divider), resample.cuh, resample_grid.h, slots.h. */
#include "iterate.cuh"
#include "resample.cuh"
#include "resample_grid.h"
#include "slots.h"

static const int64_t interpolate_piece = GA_BLOCK == 1 ? 1024 : 512;

/* Coordinates within [least, most] have all of their elements inside; `places` are for fewer than 2^31. */
struct resample_plan {
    ga_interpolate_call call;
    ga_divider places[GA_RESAMPLE_PLACES];
    double least[GA_RESAMPLE_DIMS], most[GA_RESAMPLE_DIMS];
};

/* ---- where an element of the result comes from ---- */

/* Of a kernel for N axes; 0 is that for any number. */
template <int N> GA_FN bool has_axis(const ga_interpolate_call &call, int d)
{
    return d < (N > 0 ? N : call.ndim);
}

template <int N> GA_FN void load_coordinates(const ga_interpolate_call &call, int64_t i, double *c)
{
    GA_UNROLL
    for (int d = 0; d < GA_RESAMPLE_DIMS; d++) {
        int64_t at = d * call.size + i;
        if (has_axis<N>(call, d))
            c[d] = call.short_coordinates ? static_cast<const float *>(call.coordinates)[at]
                                          : static_cast<const double *>(call.coordinates)[at];
    }
}

GA_FN uint32_t divide_place(const resample_plan &plan, int e, uint32_t i)
{
    return ga_divide_by(plan.places[e], i);
}
GA_FN int64_t divide_place(const resample_plan &plan, int e, int64_t i)
{
    return divide(i, plan.call.dst_shape[e]);
}

/* The coordinates by the affine map, and where in src the axes that are the same in both lead to. */
template <int N, class I> GA_FN const char *map_place(const resample_plan &plan, I i, double *c)
{
    const ga_interpolate_call &call = plan.call;
    const char *src = static_cast<const char *>(call.src);
    I place[GA_RESAMPLE_PLACES];
    GA_UNROLL
    for (int e = GA_RESAMPLE_PLACES - 1; e >= 0; e--) {
        I above = e > 0 && e < call.dst_ndim ? divide_place(plan, e, i) : 0;
        place[e] = e < call.dst_ndim ? i - above * I(call.dst_shape[e]) : 0;
        i = e < call.dst_ndim ? above : i;
        src += place[e] * call.carry[e];
    }
    GA_UNROLL
    for (int d = 0; d < GA_RESAMPLE_DIMS; d++) {
        if (!has_axis<N>(call, d))
            continue;
        c[d] = call.offset[d];
        GA_UNROLL
        for (int e = 0; e < GA_RESAMPLE_PLACES; e++)
            if (e < call.dst_ndim)
                c[d] += double(place[e]) * call.matrix[d * call.dst_ndim + e];
    }
    return src;
}

template <int N, class I> GA_FN const char *locate(const resample_plan &plan, I i, double *c)
{
    const char *src = static_cast<const char *>(plan.call.src);
    if (plan.call.coordinates)
        load_coordinates<N>(plan.call, i, c);
    else
        src = map_place<N>(plan, i, c);
    GA_UNROLL
    for (int d = 0; d < GA_RESAMPLE_DIMS; d++)
        if (has_axis<N>(plan.call, d))
            c[d] += double(plan.call.pad);
    return src;
}

/* ---- the long way ---- */

/* The sum along the last axis from p on. */
GA_FN double add_line(const ga_interpolate_call &call, const axis_taps &taps, const char *p, bool inside)
{
    double sum = 0;
    for (int k = 0; k <= call.order; k++) {
        bool here = inside && taps.index[k] >= 0;
        double x = here ? load_real(p + taps.index[k] * call.strides[call.ndim - 1], call.short_src) : call.outside;
        sum += taps.weight[k] * x;
    }
    return sum;
}

/* The sum over all combinations of the axes' taps: an odometer of those of all but the last axis. */
GA_FN double add_taps(const ga_interpolate_call &call, const axis_taps *taps, const char *src)
{
    int digit[GA_RESAMPLE_DIMS] = {0}, last = call.ndim - 1, d;
    double sum = 0;
    do {
        const char *p = src;
        double weight = 1;
        bool inside = true;
        for (d = 0; d < last; d++) {
            int64_t i = taps[d].index[digit[d]];
            weight *= taps[d].weight[digit[d]];
            inside = inside && i >= 0;
            p += i * call.strides[d];
        }
        sum += weight * add_line(call, taps[last], p, inside);
        for (d = last - 1; d >= 0 && digit[d] == call.order; d--)
            digit[d] = 0;
        if (d >= 0)
            digit[d]++;
    } while (d >= 0);
    return sum;
}

GA_FN_CALL double interpolate_anywhere(const ga_interpolate_call &call, const char *src, const double *c)
{
    axis_taps taps[GA_RESAMPLE_DIMS];
    for (int d = 0; d < call.ndim; d++) {
        double at = c[d];
        if (!settle_coordinate(&at, call.shape[d], call.mode))
            return call.outside;
        take_axis(call, d, at, &taps[d]);
    }
    return add_taps(call, taps, src);
}

/* ---- the short way ---- */

/* The sum over (O + 1)^(N - D) elements from p on, along the axes from D on. */
template <int D, int N, int O, class S>
GA_FN double add_inside(const ga_interpolate_call &call, const double (*weight)[O + 1], const char *p)
{
    if constexpr (D == N) {
        return *reinterpret_cast<const S *>(p);
    } else {
        double x[O + 1], sum = 0;
        GA_UNROLL
        for (int k = 0; k <= O; k++)
            x[k] = add_inside<D + 1, N, O, S>(call, weight, p + k * call.strides[D]);
        GA_UNROLL
        for (int k = 0; k <= O; k++)
            sum += weight[D][k] * x[k];
        return sum;
    }
}

template <int N, int O> GA_FN double interpolate_inside(const resample_plan &plan, const char *src, const double *c)
{
    const ga_interpolate_call &call = plan.call;
    double weight[N][O + 1], t;
    GA_UNROLL
    for (int d = 0; d < N; d++) {
        src += int64_t(int32_t(first_tap(c[d], O, &t))) * call.strides[d];
        spline_weights(t, O, weight[d]);
    }
    if (call.short_src)
        return add_inside<0, N, O, float>(call, weight, src);
    return add_inside<0, N, O, double>(call, weight, src);
}

template <int N, int O, class I> GA_FN double interpolate_at(const resample_plan &plan, I i)
{
    double c[GA_RESAMPLE_DIMS];
    const char *src = locate<N>(plan, i, c);
    if constexpr (N > 0) {
        bool inside = true;
        GA_UNROLL
        for (int d = 0; d < N; d++)
            inside = inside && c[d] >= plan.least[d] && c[d] <= plan.most[d];
        if (inside)
            return interpolate_inside<N, O>(plan, src, c);
    }
    return interpolate_anywhere(plan.call, src, c);
}

/* N axes and order O, and places of type I; 0 axes: any call. */
template <int N, int O, class I> GA_KERNEL interpolate(GA_PARAM resample_plan plan)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * interpolate_piece, end = first + interpolate_piece;
    I last = I(end < plan.call.size ? end : plan.call.size);
    GA_ROLLED
    for (I i = I(first) + GA_THREAD; i < last; i += GA_BLOCK)
        store_value(plan.call, i, interpolate_at<N, O>(plan, i));
}

/* ---- launches ---- */

/* False where the numbers are too large for a kernel of few axes. */
static bool plan_inside(const ga_interpolate_call *call, resample_plan *plan)
{
    int before = call->order / 2, behind = call->order - before;
    for (int e = 0; e < call->dst_ndim && call->size < GA_WALK_LIMIT; e++)
        plan->places[e] = ga_divider_make(call->coordinates ? call->size : call->dst_shape[e]);
    for (int d = 0; d < call->ndim; d++) {
        double last = double(call->shape[d] - 1), most = last - behind;
        if (last > INT32_MAX)
            return false;
        plan->least[d] = before;
        plan->most[d] = call->order % 2 ? nextafter(most + 1, 0) : most;
    }
    return call->size < GA_WALK_LIMIT;
}

#define LAUNCH_INSIDE(n, o) \
    case n * 10 + o: \
        return ga_launch((interpolate<n, o, uint32_t>), blocks, stream, plan);

int ga_interpolate_run(const ga_interpolate_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + interpolate_piece - 1) / interpolate_piece;
    resample_plan plan;
    if (call->ndim > GA_RESAMPLE_DIMS || call->dst_ndim > GA_RESAMPLE_PLACES)
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "interpolation of %d axes to %d", int(call->ndim), int(call->dst_ndim));
    if (ga_resample_grid_fits(call))
        return ga_resample_grid_run(call, stream);
    memset(&plan, 0, sizeof plan);
    plan.call = *call;
    switch (plan_inside(call, &plan) ? call->ndim * 10 + call->order : 0) {
        LAUNCH_INSIDE(1, 1)
        LAUNCH_INSIDE(2, 0)
        LAUNCH_INSIDE(2, 1)
        LAUNCH_INSIDE(2, 3)
        LAUNCH_INSIDE(3, 1)
        LAUNCH_INSIDE(3, 3)
    default:
        return ga_launch((interpolate<0, 0, int64_t>), blocks, stream, plan);
    }
}
