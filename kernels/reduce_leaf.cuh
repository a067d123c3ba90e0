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

constexpr bool ga_reduce_is_upper(int op) { return op == GA_UF_maximum || op == GA_UF_fmax; }
constexpr bool ga_reduce_passes_nan(int op) { return op == GA_UF_fmax || op == GA_UF_fmin; }

/* Extremes of whole numbers, of many at once: a leaf's end, where lanes are merged, takes as long as a thousand bytes. */
template <int op, class T> struct ga_reduce_extremum_leaf {
    static constexpr bool special = std::is_integral<T>::value && !std::is_same<T, bool>::value;
    static constexpr int64_t most = 16384 / sizeof(T);

    static inline T take(const T *src, int64_t count)
    {
        T best = src[0];
        for (int64_t i = 1; i < count; i++)
            best = (ga_reduce_is_upper(op) ? src[i] > best : src[i] < best) ? src[i] : best;
        return best;
    }
};

/* Extremes of floats, by vectors that are written down: compilers keep the order of comparisons that NaN has a part in.
 * Here it has none. Where maximum and minimum meet one, their sum tells; infinities of both signs look alike, and the
 * search then finds none. fmax and fmin may have met nothing else where they end where they began. */
template <int op, class T> struct ga_reduce_float_leaf {
    static constexpr bool special = true;
    static constexpr int64_t most = 4096;
    static constexpr int width = 64 / int(sizeof(T)), side = 4;
    typedef T vector __attribute__((vector_size(64)));

    /* By references: how vectors are handed over depends on the processor, which compilers warn of. */
    template <class V> static inline void choose(V &best, const V &x)
    {
        best = (ga_reduce_is_upper(op) ? x > best : x < best) ? x : best;
    }
    static inline void take_vector(const T *p, vector &best, vector &sum)
    {
        vector x;
        memcpy(&x, p, sizeof x);
        choose(best, x);
        if (!ga_reduce_passes_nan(op))
            sum += x;
    }
    static inline T find_nan(const T *src, int64_t count, T otherwise)
    {
        for (int64_t i = 0; i < count; i++)
            if (src[i] != src[i])
                return src[i];
        return otherwise;
    }
    static inline T merge_all(const T *src, int64_t count)
    {
        T best = src[0];
        for (int64_t i = 1; i < count; i++)
            best = ga_reduce_merge<op, T>(best, src[i]);
        return best;
    }
    /* The last vector may meet elements again, which changes neither what is best nor whether a sum is NaN. */
    static inline void take_vectors(const T *src, int64_t count, vector (&best)[side], vector (&sum)[side])
    {
        int64_t at = 0;
        for (; at + side * width <= count; at += side * width)
            for (int u = 0; u < side; u++)
                take_vector(src + at + u * width, best[u], sum[u]);
        for (; at < count; at += width)
            take_vector(src + (at + width <= count ? at : count - width), best[0], sum[0]);
        for (int u = 1; u < side; u++) {
            choose(best[0], best[u]);
            sum[0] += sum[u];
        }
    }
    static inline T take(const T *src, int64_t count)
    {
        const T start = ga_reduce_is_upper(op) ? -ga_infinity<T> : ga_infinity<T>;
        vector best[side], sum[side];
        T lanes[width], sums[width];
        if (count < width)
            return merge_all(src, count);
        for (int u = 0; u < side; u++) {
            best[u] = vector{} + start;
            sum[u] = vector{};
        }
        take_vectors(src, count, best, sum);
        memcpy(lanes, &best[0], sizeof lanes);
        memcpy(sums, &sum[0], sizeof sums);
        for (int half = width / 2; half > 0; half /= 2)
            for (int i = 0; i < half; i++) {
                choose(lanes[i], lanes[i + half]);
                sums[i] += sums[i + half];
            }
        if (ga_reduce_passes_nan(op))
            return lanes[0] == start ? merge_all(src, count) : lanes[0];
        return sums[0] == sums[0] ? lanes[0] : find_nan(src, count, lanes[0]);
    }
};
template <int op> struct ga_reduce_extremum_leaf<op, float> : ga_reduce_float_leaf<op, float> {};
template <int op> struct ga_reduce_extremum_leaf<op, double> : ga_reduce_float_leaf<op, double> {};

/* Extremes of float16 by their bits, as whole numbers that are ordered as the floats are; the map is its own inverse. A
 * NaN shows by its magnitude. */
template <int op> struct ga_reduce_extremum_leaf<op, ga_half> {
    static constexpr bool special = !ga_reduce_passes_nan(op);
    static constexpr int64_t most = 8192;
    static constexpr int16_t magnitude = INT16_MAX, infinite = 0x7c00;

    static inline int16_t turn(int16_t x) { return int16_t(x ^ ((x >> 15) & magnitude)); }
    template <class H> static inline float take(const H *src, int64_t count)
    {
        int16_t best = turn(int16_t(src->bits)), largest = 0;
        for (int64_t i = 0; i < count; i++) {
            const int16_t x = int16_t(src[i].bits), key = turn(x), size = int16_t(x & magnitude);
            best = (ga_reduce_is_upper(op) ? key > best : key < best) ? key : best;
            largest = size > largest ? size : largest;
        }
        for (int64_t i = 0; largest > infinite; i++)
            if (int16_t(src[i].bits & magnitude) > infinite)
                return ga_widen(src[i]);
        H value;
        value.bits = uint16_t(turn(best));
        return ga_widen(value);
    }
};

/* Whether x is known not to take over from `best`: of most complex numbers their real parts tell. */
template <int op, class R> static inline bool ga_reduce_is_behind(ga_complex<R> best, ga_complex<R> x)
{
    const R known = ga_reduce_passes_nan(op) ? best.im : x.im;
    return (ga_reduce_is_upper(op) ? x.re < best.re : x.re > best.re) & (known == known);
}

template <int op, class R> struct ga_reduce_extremum_leaf<op, ga_complex<R>> {
    typedef ga_complex<R> T;
    static constexpr bool special = true;
    static constexpr int64_t most = 4096;

    static inline T take(const T *src, int64_t count)
    {
        T best = src[0];
        for (int64_t i = 1; i < count; i++)
            if (!ga_reduce_is_behind<op>(best, src[i]) && ga_reduce_takes_over<op>(best, src[i]))
                best = src[i];
        return best;
    }
};
template <class T> struct ga_reduce_leaf<ga_reduce_plain<GA_UF_maximum, T, T>> : ga_reduce_extremum_leaf<GA_UF_maximum, T> {};
template <class T> struct ga_reduce_leaf<ga_reduce_plain<GA_UF_minimum, T, T>> : ga_reduce_extremum_leaf<GA_UF_minimum, T> {};
template <class T> struct ga_reduce_leaf<ga_reduce_plain<GA_UF_fmax, T, T>> : ga_reduce_extremum_leaf<GA_UF_fmax, T> {};
template <class T> struct ga_reduce_leaf<ga_reduce_plain<GA_UF_fmin, T, T>> : ga_reduce_extremum_leaf<GA_UF_fmin, T> {};

/* What stands for elements that a mask leaves out, of the policies that have it. */
template <class P> struct ga_reduce_absent {
    static constexpr bool known = false;
};
template <int op, class In, class T> struct ga_reduce_absent<ga_reduce_plain<op, In, T>> {
    typedef ga_reduce_raw<In> in;
    static constexpr bool known = std::is_arithmetic<In>::value || ga_is_complex<In>::value;
    static inline in value() { return ga_reduce_neutral<op, in>(); }
};

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
