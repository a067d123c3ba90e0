/* Truth, tests of one value, comparison and extrema, for every dtype. Complex numbers compare by
 * real, then imaginary part; NaN compares false. NaT is the NaN of times. No branches (and so no && and ||): loops
 * over these are made of vectors. Includes types.cuh. */
#pragma once
#include "types.cuh"

/* ---- tests ---- */
template <class T>
GA_FN bool
ga_truth(T x)
{
    if constexpr (ga_is_complex<T>::value)
        return (x.re != 0) | (x.im != 0);
    else if constexpr (ga_is_time<T>::value)
        return x.v != 0;
    else
        return x != T(0);
}
template <class T>
GA_FN bool
ga_isnan(T x)
{
    if constexpr (ga_is_complex<T>::value)
        return (x.re != x.re) | (x.im != x.im);
    else if constexpr (ga_is_time<T>::value)
        return x.v == GA_NAT;
    else if constexpr (std::is_floating_point<T>::value)
        return x != x;
    else
        return false;
}
/* For floats: the bits without the sign, and those of infinity. */
template <class T>
GA_FN bool
ga_isfinite(T x)
{
    if constexpr (ga_is_complex<T>::value)
        return ga_isfinite(x.re) & ga_isfinite(x.im);
    else if constexpr (std::is_floating_point<T>::value)
        return ga_unsigned<T>(ga_bits<ga_unsigned<T>>(x) << 1) <
               ga_unsigned<T>(ga_bits<ga_unsigned<T>>(T(__builtin_huge_val())) << 1);
    else
        return !ga_isnan(x);
}
template <class T>
GA_FN bool
ga_isinf(T x)
{
    if constexpr (ga_is_complex<T>::value)
        return ga_isinf(x.re) | ga_isinf(x.im);
    else if constexpr (std::is_floating_point<T>::value)
        return !ga_isfinite(x) & !ga_isnan(x);
    else
        return false;
}

/* ---- comparison ---- */
template <class T>
GA_FN bool
ga_equal(T x, T y)
{
    if constexpr (ga_is_complex<T>::value)
        return (x.re == y.re) & (x.im == y.im);
    else if constexpr (ga_is_time<T>::value)
        return (x.v == y.v) & (x.v != GA_NAT);
    else
        return x == y;
}
template <class T>
GA_FN bool
ga_less(T x, T y)
{
    if constexpr (ga_is_complex<T>::value)
        return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im < y.im));
    else if constexpr (ga_is_time<T>::value)
        return (x.v < y.v) & (x.v != GA_NAT); /* NaT is the least, so y cannot be it */
    else
        return x < y;
}
template <class T>
GA_FN bool
ga_less_equal(T x, T y)
{
    if constexpr (ga_is_complex<T>::value)
        return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im <= y.im));
    else if constexpr (ga_is_time<T>::value)
        return (x.v <= y.v) & (x.v != GA_NAT);
    else
        return x <= y;
}

/* int64 with uint64, by value. */
GA_FN bool
ga_equal(int64_t x, uint64_t y)
{
    return (x >= 0) & (uint64_t(x) == y);
}
GA_FN bool
ga_equal(uint64_t x, int64_t y)
{
    return ga_equal(y, x);
}
GA_FN bool
ga_less(int64_t x, uint64_t y)
{
    return (x < 0) | (uint64_t(x) < y);
}
GA_FN bool
ga_less(uint64_t x, int64_t y)
{
    return (y >= 0) & (x < uint64_t(y));
}
GA_FN bool
ga_less_equal(int64_t x, uint64_t y)
{
    return !ga_less(y, x);
}
GA_FN bool
ga_less_equal(uint64_t x, int64_t y)
{
    return !ga_less(y, x);
}

template <class A, class B>
GA_FN bool
ga_not_equal(A x, B y)
{
    return !ga_equal(x, y);
}
template <class A, class B>
GA_FN bool
ga_greater(A x, B y)
{
    return ga_less(y, x);
}
template <class A, class B>
GA_FN bool
ga_greater_equal(A x, B y)
{
    return ga_less_equal(y, x);
}

/* ---- extrema: the first NaN wins in maximum and minimum, a number wins in fmax and fmin ---- */
template <class T>
GA_FN T
ga_maximum(T x, T y)
{
    return ga_less_equal(y, x) | ga_isnan(x) ? x : y;
}
template <class T>
GA_FN T
ga_minimum(T x, T y)
{
    return ga_less_equal(x, y) | ga_isnan(x) ? x : y;
}
template <class T>
GA_FN T
ga_fmax(T x, T y)
{
    return ga_less_equal(y, x) | ga_isnan(y) ? x : y;
}
template <class T>
GA_FN T
ga_fmin(T x, T y)
{
    return ga_less_equal(x, y) | ga_isnan(y) ? x : y;
}
GA_FN bool
ga_maximum(bool x, bool y)
{
    return x | y;
}
GA_FN bool
ga_minimum(bool x, bool y)
{
    return x & y;
}
GA_FN bool
ga_fmax(bool x, bool y)
{
    return x | y;
}
GA_FN bool
ga_fmin(bool x, bool y)
{
    return x & y;
}
