/* What a coordinate along an axis of an array means, for resample.cu and resample_grid.cu: the elements it lies among and
 * their weights.
 *
 * A coordinate is first brought to the array by the mode's rule; the order + 1 elements around it are settled once more
 * where they lie behind an end. A coordinate that is no number, or too great to tell elements apart, is outside.
 * Includes border.cuh, divide.cuh, csrc/core/call/resample.h. */
#pragma once
#include "../csrc/core/call/resample.h"
#include "border.cuh"
#include "divide.cuh"

static const double greatest_coordinate = 4503599627370496.0; /* 2^52 */

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
            saved = (t + (degree - k - 1)) * share;
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
    } else if (mode == GA_RESAMPLE_WRAP && *c < 0) {
        *c += last * (floor(-*c / last) + 1); /* to the last element, not to the first, from whole periods in front */
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

/* The first of the elements around a coordinate, as a whole number, and by how much the coordinate lies behind the
 * place from which weights count. */
GA_FN double first_tap(double c, int order, double *t)
{
    double from = order % 2 ? c : c + 0.5, base = floor(from);
    *t = from - base;
    return base - order / 2;
}

/* What an axis contributes: weights, and indices that are -1 for elements outside. Kernels of the highest order O take
 * any order. */
template <int O> struct axis_taps {
    double weight[O + 1];
    int64_t index[O + 1];
};

template <int O> GA_FN int order_of(const ga_interpolate_call &call)
{
    return O < GA_RESAMPLE_ORDER ? O : call.order;
}

template <int O> GA_FN void take_axis(const ga_interpolate_call &call, int d, double c, axis_taps<O> *taps)
{
    double t;
    int order = order_of<O>(call);
    int64_t first = int64_t(first_tap(c, order, &t));
    bool inside = first >= 0 && first + order < call.shape[d];
    spline_weights(t, order, taps->weight);
    GA_UNROLL
    for (int k = 0; k <= order; k++)
        taps->index[k] = inside ? first + k : settle_outside(first + k, call.shape[d], border_of(call.mode));
}

GA_FN double load_real(const void *p, int64_t i, bool is_short)
{
    return is_short ? static_cast<const float *>(p)[i] : static_cast<const double *>(p)[i];
}

GA_FN_CALL void store_whole(const ga_interpolate_call &call, int64_t i, double value)
{
    double rounded = trunc(value + copysign(0.5, value));
    rounded = rounded < call.least ? call.least : rounded > call.greatest ? call.greatest : rounded;
    uint64_t bits = rounded < 0 ? uint64_t(int64_t(rounded)) : uint64_t(rounded);
    switch (call.whole) {
    case 1:
        static_cast<uint8_t *>(call.dst)[i] = uint8_t(bits);
        break;
    case 2:
        static_cast<uint16_t *>(call.dst)[i] = uint16_t(bits);
        break;
    case 4:
        static_cast<uint32_t *>(call.dst)[i] = uint32_t(bits);
        break;
    default:
        static_cast<uint64_t *>(call.dst)[i] = bits;
    }
}

GA_FN void store_value(const ga_interpolate_call &call, int64_t i, double value)
{
    if (call.whole)
        store_whole(call, i, value);
    else if (call.short_dst)
        static_cast<float *>(call.dst)[i] = float(value);
    else
        static_cast<double *>(call.dst)[i] = value;
}
