/* Polynomials with coefficients known to the compiler, and constants of the special functions.
 * Includes math_complex.cuh, which has the elementary functions of every type. */
#pragma once
#include "math_complex.cuh"

#define GA_SQRT_PI_2 0.88622692545275801365    /* sqrt(pi) / 2 */
#define GA_LOG_SQRT_2PI 0.91893853320467274178 /* log(2 pi) / 2 */

/* a * b + c, rounded once on the GPU; the CPU may lack the instruction. */
GA_FN float
ga_fused(float a, float b, float c)
{
    if constexpr (GA_BLOCK == 1)
        return a * b + c;
    else
        return fmaf(a, b, c);
}
GA_FN double
ga_fused(double a, double b, double c)
{
    if constexpr (GA_BLOCK == 1)
        return a * b + c;
    else
        return fma(a, b, c);
}

/* By Horner's rule, the lowest coefficient first. */
template <class R, int count>
GA_FN R
ga_polynomial(const R (&coefficients)[count], R x)
{
    R sum = coefficients[count - 1];
    GA_UNROLL
    for (int i = count - 2; i >= 0; i--)
        sum = ga_fused(sum, x, coefficients[i]);
    return sum;
}
