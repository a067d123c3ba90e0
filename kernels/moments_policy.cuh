/* Variance as a reduction: the policy for the kernels of reduce.cuh.
 *
 * An accumulator holds how many elements it has seen, an origin near them (at first the first of
 * them), and in double the sums of their distances from it and of the squares: no division an
 * element, and equal elements give exactly zero. Where two meet, their squares about their own
 * means are merged without cancellation (Chan, Golub, LeVeque), and the common mean becomes the
 * origin; what it lacks to the mean stays in the sum, so a large offset costs no digits. Includes
 * reduce.cuh. */
#pragma once
#include "reduce.cuh"

/* Value in double precision; real numbers have no second part. */
template <class T, bool complex> struct ga_moments_value {
    double re, im;
};
template <class T> struct ga_moments_value<T, false> {
    double re;
};

template <class T> struct ga_moments_acc {
    typedef ga_moments_value<T, ga_is_complex<T>::value> value;
    int64_t count;
    value origin, sum;
    double squares;
};

template <class T> struct ga_moments {
    typedef ga_reduce_raw<T> in;
    typedef T element;
    typedef ga_moments_acc<T> acc;
    typedef typename acc::value value;
    typedef double out;
    static constexpr bool direct_only = false;
    static constexpr bool converts = false;
    static constexpr bool placed = false;
    static constexpr bool selects = false;
    static constexpr bool batches = true;
    static constexpr bool complex = ga_is_complex<T>::value;
    /* On the GPU all threads of an axis take its first element for their origin, and merge by
     * adding, where the digits that an origin far away costs are not those of the result: a sum of
     * squares in double loses log2(n) bits at most. */
    static constexpr bool shares = std::is_floating_point<ga_compute<ga_real<T>>>::value && sizeof(ga_real<T>) <= 4;

    GA_FN acc neutral() { return {0, value(), value(), 0}; }
    GA_FN value widen(T x)
    {
        if constexpr (complex)
            return {double(x.re), double(x.im)};
        else
            return {ga_convert<double>(x)};
    }
    GA_FN acc lift_element(T x, int64_t) { return {1, widen(x), value(), 0}; }
    GA_FN acc lift(in x, int64_t)
    {
        if constexpr (std::is_same<T, bool>::value)
            return lift_element(x != 0, 0);
        else
            return lift_element(x, 0);
    }
    GA_FN value minus(value x, value y)
    {
        x.re -= y.re;
        if constexpr (complex)
            x.im -= y.im;
        return x;
    }
    GA_FN value add_scaled(value x, value y, double by)
    {
        x.re += y.re * by;
        if constexpr (complex)
            x.im += y.im * by;
        return x;
    }
    GA_FN double square(value x)
    {
        if constexpr (complex)
            return x.re * x.re + x.im * x.im;
        else
            return x.re * x.re;
    }
    /* The sum of squared distances from the accumulator's own mean. */
    GA_FN double spread(const acc &a)
    {
        double rest = a.squares - square(a.sum) / double(a.count);
        return rest < 0 ? 0 : rest;
    }
    GA_FN bool same(value x, value y)
    {
        if constexpr (complex)
            return x.re == y.re && x.im == y.im;
        else
            return x.re == y.re;
    }
    GA_FN acc merge_shared(const acc &a, const acc &b)
    {
        return {a.count + b.count, a.origin, add_scaled(a.sum, b.sum, 1), a.squares + b.squares};
    }
    /* Called, once a merge in the tree; by value, so that accumulators stay in registers. */
    GA_FN_CALL acc merge_spreads(acc a, acc b)
    {
        double left = double(a.count), right = double(b.count), all = left + right;
        value shift = minus(b.origin, a.origin);
        value apart = add_scaled(add_scaled(shift, b.sum, 1 / right), a.sum, -1 / left);
        value sum = add_scaled(add_scaled(a.sum, b.sum, 1), shift, right);
        value origin = add_scaled(a.origin, sum, 1 / all);
        sum = add_scaled(sum, minus(origin, a.origin), -all);
        double squares = spread(a) + spread(b) + square(apart) * (left * right / all);
        return {a.count + b.count, origin, sum, squares + square(sum) / all};
    }
    /* The first element is no distance from itself, but NaN from there on if it is infinite or NaN. */
    GA_FN acc merge(const acc &a, const acc &b)
    {
        if (b.count == 0)
            return a;
        if (b.count > 1)
            return a.count == 0 ? b : shares && same(a.origin, b.origin) ? merge_shared(a, b) : merge_spreads(a, b);
        value origin = a.count == 0 ? b.origin : a.origin;
        value apart = minus(b.origin, origin);
        return {a.count + 1, origin, add_scaled(a.sum, apart, 1), a.squares + square(apart)};
    }
    GA_FN void begin(acc &total, in first)
    {
        if constexpr (shares)
            total.origin = lift(first, 0).origin;
    }
    /* As merges of the elements, with their number counted once; D sums at a time hide the way through each. */
    template <int N, int D>
    GA_FN void absorb(acc &total, const ga_pack<in, N> (&packs)[D], int64_t, int64_t, int64_t)
    {
        if (!shares && total.count == 0)
            total.origin = lift(packs[0].v[0], 0).origin;
        value sum[D] = {};
        double squares[D] = {};
        GA_UNROLL
        for (int e = 0; e < N * D; e++) {
            value apart = minus(lift(packs[e / N].v[e % N], 0).origin, total.origin);
            sum[e % D] = add_scaled(sum[e % D], apart, 1);
            squares[e % D] += square(apart);
        }
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            total.sum = add_scaled(total.sum, sum[u], 1);
            total.squares += squares[u];
        }
        total.count += N * D;
    }
    GA_FN out settle(acc total) { return total.squares; }
    /* `initial` carries ddof, and whether the root is wanted. */
    GA_FN out finish(const ga_reduce_stage &stage, acc total)
    {
        double freedom = double(total.count) - stage.initial.d;
        double squares = total.count ? spread(total) : 0;
        double variance = squares / (freedom > 0 ? freedom : 0);
        return stage.has_initial ? sqrt(variance) : variance;
    }
};

/* Sums about the leaf's first element: merges, which divide, are few. */
template <class T> struct ga_reduce_leaf<ga_moments<T>> {
    typedef ga_moments<T> P;
    typedef typename P::value value;
    static constexpr bool special = true;
    static constexpr int64_t most = 2048;

    static inline typename P::acc take(const typename P::in *src, int64_t count)
    {
        constexpr int64_t L = 8;
        const value origin = P::lift(src[0], 0).origin;
        value sum[L] = {};
        double squares[L] = {};
        for (int64_t at = 0; at < count; at += L)
            for (int64_t i = 0; i < (count - at < L ? count - at : L); i++) {
                const value apart = P::minus(P::lift(src[at + i], 0).origin, origin);
                sum[i] = P::add_scaled(sum[i], apart, 1);
                squares[i] += P::square(apart);
            }
        for (int64_t i = 1; i < L; i++) {
            sum[0] = P::add_scaled(sum[0], sum[i], 1);
            squares[0] += squares[i];
        }
        return {count, origin, sum[0], squares[0]};
    }
};

template <class T> constexpr bool ga_reduce_narrows<ga_moments<T>> = true;
template <class T> constexpr bool ga_reduce_narrows<ga_reduce_partial<ga_moments<T>>> = true;

/* Few accumulators on the CPU, for they are large. */
template <class T> constexpr int ga_reduce_row_lanes<ga_moments<T>> = GA_BLOCK == 1 ? 4 : 16 / sizeof(T);
