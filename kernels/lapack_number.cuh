/* Arithmetic of real and complex numbers under one name, for factorisations. Includes math_complex.cuh. */
#pragma once
#include "math_complex.cuh"

template <class T> struct ga_number {
    typedef ga_real<T> real;
    GA_FN T
    of(real x)
    {
        if constexpr (ga_is_complex<T>::value)
            return {x, real(0)};
        else
            return x;
    }
    GA_FN real
    re(T x)
    {
        if constexpr (ga_is_complex<T>::value)
            return x.re;
        else
            return x;
    }
    GA_FN real
    im(T x)
    {
        if constexpr (ga_is_complex<T>::value)
            return x.im;
        else
            return real(0);
    }
    GA_FN T
    conjugate(T x)
    {
        if constexpr (ga_is_complex<T>::value)
            return {x.re, -x.im};
        else
            return x;
    }
    GA_FN T
    scale(T x, real by)
    {
        if constexpr (ga_is_complex<T>::value)
            return {x.re * by, x.im * by};
        else
            return x * by;
    }
    GA_FN T
    multiply(T x, T y)
    {
        if constexpr (ga_is_complex<T>::value)
            return ga_multiply(x, y);
        else
            return x * y;
    }
    /* x y + z and x by + z, by fused steps. */
    GA_FN T
    multiply_add(T x, T y, T z)
    {
        if constexpr (ga_is_complex<T>::value)
            return {fma(x.re, y.re, fma(-x.im, y.im, z.re)), fma(x.re, y.im, fma(x.im, y.re, z.im))};
        else
            return fma(x, y, z);
    }
    GA_FN T
    scale_add(T x, real by, T z)
    {
        if constexpr (ga_is_complex<T>::value)
            return {fma(x.re, by, z.re), fma(x.im, by, z.im)};
        else
            return fma(x, by, z);
    }
    GA_FN T
    add(T x, T y)
    {
        if constexpr (ga_is_complex<T>::value)
            return ga_add(x, y);
        else
            return x + y;
    }
    GA_FN T
    subtract(T x, T y)
    {
        if constexpr (ga_is_complex<T>::value)
            return ga_subtract(x, y);
        else
            return x - y;
    }
    GA_FN T
    divide(T x, T y)
    {
        if constexpr (ga_is_complex<T>::value)
            return ga_divide(x, y);
        else
            return x / y;
    }
    /* How large, for comparing: the sum of the parts' absolute values, as LAPACK chooses pivots. */
    GA_FN real
    size(T x)
    {
        return fabs(re(x)) + fabs(im(x));
    }
    GA_FN real
    absolute(T x)
    {
        if constexpr (ga_is_complex<T>::value)
            return hypot(x.re, x.im);
        else
            return fabs(x);
    }
    GA_FN bool
    is_zero(T x)
    {
        return re(x) == real(0) && im(x) == real(0);
    }
};

/* function<T>(...) for the T of a dtype: one of f32, f64, c64 and c128. */
#define GA_BY_NUMBER(dtype, function, ...) \
    ((dtype) == GA_f32   ? function<float>(__VA_ARGS__) \
     : (dtype) == GA_f64 ? function<double>(__VA_ARGS__) \
     : (dtype) == GA_c64 ? function<ga_c64>(__VA_ARGS__) \
                         : function<ga_c128>(__VA_ARGS__))
