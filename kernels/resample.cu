/* Arrays between their elements: values of B-splines at coordinates, one thread each. Owns
 * ga_interpolate_run.
 *
 * A coordinate is first brought to the array by the mode's rule; the order + 1 elements around it
 * along each axis, settled once more where they lie behind an end, are added up with the products
 * of the splines' values. A coordinate that is no number, or too great to tell elements apart, is
 * outside. Includes border.cuh, slots.h, csrc/core/call/resample.h. */
#include "../csrc/core/call/resample.h"
#include "border.cuh"
#include "slots.h"

static const int64_t interpolate_piece = GA_BLOCK == 1 ? 1024 : 512;
static const double greatest_coordinate = 4503599627370496.0; /* 2^52 */

static const int any_order = GA_RESAMPLE_ORDER + 1; /* of kernels that look the order up as they run */

template <int O> GA_FN int order_of(const ga_interpolate_call &call)
{
    return O == any_order ? call.order : O;
}

/* What an axis contributes: weights, and indices that are -1 for elements outside. */
template <int O> struct axis_taps {
    double weight[O + 1];
    int64_t index[O + 1];
};

/* Values at t, within [0, 1), of the order + 1 uniform B-splines that are not zero there, by de Boor's recursion. */
GA_FN void spline_weights(double t, int order, double *weight)
{
    weight[0] = 1;
    GA_UNROLL
    for (int degree = 1; degree <= order; degree++) {
        double saved = 0, part = 1.0 / degree;
        GA_UNROLL
        for (int k = 0; k < degree; k++) {
            double share = weight[k] * part;
            weight[k] = saved + (k + 1 - t) * share;
            saved = (t + degree - k - 1) * share;
        }
        weight[degree] = saved;
    }
}

/* `c` less whole periods, within [0, period). */
GA_FN double fold_period(double c, double period)
{
    double rest = c - period * floor(c / period);
    return rest < 0 || rest >= period ? 0 : rest;
}

/* Brings a coordinate to where splines are known; false outside. */
GA_FN bool settle_coordinate(double *c, int64_t size, int mode)
{
    double n = double(size), last = n - 1;
    if (!(*c > -greatest_coordinate && *c < greatest_coordinate))
        return false;
    if ((*c >= 0 && *c <= last) || mode == GA_RESAMPLE_GRID_CONSTANT || mode == GA_RESAMPLE_NEAREST)
        return true; /* in these two modes each element is settled by itself */
    if (mode == GA_RESAMPLE_CONSTANT)
        return false;
    if (size == 1) {
        *c = 0;
    } else if (mode == GA_RESAMPLE_MIRROR) {
        double at = fold_period(fabs(*c), 2 * last);
        *c = at <= last ? at : 2 * last - at;
    } else if (mode == GA_RESAMPLE_REFLECT) {
        double at = *c < 0 ? -1 - *c : *c;
        at = at < 0 ? at : fold_period(at, 2 * n);
        *c = at < n ? at : 2 * n - 1 - at;
    } else {
        *c = fold_period(*c, mode == GA_RESAMPLE_WRAP ? last : n);
    }
    return true;
}

/* How splines go on behind the ends. */
GA_FN int border_of(int mode)
{
    switch (mode) {
    case GA_RESAMPLE_NEAREST:
        return GA_BORDER_NEAREST;
    case GA_RESAMPLE_REFLECT:
        return GA_BORDER_REFLECT;
    case GA_RESAMPLE_GRID_WRAP:
        return GA_BORDER_WRAP;
    case GA_RESAMPLE_GRID_CONSTANT:
        return GA_BORDER_CONSTANT;
    default:
        return GA_BORDER_MIRROR;
    }
}

template <int O> GA_FN void take_axis(const ga_interpolate_call &call, int d, double c, axis_taps<O> *taps)
{
    const int order = order_of<O>(call);
    double base = floor(order % 2 ? c : c + 0.5);
    int64_t first = int64_t(base) - order / 2;
    spline_weights((order % 2 ? c : c + 0.5) - base, order, taps->weight);
    if (first >= 0 && first + order < call.shape[d]) {
        GA_UNROLL
        for (int k = 0; k <= order; k++)
            taps->index[k] = first + k;
        return;
    }
    GA_UNROLL
    for (int k = 0; k <= order; k++)
        taps->index[k] = settle_outside(first + k, call.shape[d], border_of(call.mode));
}

/* The sum over the axes from D on. */
template <int D, int N, int O>
GA_FN double add_taps(const ga_interpolate_call &call, const axis_taps<O> *taps, const char *p, bool inside)
{
    if constexpr (D == N) {
        double x = call.short_src ? *reinterpret_cast<const float *>(p) : *reinterpret_cast<const double *>(p);
        return inside ? x : call.outside;
    } else {
        double sum = 0;
        GA_UNROLL
        for (int k = 0; k <= order_of<O>(call); k++) {
            int64_t i = taps[D].index[k];
            sum += taps[D].weight[k]
                   * add_taps<D + 1, N, O>(call, taps, i < 0 ? p : p + i * call.strides[D], inside && i >= 0);
        }
        return sum;
    }
}

/* Of counts, which are small as a rule: 32 bits divide in a fraction of the time. */
GA_FN int64_t divide(int64_t a, int64_t b)
{
    return (a | b) >> 32 ? a / b : int64_t(uint32_t(a) / uint32_t(b));
}

template <int N> GA_FN void read_coordinates(const ga_interpolate_call &call, int64_t i, double *c)
{
    int64_t place[GA_RESAMPLE_DIMS], rest = i;
    if (call.coordinates) {
        for (int d = 0; d < N; d++)
            c[d] = call.coordinates[d * call.size + i];
        return;
    }
    GA_UNROLL
    for (int e = GA_RESAMPLE_DIMS - 1; e >= 0; e--) {
        if (e >= call.dst_ndim)
            continue;
        int64_t n = call.dst_shape[e], above = e == 0 ? 0 : divide(rest, n);
        place[e] = rest - above * n;
        rest = above;
    }
    GA_UNROLL
    for (int d = 0; d < N; d++) {
        c[d] = call.offset[d];
        GA_UNROLL
        for (int e = 0; e < GA_RESAMPLE_DIMS; e++)
            if (e < call.dst_ndim)
                c[d] += double(place[e]) * call.matrix[d * call.dst_ndim + e];
    }
}

template <int N, int O> GA_FN double interpolate_at(const ga_interpolate_call &call, int64_t i)
{
    double c[N];
    axis_taps<O> taps[N];
    read_coordinates<N>(call, i, c);
    GA_UNROLL
    for (int d = 0; d < N; d++) {
        c[d] += double(call.pad);
        if (!settle_coordinate(&c[d], call.shape[d], call.mode))
            return call.outside;
        take_axis(call, d, c[d], &taps[d]);
    }
    return add_taps<0, N, O>(call, taps, static_cast<const char *>(call.src), true);
}

template <int N, int O> GA_KERNEL interpolate(GA_PARAM ga_interpolate_call call)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * interpolate_piece;
    int64_t last = first + interpolate_piece < call.size ? first + interpolate_piece : call.size;
    GA_ROLLED
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        double value = interpolate_at<N, O>(call, i);
        if (call.short_dst)
            static_cast<float *>(call.dst)[i] = float(value);
        else
            static_cast<double *>(call.dst)[i] = value;
    }
}

/* The usual orders of images have kernels of their own, which keep weights in registers. */
static int launch_plane(const ga_interpolate_call *call, int64_t blocks, ga_stream *stream)
{
    switch (call->order) {
    case 1:
        return ga_launch((interpolate<2, 1>), blocks, stream, *call);
    case 3:
        return ga_launch((interpolate<2, 3>), blocks, stream, *call);
    default:
        return ga_launch((interpolate<2, any_order>), blocks, stream, *call);
    }
}

int ga_interpolate_run(const ga_interpolate_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + interpolate_piece - 1) / interpolate_piece;
    switch (call->ndim) {
    case 1:
        return ga_launch((interpolate<1, any_order>), blocks, stream, *call);
    case 2:
        return launch_plane(call, blocks, stream);
    case 3:
        if (call->order == 1)
            return ga_launch((interpolate<3, 1>), blocks, stream, *call);
        return ga_launch((interpolate<3, any_order>), blocks, stream, *call);
    case 4:
        return ga_launch((interpolate<4, any_order>), blocks, stream, *call);
    default:
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "interpolation of %d axes; %d at most", int(call->ndim),
                              GA_RESAMPLE_DIMS);
    }
}
