/* Keys of sort_key.cuh for elements of which only the width is a template's business: what selection stands on, whose
 * kernels are few for that. The kind of number is looked at for each element, the same way for all.
 *
 *   ga_rank_key(bits, order)   the key of an element that is given by its bits; keys are as wide as elements
 *   ga_rank_bits(key, order)   the bits back; where zeros are merged, of 0.0
 *
 * Real numbers and times only. Includes sort_key.cuh. */
#pragma once
#include "sort_key.cuh"

enum ga_rank_kind {
    GA_RANK_BOOL,
    GA_RANK_UNSIGNED,
    GA_RANK_SIGNED,
    GA_RANK_FLOAT,
    GA_RANK_TIME,
    GA_RANK_BFLOAT,
    GA_RANK_E4M3,
    GA_RANK_E5M2
};

struct ga_rank_order {
    enum ga_rank_kind kind;
    ga_sort_order sort;
};

template <class U>
using ga_rank_float =
    typename std::conditional<sizeof(U) == 2, ga_half,
                              typename std::conditional<sizeof(U) == 4, float, double>::type>::type;

template <class T, class U>
GA_FN U
ga_rank_key_as(U bits, ga_rank_order order)
{
    return ga_sort_turn<T>(ga_sort_rank(ga_bits<T>(bits), order.sort.merge), order.sort.descending);
}

template <class T, class U>
GA_FN U
ga_rank_bits_as(U key, ga_rank_order order)
{
    return ga_bits<U>(ga_sort_unrank<T>(ga_sort_turn<T>(key, order.sort.descending)));
}

template <class U>
GA_FN U
ga_rank_key(U bits, ga_rank_order order)
{
    if (order.kind == GA_RANK_FLOAT) {
        if constexpr (sizeof(U) > 1)
            return ga_rank_key_as<ga_rank_float<U>>(bits, order);
    }
    if (order.kind == GA_RANK_TIME) {
        if constexpr (sizeof(U) == 8)
            return ga_rank_key_as<ga_datetime>(bits, order);
    }
    if (order.kind == GA_RANK_BFLOAT) {
        if constexpr (sizeof(U) == 2)
            return ga_rank_key_as<ga_bfloat>(bits, order);
    }
    if (order.kind == GA_RANK_E4M3 || order.kind == GA_RANK_E5M2) {
        if constexpr (sizeof(U) == 1)
            return order.kind == GA_RANK_E4M3 ? ga_rank_key_as<ga_e4m3>(bits, order)
                                              : ga_rank_key_as<ga_e5m2>(bits, order);
    }
    if (order.kind == GA_RANK_SIGNED)
        return ga_rank_key_as<typename std::make_signed<U>::type>(bits, order);
    return ga_rank_key_as<U>(order.kind == GA_RANK_BOOL ? U(bits != 0) : bits, order);
}

template <class U>
GA_FN U
ga_rank_bits(U key, ga_rank_order order)
{
    if (order.kind == GA_RANK_FLOAT) {
        if constexpr (sizeof(U) > 1)
            return ga_rank_bits_as<ga_rank_float<U>>(key, order);
    }
    if (order.kind == GA_RANK_TIME) {
        if constexpr (sizeof(U) == 8)
            return ga_rank_bits_as<ga_datetime>(key, order);
    }
    if (order.kind == GA_RANK_BFLOAT) {
        if constexpr (sizeof(U) == 2)
            return ga_rank_bits_as<ga_bfloat>(key, order);
    }
    if (order.kind == GA_RANK_E4M3 || order.kind == GA_RANK_E5M2) {
        if constexpr (sizeof(U) == 1)
            return order.kind == GA_RANK_E4M3 ? ga_rank_bits_as<ga_e4m3>(key, order)
                                              : ga_rank_bits_as<ga_e5m2>(key, order);
    }
    if (order.kind == GA_RANK_SIGNED)
        return ga_rank_bits_as<typename std::make_signed<U>::type>(key, order);
    return ga_rank_bits_as<U>(key, order);
}
