/* Scans of long rows in one pass on a GPU: each block takes a tile of a row, publishes its total, and waits for what comes
 * before.
 *
 * The tiles of a row are in groups of GA_BLOCK. A tile's carry is the prefix of the groups before, merged with the totals of
 * the group's tiles before it in a tree of fixed shape; the last tile of a group publishes the next prefix. So the association
 * depends on the row's length alone, whoever comes first. A block waits for blocks of smaller numbers only, and these have
 * started, since blocks are started in the order of their numbers. What is published lies in words of 64 bits with half of
 * an accumulator's word and a mark each, so that neither is seen without the other; they are 0 before the launch.
 * The tile itself waits in shared memory, which leaves registers for more blocks. Includes scan.cuh. */
#pragma once
#include "scan.cuh"

/* A thread's vectors in a tile, and a tile's elements. */
static constexpr int ga_scan_through_rounds = 8;
template <class P> constexpr int ga_scan_through_tile = GA_BLOCK * ga_scan_row_lanes<P> * ga_scan_through_rounds;

template <class P> constexpr int ga_scan_mark_words = int((sizeof(typename P::acc) + 3) / 4);

template <class P> GA_FN void publish_mark(volatile uint64_t *mark, typename P::acc value)
{
    constexpr int W = ga_scan_mark_words<P>;
    uint32_t words[W] = {};
    memcpy(words, &value, sizeof value);
    GA_UNROLL
    for (int i = 0; i < W; i++)
        mark[i] = uint64_t(1) << 32 | words[i];
}

template <class P> GA_FN typename P::acc await_mark(const volatile uint64_t *mark)
{
    constexpr int W = ga_scan_mark_words<P>;
    uint32_t words[W];
    bool seen = false;
    while (!seen) {
        seen = true;
        GA_UNROLL
        for (int i = 0; i < W; i++) {
            const uint64_t word = mark[i];
            seen &= word >> 32 != 0;
            words[i] = uint32_t(word);
        }
    }
    typename P::acc value;
    memcpy(&value, words, sizeof value);
    return value;
}

/* What comes before a tile of the row whose marks these are; `own` is the tile's total. */
template <class P> GA_FN typename P::acc look_back(uint64_t *marks, int64_t tiles, int64_t tile, typename P::acc own)
{
    constexpr int W = ga_scan_mark_words<P>;
    GA_SHARED typename P::acc prefix, start;
    uint64_t *prefixes = marks + tiles * W;
    const int64_t group = tile / GA_BLOCK, first = group * GA_BLOCK;
    const int before = int(tile - first);
    typename P::acc sum = P::neutral();
    if (GA_THREAD == 0)
        publish_mark<P>(marks + tile * W, own);
    if (GA_THREAD < before)
        sum = await_mark<P>(marks + (first + GA_THREAD) * W);
    else if (GA_THREAD == GA_BLOCK - 1)
        prefix = group > 0 ? await_mark<P>(prefixes + (group - 1) * W) : P::neutral();
    sum = ga_block_merge<P>(sum, GA_BLOCK);
    if (GA_THREAD == 0) {
        start = P::merge(prefix, sum);
        if (before == GA_BLOCK - 1)
            publish_mark<P>(prefixes + group * W, P::merge(start, own));
    }
    GA_SYNC();
    return start;
}

/* The tile's elements in shared memory, neutral ones behind the row's end as far as they matter: `count` are there. */
template <class P>
GA_FN void fetch_tile(const ga_scan_stage &s, int64_t src, int count, typename P::in *tile)
{
    typedef typename P::in in;
    constexpr int E = ga_scan_through_tile<P>, N = 16 / sizeof(in) > 0 ? 16 / sizeof(in) : 1;
    const int64_t step = s.walk.dim[s.walk.nkeep].src;
    if (s.packed_in && count == E) {
        GA_UNROLL
        for (int at = GA_THREAD * N; at < E; at += GA_BLOCK * N)
            ga_pack_fetch<in, N>(tile + at, reinterpret_cast<const in *>(s.walk.src + src) + at);
        ga_pack_arrive();
    } else {
        GA_NO_UNROLL
        for (int at = GA_THREAD; at < count; at += GA_BLOCK)
            tile[at] = *reinterpret_cast<const in *>(s.walk.src + src + at * step);
    }
    GA_SYNC();
}
