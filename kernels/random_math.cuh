/* Elementary functions in double, made of additions, multiplications, divisions and roots alone.
 *
 * Those are rounded alike everywhere, so a distribution has the same bits on every device, and a
 * rejection falls the same way; the C libraries' functions differ in the last place. Logarithm and
 * exponential are within 1.1 ulp, the others within 5 (ga_random_power: the product in its exponent
 * adds its own). The polynomials are interpolations at Chebyshev's points. Includes math_real.cuh
 * for its constants. */
#pragma once
#include "math_real.cuh"

/* log(2) in two parts, of which the first has zeros at its end. */
#define GA_LN2_HIGH 0x1.62e42fee00000p-1
#define GA_LN2_LOW 0x1.a39ef35793c76p-33

/* For finite normal x > 0: x = m 2^k with m within a factor of sqrt(2) of 1, and log(m) by the
 * series of the area hyperbolic tangent in s = (m - 1) / (m + 1). */
GA_FN double
ga_random_log_normal(double x)
{
    uint64_t bits = ga_bits<uint64_t>(x);
    uint64_t scaled = (bits - 0x3fe6a09e667f3bcdu) & 0xfff0000000000000u;
    double k = double(int32_t(int64_t(scaled) >> 52)), f = ga_bits<double>(bits - scaled) - 1;
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double r = 0x1.2b6776a1bf0b9p-3;
    r = r * z + 0x1.39fd25d62ab23p-3;
    r = r * z + 0x1.7462be245eae3p-3;
    r = r * z + 0x1.c71c62c42db89p-3;
    r = r * z + 0x1.2492492e0b70cp-2;
    r = r * z + 0x1.99999999951f5p-2;
    r = (r * z + 0x1.5555555555558p-1) * z;
    return k * GA_LN2_HIGH - ((half - (s * (half + r) + k * GA_LN2_LOW)) - f);
}

GA_FN_CALL double
ga_random_log(double x)
{
    if (!(x > 0 && x < ga_infinity<double>))
        return x == 0 ? -ga_infinity<double> : x > 0 ? x : ga_nan<double>;
    if (x < 0x1p-1022)
        return ga_random_log_normal(x * 0x1p54) - 54 * GA_LN2;
    return ga_random_log_normal(x);
}

/* exp(x) - 1 for x within half of log(2) of 0. */
GA_FN double
ga_random_expm1_near(double x)
{
    double p = 0x1.af38c67fbb53fp-26;
    p = p * x + 0x1.28919ccaf9211p-22;
    p = p * x + 0x1.71de0da24602dp-19;
    p = p * x + 0x1.a019b8f9792eep-16;
    p = p * x + 0x1.a01a01a7c73c0p-13;
    p = p * x + 0x1.6c16c17890eb4p-10;
    p = p * x + 0x1.11111111109afp-7;
    p = p * x + 0x1.5555555553d56p-5;
    p = p * x + 0x1.5555555555556p-3;
    p = p * x + 0x1.0000000000001p-1;
    return x + x * x * p;
}

GA_FN double
ga_random_power_of_two(int exponent)
{
    return ga_bits<double>(uint64_t(1023 + exponent) << 52);
}

GA_FN_CALL double
ga_random_exp(double x)
{
    if (!(x < 709.8 && x > -746))
        return x > 0 ? ga_infinity<double> : x < 0 ? 0 : x;
    double k = rint(x * GA_LOG2E);
    double e = 1 + ga_random_expm1_near((x - k * GA_LN2_HIGH) - k * GA_LN2_LOW);
    int all = int(k), part = all / 2; /* in two steps, since 2^k itself may not be a number */
    return e * ga_random_power_of_two(part) * ga_random_power_of_two(all - part);
}

GA_FN_CALL double
ga_random_expm1(double x)
{
    return fabs(x) < 0.34 ? ga_random_expm1_near(x) : ga_random_exp(x) - 1;
}

/* The rounding of 1 + x is made good by the quotient. */
GA_FN_CALL double
ga_random_log1p(double x)
{
    double u = 1 + x;
    return u == 1 ? x : ga_random_log(u) * (x / (u - 1));
}

/* For x >= 0. */
GA_FN double
ga_random_power(double x, double y)
{
    return ga_random_exp(y * ga_random_log(x));
}

/* For x >= 0: to at most 1 by the reciprocal, to at most tan(pi / 16) by halving the angle twice.
 * */
GA_FN_CALL double
ga_random_arctan(double x)
{
    bool inverse = x > 1;
    x = inverse ? 1 / x : x;
    x = x / (1 + sqrt(1 + x * x));
    x = x / (1 + sqrt(1 + x * x));
    double z = x * x, p = -0x1.e4213f7fe9d41p-5;
    p = p * z + 0x1.396e5481b9108p-4;
    p = p * z - 0x1.7451db0147e25p-4;
    p = p * z + 0x1.c71c4a3348fb2p-4;
    p = p * z - 0x1.2492490348d2dp-3;
    p = p * z + 0x1.9999999984907p-3;
    p = p * z - 0x1.5555555555544p-2;
    double angle = 4 * (x + x * (z * p));
    return inverse ? GA_PI / 2 - angle : angle;
}

GA_FN double
ga_random_arccos(double x)
{
    return 2 * ga_random_arctan(sqrt((1 - x) / (1 + x)));
}

/* Sine and cosine of an angle within an eighth of a turn of zero. */
GA_FN ga_pair<double, double>
ga_random_circle(double angle)
{
    double z = angle * angle, s = 0x1.5e0b09aba9d7fp-33, c = -0x1.907d9316a965fp-37;
    s = s * z - 0x1.ae600ad575592p-26;
    s = s * z + 0x1.71de37965ea29p-19;
    s = s * z - 0x1.a01a019e83896p-13;
    s = s * z + 0x1.1111111110bb2p-7;
    s = s * z - 0x1.5555555555555p-3;
    c = c * z + 0x1.1eeb68d2958ddp-29;
    c = c * z - 0x1.27e4fa17c44e0p-22;
    c = c * z + 0x1.a01a019f4e9f4p-16;
    c = c * z - 0x1.6c16c16c16967p-10;
    c = c * z + 0x1.5555555555555p-5;
    return {angle + angle * (z * s), (1 - 0.5 * z) + z * z * c};
}
