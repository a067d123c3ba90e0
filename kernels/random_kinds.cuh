/* What a fill makes of the words of a block.
 *
 * A kind has the type of its elements, how many of them `words` words give, and
 *     take(words, elements)      the elements of one such group
 * Kinds that `may_refuse` have besides
 *     refuses(words, k)          whether element k of a group is not to be made of its words
 *     renew(words, fresh, k)     its words replaced by those of another block in their place
 * so that an integer that is refused draws again in its own place. Includes random_normal.cuh. */
#pragma once
#include "random_normal.cuh"

struct ga_random_uniform32 {
    typedef float type;
    static constexpr int words = 1, elements = 1;
    static constexpr bool may_refuse = false;

    GA_METHOD void
    take(const uint32_t *w, float *out) const
    {
        out[0] = ga_random_unit(w[0]);
    }
};

struct ga_random_uniform64 {
    typedef double type;
    static constexpr int words = 2, elements = 1;
    static constexpr bool may_refuse = false;
    double offset, factor;

    GA_METHOD void
    take(const uint32_t *w, double *out) const
    {
        out[0] = offset + factor * ga_random_unit(ga_random_word64(w));
    }
};

struct ga_random_normal32 {
    typedef float type;
    static constexpr int words = 2, elements = 2;
    static constexpr bool may_refuse = false;

    GA_METHOD void
    take(const uint32_t *w, float *out) const
    {
        ga_pair<float, float> z = ga_random_normals(w[0], w[1]);
        out[0] = z.first;
        out[1] = z.second;
    }
};

struct ga_random_normal64 {
    typedef double type;
    static constexpr int words = 4, elements = 2;
    static constexpr bool may_refuse = false;
    double offset, factor;
    ga_random_series series;

    GA_METHOD void
    take(const uint32_t *w, double *out) const
    {
        ga_pair<double, double> z =
            ga_random_normals(ga_random_word64(w), ga_random_word64(w + 2), series);
        out[0] = ga_random_fused(factor, z.first, offset);
        out[1] = ga_random_fused(factor, z.second, offset);
    }
};

/* The logarithm is that of 64 bits in either dtype. */
template <class T> struct ga_random_exponential {
    typedef T type;
    static constexpr int words = 2, elements = 1;
    static constexpr bool may_refuse = false;
    double offset, factor;
    ga_random_series series;

    GA_METHOD void
    take(const uint32_t *w, T *out) const
    {
        double x = ga_random_log_normal(ga_random_positive(ga_random_word64(w)), series);
        out[0] = T(ga_random_fused(factor, 0.0 - x, offset)); /* no negative zero */
    }
};

/* ---- integers: Lemire, "Fast random integer generation in an interval" (2019) ----
 * The product of a word and the width of the range: its high half is the number, and a low half
 * below `threshold` (2^bits modulo width) is refused, so that all numbers are equally likely. */

/* Parts of `bits` of a 32-bit word, low ones first, as NumPy takes them. */
template <class T, int bits> struct ga_random_integer32 {
    typedef T type;
    static constexpr int words = 1, elements = 32 / bits;
    static constexpr uint32_t mask = uint32_t((uint64_t(1) << bits) - 1);
    static constexpr bool may_refuse = true;
    T low;
    uint64_t width; /* up to 2^bits */
    uint32_t threshold;

    GA_METHOD uint64_t
    multiply(const uint32_t *w, int k) const
    {
        uint32_t part = w[0] >> k * bits % 32 & mask, all = bits == 32 && width >> 32 ? part : 0;
        return ga_philox_product(part, uint32_t(width)) + (uint64_t(all) << 32);
    }
    GA_METHOD void
    take(const uint32_t *w, T *out) const
    {
        GA_UNROLL
        for (int k = 0; k < elements; k++)
            out[k] = T(low + T(multiply(w, k) >> bits));
    }
    GA_METHOD bool
    refuses(const uint32_t *w, int k) const
    {
        return (uint32_t(multiply(w, k)) & mask) < threshold;
    }
    GA_METHOD void
    renew(uint32_t *w, const uint32_t *fresh, int k) const
    {
        uint32_t part = mask << k * bits % 32;
        w[0] = (w[0] & ~part) | (fresh[0] & part);
    }
};

struct ga_random_integer64 {
    typedef uint64_t type;
    static constexpr int words = 2, elements = 1;
    static constexpr bool may_refuse = true;
    uint64_t low, width, threshold; /* width 0: all 64 bits */

    GA_METHOD void
    take(const uint32_t *w, uint64_t *out) const
    {
        uint64_t word = ga_random_word64(w);
        out[0] = low + (width == 0 ? word : uint64_t(ga_uint128(word) * width >> 64));
    }
    GA_METHOD bool
    refuses(const uint32_t *w, int) const
    {
        return ga_random_word64(w) * width < threshold;
    }
    GA_METHOD void
    renew(uint32_t *w, const uint32_t *fresh, int) const
    {
        w[0] = fresh[0];
        w[1] = fresh[1];
    }
};

/* bool between False and True: a bit each. */
struct ga_random_bit {
    typedef uint8_t type;
    static constexpr int words = 1, elements = 32;
    static constexpr bool may_refuse = false;

    GA_METHOD void
    take(const uint32_t *w, uint8_t *out) const
    {
        GA_UNROLL
        for (int k = 0; k < elements; k++)
            out[k] = uint8_t(w[0] >> k & 1);
    }
};
