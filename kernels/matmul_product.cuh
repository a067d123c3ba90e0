/* The arithmetic of our own matrix products: elements of memory type M are lifted to acc,
 * multiplied and added there, and narrowed at the end. Integers wrap, bool is OR of ANDs, float16
 * adds up in float. And the operands' lines of one element of the result. Includes types.cuh,
 * csrc/core/call/matmul.h. */
#pragma once
#include "types.cuh"

#include "../csrc/core/call/matmul.h"

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

/* The row of a, the column of b and the place in c of result number `result`, whose type holds the number of all. */
struct product_place {
    const char *a, *b;
    char *c;
};

template <class I> GA_FN product_place locate_product(const ga_matmul_call &call, I result)
{
    const I lines = call.n == 1 ? result : result / I(call.n), column = result - lines * I(call.n);
    I batch = call.nbatch == 0 ? 0 : lines / I(call.m);
    const I row = lines - batch * I(call.m);
    product_place at = {static_cast<const char *>(call.a) + int64_t(row) * call.a_strides[0],
                        static_cast<const char *>(call.b) + int64_t(column) * call.b_strides[1],
                        static_cast<char *>(call.c) + int64_t(row) * call.c_strides[0] + int64_t(column) * call.c_strides[1]};
    for (int d = call.nbatch - 1; d >= 0; d--) {
        const I rest = d == 0 ? 0 : batch / I(call.batch_shape[d]);
        const int64_t index = int64_t(batch - rest * I(call.batch_shape[d]));
        batch = rest;
        at.a += index * call.a_batch[d];
        at.b += index * call.b_batch[d];
        at.c += index * call.c_batch[d];
    }
    return at;
}
