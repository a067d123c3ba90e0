/* What a reduction does with elements, apart from how it walks: the policies of the kernels in reduce.cuh.
 *
 *   in       element type of the source, in memory         acc      accumulator        out   type of a result
 *   element  dtype of the call                             direct_only   never with a mask or another dtype
 *   neutral() merged with x gives x                        lift(in, place), lift_element(element, place)   to acc
 *   placed   accumulators remember a place                 converts   in is another dtype than element
 *   selects  merge takes one of two floats               batches  on the GPU, absorb takes many elements at once:
 *   absorb(acc, packs, place, next, step)                  of pack u, element i is at place + u * next + i * step, step > 0
 *   begin(acc, x)                                          tells a neutral acc the first element of the whole axis
 *   merge(a, b)                                            finish(stage, total)   to out, the initial value first
 *
 * ga_reduce_plain    operation on values; float16 accumulates in float and rounds once
 * ga_reduce_placed   extrema that remember their place: argmax, and extrema of complex numbers, where the first NaN wins
 * ga_reduce_partial  the same on accumulators that a former stage left
 * merge is associative but for rounding and its arguments may be swapped, so any tree will do.
 * Includes ufunc_op.cuh, convert.cuh and block.cuh. */
#pragma once
#include "block.cuh"
#include "convert.cuh"
#include "reduce_stage.h"
#include "ufunc_op.cuh"

/* Policies that reduce pairs, an element of either operand: they have lift_pair(in, in) for lift. */
template <class P> constexpr bool ga_reduce_pairs = false;

/* Policies whose results, float64, are float32 where the stage is `narrow`. */
template <class P> constexpr bool ga_reduce_narrows = false;

/* The functor of a row of ufuncs.def by its number. */
template <int op> struct ga_reduce_op;
#define U21(name, ...)                                    \
    template <> struct ga_reduce_op<GA_UF_##name> {       \
        typedef ga_op_##name type;                        \
    };
#include "../csrc/tables/ufuncs.def"

/* A bool in memory may be any byte. */
template <class T> using ga_reduce_raw = typename std::conditional<std::is_same<T, bool>::value, uint8_t, T>::type;

template <class T> GA_FN T ga_reduce_lowest()
{
    if constexpr (std::is_same<T, bool>::value)
        return false;
    else if constexpr (ga_is_complex<T>::value)
        return {-ga_infinity<ga_real<T>>, -ga_infinity<ga_real<T>>};
    else if constexpr (ga_is_time<T>::value)
        return {INT64_MIN + 1}; /* the least itself is NaT */
    else if constexpr (std::is_floating_point<T>::value)
        return -ga_infinity<T>;
    else
        return std::is_signed<T>::value ? T(ga_unsigned<T>(1) << (8 * sizeof(T) - 1)) : T(0);
}

template <class T> GA_FN T ga_reduce_highest()
{
    if constexpr (std::is_same<T, bool>::value)
        return true;
    else if constexpr (ga_is_complex<T>::value)
        return {ga_infinity<ga_real<T>>, ga_infinity<ga_real<T>>};
    else if constexpr (ga_is_time<T>::value)
        return {INT64_MAX};
    else if constexpr (std::is_floating_point<T>::value)
        return ga_infinity<T>;
    else
        return T(~ga_reduce_lowest<T>());
}

/* What an operation that passes NaN over starts from: NaN where there is one. */
template <class T> GA_FN T ga_reduce_missing(T otherwise)
{
    if constexpr (ga_is_complex<T>::value)
        return {ga_nan<ga_real<T>>, ga_nan<ga_real<T>>};
    else if constexpr (ga_is_time<T>::value)
        return {GA_NAT};
    else if constexpr (std::is_floating_point<T>::value)
        return ga_nan<T>;
    else
        return otherwise;
}

template <class T> GA_FN T ga_reduce_number(int x)
{
    if constexpr (ga_is_complex<T>::value)
        return {ga_real<T>(x), 0};
    else if constexpr (ga_is_time<T>::value)
        return {x};
    else
        return T(x);
}

/* Minus zero: it alone leaves the sign of a zero as it was. */
template <class T> GA_FN T ga_reduce_add_neutral()
{
    if constexpr (ga_is_complex<T>::value)
        return {-ga_real<T>(0), -ga_real<T>(0)};
    else if constexpr (std::is_floating_point<T>::value)
        return -T(0);
    else
        return ga_reduce_number<T>(0);
}

template <int op, class T> GA_FN T ga_reduce_neutral()
{
    switch (op) {
    case GA_UF_add:
        return ga_reduce_add_neutral<T>();
    case GA_UF_multiply:
        return ga_reduce_number<T>(1);
    case GA_UF_maximum:
        return ga_reduce_lowest<T>();
    case GA_UF_minimum:
        return ga_reduce_highest<T>();
    case GA_UF_fmax:
        return ga_reduce_missing(ga_reduce_lowest<T>());
    case GA_UF_fmin:
        return ga_reduce_missing(ga_reduce_highest<T>());
    case GA_UF_logaddexp:
    case GA_UF_logaddexp2:
        return ga_reduce_lowest<T>();
    case GA_UF_logical_and:
    case GA_UF_bitwise_and:
        if constexpr (ga_is_int<T>::value)
            return T(~T(0));
        else
            return ga_reduce_number<T>(1);
    default: /* or, xor, hypot, gcd */
        return ga_reduce_number<T>(0);
    }
}

/* What a reduction starts from when no initial value is given: NumPy adds to plus zero. */
template <int op, class T> GA_FN T ga_reduce_start()
{
    return op == GA_UF_add ? ga_reduce_number<T>(0) : ga_reduce_neutral<op, T>();
}

template <class T> GA_FN T ga_reduce_scalar(const ga_scalar &scalar)
{
    T value;
    memcpy(&value, &scalar, sizeof value);
    return value;
}

constexpr bool ga_reduce_is_extremum(int op)
{
    return op == GA_UF_maximum || op == GA_UF_minimum || op == GA_UF_fmax || op == GA_UF_fmin;
}

/* bool accumulates as a byte: compilers make vectors of bytes. */
template <class T> using ga_reduce_acc =
    typename std::conditional<std::is_same<T, bool>::value, uint8_t, ga_compute<T>>::type;

/* Every TREE operation of bool is one of three, by reduce_ops.cuh, or an extremum with its place. */
template <int op> GA_FN uint8_t ga_reduce_merge_bool(uint8_t x, uint8_t y)
{
    switch (op) {
    case GA_UF_minimum:
    case GA_UF_logical_and:
        return x & y;
    case GA_UF_logical_xor:
        return x ^ y;
    default: /* maximum, or */
        return x | y;
    }
}

/* The operation on accumulators. Extrema of floats are said without branches, for the sake of vectors. */
template <int op, class T> GA_FN ga_reduce_acc<T> ga_reduce_merge(ga_reduce_acc<T> x, ga_reduce_acc<T> y)
{
    typedef ga_reduce_acc<T> A;
    if constexpr (std::is_same<T, bool>::value) {
        return ga_reduce_merge_bool<op>(x, y);
    } else if constexpr (std::is_floating_point<A>::value && ga_reduce_is_extremum(op)) {
        bool ahead = op == GA_UF_maximum || op == GA_UF_fmax ? y <= x : x <= y;
        bool settled = op == GA_UF_maximum || op == GA_UF_minimum ? x != x : y != y;
        return (ahead | settled) ? x : y;
    } else {
        return ga_narrow<A>(ga_reduce_op<op>::type::template call<T>(x, y));
    }
}

template <int op, class In, class T> struct ga_reduce_plain {
    typedef ga_reduce_raw<In> in;
    typedef T element;
    typedef ga_reduce_acc<T> acc;
    typedef T out;
    static constexpr bool direct_only = false;
    static constexpr bool converts = !std::is_same<In, T>::value;
    static constexpr bool placed = false;
    static constexpr bool selects = ga_reduce_is_extremum(op) && std::is_floating_point<acc>::value;
    /* What is cheaper in words of 32 bits than element by element: sums of short integers, truths of bytes. */
    static constexpr bool adds_short =
        op == GA_UF_add && std::is_integral<In>::value && sizeof(In) <= 2 && sizeof(T) == 8;
    static constexpr bool joins_truth =
        std::is_same<In, bool>::value && std::is_same<T, bool>::value && (op == GA_UF_logical_or || op == GA_UF_logical_and);
    static constexpr bool batches = adds_short || joins_truth;

    GA_FN acc neutral() { return ga_reduce_neutral<op, acc>(); }
    GA_FN void begin(acc &, in) {}
    template <int N, int D>
    GA_FN void absorb(acc &total, const ga_pack<in, N> (&packs)[D], int64_t, int64_t, int64_t)
    {
        if constexpr (joins_truth && N % 4 == 0) {
            total = merge(total, join_bytes(packs));
        } else if constexpr (joins_truth) {
            GA_UNROLL
            for (int e = 0; e < N * D; e++)
                total = merge(total, lift(packs[e / N].v[e % N], 0));
        } else {
            int32_t sum = 0;
            GA_UNROLL
            for (int e = 0; e < N * D; e++)
                sum += std::is_same<In, bool>::value ? packs[e / N].v[e % N] != 0 : int32_t(packs[e / N].v[e % N]);
            total = merge(total, acc(sum));
        }
    }
    /* Each byte's highest bit says whether the byte is not zero. */
    template <int N, int D> GA_FN acc join_bytes(const ga_pack<in, N> (&packs)[D])
    {
        constexpr uint32_t low = 0x7f7f7f7fu, high = 0x80808080u;
        uint32_t joined = op == GA_UF_logical_or ? 0 : high;
        GA_UNROLL
        for (int e = 0; e < N * D / 4; e++) {
            uint32_t word;
            memcpy(&word, packs[e / (N / 4)].v + e % (N / 4) * 4, sizeof word);
            const uint32_t truth = ((word & low) + low) | word;
            joined = op == GA_UF_logical_or ? joined | truth : joined & truth;
        }
        return op == GA_UF_logical_or ? (joined & high) != 0 : (joined & high) == high;
    }
    GA_FN acc lift_element(T x, int64_t) { return ga_widen(x); }
    GA_FN acc lift(in x, int64_t)
    {
        if constexpr (std::is_same<In, bool>::value)
            return ga_widen(ga_convert<T>(x != 0));
        else
            return ga_widen(ga_convert<T>(x));
    }
    GA_FN acc merge(acc a, acc b)
    {
        if constexpr (op == GA_UF_multiply && ga_is_complex<acc>::value) {
            /* 1 * inf has a NaN part: one must not be multiplied with */
            if (b.re == 1 && b.im == 0)
                return a;
            if (a.re == 1 && a.im == 0)
                return b;
        }
        return ga_reduce_merge<op, T>(a, b);
    }
    GA_FN acc start(const ga_reduce_stage &stage)
    {
        return stage.has_initial ? ga_widen(ga_reduce_scalar<T>(stage.initial)) : ga_reduce_start<op, acc>();
    }
    GA_FN out settle(acc total) { return ga_narrow<T>(total); }
    GA_FN out finish(const ga_reduce_stage &stage, acc total)
    {
        const out result = settle(merge(start(stage), total));
        if constexpr (op == GA_UF_add && std::is_floating_point<T>::value)
            return stage.divisor ? result / T(stage.divisor) : result;
        else
            return result;
    }
};

template <class A> struct ga_reduce_place {
    A value;
    int64_t place;
};

/* Whether y takes over from x, which came first. Of floats without branches: GPUs have instructions for both halves. */
template <int op, class A> GA_FN bool ga_reduce_takes_over(A x, A y)
{
    if constexpr (std::is_floating_point<A>::value && (op == GA_UF_maximum || op == GA_UF_minimum))
        return (x == x) & !(op == GA_UF_maximum ? x >= y : x <= y);
    if (op == GA_UF_maximum)
        return !ga_isnan(x) && (ga_isnan(y) || ga_less(x, y));
    if (op == GA_UF_minimum)
        return !ga_isnan(x) && (ga_isnan(y) || ga_less(y, x));
    if (ga_isnan(x))
        return !ga_isnan(y);
    return op == GA_UF_fmax ? ga_less(x, y) : ga_less(y, x);
}

/* The result is the place of the extremum, or itself. */
template <int op, class T, bool wants_place> struct ga_reduce_placed {
    typedef ga_reduce_raw<T> in;
    typedef T element;
    typedef ga_reduce_place<ga_compute<T>> acc;
    typedef typename std::conditional<wants_place, int64_t, T>::type out;
    static constexpr int operation = op;
    static constexpr bool direct_only = wants_place;
    static constexpr bool converts = false;
    static constexpr bool placed = true;
    static constexpr bool selects = false;
    static constexpr bool batches = true;
    typedef ga_reduce_plain<op, T, T> values; /* the same without places */

    GA_FN acc neutral() { return {ga_reduce_neutral<op, ga_compute<T>>(), INT64_MAX}; }
    GA_FN acc lift_element(T x, int64_t place) { return {ga_widen(x), place}; }
    GA_FN acc lift(in x, int64_t place) { return {ga_widen(ga_convert<T>(x)), place}; }
    GA_FN acc start(const ga_reduce_stage &stage)
    {
        acc first = neutral();
        if (stage.has_initial)
            first = {ga_widen(ga_reduce_scalar<T>(stage.initial)), -1};
        return first;
    }
    GA_FN bool takes_over(ga_compute<T> x, ga_compute<T> y) { return ga_reduce_takes_over<op>(x, y); }
    GA_FN acc merge(acc a, acc b)
    {
        bool swap = b.place < a.place;
        acc x = swap ? b : a, y = swap ? a : b;
        return ga_reduce_takes_over<op>(x.value, y.value) ? y : x;
    }
    GA_FN void begin(acc &, in) {}
    /* The first best of each pack by small numbers, the first best of those, and one merge by places. */
    template <int N, int D>
    GA_FN void absorb(acc &total, const ga_pack<in, N> (&packs)[D], int64_t place, int64_t next, int64_t step)
    {
        ga_compute<T> best[D];
        int at[D];
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            best[u] = lift(packs[u].v[0], 0).value;
            at[u] = u * N;
            GA_UNROLL
            for (int i = 1; i < N; i++)
                choose(best[u], at[u], lift(packs[u].v[i], 0).value, u * N + i);
        }
        GA_UNROLL
        for (int u = 1; u < D; u++)
            choose(best[0], at[0], best[u], at[u]);
        total = merge(total, {best[0], place + at[0] / N * next + at[0] % N * step});
    }
    GA_FN void choose(ga_compute<T> &best, int &at, ga_compute<T> value, int place)
    {
        bool better = ga_reduce_takes_over<op>(best, value);
        best = better ? value : best;
        at = better ? place : at;
    }
    GA_FN out settle(acc total)
    {
        if constexpr (wants_place)
            return total.place;
        else
            return ga_narrow<T>(total.value);
    }
    GA_FN out finish(const ga_reduce_stage &stage, acc total)
    {
        if constexpr (wants_place)
            return settle(total);
        else
            return settle(merge(start(stage), total));
    }
};

template <class P> struct ga_reduce_partial : P {
    typedef typename P::acc in;
    typedef typename P::acc acc;
    static constexpr bool direct_only = true;
    static constexpr bool batches = false;
    GA_FN acc lift(in x, int64_t) { return x; } /* its place is inside */
};

/* Which of them a TREE operation has: the greater of two complex numbers, one of them NaN, depends
 * on which came first. */
template <int op, class T> using ga_reduce_tree =
    typename std::conditional<ga_reduce_is_extremum(op) && ga_is_complex<T>::value, ga_reduce_placed<op, T, false>,
                              ga_reduce_plain<op, T, T>>::type;
