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

/* What an axis contributes: weights, and indices that are -1 for elements outside. */
struct axis_taps {
    double weight[GA_RESAMPLE_ORDER + 1];
    int64_t index[GA_RESAMPLE_ORDER + 1];
};

/* Values at t, within [0, 1), of the order + 1 uniform B-splines that are not zero there, by de Boor's recursion. */
GA_FN void spline_weights(double t, int order, double *weight)
{
    weight[0] = 1;
    for (int degree = 1; degree <= order; degree++) {
        double saved = 0;
        for (int k = 0; k < degree; k++) {
            double share = weight[k] / degree;
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

GA_FN void take_axis(const ga_interpolate_call &call, int d, double c, axis_taps *taps)
{
    double base = floor(call.order % 2 ? c : c + 0.5);
    int64_t first = int64_t(base) - call.order / 2;
    spline_weights((call.order % 2 ? c : c + 0.5) - base, call.order, taps->weight);
    for (int k = 0; k <= call.order; k++)
        taps->index[k] = settle_index(first + k, call.shape[d], border_of(call.mode));
}

/* The sum over the axes from D on. */
template <int D, int N>
GA_FN double add_taps(const ga_interpolate_call &call, const axis_taps *taps, const char *p, bool inside)
{
    if constexpr (D == N) {
        return inside ? *reinterpret_cast<const double *>(p) : call.outside;
    } else {
        double sum = 0;
        for (int k = 0; k <= call.order; k++) {
            int64_t i = taps[D].index[k];
            sum += taps[D].weight[k]
                   * add_taps<D + 1, N>(call, taps, i < 0 ? p : p + i * call.strides[D], inside && i >= 0);
        }
        return sum;
    }
}

template <int N> GA_FN void read_coordinates(const ga_interpolate_call &call, int64_t i, double *c)
{
    int64_t place[GA_RESAMPLE_DIMS], rest = i;
    if (call.coordinates) {
        for (int d = 0; d < N; d++)
            c[d] = call.coordinates[d * call.size + i];
        return;
    }
    for (int e = call.dst_ndim - 1; e >= 0; e--) {
        place[e] = rest % call.dst_shape[e];
        rest /= call.dst_shape[e];
    }
    for (int d = 0; d < N; d++) {
        c[d] = call.offset[d];
        for (int e = 0; e < call.dst_ndim; e++)
            c[d] += double(place[e]) * call.matrix[d * call.dst_ndim + e];
    }
}

template <int N> GA_FN double interpolate_at(const ga_interpolate_call &call, int64_t i)
{
    double c[N];
    axis_taps taps[N];
    read_coordinates<N>(call, i, c);
    for (int d = 0; d < N; d++) {
        c[d] += double(call.pad);
        if (!settle_coordinate(&c[d], call.shape[d], call.mode))
            return call.outside;
        take_axis(call, d, c[d], &taps[d]);
    }
    return add_taps<0, N>(call, taps, static_cast<const char *>(call.src), true);
}

template <int N> GA_KERNEL interpolate(GA_PARAM ga_interpolate_call call)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * interpolate_piece;
    int64_t last = first + interpolate_piece < call.size ? first + interpolate_piece : call.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        call.dst[i] = interpolate_at<N>(call, i);
}

int ga_interpolate_run(const ga_interpolate_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + interpolate_piece - 1) / interpolate_piece;
    switch (call->ndim) {
    case 1:
        return ga_launch(interpolate<1>, blocks, stream, *call);
    case 2:
        return ga_launch(interpolate<2>, blocks, stream, *call);
    case 3:
        return ga_launch(interpolate<3>, blocks, stream, *call);
    case 4:
        return ga_launch(interpolate<4>, blocks, stream, *call);
    default:
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "interpolation of %d axes; %d at most", int(call->ndim),
                              GA_RESAMPLE_DIMS);
    }
}
