/* Words into floating-point numbers: uniform ones, and pairs of normal ones.
 *
 * Normal numbers are Box and Muller's (1958): a radius sqrt(-2 log u) and an angle. Radius and
 * angle take a whole word each, so the tails reach 6.7 standard deviations in float and 9.4 in
 * double. In float the functions are polynomials right to 5e-7. Includes random_math.cuh. */
#pragma once
#include "philox.cuh"
#include "random_math.cuh"

GA_FN uint64_t
ga_random_word64(const uint32_t *w)
{
    return w[0] | uint64_t(w[1]) << 32;
}

/* In [0, 1), with NumPy's bits. */
GA_FN float
ga_random_unit(uint32_t word)
{
    return float(word >> 8) * 0x1p-24f;
}
GA_FN double
ga_random_unit(uint64_t word)
{
    return double(word >> 11) * 0x1p-53;
}

/* a * b + c, rounded once on the GPU, and in all but one of some 2^29 cases on the CPU, which may
 * lack the instruction. */
GA_FN float
ga_random_fused(float a, float b, float c)
{
    if constexpr (GA_BLOCK == 1)
        return float(double(a) * b + c);
    else
        return fmaf(a, b, c);
}

/* Square root of 0 or a normal number, on the GPU to 1 ulp by one instruction. Its operand travels
 * as bits, since compilers for the CPU read the constraints too. */
GA_FN float
ga_random_root(float x)
{
    if constexpr (GA_BLOCK == 1) {
        return sqrtf(x);
    } else {
        uint32_t root;
        asm("{.reg .f32 y;\n mov.b32 y, %1;\n sqrt.approx.ftz.f32 y, y;\n mov.b32 %0, y;}"
            : "=r"(root)
            : "r"(ga_bits<uint32_t>(x)));
        return ga_bits<float>(root);
    }
}

/* -log((word + 0.5) / 2^32), of which the last step of the 24 bits of a float is kept above 0. */
GA_FN float
ga_random_tail(uint32_t word)
{
    float x = float(word) + 0.5f;
    /* x = m 2^(scaled / 2^23), m in [2/3, 4/3); -log(1 - g) = g (1 + g q(g)) for m = 1 - g, where g is
     * never 0. */
    int32_t scaled = int32_t((ga_bits<uint32_t>(x) - 0x3f2aaaabu) & 0xff800000u);
    float g = 0x1.000002p+0f - ga_bits<float>(ga_bits<uint32_t>(x) - uint32_t(scaled));
    float q = ga_random_fused(0x1.2cf7cep-3f, g, 0x1.566c7ep-3f);
    q = ga_random_fused(q, g, 0x1.52bec6p-3f);
    q = ga_random_fused(q, g, 0x1.96bb88p-3f);
    q = ga_random_fused(q, g, 0x1.0004a8p-2f);
    q = ga_random_fused(q, g, 0x1.555a7ep-2f);
    q = ga_random_fused(q, g, 0.5f);
    q = ga_random_fused(q, g, 1.0f);
    /* Of 2^32 itself nothing is left, since both factors round alike. */
    float whole = ga_random_fused(float(scaled), float(-GA_LN2) * 0x1p-23f, float(GA_LN2) * 32);
    return ga_random_fused(q, g, whole);
}

/* The angle is within a quarter turn of zero; the word's top bit mirrors it. The factor sqrt(2) of
 * the radius is in the coefficients. */
GA_FN ga_pair<float, float>
ga_random_normals(uint32_t first, uint32_t second)
{
    float radius = ga_random_root(ga_random_tail(first));
    float t = float(int32_t(second << 1)) * 0x1p-31f, square = t * t;
    float s = ga_random_fused(0.00021449617634061724f, square, -0.006610237527638674f);
    s = ga_random_fused(s, square, 0.11269856244325638f);
    s = ga_random_fused(s, square, -0.913530707359314f);
    s = ga_random_fused(s, square, 2.2214415073394775f) * t;
    float c = ga_random_fused(0.0012135853758081794f, square, -0.029430512338876724f);
    c = ga_random_fused(c, square, 0.35871621966362f);
    c = ga_random_fused(c, square, -1.7447127103805542f);
    c = ga_random_fused(c, square, 1.4142135381698608f);
    c = ga_bits<float>(ga_bits<uint32_t>(c) ^ (second & 0x80000000u));
    return {radius * s, radius * c};
}

/* (word + 1/2) / 2^64, in (0, 1], whose logarithm reaches -45: where the tail matters. The word's halves are the last
 * bits of two numbers that leave nothing but them. */
GA_FN double
ga_random_positive(uint64_t word)
{
    double high = ga_bits<double>(0x4130000000000000u + (word >> 32));                   /* 2^20 + .. */
    double low = ga_bits<double>(0x3f20000000000000u + (uint64_t(uint32_t(word)) << 1 | 1)); /* 2^-13 + .. */
    return (high - (0x1p20 + 0x1p-13)) + low;
}

GA_FN double
ga_random_set_sign(double x, uint64_t word)
{
    return ga_bits<double>(ga_bits<uint64_t>(x) ^ (word & 0x8000000000000000u));
}

/* Sine and cosine of a random angle: the word's top two bits turn it by quarters. The others are an
 * odd number, so that neither is 0. */
GA_FN ga_pair<double, double>
ga_random_direction(uint64_t word, const ga_random_series &c)
{
    double part = ga_bits<double>((word << 2) >> 12 | 0x3ff0000000000001u) - 1.5;
    ga_pair<double, double> at = ga_random_circle(part, c);
    bool swap = word >> 63;
    double sine = swap ? at.second : at.first, cosine = swap ? -at.first : at.second;
    return {ga_random_set_sign(sine, word << 1), ga_random_set_sign(cosine, word << 1)};
}

GA_FN ga_pair<double, double>
ga_random_direction(uint64_t word)
{
    return ga_random_direction(word, ga_random_known_series());
}

GA_FN ga_pair<double, double>
ga_random_normals(uint64_t first, uint64_t second, const ga_random_series &c)
{
    double radius = sqrt(-2.0 * ga_random_log_normal(ga_random_positive(first), c));
    ga_pair<double, double> at = ga_random_direction(second, c);
    return {radius * at.first, radius * at.second};
}

GA_FN ga_pair<double, double>
ga_random_normals(uint64_t first, uint64_t second)
{
    return ga_random_normals(first, second, ga_random_known_series());
}
