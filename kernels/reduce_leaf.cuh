/* Leaves of the CPU's trees that are not one accumulator a lane: up to `most` contiguous elements,
 * in a loop that compilers make vectors of. A policy has such leaves where it specialises
 * ga_reduce_leaf. Includes reduce_policy.cuh. */
#pragma once
#include "reduce_policy.cuh"

template <class P> struct ga_reduce_leaf {
    static constexpr bool special = false;
};

/* Sums of short integers fit 32 bits for a while: twice as many, or four times, go into a vector. */
template <class In, class T> struct ga_reduce_leaf<ga_reduce_plain<GA_UF_add, In, T>> {
    typedef ga_reduce_plain<GA_UF_add, In, T> P;
    static constexpr bool special = std::is_integral<In>::value && sizeof(In) <= 2 && sizeof(T) == 8;
    static constexpr int64_t most = 16384;

    static inline typename P::acc take(const typename P::in *src, int64_t count)
    {
        int32_t total = 0;
        for (int64_t i = 0; i < count; i++)
            total += std::is_same<In, bool>::value ? src[i] != 0 : int32_t(src[i]);
        return typename P::acc(total);
    }
};

/* Extremes of float32 by their bits, read as whole numbers that are ordered as the floats are (the
 * map is its own inverse): compilers make vectors of those, whose order is free. A NaN shows by its
 * magnitude. AVX2 has no extremes of 64 bits. */
template <int op, class T> struct ga_reduce_extremum_leaf {
    static constexpr bool special = std::is_same<T, float>::value;
    static constexpr int64_t most = 4096;
    static constexpr int32_t magnitude = INT32_MAX;

    static inline int32_t read(const T *p)
    {
        int32_t x;
        memcpy(&x, p, sizeof x);
        return x;
    }
    static inline int32_t turn(int32_t x) { return x ^ ((x >> 31) & magnitude); }
    static inline T take(const T *src, int64_t count)
    {
        const T infinite = ga_infinity<T>;
        int32_t best = turn(read(src)), largest = 0;
        for (int64_t i = 0; i < count; i++) {
            const int32_t x = read(src + i), key = turn(x), size = x & magnitude;
            best = (op == GA_UF_maximum ? key > best : key < best) ? key : best;
            largest = size > largest ? size : largest;
        }
        for (int64_t i = 0; largest > read(&infinite); i++)
            if (src[i] != src[i])
                return src[i];
        best = turn(best);
        T value;
        memcpy(&value, &best, sizeof value);
        return value;
    }
};

/* Extremes of complex numbers: the real part alone tells most elements that they are none. */
template <int op, class R> struct ga_reduce_extremum_leaf<op, ga_complex<R>> {
    typedef ga_complex<R> T;
    static constexpr bool special = true;
    static constexpr int64_t most = 4096;

    static inline T take(const T *src, int64_t count)
    {
        T best = src[0];
        for (int64_t i = 1; i < count; i++) {
            const T x = src[i];
            const bool behind = op == GA_UF_maximum ? x.re < best.re : x.re > best.re;
            if (!(behind & (x.im == x.im)) && ga_reduce_takes_over<op>(best, x))
                best = x;
        }
        return best;
    }
};
template <class T> struct ga_reduce_leaf<ga_reduce_plain<GA_UF_maximum, T, T>> : ga_reduce_extremum_leaf<GA_UF_maximum, T> {};
template <class T> struct ga_reduce_leaf<ga_reduce_plain<GA_UF_minimum, T, T>> : ga_reduce_extremum_leaf<GA_UF_minimum, T> {};

/* Whether nothing that follows changes a truth: the rest of the elements need not be read. */
template <class P> struct ga_reduce_truth {
    static inline bool is_settled(typename P::acc) { return false; }
};
template <class In> struct ga_reduce_truth<ga_reduce_plain<GA_UF_logical_or, In, bool>> {
    static inline bool is_settled(uint8_t found) { return found != 0; }
};
template <class In> struct ga_reduce_truth<ga_reduce_plain<GA_UF_logical_and, In, bool>> {
    static inline bool is_settled(uint8_t held) { return held == 0; }
};
