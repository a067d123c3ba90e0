/* Arithmetic that integers and floats share, and what only integers have. Integers compute in the
 * unsigned type of at least 32 bits and wrap; division by zero gives 0. bool adds by OR and
 * multiplies by AND. Includes math_real.cuh, convert.cuh. */
#pragma once
#include "convert.cuh"
#include "math_real.cuh"

/* x < 0, for types that have no negative values too. */
template <class T>
GA_FN bool
ga_below_zero(T x)
{
    if constexpr (std::is_unsigned<T>::value)
        return false;
    else
        return x < 0;
}

/* ---- arithmetic of one dtype ---- */
template <class T>
GA_FN T
ga_add(T x, T y)
{
    if constexpr (ga_is_int<T>::value)
        return T(ga_unsigned<T>(x) + ga_unsigned<T>(y));
    else
        return x + y;
}
template <class T>
GA_FN T
ga_subtract(T x, T y)
{
    if constexpr (ga_is_int<T>::value)
        return T(ga_unsigned<T>(x) - ga_unsigned<T>(y));
    else
        return x - y;
}
template <class T>
GA_FN T
ga_multiply(T x, T y)
{
    if constexpr (ga_is_int<T>::value)
        return T(ga_unsigned<T>(x) * ga_unsigned<T>(y));
    else
        return x * y;
}
GA_FN bool
ga_add(bool x, bool y)
{
    return x | y;
}
GA_FN bool
ga_multiply(bool x, bool y)
{
    return x & y;
}
template <class R>
GA_FN R
ga_divide(R x, R y)
{
    return x / y;
}

template <class T>
GA_FN T
ga_negative(T x)
{
    if constexpr (ga_is_int<T>::value)
        return T(0 - ga_unsigned<T>(x));
    else
        return -x;
}
template <class T>
GA_FN T
ga_absolute(T x)
{
    if constexpr (std::is_floating_point<T>::value)
        return ga_float_abs(x);
    else if constexpr (std::is_unsigned<T>::value)
        return x;
    else
        return ga_below_zero(x) ? ga_negative(x) : x;
}
template <class T>
GA_FN T
ga_sign(T x)
{
    return x > T(0)           ? T(1)
           : ga_below_zero(x) ? T(-1)
           : x == T(0)        ? T(0)
                              : x; /* x itself: NaN; 0 also for -0 */
}
template <class T>
GA_FN T
ga_reciprocal(T x)
{
    if constexpr (ga_is_int<T>::value)
        return ga_convert<T>(1.0 / double(x));
    else
        return T(1) / x;
}
template <class T>
GA_FN T
ga_conjugate(T x)
{
    return x;
}

/* ---- division ---- */

/* On a CPU, which has no vectors of integer divisions: quotient without its fraction, and rest, by way of floats that
 * hold every T, so that a quotient is never rounded to the next whole number. 0 and -1 count as 1. */
template <class T> constexpr bool ga_divides_in_floats = GA_BLOCK == 1 && sizeof(T) <= 4;

template <class T>
GA_FN ga_pair<T, T>
ga_divide_in_floats(T x, T y)
{
    typedef typename std::conditional<sizeof(T) < 4, float, double>::type R;
    typedef typename std::conditional<sizeof(T) < 4, int32_t, T>::type whole;
    const T by = (y == T(0)) | (std::is_signed<T>::value & (y == T(-1))) ? T(1) : y;
    const T quotient = T(whole(R(x) / R(by)));
    return {quotient, T(ga_unsigned<T>(x) - ga_unsigned<T>(quotient) * ga_unsigned<T>(by))};
}
template <class T>
GA_FN T
ga_divide_down_in_floats(T x, T y)
{
    const ga_pair<T, T> parts = ga_divide_in_floats(x, y);
    const bool below = (parts.second != T(0)) & (ga_below_zero(x) != ga_below_zero(y));
    const T negated = std::is_signed<T>::value && y == T(-1) ? ga_negative(x) : T(parts.first - below);
    return y == T(0) ? T(0) : negated;
}

/* Of integers, by zero: 0. By -1 it is a negation: the quotient of the least integer overflows. */
template <class T>
GA_FN T
ga_divide_down(T x, T y)
{
    if constexpr (ga_divides_in_floats<T>)
        return ga_divide_down_in_floats(x, y);
    if (y == 0)
        return 0;
    if constexpr (std::is_signed<T>::value) {
        if (y == T(-1))
            return ga_negative(x);
        T quotient = T(x / y);
        return T(quotient - (T(x % y) != 0 && (x < 0) != (y < 0)));
    }
    return T(x / y);
}
/* Divisions of 64 bits are long: called once instead of copied for each element of a vector. */
template <class T>
GA_FN_CALL T
ga_divide_down_far(T x, T y)
{
    return ga_divide_down(x, y);
}
template <class T>
GA_FN T
ga_floor_divide(T x, T y)
{
    if constexpr (std::is_floating_point<T>::value)
        return ga_float_divmod(x, y).first;
    else if constexpr (sizeof(T) == 8)
        return ga_divide_down_far(x, y);
    else
        return ga_divide_down(x, y);
}
template <class T>
GA_FN_CALL T
ga_integer_fmod(T x, T y)
{
    if constexpr (ga_divides_in_floats<T>)
        return ga_divide_in_floats(x, y).second;
    return y == 0 || (std::is_signed<T>::value && y == T(-1)) ? T(0) : T(x % y);
}
template <class T>
GA_FN T
ga_fmod(T x, T y)
{
    if constexpr (std::is_floating_point<T>::value) {
        ga_quotient<T> q = ga_float_split(x, y);
        return q.exact ? ga_copysign(q.rest, x) : ga_float_fmod(x, y);
    } else {
        return ga_integer_fmod(x, y);
    }
}
template <class T>
GA_FN T
ga_remainder(T x, T y)
{
    if constexpr (std::is_floating_point<T>::value) {
        return ga_float_divmod(x, y).second;
    } else {
        T rest = ga_fmod(x, y);
        return (rest != 0) & (ga_below_zero(rest) != ga_below_zero(y)) ? ga_add(rest, y) : rest;
    }
}
template <class T>
GA_FN_CALL ga_pair<T, T>
ga_divmod(T x, T y)
{
    if constexpr (std::is_floating_point<T>::value)
        return ga_float_divmod(x, y);
    else
        return {ga_floor_divide(x, y), ga_remainder(x, y)};
}

/* ---- powers and divisors ---- */

/* A negative exponent is refused before the launch; here it gives the integer part of the true
 * power, or 0. */
template <class T>
GA_FN_CALL typename std::enable_if<ga_is_int<T>::value, T>::type
ga_power(T x, T y)
{
    ga_unsigned<T> base = ga_unsigned<T>(x), power = 1;
    if (ga_below_zero(y))
        return x == 1 ? T(1) : std::is_signed<T>::value && x == T(-1) ? T(y & 1 ? -1 : 1) : T(0);
    for (ga_unsigned<T> n = ga_unsigned<T>(y); n != 0; n >>= 1) {
        if (n & 1)
            power *= base;
        base *= base;
    }
    return T(power);
}

/* |x| without overflow. */
template <class T>
GA_FN ga_unsigned<T>
ga_magnitude(T x)
{
    return ga_below_zero(x) ? 0 - ga_unsigned<T>(x) : ga_unsigned<T>(x);
}
/* Zeros below the lowest one of x, which is not 0: the exponent of that as a float. */
template <class U>
GA_FN int
ga_low_zeros(U x)
{
    return int(ga_bits<uint32_t>(float(U(x & (U(0) - x)))) >> 23) - 127;
}
/* Of numbers that are not 0, by subtractions and shifts: half the time of divisions on a GPU. */
template <class U>
GA_FN U
ga_gcd_by_halves(U a, U b)
{
    const int twos_a = ga_low_zeros(a), twos_b = ga_low_zeros(b);
    a >>= twos_a;
    b >>= twos_b;
    while (a != b) {
        const U less = a < b ? a : b, apart = U(a < b ? b - a : a - b);
        a = less;
        b = U(apart >> ga_low_zeros(apart));
    }
    return U(a << (twos_a < twos_b ? twos_a : twos_b));
}
template <class U>
GA_FN U
ga_euclid(U a, U b)
{
    if constexpr (GA_BLOCK > 1) {
        return a == 0 || b == 0 ? U(a | b) : ga_gcd_by_halves(a, b);
    } else {
        while (a != 0) {
            U rest = b % a;
            b = a;
            a = rest;
        }
        return b;
    }
}
template <class T>
GA_FN_CALL T
ga_gcd(T x, T y)
{
    return T(ga_euclid(ga_magnitude(x), ga_magnitude(y)));
}
template <class T>
GA_FN_CALL T
ga_lcm(T x, T y)
{
    ga_unsigned<T> a = ga_magnitude(x), b = ga_magnitude(y), common = ga_euclid(a, b);
    return common == 0 ? T(0) : T(a / common * b);
}

/* ---- rounding: integers and bool are round ---- */
#define GA_ROUND(name) \
    template <class T> GA_FN T ga_##name(T x) \
    { \
        if constexpr (std::is_floating_point<T>::value) \
            return ga_float_##name(x); \
        else \
            return x; \
    }
GA_ROUND(floor)
GA_ROUND(ceil)
GA_ROUND(trunc)
#undef GA_ROUND

/* ---- bits ---- */
template <class T>
GA_FN T
ga_bitwise_and(T x, T y)
{
    return T(x & y);
}
template <class T>
GA_FN T
ga_bitwise_or(T x, T y)
{
    return T(x | y);
}
template <class T>
GA_FN T
ga_bitwise_xor(T x, T y)
{
    return T(x ^ y);
}
template <class T>
GA_FN T
ga_invert(T x)
{
    return T(~ga_unsigned<T>(x));
}
GA_FN bool
ga_invert(bool x)
{
    return !x;
}
/* A negative count, seen as unsigned, is as good as one too large. */
template <class T>
GA_FN T
ga_left_shift(T x, T y)
{
    ga_unsigned<T> count = ga_unsigned<T>(y);
    return count < 8 * sizeof(T) ? T(ga_unsigned<T>(x) << count) : T(0);
}
template <class T>
GA_FN T
ga_right_shift(T x, T y)
{
    ga_unsigned<T> count = ga_unsigned<T>(y);
    return count < 8 * sizeof(T) ? T(x >> count) : T(ga_below_zero(x) ? -1 : 0);
}
template <class T>
GA_FN uint8_t
ga_bitwise_count(T x)
{
    typedef typename std::conditional<sizeof(T) == 2, uint16_t, ga_unsigned<T>>::type wide;
    typedef typename std::conditional<sizeof(T) == 1, uint8_t, wide>::type U; /* no wider than T, for the sake of vectors */
    U v = U(ga_magnitude(x));
    v = U(v - ((v >> 1) & U(0x5555555555555555u)));
    v = U((v & U(0x3333333333333333u)) + ((v >> 2) & U(0x3333333333333333u)));
    v = U((v + (v >> 4)) & U(0x0f0f0f0f0f0f0f0fu));
    return uint8_t(U(ga_unsigned<T>(v) * U(0x0101010101010101u)) >> (8 * sizeof v - 8));
}
