/* Functions of float and double (float16 comes as float): NumPy's rules over the C library's
 * functions, whose names and results are the same on both devices. Arithmetic that integers share
 * is in math_integer.cuh, tests and extrema are in math_compare.cuh. Includes types.cuh. */
#pragma once
#include "types.cuh"

#define GA_LN2 0.69314718055994530942
#define GA_LOG2E 1.4426950408889634074
#define GA_LOG10E 0.43429448190325182765
#define GA_PI 3.14159265358979323846

/* ---- the C library under one name for both widths ----
 * On the GPU the float functions that arrays meet most are inlined; the others, and all in double,
 * are called: there the time goes into arithmetic anyway, and each copy costs the build. */
#define GA_REAL1(name, fn, of_float, of_double) \
    of_float float ga_##name(float x) \
    { \
        return fn##f(x); \
    } \
    of_double double ga_##name(double x) \
    { \
        return fn(x); \
    }
#define GA_REAL2(name, fn, of_float, of_double) \
    of_float float ga_##name(float x, float y) \
    { \
        return fn##f(x, y); \
    } \
    of_double double ga_##name(double x, double y) \
    { \
        return fn(x, y); \
    }
GA_REAL1(sqrt, sqrt, GA_FN, GA_FN)
GA_REAL1(rint, rint, GA_FN, GA_FN)
GA_REAL1(float_floor, floor, GA_FN, GA_FN)
GA_REAL1(float_ceil, ceil, GA_FN, GA_FN)
GA_REAL1(float_trunc, trunc, GA_FN, GA_FN)
GA_REAL1(float_abs, fabs, GA_FN, GA_FN)
GA_REAL2(copysign, copysign, GA_FN, GA_FN)
GA_REAL1(near_exp, exp, GA_FN, GA_FN_CALL)
GA_REAL1(exp2, exp2, GA_FN, GA_FN_CALL)
GA_REAL1(log, log, GA_FN, GA_FN_CALL)
GA_REAL1(near_log2, log2, GA_FN, GA_FN)
GA_REAL1(near_log10, log10, GA_FN, GA_FN)
GA_REAL1(sin, sin, GA_FN, GA_FN_CALL)
GA_REAL1(cos, cos, GA_FN, GA_FN_CALL)
GA_REAL1(tanh, tanh, GA_FN, GA_FN_CALL)
GA_REAL1(expm1, expm1, GA_FN_CALL, GA_FN_CALL)
GA_REAL1(log1p, log1p, GA_FN_CALL, GA_FN_CALL)
GA_REAL1(near_cbrt, cbrt, GA_FN, GA_FN)
GA_REAL1(tan, tan, GA_FN_CALL, GA_FN_CALL)
GA_REAL1(arcsin, asin, GA_FN_CALL, GA_FN_CALL)
GA_REAL1(arccos, acos, GA_FN_CALL, GA_FN_CALL)
GA_REAL1(arctan, atan, GA_FN_CALL, GA_FN_CALL)
GA_REAL1(sinh, sinh, GA_FN_CALL, GA_FN_CALL)
GA_REAL1(cosh, cosh, GA_FN, GA_FN_CALL)
GA_REAL1(arcsinh, asinh, GA_FN, GA_FN_CALL)
GA_REAL1(arccosh, acosh, GA_FN_CALL, GA_FN_CALL)
GA_REAL1(arctanh, atanh, GA_FN, GA_FN_CALL)
GA_REAL2(arctan2, atan2, GA_FN_CALL, GA_FN_CALL)
GA_REAL2(nextafter, nextafter, GA_FN_CALL, GA_FN_CALL)
GA_REAL2(near_power, pow, GA_FN, GA_FN)
GA_REAL2(float_fmod, fmod, GA_FN_CALL, GA_FN_CALL)
#undef GA_REAL1
#undef GA_REAL2

/* The vector forms of the CPU's library leave results that are no normal numbers to the scalar one: those that are
 * nothing or infinite, below `least` and above `most`, are kept from it. */
template <class R>
GA_FN R
ga_exp_between(R least, R most, R x)
{
    if (GA_BLOCK > 1)
        return ga_near_exp(x);
    typedef typename std::conditional<sizeof(R) == 4, uint32_t, uint64_t>::type word;
    const word kept = word((x < least) | (x > most)) - 1; /* as bits: of a select the compiler knows what exp(0) is */
    const R r = ga_near_exp(ga_bits<R>(word(ga_bits<word>(x) & kept))), low = x < least ? R(0) : r;
    return x > most ? R(__builtin_huge_val()) : low;
}
GA_FN float ga_exp(float x)
{
    return ga_exp_between(-104.0f, 89.0f, x);
}
GA_FN double ga_exp(double x)
{
    return ga_exp_between(-746.0, 710.0, x);
}

GA_FN float ga_fma(float x, float y, float z) /* rounded once on either device */
{
    return fmaf(x, y, z);
}
GA_FN double ga_fma(double x, double y, double z)
{
    return fma(x, y, z);
}

#include "math_power.cuh"

/* ---- whole results ---- CUDA's functions and the vector forms of the C library's may miss by a
 * last place what is a whole number, as log2(8) or 3 ** 2. No branches (and so no && and ||): loops
 * over these are made of vectors. */
GA_FN bool
ga_is_power_of_two(float x)
{
    uint32_t bits = ga_bits<uint32_t>(x), fraction = bits & 0x7fffff;
    return (fraction == 0) | ((bits == fraction) & ((fraction & (fraction - 1)) == 0)); /* the second: denormal */
}
GA_FN bool
ga_is_power_of_two(double x)
{
    uint64_t bits = ga_bits<uint64_t>(x), fraction = bits & 0xfffffffffffff;
    return (fraction == 0) | ((bits == fraction) & ((fraction & (fraction - 1)) == 0));
}

template <class R>
GA_FN R
ga_whole_log2(R x)
{
    R r = ga_near_log2(x);
    return ga_is_power_of_two(x) ? ga_rint(r) : r;
}

/* Takes the lowest binary digit from a whole n: `power` if it is one, else 1. */
template <class R>
GA_FN R
ga_take_digit(R &n, R power)
{
    R half = ga_float_floor(n * R(0.5)), odd = n - (half + half);
    n = half;
    return odd != 0 ? power : R(1);
}

/* Ten to the low five binary digits of a whole n, which is exact where R holds the result. */
template <class R>
GA_FN R
ga_power_of_ten(R n)
{
    R power = ga_take_digit(n, R(10));
    power *= ga_take_digit(n, R(1e2));
    power *= ga_take_digit(n, R(1e4));
    power *= ga_take_digit(n, R(1e8));
    return power * ga_take_digit(n, R(1e16));
}

template <class R>
GA_FN R
ga_whole_log10(R x)
{
    R r = ga_near_log10(x), n = ga_rint(r);
    if (GA_BLOCK > 1 && ga_float_abs(r - n) > R(1e-4)) /* few threads of a warp go on; vectors have no branches */
        return r;
    return ga_power_of_ten(n) == x ? n : r;
}

template <class R>
GA_FN R
ga_whole_cbrt(R x)
{
    R r = ga_near_cbrt(x), n = ga_rint(r);
    return n * n * n == x ? n : r;
}

template <class R>
GA_FN R
ga_whole_power(R x, R y)
{
    const R exact = sizeof(R) == 4 ? R(1 << 20) : R(int64_t(1) << 50); /* below it a last place is at most an eighth */
    R r = ga_near_power(x, y);
    bool whole = (y > 0) & (ga_float_trunc(x) == x) & (ga_float_trunc(y) == y) & (ga_float_abs(r) < exact);
    return whole ? ga_rint(r) : r;
}

GA_FN float ga_log2(float x)
{
    return ga_whole_log2(x);
}
GA_FN float ga_log10(float x)
{
    return ga_whole_log10(x);
}
GA_FN_CALL float ga_cbrt(float x)
{
    return ga_whole_cbrt(x);
}
GA_FN_CALL float ga_power_far(float x, float y)
{
    return ga_whole_power(x, y);
}
GA_FN float ga_power(float x, float y)
{
    float power;
    if (GA_BLOCK > 1 && ga_fine_power(x, y, &power)) /* the CPU has powf in vectors */
        return power;
    return ga_power_far(x, y);
}
GA_FN_CALL double ga_log2(double x)
{
    return ga_whole_log2(x);
}
GA_FN_CALL double ga_log10(double x)
{
    return ga_whole_log10(x);
}
GA_FN_CALL double ga_cbrt(double x)
{
    return ga_whole_cbrt(x);
}
GA_FN_CALL double ga_power(double x, double y)
{
    return ga_whole_power(x, y);
}

template <class R>
GA_FN bool
ga_signbit(R x)
{
    typedef typename std::conditional<sizeof(R) == 4, int32_t, int64_t>::type bits;
    return ga_bits<bits>(x) < 0;
}

template <class R> constexpr R ga_infinity = R(__builtin_huge_val());
template <class R> constexpr R ga_nan = R(__builtin_nan(""));

/* Squares of floats are exact in double and cannot overflow there. */
GA_FN_CALL float
ga_hypot(float x, float y)
{
    double a = x, b = y;
    float length = float(sqrt(a * a + b * b));
    bool infinite = fabsf(x) == ga_infinity<float> || fabsf(y) == ga_infinity<float>;
    return infinite ? ga_infinity<float> : length;
}
/* Scaled, by powers of two, to where squares neither overflow nor vanish. */
GA_FN_CALL double
ga_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y), big = a > b ? a : b;
    if (a == ga_infinity<double> || b == ga_infinity<double>)
        return ga_infinity<double>;
    double down = big > 0x1p500 ? 0x1p-600 : big < 0x1p-500 ? 0x1p600 : 1;
    double up = big > 0x1p500 ? 0x1p600 : big < 0x1p-500 ? 0x1p-600 : 1;
    a *= down;
    b *= down;
    return sqrt(a * a + b * b) * up;
}

template <class R>
GA_FN R
ga_degrees(R x)
{
    return x * R(180.0 / GA_PI);
}
template <class R>
GA_FN R
ga_radians(R x)
{
    return x * R(GA_PI / 180.0);
}

/* ---- division with a floor: quotient and remainder agree, as in Python ---- */
/* What is left of x / y without its fraction: x = whole * y + rest. */
template <class R> struct ga_quotient {
    R whole, rest;
    bool exact;
};

/* By one division, if quotient and y are small enough: rounded to a whole number it may be the next
 * one, never one further, and x less so many y is a multiple of the last place of both, and less
 * than |y|: exact if it is rounded once. */
template <class R>
GA_FN ga_quotient<R>
ga_float_split(R x, R y)
{
    const R most = sizeof(R) == 4 ? R(1 << 21) : R(int64_t(1) << 50);
    R whole = ga_float_trunc(x / y), rest = ga_fma(-whole, y, x);
    bool exact = (ga_float_abs(whole) < most) & (ga_float_abs(y) < R(__builtin_huge_val()));
    bool beyond = (rest != R(0)) & ((rest < R(0)) != (x < R(0)));
    return {beyond ? whole - ga_copysign(R(1), whole) : whole, beyond ? rest + ga_copysign(y, x) : rest, exact};
}

template <class R>
GA_FN_CALL ga_pair<R, R>
ga_float_divmod_far(R x, R y)
{
    R mod = ga_float_fmod(x, y);
    if (y == R(0))
        return {x / y, mod};
    R quotient = (x - mod) / y;
    if (mod != R(0)) {
        if ((y < R(0)) != (mod < R(0))) {
            mod += y;
            quotient -= R(1);
        }
    } else {
        mod = ga_copysign(R(0), y);
    }
    R floored = ga_copysign(R(0), x / y);
    if (quotient != R(0)) {
        floored = ga_float_floor(quotient);
        if (quotient - floored > R(0.5))
            floored += R(1);
    }
    return {floored, mod};
}

template <class R>
GA_FN ga_pair<R, R>
ga_float_divmod(R x, R y)
{
    ga_quotient<R> q = ga_float_split(x, y);
    if (!q.exact)
        return ga_float_divmod_far(x, y);
    bool below = (q.rest != R(0)) & ((q.rest < R(0)) != (y < R(0)));
    R mod = q.rest != R(0) ? q.rest : ga_copysign(R(0), y);
    return {below ? q.whole - R(1) : q.whole, below ? mod + y : mod};
}

/* ---- sums of exponentials ---- */
template <class R>
GA_FN_CALL R
ga_logaddexp(R x, R y)
{
    const R d = x - y, sum = (x > y ? x : y) + ga_log1p(ga_exp(-ga_float_abs(d))), apart = d == d ? sum : d;
    return x == y ? x + R(GA_LN2) : apart; /* also infinities, whose difference is NaN */
}
template <class R>
GA_FN_CALL R
ga_logaddexp2(R x, R y)
{
    if (x == y)
        return x + R(1);
    R d = x - y;
    return d == d ? (x > y ? x : y) + R(GA_LOG2E) * ga_log1p(ga_exp2(-ga_float_abs(d))) : d;
}

template <class R>
GA_FN R
ga_heaviside(R x, R at_zero)
{
    if (x != x)
        return x;
    return x == R(0) ? at_zero : x < R(0) ? R(0) : R(1);
}

/* ---- parts of a number ---- */
template <class R>
GA_FN ga_pair<R, R>
ga_modf(R x)
{
    R whole = ga_float_trunc(x);
    R fraction = whole == x ? R(0) : x - whole; /* infinity has no fraction */
    return {ga_copysign(fraction, x), whole};
}

/* Without branches, for vectors; denormal numbers are scaled to normal ones. */
template <class R>
GA_FN ga_pair<R, int32_t>
ga_frexp(R x)
{
    typedef ga_unsigned<R> word;
    constexpr int digits = sizeof(R) == 4 ? 23 : 52, half = sizeof(R) == 4 ? 126 : 1022;
    constexpr word exponents = word(2 * half + 3) << digits;
    const R size = ga_float_abs(x), least = sizeof(R) == 4 ? R(0x1p-126) : R(0x1p-1022);
    const bool denormal = size < least, split = (size < ga_infinity<R>) & (x != R(0));
    const word bits = ga_bits<word>(denormal ? x * R(int64_t(1) << digits) : x);
    const int32_t exponent = int32_t((bits & exponents) >> digits) - half - (denormal ? digits : 0);
    const R mantissa = ga_bits<R>(word((bits & ~exponents) | (word(half) << digits)));
    return {split ? mantissa : x, split ? exponent : 0};
}

GA_FN int
ga_clamp_exponent(int64_t n)
{
    return int(n > INT32_MAX ? INT32_MAX : n < INT32_MIN ? INT32_MIN : n);
}
GA_FN_CALL float
ga_ldexp(float x, int64_t n)
{
    return ldexpf(x, ga_clamp_exponent(n));
}
GA_FN_CALL double
ga_ldexp(double x, int64_t n)
{
    return ldexp(x, ga_clamp_exponent(n));
}

/* ---- steps between neighbours; those of float16 and stored dtypes are their own, so they come as bits ---- */
template <class R>
GA_FN typename std::enable_if<std::is_floating_point<R>::value, R>::type
ga_spacing(R x)
{
    typedef ga_unsigned<R> bits;
    R magnitude = ga_float_abs(x);
    if (!(magnitude < ga_infinity<R>))
        return ga_nan<R>;
    return ga_copysign(ga_bits<R>(bits(ga_bits<bits>(magnitude) + 1)) - magnitude,
                       x == R(0) ? R(0) : x);
}

GA_FN_CALL ga_half
ga_spacing(ga_half h)
{
    unsigned exponent = h.bits & 0x7c00u, significand = h.bits & 0x03ffu;
    if (exponent == 0x7c00u)
        return {0x7e00u};
    if (h.bits == 0x7bffu)
        return {0x7c00u};
    /* The step towards +infinity: below a negative power of two it is half as long. */
    unsigned boundary = (h.bits & 0x8000u) && significand == 0 ? 1 : 0;
    if (exponent > 0x2800u + (boundary << 10))
        return {uint16_t(exponent - 0x2800u - (boundary << 10))};
    if (exponent > 0x0400u)
        return {uint16_t(1u << ((exponent >> 10) - 1 - boundary))};
    return {1u};
}

GA_FN_CALL ga_half
ga_nextafter(ga_half x, ga_half y)
{
    unsigned ax = x.bits & 0x7fffu, ay = y.bits & 0x7fffu;
    if (ax > 0x7c00u || ay > 0x7c00u)
        return {0x7e00u};
    if (x.bits == y.bits || (ax | ay) == 0)
        return y; /* also of zeros with unlike signs, as C has it */
    if (ax == 0)
        return {uint16_t((y.bits & 0x8000u) + 1)};
    bool opposite = ((x.bits ^ y.bits) & 0x8000u) != 0;
    return {uint16_t(opposite || ax > ay ? x.bits - 1 : x.bits + 1)};
}
