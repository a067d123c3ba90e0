/* What a fill makes of the words of a block.
 *
 * A kind has the type of its elements, how many of them `words` words give, and
 *     put<G>(at, words, elements)      for the words of one such group
 * where `at` names the words, so that an integer that is refused can draw again in its own place.
 * Includes random_normal.cuh. */
#pragma once
#include "random_normal.cuh"

/* The first of a group's words: block, number in the block, and what to add to `again` of its
 * later draws. */
struct ga_random_place {
    const ga_random_source *source;
    uint64_t block;
    int word;
    uint64_t apart;
};

/* Word `place.word` of the block that draw number `again` gets. */
template <class G>
GA_FN_CALL uint32_t
ga_random_again(const ga_random_place &place, uint64_t again, int next)
{
    uint32_t w[G::words], value = 0;
    G::block(*place.source, place.block, place.apart + again, w);
    GA_UNROLL
    for (int i = 0; i < G::words; i++)
        if (i == place.word + next)
            value = w[i];
    return value;
}

struct ga_random_uniform32 {
    typedef float type;
    static constexpr int words = 1, elements = 1;

    template <class G>
    GA_METHOD void
    put(const ga_random_place &, const uint32_t *w, float *out) const
    {
        out[0] = ga_random_unit(w[0]);
    }
};

struct ga_random_uniform64 {
    typedef double type;
    static constexpr int words = 2, elements = 1;
    double offset, factor;

    template <class G>
    GA_METHOD void
    put(const ga_random_place &, const uint32_t *w, double *out) const
    {
        out[0] = offset + factor * ga_random_unit(ga_random_word64(w));
    }
};

struct ga_random_normal32 {
    typedef float type;
    static constexpr int words = 2, elements = 2;

    template <class G>
    GA_METHOD void
    put(const ga_random_place &, const uint32_t *w, float *out) const
    {
        ga_pair<float, float> z = ga_random_normals(w[0], w[1]);
        out[0] = z.first;
        out[1] = z.second;
    }
};

struct ga_random_normal64 {
    typedef double type;
    static constexpr int words = 4, elements = 2;
    double offset, factor;

    template <class G>
    GA_METHOD void
    put(const ga_random_place &, const uint32_t *w, double *out) const
    {
        ga_pair<double, double> z =
            ga_random_normals(ga_random_word64(w), ga_random_word64(w + 2));
        out[0] = offset + factor * z.first;
        out[1] = offset + factor * z.second;
    }
};

/* The logarithm is that of 64 bits in either dtype. */
template <class T> struct ga_random_exponential {
    typedef T type;
    static constexpr int words = 2, elements = 1;
    double offset, factor;

    template <class G>
    GA_METHOD void
    put(const ga_random_place &, const uint32_t *w, T *out) const
    {
        double u = ga_random_positive(ga_random_word64(w));
        out[0] = T(offset + factor * (0.0 - ga_random_log_normal(u))); /* no negative zero */
    }
};

/* ---- integers: Lemire, "Fast random integer generation in an interval" (2019) ----
 * The product of a word and the width of the range: its high half is the number, and a low half
 * below `threshold` (2^bits modulo width) is refused, so that all numbers are equally likely. */

/* Parts of `bits` of a 32-bit word, low ones first, as NumPy takes them. */
template <class T, int bits> struct ga_random_integer32 {
    typedef T type;
    static constexpr int words = 1, elements = 32 / bits;
    T low;
    uint64_t width;
    uint32_t threshold;

    template <class G>
    GA_METHOD void
    put(const ga_random_place &place, const uint32_t *w, T *out) const
    {
        const uint32_t mask = uint32_t((uint64_t(1) << bits) - 1);
        GA_UNROLL
        for (int k = 0; k < elements; k++) {
            uint64_t product = (w[0] >> (k * bits % 32) & mask) * width;
            for (uint64_t again = 1; (uint32_t(product) & mask) < threshold; again++)
                product = (ga_random_again<G>(place, again, 0) >> (k * bits % 32) & mask) * width;
            out[k] = T(low + T(product >> bits));
        }
    }
};

struct ga_random_integer64 {
    typedef uint64_t type;
    static constexpr int words = 2, elements = 1;
    uint64_t low, width, threshold;

    template <class G>
    GA_METHOD void
    put(const ga_random_place &place, const uint32_t *w, uint64_t *out) const
    {
        uint64_t word = ga_random_word64(w);
        if (width == 0) {
            out[0] = low + word;
            return;
        }
        ga_uint128 product = ga_uint128(word) * width;
        for (uint64_t again = 1; uint64_t(product) < threshold; again++) {
            word = ga_random_again<G>(place, again, 0) |
                   uint64_t(ga_random_again<G>(place, again, 1)) << 32;
            product = ga_uint128(word) * width;
        }
        out[0] = low + uint64_t(product >> 64);
    }
};

/* bool between False and True: a bit each. */
struct ga_random_bit {
    typedef uint8_t type;
    static constexpr int words = 1, elements = 32;

    template <class G>
    GA_METHOD void
    put(const ga_random_place &, const uint32_t *w, uint8_t *out) const
    {
        GA_UNROLL
        for (int k = 0; k < elements; k++)
            out[k] = uint8_t(w[0] >> k & 1);
    }
};
