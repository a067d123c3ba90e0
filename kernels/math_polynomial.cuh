/* Polynomials with coefficients known to the compiler, and constants of the special functions.
 * Includes math_complex.cuh, which has the elementary functions of every type. */
#pragma once
#include "math_complex.cuh"

#define GA_SQRT_PI_2 0.88622692545275801365    /* sqrt(pi) / 2 */
#define GA_LOG_SQRT_2PI 0.91893853320467274178 /* log(2 pi) / 2 */

/* By Horner's rule, the lowest coefficient first. */
template <int count>
GA_FN double
ga_polynomial(const double (&coefficients)[count], double x)
{
    double sum = coefficients[count - 1];
    GA_UNROLL
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + coefficients[i];
    return sum;
}
