/* The error function and what stands on it: its inverse, the normal distribution, the logistic curve.
 *
 * The C library's erf and erfc are exact to some ulp on both devices; the rest is of our own. Includes
 * math_polynomial.cuh. */
#pragma once
#include "math_polynomial.cuh"

GA_FN float
ga_erf(float x)
{
    return erff(x);
}
GA_FN_CALL double
ga_erf(double x)
{
    return erf(x);
}
GA_FN_CALL float
ga_erfc(float x)
{
    return erfcf(x);
}
GA_FN_CALL double
ga_erfc(double x)
{
    return erfc(x);
}

/* erfinv(x) / x by w = -log(1 - x^2) as Giles has it ("Approximating the erfinv function", 2011); the
 * polynomials interpolate at Chebyshev's points, or come near the least error; the last coefficients of the first, which
 * most arguments take, have few digits, since those are part of a GPU's instruction. */
GA_FN_CALL double
ga_erfinv(double x)
{
    static constexpr double centre[] = {
        0x1.a755e7c99ae86p+0, 0x1.ebd80d9b13e2bp-3, -0x1.8b6c33114eea2p-8, -0x1.8457694850fe4p-11,
        0x1.879c2a20d9337p-13, -0x1.d1d1f7b7c6b43p-17, -0x1.6e8a53efe6a47p-20,
        0x1.c6b4f5ba029dfp-22, -0x1.f36ce4f10dd29p-26, -0x1.1a9e35b8345c1p-28,
        0x1.20f4e8da0e1c7p-30, -0x1.dc58c5bd9c7edp-35, -0x1.c895b740cbec7p-37,
        0x1.72a3fdd9ce8e8p-39, -0x1.6d96cb257195dp-44, -0x1.6d43954848e5ap-45, 0x1.db428p-48,
        0x1.8d323p-56, -0x1.2bfffp-53, 0x1.9ab3ap-57, 0x1.52995p-60, -0x1.8cabap-63, -0x1.40c3fp-70};
    static constexpr double middle[] = {
        0x1.8abcc380d5a48p+1, 0x1.0158a6d641d39p+0, 0x1.5ffcfe5b6db7ap-8, -0x1.ebadabb88eb36p-9,
        0x1.468eeca887021p-9, -0x1.ba924133966efp-10, 0x1.f3cc54ba4185ap-11,
        -0x1.7448a8807fc16p-12, 0x1.932deb51d5effp-16, 0x1.1e684a09f878bp-14,
        -0x1.8cf1ea476ca5dp-15, 0x1.a29a626bd0bb9p-17, 0x1.88e7be48aa51ap-19,
        -0x1.0d5f12f3cb324p-18, 0x1.918866d43073fp-20, 0x1.3acdcdc26635cp-26,
        -0x1.206ae34abd5a9p-22, 0x1.85a326c1cb527p-24, -0x1.a53a301e22b57p-32};
    static constexpr double tail[] = {
        0x1.3664ddd1ad7fbp+2, 0x1.02a30d1fba10ep+0, -0x1.22ea5df1901eep-13, -0x1.c2f36aa269dddp-13,
        0x1.3ebf4eeeae35cp-14, -0x1.4a348fb6eb341p-16, 0x1.2fbd0572e3d65p-18,
        -0x1.0a907750d4472p-20, 0x1.ebde10d893374p-23, -0x1.2226a4120b222p-24,
        0x1.f2fcdcb2d2d17p-26, -0x1.0614e76d4effcp-26, 0x1.0b3afc230df8dp-27,
        -0x1.dd1c5d2bcb83cp-29, 0x1.758aa846815a1p-30, -0x1.e0ea0c935ac67p-32,
        0x1.9d377baf867ddp-35, 0x1.787e82bfc54c9p-35, -0x1.0f9c53d96325dp-36};
    double size = fabs(x);
    if (!(size < 1))
        return size == 1 ? ga_copysign(ga_infinity<double>, x) : ga_nan<double>;
    double w = -log(GA_BLOCK == 1 ? (1 - size) * (1 + size) : fma(-x, x, 1.0));
    if (w < 6.25)
        return x * ga_polynomial(centre, w - 3.125);
    double s = sqrt(w);
    return x * (s < 4 ? ga_polynomial(middle, s - 3.25) : ga_polynomial(tail, s - 5));
}
GA_FN_CALL float
ga_erfinv(float x)
{
    static constexpr float centre[] = {
        0x1.9fa072p+0f, 0x1.eedbeep-3f, -0x1.780e1ap-8f, -0x1.b6697p-11f, 0x1.991e72p-13f,
        -0x1.aa46bep-17f, -0x1.d8e4eap-20f, 0x1.e0b42cp-22f, -0x1.5a6f0ap-26f, -0x1.759ab6p-28f,
        0x1.8531fap-31f};
    static constexpr float tail[] = {
        0x1.6a9efcp+1f, 0x1.006ddp+0f, 0x1.359636p-7f, -0x1.f5c40ep-8f, 0x1.7453c6p-8f,
        -0x1.c70db8p-9f, 0x1.6bc1aap-10f, -0x1.0da602p-12f};
    float size = fabsf(x);
    if (!(size < 1))
        return size == 1 ? ga_copysign(ga_infinity<float>, x) : ga_nan<float>;
    float w = -logf((1 - size) * (1 + size));
    return x * (w < 6 ? ga_polynomial(centre, w - 3) : ga_polynomial(tail, sqrtf(w) - 3));
}

/* ---- the normal distribution ---- */

/* erfc(t) where t + rest, unrounded, was meant, t within (least, most): the tail of erfc magnifies what its argument
 * lost. Its slope there is nearly -2 t erfc(t). */
template <class R>
GA_FN R
ga_erfc_mended(R area, R t, R rest, R least, R most)
{
    R mended = ga_fused(R(-2) * t * rest, area, area);
    return t > least && t < most ? mended : area;
}

/* erfc(-x / sqrt(2)) / 2. */
GA_FN_CALL double
ga_ndtr(double x)
{
    const double high = 0x1.6a09e667f3bcdp-1, low = -0x1.bdd3413b26456p-55;
    double t = -x * high, rest = fma(-x, high, -t) - x * low;
    return 0.5 * ga_erfc_mended(erfc(t), t, rest, 0.75, 28.0);
}
GA_FN_CALL float
ga_ndtr(float x)
{
    if constexpr (GA_BLOCK == 1) {
        return float(ga_ndtr(double(x))); /* without an instruction for it, fma is slower still */
    } else {
        const float high = 0x1.6a09e6p-1f, low = 0x1.9fcef4p-27f;
        float t = -x * high, rest = fmaf(-x, high, -t) - x * low;
        return 0.5f * ga_erfc_mended(erfcf(t), t, rest, 0.5f, 10.5f);
    }
}

/* log(ndtr(x)) far below zero: Abramowitz and Stegun 26.2.12. */
template <class R>
GA_FN R
ga_log_ndtr_tail(R x)
{
    R z = R(1) / (x * x), sum = 0;
    GA_UNROLL
    for (int k = 15; k > 0; k -= 2)
        sum = R(-k) * z * (R(1) + sum);
    return R(-0.5) * x * x - ga_log(-x) - R(GA_LOG_SQRT_2PI) + ga_log1p(sum);
}

/* One logarithm for either side, where neighbours would part: of 1 - smaller with what it rounded off. */
template <class R>
GA_FN R
ga_log_ndtr_near(R x)
{
    R smaller = ga_ndtr(-ga_float_abs(x)), area = x < R(0) ? smaller : R(1) - smaller;
    R lost = x < R(0) ? R(0) : (R(1) - area) - smaller;
    return ga_log(area) + ga_fused(lost, smaller, lost);
}
GA_FN_CALL double
ga_log_ndtr(double x)
{
    return x < -37 ? ga_log_ndtr_tail(x) : ga_log_ndtr_near(x);
}
/* Three terms of the tail's series do for float32, and on a GPU share the logarithm. */
GA_FN_CALL float
ga_log_ndtr(float x)
{
    if constexpr (GA_BLOCK == 1)
        return x < -12 ? ga_log_ndtr_tail(x) : ga_log_ndtr_near(x);
    bool far = x < -10;
    float smaller = ga_ndtr(-fabsf(x)), area = x < 0 ? smaller : 1 - smaller;
    float lost = x < 0 ? 0.0f : (1 - area) - smaller, rest = fmaf(lost, smaller, lost);
    float reciprocal = -1 / x, z = reciprocal * reciprocal;
    float series = reciprocal * (1 - z * (1 - z * (3 - z * 15)));
    return logf(far ? series : area) + (far ? -0.5f * x * x - float(GA_LOG_SQRT_2PI) : rest);
}

/* ---- the logistic curve ---- */

/* By the exponential that does not overflow. */
template <class R>
GA_FN R
ga_expit(R x)
{
    R e = ga_exp(-ga_float_abs(x));
    return (x < R(0) ? e : R(1)) / (R(1) + e);
}

template <class R>
GA_FN R
ga_log_expit(R x)
{
    return (x < R(0) ? x : R(0)) - ga_log1p(ga_exp(-ga_float_abs(x)));
}

/* log(x / (1 - x)), which is 2 artanh(2 x - 1): around one half there is nothing to cancel. */
template <class R>
GA_FN R
ga_logit_branching(R x)
{
    if (x > R(0.3) && x < R(0.65)) {
        R s = R(2) * (x - R(0.5));
        return ga_log1p(s) - ga_log1p(-s);
    }
    return ga_log(x / (R(1) - x));
}
/* Without branches, in which neighbours would part: the quotient with its rounding, which the
 * logarithm of a number near one would magnify. */
template <class R>
GA_FN_CALL R
ga_logit(R x)
{
    if constexpr (GA_BLOCK == 1) {
        return ga_logit_branching(x);
    } else {
        R rest = R(1) - x, quotient = x / rest;
        R lost = ga_fused(-quotient, rest, x) - quotient * ((R(1) - rest) - x);
        R value = ga_log(quotient);
        return x > R(0.2) && x < R(0.8) ? ga_fused(lost, R(4) * rest, value) : value; /* 4 - 4 x is near 1 / x there */
    }
}

/* ---- entropy ---- */
template <class R>
GA_FN R
ga_xlogy(R x, R y)
{
    return x == R(0) && y == y ? R(0) : x * ga_log(y);
}
template <class R>
GA_FN ga_complex<R>
ga_xlogy(ga_complex<R> x, ga_complex<R> y)
{
    bool nothing = x.re == R(0) && x.im == R(0) && y.re == y.re && y.im == y.im;
    return nothing ? ga_complex<R>{R(0), R(0)} : ga_multiply(x, ga_log(y));
}
