/* The gamma function and its family: logarithms, the digamma function, the beta function, binomial
 * coefficients. gamma and the logarithm of its magnitude are the C library's on both devices; the
 * rest is made of published series, and of float goes through double. A.S. is Abramowitz and Stegun.
 * Includes math_polynomial.cuh. */
#pragma once
#include "math_polynomial.cuh"

GA_FN_CALL double
ga_gamma(double x)
{
    return tgamma(x);
}
GA_FN_CALL float
ga_gamma(float x)
{
    return tgammaf(x);
}

/* At the poles, and at -infinity as SciPy has it. */
GA_FN_CALL double
ga_gammaln(double x)
{
    return x == -ga_infinity<double> ? x : lgamma(x);
}
GA_FN_CALL float
ga_gammaln(float x)
{
    return x == -ga_infinity<float> ? x : lgammaf(x);
}

/* Where the C library's logarithm is wanted at several places of a function. */
GA_FN_CALL double
ga_log_gamma(double x)
{
    return lgamma(x);
}

/* ---- digamma ---- */

/* In [1, 2]: the distance from the root, which is known to twice the precision, times a polynomial. */
GA_FN double
ga_digamma_near(double x)
{
    static constexpr double slope[] = {
        0x1.e6f0cbb873616p-1, -0x1.b1cb63005ee98p-2, 0x1.eca189b8e6f6dp-3, -0x1.2feeeb98a78eap-3,
        0x1.8512e5903903ep-4, -0x1.fb44202a2306bp-5, 0x1.4de9aa1779d23p-5, -0x1.b9f8b11bfd3dp-6,
        0x1.2564717896ec6p-6, -0x1.863563f44f303p-7, 0x1.03c0adafa529cp-7, -0x1.5a06a5d662cb4p-8,
        0x1.cd2011454fd05p-9, -0x1.336dbe66757c8p-9, 0x1.99d3f5c0cad5ep-10, -0x1.0fb38d217b8p-10,
        0x1.6a3e76070c135p-11, -0x1.fd8e50abf2196p-12, 0x1.53b23429da21bp-12,
        -0x1.2fae5cb379bf2p-13, 0x1.94e73cc9821e1p-14, -0x1.75c084e78a4cdp-13,
        0x1.f255c4568ac4dp-14};
    double distance = (x - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54;
    return distance * ga_polynomial(slope, x - 1.5);
}

/* From 10 on: A.S. 6.3.18. */
GA_FN double
ga_digamma_far(double x)
{
    static constexpr double series[] = {
        -0x1.5555555555555p-4, 0x1.1111111111111p-7, -0x1.041041041041p-8, 0x1.1111111111111p-8,
        -0x1.f07c1f07c1f08p-8, 0x1.5995995995996p-6, -0x1.5555555555555p-4, 0x1.c5e5e5e5e5e5ep-2};
    double z = 1 / (x * x);
    return log(x) - 0.5 / x + z * ga_polynomial(series, z);
}

/* By the recurrence (A.S. 6.3.5), up or down, whichever loses less. */
GA_FN_CALL double
ga_digamma_positive(double x)
{
    double sum = 0;
    if (x >= 4) {
        for (; x < 10; x += 1)
            sum -= 1 / x;
        return sum + ga_digamma_far(x);
    }
    if (x < 1)
        return ga_digamma_near(x + 1) - 1 / x;
    for (; x > 2; sum += 1 / x)
        x -= 1;
    return sum + ga_digamma_near(x);
}

/* Below zero by reflection (A.S. 6.3.7), with the tangent of the exact distance from the nearest pole. */
GA_FN_CALL double
ga_digamma(double x)
{
    if (x == 0)
        return -ga_copysign(ga_infinity<double>, x);
    if (!(x < 0))
        return ga_digamma_positive(x);
    double fraction = x - rint(x);
    if (fraction == 0)
        return ga_nan<double>;
    return ga_digamma_positive(1 - x) - GA_PI / tan(GA_PI * fraction);
}
GA_FN float
ga_digamma(float x)
{
    return float(ga_digamma(double(x)));
}

/* ---- the beta function ---- */

/* What Stirling's formula leaves of log(gamma(x)), from 10 on: A.S. 6.1.41. */
GA_FN double
ga_stirling_rest(double x)
{
    static constexpr double series[] = {
        0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
        0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8, -0x1.e4286cb0f5398p-6};
    double z = 1 / (x * x);
    return ga_polynomial(series, z) / x;
}

/* For p <= q, and q and p + q from 10 on: Stirling's formula of what is large, whose leading parts cancel. */
GA_FN double
ga_betaln_large(double p, double q)
{
    double share = p / (p + q), rest = ga_stirling_rest(q) - ga_stirling_rest(p + q);
    if (p < 10)
        return ga_log_gamma(p) + rest + p - p * log(p + q) + (q - 0.5) * log1p(-share);
    return GA_LOG_SQRT_2PI - 0.5 * log(q) + ga_stirling_rest(p) + rest + (p - 0.5) * log(share) +
           q * log1p(-share);
}

/* For a pole p: infinite, unless the pole of p + q makes a finite quotient of the two. */
GA_FN double
ga_betaln_pole(double p, double q)
{
    if (q > 0 && q == floor(q) && p + q <= 0 && p > -ga_infinity<double>)
        return ga_log_gamma(q) + ga_log_gamma(1 - p - q) - ga_log_gamma(1 - p);
    return ga_infinity<double>;
}

/* Logarithm of the magnitude. */
GA_FN_CALL double
ga_betaln(double a, double b)
{
    double p = a < b ? a : b, q = a < b ? b : a;
    if (p <= 0 && p == floor(p))
        return ga_betaln_pole(p, q);
    if (q == ga_infinity<double>)
        return p > 0 ? -q : q;
    return q >= 10 && p + q >= 10 ? ga_betaln_large(p, q) : ga_log_gamma(p) + ga_log_gamma(q) - ga_log_gamma(p + q);
}
GA_FN float
ga_betaln(float a, float b)
{
    return float(ga_betaln(double(a), double(b)));
}

/* ---- binomial coefficients ---- */

/* Each step divides without a rest where n is an integer, so what fits is exact. */
GA_FN double
ga_binom_product(double n, int k)
{
    double product = 1;
    GA_ROLLED
    for (int i = 1; i <= k; i++)
        product = product * (n - (k - i)) / i;
    return product;
}

GA_FN double
ga_gamma_sign(double x)
{
    double whole = floor(x);
    return x < 0 && 2 * floor(whole / 2) != whole ? -1 : 1;
}

/* By a product where k, or n - k, is a small integer, else by the beta function. */
GA_FN_CALL double
ga_binom(double n, double k)
{
    bool whole = n == floor(n);
    if ((n < 0 && whole) || n != n || k == ga_infinity<double>)
        return ga_nan<double>;
    double fewer = whole && k > n / 2 && n > 0 ? n - k : k;
    if (k == floor(k) && fewer >= 0 && fewer < 64)
        return ga_binom_product(n, int(fewer));
    double sign = ga_gamma_sign(n + 1) * ga_gamma_sign(k + 1) * ga_gamma_sign(n - k + 1);
    return sign * exp(-ga_betaln(1 + n - k, 1 + k) - log(fabs(n + 1)));
}
GA_FN float
ga_binom(float n, float k)
{
    return float(ga_binom(double(n), double(k)));
}
