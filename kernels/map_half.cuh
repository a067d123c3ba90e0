/* Tiles with float16 on the CPU: the loop runs over float32, in vectors, between conversions of whole runs. The results
 * are those of element by element, since float16 computes in float32 anyway. Included by map_tile.cuh. */
#pragma once
#include <utility>

#include "half_cpu.h"

#define GA_HALF_RUN 512 /* elements that are converted at once */

template <class T> constexpr bool ga_is_half = std::is_same<T, ga_half>::value;

/* Whether the loop has a float16, and no value that is one before it is rounded, as nextafter has. */
template <class F, class A, class B, class R, class S>
constexpr bool
ga_half_takes_part()
{
    typedef decltype(ga_map_call(std::declval<F>(), std::declval<A>(), std::declval<B>())) value;
    return (ga_is_half<A> || ga_is_half<B> || ga_is_half<R> || ga_is_half<S>) && !ga_is_half<value>;
}

/* F for float32 operands in the place of float16 ones, of which A is the first. A double is rounded so that the second
 * rounding, to float16, gives what one would. */
template <class F, class A> struct ga_half_stand_in {
    F f;

    template <class V>
    static auto
    ready(V value)
    {
        if constexpr (std::is_same<V, double>::value)
            return ga_round_to_odd(value);
        else
            return value;
    }
    template <class, class X>
    auto
    call(X x) const
    {
        return ready(f.template call<A>(x));
    }
    template <class, class X, class Y>
    auto
    call(X x, Y y) const
    {
        return ready(f.template call<A>(x, y));
    }
};

/* An operand of a run: where the loop finds it, and how it comes home. */
template <class T> struct ga_half_operand {
    typedef T type;

    const T *
    read(const T *from, int64_t)
    {
        return from;
    }
    T *
    place(T *to)
    {
        return to;
    }
    void
    write(T *, int64_t)
    {
    }
};
template <> struct ga_half_operand<ga_half> {
    typedef float type;
    alignas(64) float buffer[GA_HALF_RUN];

    const float *
    read(const ga_half *from, int64_t n)
    {
        ga_half_widen_run(from, buffer, n);
        return buffer;
    }
    float *
    place(ga_half *)
    {
        return buffer;
    }
    void
    write(ga_half *to, int64_t n)
    {
        ga_half_narrow_run(buffer, to, n);
    }
};
