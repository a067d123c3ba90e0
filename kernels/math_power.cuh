/* x ** y of floats on a GPU, within 2.2 units in the last place: exp2(y * log2(x)), with the logarithm and its product as sums
 * of two floats. CUDA's powf has the same in more steps, and takes longer than reading and writing the elements. Conversions
 * and roundings are scarce (16 a cycle and multiprocessor, where 128 additions are), so numbers are rounded by adding
 * 1.5 * 2^23, whose last bits are then the whole number.
 *
 *   ga_fine_power(x, y, &power)   false: x is no positive normal number or the result none, power is not set
 *
 * Included by math_real.cuh. */
#pragma once

#define GA_SQRT_HALF_BITS 0x3f3504f3 /* of a float */
#define GA_ROUNDER 12582912.0f
#define GA_TWO_LOG2E 2.88539004f     /* 2 / log(2), of which 3.8519e-8 is left */

/* 1 / x of a normal number, on the GPU to 1 ulp by one instruction. Its operand travels as bits, since compilers for the CPU
 * read the constraints too. */
GA_FN float
ga_near_inverse(float x)
{
    if constexpr (GA_BLOCK == 1) {
        return 1.0f / x;
    } else {
        uint32_t inverse;
        asm("{.reg .f32 y;\n mov.b32 y, %1;\n rcp.approx.ftz.f32 y, y;\n mov.b32 %0, y;}"
            : "=r"(inverse)
            : "r"(ga_bits<uint32_t>(x)));
        return ga_bits<float>(inverse);
    }
}

/* log2 of a positive normal number, to 2^-29 of it, is the value and *rest: that of the fraction m between the roots of 1/2
 * and 2 is the series of s = (m - 1) / (m + 1), where s is `near` and `low`. */
GA_FN float
ga_fine_log2(float x, float *rest)
{
    const int32_t exponent = (ga_bits<int32_t>(x) - GA_SQRT_HALF_BITS) >> 23;
    const float m = ga_bits<float>(ga_bits<int32_t>(x) - exponent * (1 << 23)), above = m + 1.0f;
    const float whole = ga_bits<float>(ga_bits<int32_t>(GA_ROUNDER) + exponent) - GA_ROUNDER;
    const float inverse = ga_near_inverse(above), near = (m - 1.0f) * inverse, squared = near * near;
    const float low = ga_fma(-near, m - (above - 1.0f), ga_fma(-near, above, m - 1.0f)) * inverse;
    const float first = near * GA_TWO_LOG2E, most = whole + first;
    float tail = ga_fma(squared, 0.336620598f, 0.411900058f);
    tail = ga_fma(squared, tail, 0.577079785f);
    tail = ga_fma(squared, tail, 0.961796692f);
    float small = ga_fma(near, 3.8519e-8f, ga_fma(near, GA_TWO_LOG2E, -first));
    small = ga_fma(near * squared, tail, ga_fma(low, ga_fma(squared, GA_TWO_LOG2E, GA_TWO_LOG2E), small)) + ((whole - most) + first);
    const float sum = most + small;
    *rest = (most - sum) + small;
    return sum;
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
GA_FN float
ga_fine_round(float x)
{
    return (x + GA_ROUNDER) - GA_ROUNDER;
}

/* As ga_whole_power has it; few small results are so near a whole number that more is asked. */
GA_FN float
ga_fine_whole(float x, float y, float power)
{
    const float whole = ga_fine_round(power);
    if (fabsf(power - whole) >= power * 0x1p-21f)
        return power;
    return power < 1048576.0f && y > 0.0f && ga_fine_round(x) == x && ga_fine_round(y) == y ? whole : power;
}

GA_FN bool
ga_fine_power(float x, float y, float *power)
{
    const uint32_t least = 0x00800000, infinity = 0x7f800000;
    float rest;
    const float log = ga_fine_log2(x, &rest), exponent = y * log, rounder = exponent + GA_ROUNDER;
    const float left = ga_fma(y, rest, ga_fma(y, log, -exponent));
    if (ga_bits<uint32_t>(x) - least >= infinity - least || !(fabsf(exponent) < 125.0f))
        return false;
    const float value = ga_fine_exp2(ga_bits<int32_t>(rounder), (exponent - (rounder - GA_ROUNDER)) + left);
    *power = ga_fine_whole(x, y, value);
    return true;
}
