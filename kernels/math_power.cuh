/* x ** y of floats on a GPU, within 1.1 units in the last place: exp2(y * log2(x)), whose logarithm is double from its first
 * two terms on. CUDA's powf keeps it in two floats, which takes longer than reading and writing the elements.
 *
 *   ga_fine_power(x, y, &power)   false: x is no positive normal number or the result none, power is not set
 *
 * Included by math_real.cuh. */
#pragma once

#define GA_SQRT_HALF_BITS 0x3f3504f3 /* of a float */

/* log2 of a positive normal number to 2^-38 of its size: of the fraction m between the roots of 1/2 and 2 by the series of
 * s = (m - 1) / (m + 1). */
GA_FN double
ga_fine_log2(float x)
{
    const int32_t bits = ga_bits<int32_t>(x), exponent = (bits - GA_SQRT_HALF_BITS) >> 23;
    const float m = ga_bits<float>(bits - exponent * (1 << 23)), above = m + 1.0f, inverse = 1.0f / above;
    const float near = (m - 1.0f) * inverse, squared = near * near;
    const float rest = (ga_fma(-near, above, m - 1.0f) - near * (m - (above - 1.0f))) * inverse; /* s - near */
    float tail = ga_fma(squared, 0.26230818f, 0.32059890f);
    tail = ga_fma(squared, tail, 0.41219859f);
    tail = squared * ga_fma(squared, tail, 0.57707802f);
    const double s = double(near) + double(rest);
    return ga_fma(s, ga_fma(s * s, 0.96179669392597561 + double(tail), 2.8853900817779268), double(exponent));
}

/* 2^(whole + part), for a part of at most a half and a result that is normal. */
GA_FN float
ga_fine_exp2(float whole, float part)
{
    float power = ga_fma(part, 1.535336188e-4f, 1.339887440e-3f);
    power = ga_fma(part, power, 9.618437358e-3f);
    power = ga_fma(part, power, 5.550332471e-2f);
    power = ga_fma(part, power, 2.402264791e-1f);
    power = ga_fma(part, power, 6.931472029e-1f);
    power = ga_fma(part, power, 1.0f);
    return ga_bits<float>(ga_bits<int32_t>(power) + int32_t(whole) * (1 << 23));
}

GA_FN bool
ga_fine_power(float x, float y, float *power)
{
    const uint32_t least = 0x00800000, infinity = 0x7f800000;
    const double exponent = double(y) * ga_fine_log2(x);
    const float whole = ga_rint(float(exponent));
    if (ga_bits<uint32_t>(x) - least >= infinity - least || !(ga_float_abs(whole) < 125.0f))
        return false;
    *power = ga_fine_exp2(whole, float(exponent - double(whole)));
    if (ga_float_trunc(x) == x && ga_float_trunc(y) == y && y > 0.0f && *power < 1048576.0f)
        *power = ga_rint(*power); /* as ga_whole_power has it */
    return true;
}
