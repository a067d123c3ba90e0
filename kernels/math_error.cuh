/* The error function and what stands on it: its inverse, the normal distribution, the logistic curve.
 *
 * The C library's erf and erfc are exact to some ulp on both devices; the rest is of our own, in double,
 * where float goes through it too unless it has a function of its own. Includes math_polynomial.cuh. */
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

/* erfinv(x) / x to 2e-6, by w = -log(1 - x^2) as Giles has it ("Approximating the erfinv function",
 * 2011); the polynomials interpolate at Chebyshev's points. */
GA_FN double
ga_erfinv_start(double w)
{
    static constexpr double centre[] = {
        0x1.c5bf766854e92p-1, 0x1.db31e0d8c906ap-3, 0x1.783e66c7e2b2p-7, -0x1.22dc63e671379p-9,
        -0x1.dde5cd532ffa7p-13, 0x1.8a4248aeed062p-14, -0x1.5cdbe2e41f0b9p-17,
        0x1.fea6d12c21865p-22, -0x1.8b6aaba43d54fp-28};
    static constexpr double tail[] = {
        0x1.4450d578ea50ap+1, -0x1.dde2c39ee6543p+1, 0x1.d17531f3e6425p+1, -0x1.9982a8b9f6dd6p+0,
        0x1.c2641624f4a23p-2, -0x1.3c302cf429026p-4, 0x1.1446d93237afep-7, -0x1.1271673e6d98dp-11,
        0x1.da53f395b517ep-17};
    return w < 6 ? ga_polynomial(centre, w) : ga_polynomial(tail, sqrt(w));
}

/* One step of Halley's on erf(y) - x, whose second derivative is -2 y times the first. Towards the
 * ends the difference is taken of the complements, which are exact there. */
GA_FN_CALL double
ga_erfinv(double x)
{
    double size = fabs(x);
    if (!(size < 1))
        return size == 1 ? ga_copysign(ga_infinity<double>, x) : ga_nan<double>;
    double y = size * ga_erfinv_start(-log1p(-size * size));
    double excess = size < 0.5 ? erf(y) - size : (1 - size) - erfc(y);
    double step = excess * exp(y * y) * GA_SQRT_PI_2;
    return ga_copysign(y - step / (1 + y * step), x);
}
GA_FN float
ga_erfinv(float x)
{
    return float(ga_erfinv(double(x)));
}

/* ---- the normal distribution ---- */

/* erfc(-x / sqrt(2)) / 2. In the tail erfc magnifies the rounding of its argument, which is made good
 * by the derivative. */
GA_FN_CALL double
ga_ndtr(double x)
{
    const double high = 0x1.6a09e667f3bcdp-1, low = -0x1.bdd3413b26456p-55;
    double t = -x * high, area = erfc(t);
    if (t > 0.5 && t < 28) {
        double rest = fma(-x, high, -t) - x * low;
        area -= rest * exp(-t * t) / GA_SQRT_PI_2;
    }
    return 0.5 * area;
}
GA_FN float
ga_ndtr(float x)
{
    return float(ga_ndtr(double(x)));
}

/* log(ndtr(x)) for x < -20: Abramowitz and Stegun 26.2.12. */
GA_FN double
ga_log_ndtr_tail(double x)
{
    double z = 1 / (x * x), sum = 0;
    GA_UNROLL
    for (int k = 17; k > 0; k -= 2)
        sum = -k * z * (1 + sum);
    return -0.5 * x * x - log(-x) - GA_LOG_SQRT_2PI + log1p(sum);
}
GA_FN_CALL double
ga_log_ndtr(double x)
{
    if (x < -20)
        return ga_log_ndtr_tail(x);
    return x < 0 ? log(ga_ndtr(x)) : log1p(-ga_ndtr(-x));
}
GA_FN float
ga_log_ndtr(float x)
{
    return float(ga_log_ndtr(double(x)));
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

/* log(x / (1 - x)), which is 2 artanh(2 x - 1): around one half there is nothing to cancel. */
template <class R>
GA_FN_CALL R
ga_logit(R x)
{
    if (x > R(0.3) && x < R(0.65)) {
        R s = R(2) * (x - R(0.5));
        return ga_log1p(s) - ga_log1p(-s);
    }
    return ga_log(x / (R(1) - x));
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
