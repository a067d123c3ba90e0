/* The arithmetic of our own matrix products: elements of memory type M are lifted to acc, multiplied and added there, and
 * narrowed at the end. Integers wrap, bool is OR of ANDs, float16 adds up in float. Includes types.cuh. */
#pragma once
#include "types.cuh"

template <class M> struct product_of {
    typedef typename std::conditional<std::is_integral<M>::value, ga_unsigned<M>, ga_compute<M>>::type acc;
    GA_FN acc lift(M x)
    {
        if constexpr (std::is_integral<M>::value)
            return acc(x);
        else
            return ga_widen(x);
    }
    GA_FN acc multiply_add(acc sum, acc x, acc y)
    {
        if constexpr (ga_is_complex<acc>::value)
            return {sum.re + (x.re * y.re - x.im * y.im), sum.im + (x.re * y.im + x.im * y.re)};
        else
            return sum + x * y;
    }
    GA_FN acc add(acc x, acc y)
    {
        if constexpr (ga_is_complex<acc>::value)
            return {x.re + y.re, x.im + y.im};
        else
            return x + y;
    }
    GA_FN M narrow(acc x) { return ga_narrow<M>(x); }
};

template <> struct product_of<bool> {
    typedef uint8_t acc;
    GA_FN acc lift(bool x) { return x; }
    GA_FN acc multiply_add(acc sum, acc x, acc y) { return acc(sum | (x & y)); }
    GA_FN acc add(acc x, acc y) { return acc(x | y); }
    GA_FN bool narrow(acc x) { return x != 0; }
};
