/* Elementary functions in double, made of additions, multiplications, divisions, roots and fused multiply-adds alone.
 *
 * Those are rounded alike everywhere, so a distribution has the same bits on every device, and a
 * rejection falls the same way; the C libraries' functions differ in the last place. Logarithm and
 * exponential are within 1.1 ulp, the others within 5 (ga_random_power: the product in its exponent
 * adds its own). The polynomials are interpolations at Chebyshev's points. Those of the fills are a struct, which their
 * kernels have among their parameters: constants in the code cost an instruction each. Includes math_real.cuh for
 * its constants. */
#pragma once
#include "math_real.cuh"

/* log(2) in two parts, of which the first has zeros at its end. */
#define GA_LN2_HIGH 0x1.62e42fee00000p-1
#define GA_LN2_LOW 0x1.a39ef35793c76p-33

struct ga_random_series {
    double log[7], sine[6], cosine[6], ln2_high, ln2_low, quarter_turn;
};

static GA_MEMBER inline ga_random_series
ga_random_known_series()
{
    return {{0x1.2b6776a1bf0b9p-3, 0x1.39fd25d62ab23p-3, 0x1.7462be245eae3p-3, 0x1.c71c62c42db89p-3,
             0x1.2492492e0b70cp-2, 0x1.99999999951f5p-2, 0x1.5555555555558p-1},
            {0x1.5e0b09aba9d7fp-33, -0x1.ae600ad575592p-26, 0x1.71de37965ea29p-19,
             -0x1.a01a019e83896p-13, 0x1.1111111110bb2p-7, -0x1.5555555555555p-3},
            {-0x1.907d9316a965fp-37, 0x1.1eeb68d2958ddp-29, -0x1.27e4fa17c44e0p-22,
             0x1.a01a019f4e9f4p-16, -0x1.6c16c16c16967p-10, 0x1.5555555555555p-5},
            GA_LN2_HIGH,
            GA_LN2_LOW,
            GA_PI / 2};
}

/* a * b + c, rounded once. */
GA_FN double
ga_random_fused(double a, double b, double c)
{
    return fma(a, b, c);
}

template <int count>
GA_FN double
ga_random_sum_series(const double (&c)[count], double z)
{
    double r = c[0];
    GA_UNROLL
    for (int i = 1; i < count; i++)
        r = ga_random_fused(r, z, c[i]);
    return r;
}

/* By adding its bits to those of 2^52, which is faster than the GPU's conversion. */
GA_FN double
ga_random_as_double(int32_t k)
{
    return ga_bits<double>(0x4330000000000000u | (uint32_t(k) ^ 0x80000000u)) - (0x1p52 + 0x1p31);
}

/* For finite normal x > 0: x = m 2^k with m within a factor of sqrt(2) of 1, and log(m) by the
 * series of the area hyperbolic tangent in s = (m - 1) / (m + 1). */
GA_FN double
ga_random_log_normal(double x, const ga_random_series &c)
{
    uint64_t bits = ga_bits<uint64_t>(x);
    uint32_t scaled = (uint32_t(bits >> 32) - 0x3fe6a09eu) & 0xfff00000u;
    double k = ga_random_as_double(int32_t(scaled) >> 20);
    double f = ga_bits<double>(bits - (uint64_t(scaled) << 32)) - 1;
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f, r = z * ga_random_sum_series(c.log, z);
    double rest = half - ga_random_fused(s, half + r, k * c.ln2_low);
    return ga_random_fused(k, c.ln2_high, f - rest);
}

GA_FN double
ga_random_log_normal(double x)
{
    return ga_random_log_normal(x, ga_random_known_series());
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
    const double c[] = {0x1.af38c67fbb53fp-26, 0x1.28919ccaf9211p-22, 0x1.71de0da24602dp-19,
                        0x1.a019b8f9792eep-16, 0x1.a01a01a7c73c0p-13, 0x1.6c16c17890eb4p-10,
                        0x1.11111111109afp-7,  0x1.5555555553d56p-5,  0x1.5555555555556p-3,
                        0x1.0000000000001p-1};
    return ga_random_fused(x * x, ga_random_sum_series(c, x), x);
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
    double rest = ga_random_fused(-k, GA_LN2_LOW, ga_random_fused(-k, GA_LN2_HIGH, x));
    double e = 1 + ga_random_expm1_near(rest);
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

/* For x within a half of 0. */
GA_FN double
ga_random_arcsin_near(double x)
{
    const double c[] = {0x1.cd864394d2ff2p-6, -0x1.603991d6060e0p-7, 0x1.06b9d26d10838p-6, 0x1.ff5fc4d14c735p-8,
                        0x1.8522ddffa6208p-7, 0x1.c87265d47ef49p-7, 0x1.1c593c7b1d958p-6, 0x1.6e8b2b3b10be4p-6,
                        0x1.f1c71f95269afp-6, 0x1.6db6db684b6a1p-5, 0x1.3333333336da5p-4, 0x1.555555555554fp-3};
    double z = x * x;
    return ga_random_fused(x * z, ga_random_sum_series(c, z), x);
}

/* Near 1 and -1 by half the angle. */
GA_FN_CALL double
ga_random_arccos(double x)
{
    double size = fabs(x);
    if (size <= 0.5)
        return GA_PI / 2 - ga_random_arcsin_near(x);
    double angle = 2 * ga_random_arcsin_near(sqrt(0.5 - 0.5 * size));
    return x > 0 ? angle : GA_PI - angle;
}

/* Sine and cosine of a part of a turn: a quarter times t, which is within a half of 0. */
GA_FN ga_pair<double, double>
ga_random_circle(double t, const ga_random_series &c)
{
    double angle = t * c.quarter_turn, z = angle * angle;
    double sine = z * ga_random_sum_series(c.sine, z), cosine = ga_random_sum_series(c.cosine, z);
    return {ga_random_fused(angle, sine, angle),
            ga_random_fused(z * z, cosine, ga_random_fused(-0.5, z, 1.0))};
}
