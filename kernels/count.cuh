/* What the ways of counting and weighing share: dtypes, and which counter a value is for. Includes types.cuh, slots.h. */
#pragma once
#include "slots.h"
#include "types.cuh"

/* The number of a value's counter; there is none if it is not below call.bins. */
template <class Call, class T>
GA_FN uint64_t
ga_count_place(const Call &call, T value)
{
    return uint64_t(int64_t(value)) - uint64_t(call.least);
}

/* The bin of a value among even edges, or -1. Where bins begin and end is decided by their edges;
 * `scale`, bins in a unit, says where to look. */
template <class T>
GA_FN int
ga_histogram_bin(const T *edges, int bins, T scale, T value)
{
    if (!(value >= edges[0] && value <= edges[bins]))
        return -1;
    T place = (value - edges[0]) * scale;
    int bin = place < T(bins) ? int(place) : bins - 1;
    while (bin > 0 && value < edges[bin])
        bin--;
    while (bin + 1 < bins && value >= edges[bin + 1])
        bin++;
    return bin;
}

/* Calls `run`, a function template's instance, for the integers of a dtype. */
#define GA_COUNT_TYPED(run, call, ...) \
    switch ((call)->dtype) { \
    case GA_b1: \
        return run<bool>(call, __VA_ARGS__); \
    case GA_u8: \
        return run<uint8_t>(call, __VA_ARGS__); \
    case GA_i8: \
        return run<int8_t>(call, __VA_ARGS__); \
    case GA_u16: \
        return run<uint16_t>(call, __VA_ARGS__); \
    case GA_i16: \
        return run<int16_t>(call, __VA_ARGS__); \
    case GA_u32: \
        return run<uint32_t>(call, __VA_ARGS__); \
    case GA_i32: \
        return run<int32_t>(call, __VA_ARGS__); \
    case GA_u64: \
    case GA_i64: \
        return run<int64_t>(call, __VA_ARGS__); \
    default: \
        return ga_kernel_fail(GA_ERR_TYPE, "count: no integers are of dtype %d", int((call)->dtype)); \
    }
