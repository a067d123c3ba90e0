/* x ** y of floats on a GPU, within 1.1 units in the last place: exp2(y * log2(x)), with the leading terms of the logarithm in double.
 * CUDA's powf keeps it in two floats, which takes longer than reading and writing the elements. Conversions and roundings are scarce
 * (16 a cycle and multiprocessor, where 128 additions are), so numbers are rounded by adding 1.5 * 2^52, or 1.5 * 2^23 in float, whose last
 * bits are then the whole number.
 *
 *   ga_fine_power(x, y, &power)   false: x is no positive normal number or the result none, power is not set
 *
 * Included by math_real.cuh. */
#pragma once

#define GA_SQRT_HALF_BITS 0x3f3504f3 /* of a float */
#define GA_ROUNDER 6755399441055744.0
#define GA_FLOAT_ROUNDER 12582912.0f

/* 1 / x between 1.7 and 2.42, to 2^-21 of it: a parabola and two steps of Newton's. */
GA_FN float
ga_fine_inverse(float x)
{
    float inverse = ga_fma(x, ga_fma(x, 0.1168624f, -0.72244126f), 1.47775211f);
    inverse = ga_fma(inverse, ga_fma(-x, inverse, 1.0f), inverse);
    return ga_fma(inverse, ga_fma(-x, inverse, 1.0f), inverse);
}

/* log2 of a positive normal number to 2^-32 of it: of the fraction m between the roots of 1/2 and 2 by the series of
 * s = (m - 1) / (m + 1), which is `near` and `rest`. */
GA_FN double
ga_fine_log2(float x)
{
    const int32_t bits = ga_bits<int32_t>(x), exponent = (bits - GA_SQRT_HALF_BITS) >> 23;
    const float m = ga_bits<float>(bits - exponent * (1 << 23)), above = m + 1.0f, inverse = ga_fine_inverse(above);
    const float near = (m - 1.0f) * inverse, squared = near * near;
    const float rest = (ga_fma(-near, above, m - 1.0f) - near * (m - (above - 1.0f))) * inverse;
    float tail = ga_fma(squared, 0.26230818f, 0.32059890f);
    tail = ga_fma(squared, tail, 0.41219859f);
    tail = ga_fma(squared, tail, 0.57707802f);
    const float small = ga_fma(near * squared * squared, tail, rest * ga_fma(squared, 2.88539008f, 2.88539008f));
    const double s = near, whole = ga_bits<double>(ga_bits<int64_t>(GA_ROUNDER) + exponent) - GA_ROUNDER;
    return ga_fma(s, ga_fma(s * s, 0.96179669392597561, 2.8853900817779268), whole + double(small));
}

/* 2^(whole + part), for a part of at most a half and a result that is normal. */
GA_FN float
ga_fine_exp2(int32_t whole, float part)
{
    float power = ga_fma(part, 1.535336188e-4f, 1.339887440e-3f);
    power = ga_fma(part, power, 9.618437358e-3f);
    power = ga_fma(part, power, 5.550332471e-2f);
    power = ga_fma(part, power, 2.402264791e-1f);
    power = ga_fma(part, power, 6.931472029e-1f);
    power = ga_fma(part, power, 1.0f);
    return ga_bits<float>(ga_bits<int32_t>(power) + whole * (1 << 23));
}

/* Below 2^22 in magnitude. */
GA_FN bool
ga_fine_is_whole(float x)
{
    return (x + GA_FLOAT_ROUNDER) - GA_FLOAT_ROUNDER == x;
}

GA_FN bool
ga_fine_power(float x, float y, float *power)
{
    const uint32_t least = 0x00800000, infinity = 0x7f800000;
    const double exponent = double(y) * ga_fine_log2(x), rounded = exponent + GA_ROUNDER;
    if (ga_bits<uint32_t>(x) - least >= infinity - least || !(fabs(exponent) < 125.0))
        return false;
    *power = ga_fine_exp2(int32_t(ga_bits<int64_t>(rounded)), float(exponent - (rounded - GA_ROUNDER)));
    if (ga_fine_is_whole(y) && ga_fine_is_whole(x) && y > 0.0f && *power < 1048576.0f)
        *power = ga_rint(*power); /* as ga_whole_power has it */
    return true;
}
