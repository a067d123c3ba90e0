/* One element from any dtype to any other, by the rules of NumPy's astype on x86, on both devices.
 *
 *   ga_convert<To>(x)    x of a dtype's type, or float for a float16; To is no stored dtype
 *
 * Owns the float-to-integer rule, that of one element in NumPy (its vectorised loop to uint32
 * differs for NaN and beyond 32 bits): the value is truncated in a signed integer, of 32 bits for
 * targets of 8 and 16 bits and int32, else of 64; what does not fit there, and NaN, gives the least
 * integer; then it wraps to the target. uint64 takes [2^63, 2^64) too. To bool goes by truth.
 * Complex numbers lose the imaginary part. NaT is the least integer to numbers; NaN becomes NaT.
 * Includes types.cuh. */
#pragma once
#include "types.cuh"

template <class R>
GA_FN int32_t
ga_truncate_int32(R x)
{
    return x >= R(-2147483648.0) && x < R(2147483648.0) ? int32_t(x) : INT32_MIN;
}
GA_FN int32_t
ga_truncate_int32(double x)
{
    return x > -2147483649.0 && x < 2147483648.0 ? int32_t(x) : INT32_MIN;
}
template <class R>
GA_FN int64_t
ga_truncate_int64(R x)
{
    return x >= R(-9223372036854775808.0) && x < R(9223372036854775808.0) ? int64_t(x) : INT64_MIN;
}
template <class R>
GA_FN uint64_t
ga_truncate_uint64(R x)
{
    if (x >= R(9223372036854775808.0))
        return uint64_t(ga_truncate_int64(x - R(9223372036854775808.0))) ^ (uint64_t(1) << 63);
    return uint64_t(ga_truncate_int64(x));
}

template <class To, class R>
GA_FN To
ga_truncate(R x)
{
    if constexpr (std::is_same<To, uint64_t>::value)
        return ga_truncate_uint64(x);
    else if constexpr (sizeof(To) < 4 || std::is_same<To, int32_t>::value)
        return To(ga_truncate_int32(x));
    else
        return To(ga_truncate_int64(x));
}

/* ---- to one kind of target from anything ---- */
template <class From>
GA_FN bool
ga_to_bool(From x)
{
    if constexpr (std::is_same<From, ga_half>::value)
        return (x.bits & 0x7fff) != 0;
    else if constexpr (ga_is_complex<From>::value)
        return x.re != 0 || x.im != 0;
    else if constexpr (ga_is_time<From>::value)
        return x.v != 0;
    else
        return x != From(0);
}

template <class To, class From>
GA_FN To
ga_to_int(From x)
{
    if constexpr (std::is_same<From, ga_half>::value)
        return ga_truncate<To>(ga_half_to_float(x));
    else if constexpr (ga_is_complex<From>::value)
        return ga_truncate<To>(x.re);
    else if constexpr (ga_is_time<From>::value)
        return To(x.v);
    else if constexpr (std::is_floating_point<From>::value)
        return ga_truncate<To>(x);
    else
        return To(x);
}

/* R is float or double. */
template <class R, class From>
GA_FN R
ga_to_real(From x)
{
    if constexpr (std::is_same<From, ga_half>::value)
        return R(ga_half_to_float(x));
    else if constexpr (ga_is_complex<From>::value)
        return R(x.re);
    else if constexpr (ga_is_time<From>::value)
        return R(x.v);
    else
        return R(x);
}

/* What a float16 is rounded from. */
template <class From>
GA_FN auto
ga_before_half(From x)
{
    if constexpr (std::is_same<From, double>::value || std::is_same<From, ga_c128>::value)
        return ga_to_real<double>(x);
    else
        return ga_to_real<float>(x);
}

template <class From>
GA_FN ga_half
ga_to_half(From x)
{
    if constexpr (std::is_same<From, ga_half>::value)
        return x;
    else
        return ga_half_from(ga_before_half(x));
}

template <class From>
GA_FN int64_t
ga_to_time(From x)
{
    if constexpr (ga_is_complex<From>::value)
        return ga_to_time(x.re);
    else if constexpr (std::is_same<From, ga_half>::value)
        return ga_to_time(ga_half_to_float(x));
    else
        return ga_to_int<int64_t>(x); /* NaN gives the least integer, which is NaT */
}

template <class To, class From>
GA_FN To
ga_convert(From x)
{
    if constexpr (std::is_same<To, From>::value)
        return x;
    else if constexpr (ga_is_stored<From>)
        return ga_convert<To>(ga_stored_widen(x));
    else if constexpr (std::is_same<To, bool>::value)
        return ga_to_bool(x);
    else if constexpr (std::is_integral<To>::value)
        return ga_to_int<To>(x);
    else if constexpr (std::is_floating_point<To>::value)
        return ga_to_real<To>(x);
    else if constexpr (std::is_same<To, ga_half>::value)
        return ga_to_half(x);
    else if constexpr (ga_is_time<To>::value)
        return {ga_to_time(x)};
    else if constexpr (ga_is_complex<From>::value)
        return {ga_real<To>(x.re), ga_real<To>(x.im)};
    else
        return {ga_to_real<ga_real<To>>(x), 0};
}

/* ga_convert as a functor of the element-wise framework, which rounds what becomes a float16. */
template <class To> struct ga_convert_to {
    template <class T>
    GA_FN auto
    call(ga_compute<T> x)
    {
        if constexpr (std::is_same<To, ga_half>::value)
            return ga_before_half(x);
        else
            return ga_convert<To>(x);
    }
};
