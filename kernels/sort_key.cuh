/* The order of NumPy's sorts as unsigned integers: a < b in it exactly if key(a) < key(b).
 *
 *   ga_sort_word<T>                the integer: 32 bits where the key fits, else 64
 *   ga_sort_bits<T>                how many of its low bits are used
 *   ga_sort_words<T>               how many of them an element has: 2 for complex128, else 1
 *   ga_sort_primary(x, order)      first word to compare by
 *   ga_sort_secondary(x, order)    second word; 0 where there is none
 *   ga_sort_decode<T>(key, order)  the element back; not for complex types
 *
 * NaN of either sign and NaT have the greatest key in both directions. With `merge`, zeros of
 * either sign are one key, as a stable sort of positions needs it. Complex numbers go by real,
 * then imaginary part; those with a NaN come last: R + nanj by R, nan + Rj by R, then nan + nanj;
 * their zeros are always merged. Includes types.cuh. */
#pragma once
#include "types.cuh"

struct ga_sort_order {
    bool descending, merge;
};

/* As wide as the element; of a complex number, as its first word. */
template <int size>
using ga_sort_wide = typename std::conditional<size == 4, uint32_t, uint64_t>::type;
template <int size>
using ga_sort_unsigned = typename std::conditional<
    size == 1, uint8_t,
    typename std::conditional<size == 2, uint16_t, ga_sort_wide<size>>::type>::type;
template <class T> using ga_sort_narrow = ga_sort_unsigned<int(sizeof(T))>;
template <class T>
using ga_sort_word = typename std::conditional<sizeof(T) <= 4, uint32_t, uint64_t>::type;
template <class T> constexpr int ga_sort_bits = int(8 * sizeof(ga_sort_narrow<T>));
template <class T> constexpr int ga_sort_words = sizeof(T) == 16 ? 2 : 1;
template <class T>
constexpr bool ga_sort_is_float =
    std::is_floating_point<T>::value || std::is_same<T, ga_half>::value || ga_is_stored<T>;
template <class T> constexpr bool ga_sort_has_nan = ga_sort_is_float<T> || ga_is_time<T>::value;

template <class U> constexpr U ga_sort_greatest = U(~U(0));
template <class U> constexpr U ga_sort_sign = U(U(1) << (8 * sizeof(U) - 1));

template <class T>
GA_FN bool
ga_sort_is_nan(T x)
{
    if constexpr (ga_is_time<T>::value) {
        return x.v == GA_NAT;
    } else if constexpr (std::is_same<T, ga_half>::value) {
        return (x.bits & 0x7fff) > 0x7c00;
    } else if constexpr (ga_is_stored<T>) {
        return ga_stored_is_nan(x);
    } else if constexpr (std::is_floating_point<T>::value) {
        return x != x;
    } else {
        return false;
    }
}

/* Turns the order round; its own inverse. The greatest key stays where NaN has it. */
template <class T>
GA_FN ga_sort_narrow<T>
ga_sort_turn(ga_sort_narrow<T> key, bool descending)
{
    typedef ga_sort_narrow<T> U;
    if (!descending)
        return key;
    if constexpr (ga_sort_has_nan<T>)
        return key == ga_sort_greatest<U> ? key : U(ga_sort_greatest<U> - 1 - key);
    else
        return U(~key);
}

/* Keys of what is not complex, ascending. */
template <class T>
GA_FN ga_sort_narrow<T>
ga_sort_rank(T x, [[maybe_unused]] bool merge)
{
    typedef ga_sort_narrow<T> U;
    if (ga_sort_is_nan(x))
        return ga_sort_greatest<U>;
    if constexpr (ga_sort_is_float<T>) {
        U bits = ga_bits<U>(x);
        if (merge && U(bits << 1) == 0)
            bits = 0;
        return bits & ga_sort_sign<U> ? U(~bits) : U(bits | ga_sort_sign<U>);
    } else if constexpr (ga_is_time<T>::value) {
        return (U(x.v) - 1) ^ ga_sort_sign<U>;
    } else if constexpr (std::is_signed<T>::value) {
        return U(U(x) ^ ga_sort_sign<U>);
    } else {
        return U(x);
    }
}

template <class T>
GA_FN T
ga_sort_unrank(ga_sort_narrow<T> key)
{
    typedef ga_sort_narrow<T> U;
    if constexpr (ga_sort_is_float<T>) {
        return ga_bits<T>(key & ga_sort_sign<U> ? U(key ^ ga_sort_sign<U>) : U(~key));
    } else if constexpr (ga_is_time<T>::value) {
        return {int64_t((key ^ ga_sort_sign<U>)+1)};
    } else if constexpr (std::is_signed<T>::value) {
        return T(key ^ ga_sort_sign<U>);
    } else {
        return T(key);
    }
}

/* The greatest key becomes a quiet NaN. */
template <class T>
GA_FN T
ga_sort_decode(ga_sort_word<T> key, ga_sort_order order)
{
    return ga_sort_unrank<T>(ga_sort_turn<T>(ga_sort_narrow<T>(key), order.descending));
}

/* Real and imaginary part as two keys; numbers with a NaN get one of the three greatest first
 * keys. */
template <class R> struct ga_sort_parts {
    ga_sort_narrow<R> first, second;
};

template <class R>
GA_FN ga_sort_parts<R>
ga_sort_split(ga_complex<R> x, bool descending)
{
    typedef ga_sort_narrow<R> U;
    U re = ga_sort_turn<R>(ga_sort_rank(x.re, true), descending);
    U im = ga_sort_turn<R>(ga_sort_rank(x.im, true), descending);
    constexpr U nan = ga_sort_greatest<U>;
    if (re == nan)
        return im == nan ? ga_sort_parts<R>{nan, 0} : ga_sort_parts<R>{U(nan - 1), im};
    return im == nan ? ga_sort_parts<R>{U(nan - 2), re} : ga_sort_parts<R>{re, im};
}

template <class T>
GA_FN ga_sort_word<T>
ga_sort_primary(T x, ga_sort_order order)
{
    if constexpr (std::is_same<T, ga_c64>::value) {
        ga_sort_parts<float> parts = ga_sort_split(x, order.descending);
        return uint64_t(parts.first) << 32 | parts.second;
    } else if constexpr (std::is_same<T, ga_c128>::value) {
        return ga_sort_split(x, order.descending).first;
    } else {
        return ga_sort_turn<T>(ga_sort_rank(x, order.merge), order.descending);
    }
}

template <class T>
GA_FN ga_sort_word<T>
ga_sort_secondary([[maybe_unused]] T x, [[maybe_unused]] ga_sort_order order)
{
    if constexpr (std::is_same<T, ga_c128>::value)
        return ga_sort_split(x, order.descending).second;
    else
        return 0;
}
