/* Bessel functions of orders 0 and 1, in the width of the argument. A.S. is Abramowitz and Stegun.
 *
 * Up to 8, j and y are the C library's; beyond they are of our own, since the libraries' errors grow
 * there. i is of our own throughout. The polynomials of float interpolate at Chebyshev's points,
 * those of double come near the least relative error. Includes
 * math_polynomial.cuh. */
#pragma once
#include "math_polynomial.cuh"

/* 1 / sqrt(x): of a double an instruction and a few steps on a GPU. */
template <class R>
GA_FN R
ga_inverse_root(R x)
{
    if constexpr (GA_BLOCK > 1 && sizeof(R) == 8)
        return rsqrt(x);
    else
        return R(1) / ga_sqrt(x);
}

/* ---- i: a polynomial in x^2 / 4 near the power series (A.S. 9.6.10), all of whose terms are
 * positive; beyond 8 one in 16 / x - 1 for sqrt(x) exp(-x) i(x). Quotients cost a GPU as much as
 * half a polynomial: 1 / x is the square of 1 / sqrt(x) ---- */

GA_FN double
ga_i0_near(double z)
{
    static constexpr double series[] = {
        0x1p+0, 0x1p+0, 0x1.ffffffffffff5p-3, 0x1.c71c71c71c833p-6, 0x1.c71c71c71abf5p-10,
        0x1.23456789c4188p-14, 0x1.02e85c06e20a4p-19, 0x1.522a441fc0f1fp-25, 0x1.522a413e42da8p-31,
        0x1.0b31530b4da4ep-37, 0x1.55ff58f42915p-44, 0x1.69e5b33170185p-51, 0x1.40a89f36bf9c5p-58,
        0x1.f28b3f69b3b85p-66, 0x1.10c7c3bfe03bp-73, 0x1.1c6b0ea708ea2p-80};
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
        0x1.9bd428ad249a6p-2, 0x1.b87969bb93a82p-9, 0x1.1daa72b56eb1bp-13, 0x1.75e5ee77263afp-17,
        0x1.8e5143c99790bp-20, 0x1.3f4995c5a4c77p-22, 0x1.7d05a35468afap-24, 0x1.51d53477d9fa1p-25,
        0x1.736e91617eed8p-26, 0x1.02dfc5910c5b4p-27, -0x1.e7faadda0b13fp-28,
        -0x1.c9ddf92b98febp-27, -0x1.27e5967c1bddap-28, 0x1.f81145f9f4aafp-28,
        0x1.64cd48987cc89p-28, -0x1.aead18f21840cp-29, -0x1.933b67d60a276p-29,
        0x1.2f87cd3783bd9p-30, 0x1.0ba2ca9d5bfa4p-30, -0x1.33d72501d2498p-32,
        -0x1.46093f60b30d2p-33, 0x1.3ea5a4e6cf45ap-35};
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
        0x1p+0, 0x1.ffffffffffffbp-2, 0x1.55555555555ep-4, 0x1.c71c71c71b0cbp-8,
        0x1.6c16c16c32d4bp-12, 0x1.845c8a0a58ba7p-17, 0x1.27e4fb9cfec04p-22, 0x1.522a4115e2304p-28,
        0x1.2c977ffdd87fdp-34, 0x1.ab7efbd8c7417p-41, 0x1.f19e73738fd39p-48, 0x1.e0e6a2678f13bp-55,
        0x1.95896fdfbe279p-62, 0x1.da7457e6ba479p-70, 0x1.0c9d8a1c9a7c7p-76};
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
        0x1.8ebe783a8402fp-2, -0x1.3f796198ee5f1p-7, -0x1.cbc54df1705fep-13, -0x1.f89c230b2e599p-17,
        -0x1.ec8e1a28f4a4ap-20, -0x1.76136ef522531p-22, -0x1.ad837dd6585a6p-24,
        -0x1.72803f1d104a4p-25, -0x1.92d85192e22bcp-26, -0x1.20eed4dc0339ep-27,
        0x1.e80ff2f286e26p-28, 0x1.df9924f884b4cp-27, 0x1.4bf92e61fbeb3p-28, -0x1.ff85a5baf52fp-28,
        -0x1.7e07df90f48c1p-28, 0x1.a81da1465efdfp-29, 0x1.aa3493a4564a6p-29,
        -0x1.22ff5032ddb18p-30, -0x1.193fbab4692a4p-30, 0x1.213a688b2a7f4p-32,
        0x1.559a602e3b69fp-33, -0x1.276fcece3b6fap-35};
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

/* exp(x) f, the exponential in two halves, which do not overflow before the result does. */
template <class R>
GA_FN R
ga_grow(R x, R f)
{
    R half = ga_exp(R(0.5) * x);
    return half * f * half;
}

template <class R>
GA_FN_CALL R
ga_i0(R x)
{
    R size = ga_float_abs(x);
    if (size <= R(8))
        return ga_i0_near(R(0.25) * x * x);
    R root = ga_inverse_root(size);
    return ga_grow(size, ga_i0_far(ga_fused(R(16) * root, root, R(-1))) * root);
}
template <class R>
GA_FN_CALL R
ga_i1(R x)
{
    R size = ga_float_abs(x);
    if (size <= R(8))
        return R(0.5) * x * ga_i1_near(R(0.25) * x * x);
    R root = ga_inverse_root(size);
    return ga_copysign(ga_grow(size, ga_i1_far(ga_fused(R(16) * root, root, R(-1))) * root), x);
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
    R root = ga_inverse_root(x), z = R(8) * root * root, s, c;
    ga_sine_cosine(x, &s, &c);
    return {ga_polynomial(p, z * z), ga_polynomial(q, z * z) * (z / R(64)), s + c, s - c,
            R(0.5 / GA_SQRT_PI_2) * root};
}

GA_FN ga_hankel<double>
ga_hankel0(double x)
{
    static constexpr double p[] = {
        0x1p+0, -0x1.1ffffffffa0f8p-10, 0x1.cb5fffb410e33p-16, -0x1.251eb7fe70c62p-19,
        0x1.84ad30ae58c6cp-22, -0x1.b679aef578f73p-24, 0x1.6e50a8369da3cp-25,
        -0x1.808cefd7c77c5p-26, 0x1.9ad413b84272dp-27, -0x1.694ad4fe5a532p-28,
        0x1.a81fcbe697defp-30, -0x1.db795b2545951p-33};
    static constexpr double q[] = {
        -0x1.fffffffffff97p-1, 0x1.2bffffff47fe7p-7, -0x1.d11dfd01ba6b7p-12, 0x1.ba4ae3e4d7f95p-15,
        -0x1.85e2cbb91c871p-17, 0x1.1161f8fab119fp-18, -0x1.0bacc6ea0e1b7p-19,
        0x1.348127e38eb95p-20, -0x1.55ca33acc0decp-21, 0x1.2ce035f2d0fddp-22,
        -0x1.5b7b5f7f44b8dp-24, 0x1.7c83f5bbdfedbp-27};
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
        0x1p+0, 0x1.dffffffff9b25p-10, -0x1.274fffd7b798ap-15, 0x1.5a6a2515094a9p-19,
        -0x1.b8812db9d241p-22, 0x1.e4b4030945d4fp-24, -0x1.8e8b504613acap-25, 0x1.9e51385acc18ap-26,
        -0x1.b8312c32e0bb6p-27, 0x1.81f2bb695f8aap-28, -0x1.c44b9bd40405p-30, 0x1.fa88d1a4a3db1p-33};
    static constexpr double q[] = {
        0x1.7ffffffffffe4p+1, -0x1.a3ffffff3d0f4p-7, 0x1.1c3cfe6a34e07p-11, -0x1.fe568cec4930dp-15,
        0x1.b3c45082f389p-17, -0x1.2b812ac799f74p-18, 0x1.217de1259c0dp-19, -0x1.4b0d7c676ff9cp-20,
        0x1.6d29b2d9688c1p-21, -0x1.40aad3f184bbfp-22, 0x1.71d0a7e647ed4p-24, -0x1.949de59e1a0efp-27};
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
