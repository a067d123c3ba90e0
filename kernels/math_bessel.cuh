/* Bessel functions of orders 0 and 1, in the width of the argument. A.S. is Abramowitz and Stegun.
 *
 * Up to 8, j and y are the C library's; beyond they are of our own, since the libraries' errors grow
 * there. i is of our own throughout. The polynomials interpolate at Chebyshev's points. Includes
 * math_polynomial.cuh. */
#pragma once
#include "math_polynomial.cuh"

/* ---- i: the power series (A.S. 9.6.10), all of whose terms are positive; beyond 8 a polynomial in
 * 16 / x - 1 for sqrt(x) exp(-x) i(x) ---- */

GA_FN double
ga_i0_near(double z)
{
    static constexpr double series[] = {
        0x1p+0, 0x1p+0, 0x1p-2, 0x1.c71c71c71c71cp-6, 0x1.c71c71c71c71cp-10, 0x1.23456789abcdfp-14,
        0x1.02e85c0898b71p-19, 0x1.522a43f65486ap-25, 0x1.522a43f65486ap-31, 0x1.0b313289be0b9p-37,
        0x1.5601885e63e5dp-44, 0x1.69ca9cf3b7f54p-51, 0x1.4197a7f5154bcp-58, 0x1.e725594ee52e9p-66,
        0x1.3e22d70ef3b5fp-73, 0x1.69f7da8510bcdp-81, 0x1.69f7da8510bcdp-89, 0x1.40a2dc2460523p-97,
        0x1.faaf2fa1c79e5p-106, 0x1.674f8e46c208cp-114, 0x1.cbeaf38dc529fp-123,
        0x1.0afb53e9cec0bp-131, 0x1.1a6d4e307528fp-140};
    return ga_polynomial(series, z);
}
GA_FN float
ga_i0_near(float z)
{
    static constexpr float series[] = {
        0x1p+0f, 0x1p+0f, 0x1p-2f, 0x1.c71c72p-6f, 0x1.c71c72p-10f, 0x1.234568p-14f,
        0x1.02e85cp-19f, 0x1.522a44p-25f, 0x1.522a44p-31f, 0x1.0b3132p-37f, 0x1.560188p-44f,
        0x1.69ca9cp-51f, 0x1.4197a8p-58f, 0x1.e7255ap-66f, 0x1.3e22d8p-73f, 0x1.69f7dap-81f};
    return ga_polynomial(series, z);
}
GA_FN double
ga_i0_far(double u)
{
    static constexpr double fit[] = {
        0x1.9bd428ad249a5p-2, 0x1.b87969bb93b75p-9, 0x1.1daa72b5e650cp-13, 0x1.75e5ee71edd14p-17,
        0x1.8e513a1d5e52bp-20, 0x1.3f49a6bcfc2d9p-22, 0x1.7d0f75812d9bcp-24, 0x1.51ced7b713adcp-25,
        0x1.7224b1828e507p-26, 0x1.03896efb09a41p-27, -0x1.ce768f00b5374p-28,
        -0x1.cc90f59ec1228p-27, -0x1.77cc956faaa2fp-28, 0x1.0317d4c7b215ap-27,
        0x1.047454ffcb608p-27, -0x1.df1549cddfaf8p-29, -0x1.a9411c5b0ad08p-28,
        0x1.9bbbfe31d81e9p-30, 0x1.0ab5ef575d285p-28, -0x1.31c908a5dd531p-31,
        -0x1.e8fd992032bedp-30, 0x1.42a55974d41b8p-33, 0x1.1ce14787c5bdep-31,
        -0x1.52109c25bd9ecp-36, -0x1.36e52c10032d7p-34};
    return ga_polynomial(fit, u);
}
GA_FN float
ga_i0_far(float u)
{
    static constexpr float fit[] = {
        0x1.9bd428p-2f, 0x1.b8798ap-9f, 0x1.1daadcp-13f, 0x1.74d746p-17f, 0x1.8c6c62p-20f,
        0x1.85f3b2p-22f, 0x1.d123fep-24f};
    return ga_polynomial(fit, u);
}
GA_FN double
ga_i1_near(double z)
{
    static constexpr double series[] = {
        0x1p+0, 0x1p-1, 0x1.5555555555555p-4, 0x1.c71c71c71c71cp-8, 0x1.6c16c16c16c17p-12,
        0x1.845c8a0ce5129p-17, 0x1.27e4fb7789f5cp-22, 0x1.522a43f65486ap-28, 0x1.2c9758daf5cdp-34,
        0x1.ab81ea75fcdf4p-41, 0x1.f17697cf1cf13p-48, 0x1.e2637bef9ff1ap-55, 0x1.8bce58901a35ep-62,
        0x1.165e7c2d153f3p-69, 0x1.53585cdcbfb1p-77, 0x1.69f7da8510bcdp-85, 0x1.54ad09e6a6575p-93,
        0x1.1d028acb00491p-101, 0x1.aaae78f4066a6p-110, 0x1.1f72d8389b3a3p-118,
        0x1.5e69de22df5cep-127, 0x1.84564b82a1184p-136, 0x1.88f11edf3ed4cp-145};
    return ga_polynomial(series, z);
}
GA_FN float
ga_i1_near(float z)
{
    static constexpr float series[] = {
        0x1p+0f, 0x1p-1f, 0x1.555556p-4f, 0x1.c71c72p-8f, 0x1.6c16c2p-12f, 0x1.845c8ap-17f,
        0x1.27e4fcp-22f, 0x1.522a44p-28f, 0x1.2c9758p-34f, 0x1.ab81eap-41f, 0x1.f17698p-48f,
        0x1.e2637cp-55f, 0x1.8bce58p-62f, 0x1.165e7cp-69f, 0x1.53585cp-77f, 0x1.69f7dap-85f};
    return ga_polynomial(series, z);
}
GA_FN double
ga_i1_far(double u)
{
    static constexpr double fit[] = {
        0x1.8ebe783a8403p-2, -0x1.3f796198ee628p-7, -0x1.cbc54df1ece76p-13, -0x1.f89c23066d278p-17,
        -0x1.ec8e101744487p-20, -0x1.76137e6905189p-22, -0x1.ad8db6e1fecbbp-24,
        -0x1.727a73a8063a8p-25, -0x1.9180f82a1d429p-26, -0x1.21895bb7ba33fp-27,
        0x1.cd81846fb3ff1p-28, 0x1.e20e7d69649cap-27, 0x1.9f203cf2783b7p-28,
        -0x1.0630cddd4e099p-27, -0x1.1465ce7d29637p-27, 0x1.d4345a69bfc3p-29,
        0x1.bdc8daed57db9p-28, -0x1.858c7591014bdp-30, -0x1.162964d5f91dbp-28,
        0x1.1aee882806184p-31, 0x1.fce6b32270b52p-30, -0x1.272ae05110368p-33,
        -0x1.2839623e2341cp-31, 0x1.33e83e12ca3b4p-36, 0x1.432b0a4121172p-34};
    return ga_polynomial(fit, u);
}
GA_FN float
ga_i1_far(float u)
{
    static constexpr float fit[] = {
        0x1.8ebe78p-2f, -0x1.3f796ap-7f, -0x1.cbc5cap-13f, -0x1.f76d9p-17f, -0x1.ea5adep-20f,
        -0x1.c4a446p-22f, -0x1.0642ecp-23f};
    return ga_polynomial(fit, u);
}

/* exp(x) f / sqrt(x), the exponential in two halves, which do not overflow before the result does. */
template <class R>
GA_FN R
ga_grow(R x, R f)
{
    R half = ga_exp(R(0.5) * x);
    return half * (f / ga_sqrt(x)) * half;
}

template <class R>
GA_FN_CALL R
ga_i0(R x)
{
    R size = ga_float_abs(x);
    return size <= R(8) ? ga_i0_near(R(0.25) * x * x)
                        : ga_grow(size, ga_i0_far(R(16) / size - R(1)));
}
template <class R>
GA_FN_CALL R
ga_i1(R x)
{
    R size = ga_float_abs(x);
    if (size <= R(8))
        return R(0.5) * x * ga_i1_near(R(0.25) * x * x);
    return ga_copysign(ga_grow(size, ga_i1_far(R(16) / size - R(1))), x);
}

/* ---- j and y beyond 8: Hankel's expansion (A.S. 9.2.5 to 9.2.10) with polynomials in 64 / x^2 for its two
 * series, and the angle x - pi / 4 or x - 3 pi / 4 by the sum and the difference of sine and cosine ---- */

template <class R> struct ga_hankel {
    R p, q, sum, difference, scale; /* sum and difference of sin x and cos x */
};

GA_FN void
ga_sine_cosine(float x, float *s, float *c)
{
    sincosf(x, s, c);
}
GA_FN void
ga_sine_cosine(double x, double *s, double *c)
{
    sincos(x, s, c);
}

template <class R, int np, int nq>
GA_FN ga_hankel<R>
ga_hankel_series(R x, const R (&p)[np], const R (&q)[nq])
{
    R z = R(8) / x, s, c;
    ga_sine_cosine(x, &s, &c);
    return {ga_polynomial(p, z * z), ga_polynomial(q, z * z) * (z / R(64)), s + c, s - c,
            R(0.5 / GA_SQRT_PI_2) / ga_sqrt(x)};
}

GA_FN ga_hankel<double>
ga_hankel0(double x)
{
    static constexpr double p[] = {
        0x1p+0, -0x1.1ffffffffe5fbp-10, 0x1.cb5fffe8ced26p-16, -0x1.251ed77e459fdp-19,
        0x1.84b6e1ac85bdep-22, -0x1.b75a457f865c8p-24, 0x1.74be8a2fde7p-25, -0x1.9f8175e09f1ep-26,
        0x1.fe16d5457b051p-27, -0x1.1d9db2333be9ep-27, 0x1.ed51b593c205cp-29,
        -0x1.13ad48ecc8f38p-30, 0x1.22b44c20d0316p-33};
    static constexpr double q[] = {
        -0x1.fffffffffffffp-1, 0x1.2bfffffffc9b3p-7, -0x1.d11dffe3e7222p-12, 0x1.ba4c42393546p-15,
        -0x1.8611859d3ed27p-17, 0x1.13523bc3ee995p-18, -0x1.19413d1635b35p-19,
        0x1.755c78938b787p-20, -0x1.160c156cc7583p-20, 0x1.8afcde2776612p-21,
        -0x1.d08aee68d2762p-22, 0x1.8fa90e5dbde03p-23, -0x1.b1cf35ddcbde5p-25, 0x1.b76054a4a96p-28};
    return ga_hankel_series(x, p, q);
}
GA_FN ga_hankel<float>
ga_hankel0(float x)
{
    static constexpr float p[] = {
        0x1.fffffep-1f, -0x1.1fbcdcp-10f, 0x1.9c8684p-16f};
    static constexpr float q[] = {
        -0x1.fffffep-1f, 0x1.2bf1dp-7f, -0x1.c7d18cp-12f, 0x1.340a1ap-15f};
    return ga_hankel_series(x, p, q);
}
GA_FN ga_hankel<double>
ga_hankel1(double x)
{
    static constexpr double p[] = {
        0x1p+0, 0x1.dffffffffe47ep-10, -0x1.274ffff3bd687p-15, 0x1.5a6a468cdbcffp-19,
        -0x1.b88b7980b86cfp-22, 0x1.e5a2972c2dbc8p-24, -0x1.955f98cefc9bcp-25,
        0x1.bf32407aeedep-26, -0x1.10cee152b48afp-26, 0x1.3074e873ea25dp-27,
        -0x1.066be6e626b36p-28, 0x1.24f56427a91cbp-30, -0x1.34b5237c76148p-33};
    static constexpr double q[] = {
        0x1.8p+1, -0x1.a3fffffffc6d6p-7, 0x1.1c3cfff1360bep-11, -0x1.fe57ffffe64p-15,
        0x1.b3f5ccdf4c332p-17, -0x1.2d8ea782b57b1p-18, 0x1.2fde7762873adp-19,
        -0x1.8fb48277a50afp-20, 0x1.27fb6b1f9c351p-20, -0x1.a315ddb6ce86p-21,
        0x1.ebf4530296e64p-22, -0x1.a6c4c8f19dcbep-23, 0x1.ca91b879ca453p-25,
        -0x1.d03cbf5a70a98p-28};
    return ga_hankel_series(x, p, q);
}
GA_FN ga_hankel<float>
ga_hankel1(float x)
{
    static constexpr float p[] = {
        0x1.000002p+0f, 0x1.dfb004p-10f, -0x1.0b74dcp-15f};
    static constexpr float q[] = {
        0x1.8p+1f, -0x1.a3effap-7f, 0x1.16fe98p-11f, -0x1.6747fcp-15f};
    return ga_hankel_series(x, p, q);
}

#define GA_BESSEL_NEAR(name) \
    GA_FN float ga_##name##_near(float x) \
    { \
        return name##f(x); \
    } \
    GA_FN double ga_##name##_near(double x) \
    { \
        return name(x); \
    }
GA_BESSEL_NEAR(j0)
GA_BESSEL_NEAR(j1)
GA_BESSEL_NEAR(y0)
GA_BESSEL_NEAR(y1)
#undef GA_BESSEL_NEAR

template <class R>
GA_FN_CALL R
ga_j0(R x)
{
    x = ga_float_abs(x);
    if (x < R(8))
        return ga_j0_near(x);
    ga_hankel<R> h = ga_hankel0(x);
    return (h.p * h.sum - h.q * h.difference) * h.scale;
}
template <class R>
GA_FN_CALL R
ga_j1(R x)
{
    R size = ga_float_abs(x);
    if (size < R(8))
        return ga_j1_near(x);
    ga_hankel<R> h = ga_hankel1(size);
    R value = (h.p * h.difference + h.q * h.sum) * h.scale;
    return x < R(0) ? -value : value;
}

/* Poles at 0, NaN below. */
template <class R>
GA_FN_CALL R
ga_y0(R x)
{
    if (!(x > R(0)))
        return x == R(0) ? -ga_infinity<R> : ga_nan<R>;
    if (x < R(8))
        return ga_y0_near(x);
    ga_hankel<R> h = ga_hankel0(x);
    return (h.p * h.difference + h.q * h.sum) * h.scale;
}
template <class R>
GA_FN_CALL R
ga_y1(R x)
{
    if (!(x > R(0)))
        return x == R(0) ? -ga_infinity<R> : ga_nan<R>;
    if (x < R(8))
        return ga_y1_near(x);
    ga_hankel<R> h = ga_hankel1(x);
    return (h.q * h.difference - h.p * h.sum) * h.scale;
}
