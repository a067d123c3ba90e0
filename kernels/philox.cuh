/* Philox, the counter-based generator: a block of random words from a key and the number of the
 * block.
 *
 * Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Owns
 * ga_philox32 (Philox4x32-10, blocks of four 32-bit words) and ga_philox64 (Philox4x64-10,
 * NumPy's, blocks of four 64-bit words as eight halves, the low one first). block(source, index,
 * again, out) gives block `index` from the source's place on; `again`, 0 at first, is added to the
 * counter's last word: other blocks of the same place. The keys of the rounds may be made once, as a
 * schedule: a kernel that has them among its parameters reads them for nothing. Includes port.cuh and
 * call/random.h. */
#pragma once
#include "../csrc/core/call/random.h"
#include "port.cuh"

__extension__ typedef unsigned __int128 ga_uint128;

/* The product of two 32-bit words. On the GPU in the instruction's own words: the compiler would widen
 * the factors first, and multiply at three times the price. */
GA_FN uint64_t
ga_philox_product(uint32_t a, uint32_t b)
{
    if constexpr (GA_BLOCK == 1) {
        return uint64_t(a) * b;
    } else {
        uint64_t product;
        asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
        return product;
    }
}

struct ga_philox32 {
    static constexpr int words = 4;

    GA_FN void
    round(uint32_t c[4], uint32_t key0, uint32_t key1)
    {
        uint64_t first = ga_philox_product(0xD2511F53u, c[0]);
        uint64_t second = ga_philox_product(0xCD9E8D57u, c[2]);
        uint32_t c1 = c[1], c3 = c[3];
        c[0] = uint32_t(second >> 32) ^ c1 ^ key0;
        c[1] = uint32_t(second);
        c[2] = uint32_t(first >> 32) ^ c3 ^ key1;
        c[3] = uint32_t(first);
    }

    struct schedule {
        uint32_t keys[10][2];
    };

    static GA_MEMBER inline schedule
    expand(const ga_random_source &source)
    {
        schedule s = {};
        uint32_t key0 = uint32_t(source.key[0]), key1 = uint32_t(source.key[0] >> 32);
        GA_UNROLL
        for (int i = 0; i < 10; i++, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
            s.keys[i][0] = key0;
            s.keys[i][1] = key1;
        }
        return s;
    }

    /* The counter of a block; of the blocks after it the first word alone differs, as long as it does not wrap. */
    GA_FN void
    start(const ga_random_source &source, uint64_t index, uint64_t again, uint32_t c[words])
    {
        uint64_t low = source.counter[0] + index, high = source.counter[1];
        c[0] = uint32_t(low);
        c[1] = uint32_t(low >> 32);
        c[2] = uint32_t(high) + (low < index);
        c[3] = uint32_t(high >> 32) + uint32_t(again);
    }

    /* A counter into the block's words. */
    GA_FN void
    mix(uint32_t c[words], const schedule &s)
    {
        GA_UNROLL
        for (int i = 0; i < 10; i++)
            round(c, s.keys[i][0], s.keys[i][1]);
    }

    /* N counters at once, word by word, as vectors have them. */
    template <int N>
    GA_FN void
    mix_lanes(uint32_t (&c)[words][N], const schedule &s)
    {
        for (int i = 0; i < 10; i++)
            for (int k = 0; k < N; k++) {
                uint32_t lane[words] = {c[0][k], c[1][k], c[2][k], c[3][k]};
                round(lane, s.keys[i][0], s.keys[i][1]);
                for (int j = 0; j < words; j++)
                    c[j][k] = lane[j];
            }
    }

    GA_FN void
    block(const ga_random_source &source, const schedule &s, uint64_t index, uint64_t again,
          uint32_t out[words])
    {
        start(source, index, again, out);
        mix(out, s);
    }

    GA_FN void
    block(const ga_random_source &source, uint64_t index, uint64_t again, uint32_t out[words])
    {
        block(source, expand(source), index, again, out);
    }
};

struct ga_philox64 {
    static constexpr int words = 8;

    GA_FN void
    round(uint64_t c[4], uint64_t key0, uint64_t key1)
    {
        ga_uint128 first = ga_uint128(0xD2E7470EE14C6C93u) * c[0];
        ga_uint128 second = ga_uint128(0xCA5A826395121157u) * c[2];
        uint64_t c1 = c[1], c3 = c[3];
        c[0] = uint64_t(second >> 64) ^ c1 ^ key0;
        c[1] = uint64_t(second);
        c[2] = uint64_t(first >> 64) ^ c3 ^ key1;
        c[3] = uint64_t(first);
    }

    struct schedule {
        uint64_t keys[10][2];
    };

    static GA_MEMBER inline schedule
    expand(const ga_random_source &source)
    {
        schedule s = {};
        uint64_t key0 = source.key[0], key1 = source.key[1];
        GA_UNROLL
        for (int i = 0; i < 10; i++, key0 += 0x9E3779B97F4A7C15u, key1 += 0xBB67AE8584CAA73Bu) {
            s.keys[i][0] = key0;
            s.keys[i][1] = key1;
        }
        return s;
    }

    GA_FN void
    block(const ga_random_source &source, const schedule &s, uint64_t index, uint64_t again,
          uint32_t out[words])
    {
        uint64_t c[4] = {source.counter[0] + index, source.counter[1], source.counter[2],
                         source.counter[3]};
        bool carry = c[0] < index;
        for (int i = 1; i < 4; i++) {
            c[i] += carry;
            carry = carry && c[i] == 0;
        }
        c[3] += again;
        GA_UNROLL
        for (int i = 0; i < 10; i++)
            round(c, s.keys[i][0], s.keys[i][1]);
        GA_UNROLL
        for (int i = 0; i < 4; i++) {
            out[2 * i] = uint32_t(c[i]);
            out[2 * i + 1] = uint32_t(c[i] >> 32);
        }
    }

    GA_FN void
    block(const ga_random_source &source, uint64_t index, uint64_t again, uint32_t out[words])
    {
        block(source, expand(source), index, again, out);
    }
};
