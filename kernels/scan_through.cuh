/* Scans of long rows in one pass on a GPU: each block takes a tile of a row, publishes its total,
 * and waits for what comes before.
 *
 * The tiles of a row are in groups of 32, and these in sets of 32. A tile's carry is the prefix
 * through the sets before, merged with the totals of the set's groups before and of the group's
 * tiles before, each in a tree of fixed shape; the last tile of a group publishes the group's
 * total, the last one of a set the next prefix. So the association depends on the row's length
 * alone, whoever comes first. A block waits for blocks of smaller numbers only, and these have
 * started, since blocks are started in the order of their numbers. What is published lies in words
 * of 64 bits with half of an accumulator's word and a mark each, so that neither is seen without
 * the other; they are 0 before the launch. The tile itself waits in shared memory, which leaves
 * registers for more blocks. Includes scan.cuh. */
#pragma once
#include "scan.cuh"

/* A tile's elements: 32 KiB of them, but no more than sixteen vectors a thread. */
template <class P> constexpr int ga_scan_through_tile =
    int(32768 / sizeof(typename P::in)) < 16 * GA_BLOCK * ga_scan_row_lanes<P> ? int(32768 / sizeof(typename P::in))
                                                                              : 16 * GA_BLOCK * ga_scan_row_lanes<P>;
template <class P> constexpr int ga_scan_through_rounds = ga_scan_through_tile<P> / (GA_BLOCK * ga_scan_row_lanes<P>);

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

/* Whether the mark is there, and its value. */
template <class P> GA_FN bool observe_mark(const volatile uint64_t *mark, typename P::acc &value)
{
    constexpr int W = ga_scan_mark_words<P>;
    uint32_t words[W];
    bool seen = true;
    GA_UNROLL
    for (int i = 0; i < W; i++) {
        const uint64_t word = mark[i];
        seen &= word >> 32 != 0;
        words[i] = uint32_t(word);
    }
    if (seen)
        memcpy(&value, words, sizeof value);
    return seen;
}

/* The marks of a row: its tiles' totals, its groups' totals, and the prefixes through each set of groups. */
template <class P> struct scan_marks {
    uint64_t *tiles, *groups, *sets;
};

template <class P> GA_FN scan_marks<P> find_marks(const ga_scan_stage &s, int64_t row)
{
    constexpr int W = ga_scan_mark_words<P>;
    const int64_t tiles = s.walk.parts, groups = tiles / GA_SCAN_GROUP + 1, sets = groups / GA_SCAN_GROUP + 1;
    uint64_t *first = reinterpret_cast<uint64_t *>(s.totals) + row * (tiles + groups + sets) * W;
    return {first, first + tiles * W, first + (tiles + groups) * W};
}

/* What comes before a tile, by one warp; valid in its first thread. `own` is the tile's total. What
 * may be there already is asked for first, so that one wait serves for all. */
template <class P>
GA_FN typename P::acc look_back(const scan_marks<P> &marks, int64_t tile, typename P::acc own)
{
    typedef typename P::acc A;
    constexpr int W = ga_scan_mark_words<P>;
    const int64_t group = tile / GA_SCAN_GROUP, set = group / GA_SCAN_GROUP;
    const int lane = GA_THREAD, before = int(tile % GA_SCAN_GROUP), groups_before = int(group % GA_SCAN_GROUP);
    const uint64_t *tile_mark = marks.tiles + (group * GA_SCAN_GROUP + lane) * W;
    const uint64_t *group_mark = marks.groups + (set * GA_SCAN_GROUP + lane) * W, *set_mark = marks.sets + (set - 1) * W;
    A some = P::neutral(), groups = P::neutral(), sets = P::neutral();
    if (lane == 0)
        publish_mark<P>(marks.tiles + tile * W, own);
    bool has_groups = lane >= groups_before || observe_mark<P>(group_mark, groups);
    bool has_sets = lane > 0 || set == 0 || observe_mark<P>(set_mark, sets);
    while (lane < before && !observe_mark<P>(tile_mark, some))
        ;
    some = ga_block_merge<P>(some, GA_SCAN_GROUP);
    if (lane == 0 && before == GA_SCAN_GROUP - 1)
        publish_mark<P>(marks.groups + group * W, P::merge(some, own));
    while (!has_groups || !has_sets) {
        has_groups = has_groups || observe_mark<P>(group_mark, groups);
        has_sets = has_sets || observe_mark<P>(set_mark, sets);
    }
    groups = ga_block_merge<P>(groups, GA_SCAN_GROUP);
    const A start = P::merge(P::merge(sets, groups), some);
    if (lane == 0 && before == GA_SCAN_GROUP - 1 && groups_before == GA_SCAN_GROUP - 1)
        publish_mark<P>(marks.sets + set * W, P::merge(start, own));
    return start;
}

/* The item's elements in shared memory. */
template <class P> GA_FN void fetch_tile(const ga_scan_stage &s, const ga_reduce_item &item, typename P::in *tile)
{
    typedef typename P::in in;
    constexpr int E = ga_scan_through_tile<P>, N = 16 / sizeof(in);
    const char *src = s.walk.src + item.src;
    if (s.packed_in && item.count == E) {
        GA_UNROLL
        for (int at = 0; at < E; at += GA_BLOCK * N)
            ga_pack_fetch<in, N>(tile + at + GA_THREAD * N, reinterpret_cast<const in *>(src) + at + GA_THREAD * N);
        ga_pack_fetched();
    } else {
        GA_NO_UNROLL
        for (int64_t at = GA_THREAD; at < item.count; at += GA_BLOCK)
            tile[at] = *reinterpret_cast<const in *>(src + at * s.walk.dim[s.walk.nkeep].src);
    }
    GA_SYNC();
}

/* The prefixes within this thread's vector at `at`; elements behind the item's end are neutral. */
template <class P, int N>
GA_FN void scan_vector(const typename P::in *tile, const ga_reduce_item &item, int at, typename P::acc (&values)[N])
{
    const int left = int(item.count) - at;
    const ga_pack<typename P::in, N> pack = ga_pack_load<typename P::in, N>(tile + at);
    GA_UNROLL
    for (int i = 0; i < N; i++) {
        values[i] = i < left ? P::lift(pack.v[i], item.place + at + i) : P::neutral();
        if (i > 0)
            values[i] = P::merge(values[i - 1], values[i]);
    }
}

/* What comes before each of the thread's vectors in the tile; returns the tile's total. */
template <class P, int N, int K>
GA_FN typename P::acc scan_rounds(const typename P::in *tile, const ga_reduce_item &item, typename P::acc (&before)[K])
{
    constexpr int batch = 4; /* that ga_block_scan takes */
    typename P::acc total = P::neutral();
    GA_UNROLL
    for (int first = 0; first < K; first += batch) {
        typename P::acc values[N], some[batch], sum;
        GA_UNROLL
        for (int k = 0; k < batch; k++) {
            scan_vector<P, N>(tile, item, ((first + k) * GA_BLOCK + GA_THREAD) * N, values);
            some[k] = values[N - 1];
        }
        ga_block_scan<P, batch>(some, sum, GA_BLOCK);
        GA_UNROLL
        for (int k = 0; k < batch; k++)
            before[first + k] = P::merge(total, some[k]);
        total = P::merge(total, sum);
    }
    return total;
}

/* Blocks that a multiprocessor holds: as many as the prefixes before its vectors leave a thread registers for. */
template <class P> constexpr int ga_scan_through_blocks = sizeof(typename P::acc) <= 4     ? 6
                                                          : sizeof(typename P::acc) > 8    ? 0
                                                          : ga_scan_through_rounds<P> <= 8 ? 4
                                                                                           : 3;

template <class P> GA_KERNEL_BESIDE(ga_scan_through_blocks<P>) scan_through(GA_PARAM ga_scan_stage s)
{
    GA_AWAIT();
    constexpr int N = ga_scan_row_lanes<P>, K = ga_scan_through_rounds<P>;
    alignas(16) GA_SHARED typename P::in tile[ga_scan_through_tile<P>];
    GA_SHARED typename P::acc shared_carry;
    const int64_t row = divide(GA_BLOCK_ID, s.walk.parts), part = GA_BLOCK_ID - row * s.walk.parts;
    const ga_reduce_item item = locate_piece(s, part, row);
    typename P::acc before[K];
    fetch_tile<P>(s, item, tile);
    const typename P::acc total = scan_rounds<P, N, K>(tile, item, before);
    if (GA_THREAD < GA_SCAN_GROUP) {
        const typename P::acc start = look_back<P>(find_marks<P>(s, row), part, total);
        if (GA_THREAD == 0)
            shared_carry = start;
    }
    GA_SYNC();
    const typename P::acc carry = shared_carry;
    GA_UNROLL
    for (int k = 0; k < K; k++) {
        const int at = (k * GA_BLOCK + GA_THREAD) * N;
        const typename P::acc start = P::merge(carry, before[k]);
        typename P::acc values[N];
        scan_vector<P, N>(tile, item, at, values);
        GA_UNROLL
        for (int i = 0; i < N; i++)
            values[i] = P::merge(start, values[i]);
        store_vector<P, N>(s, item, at, values);
    }
}

template <class P> static int launch_scan_through(const ga_scan_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(scan_through<P>, blocks, stream, *stage);
}
