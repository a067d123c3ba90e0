/* Reductions of short rows that lie one after the other, on a GPU: a block copies a few hundred of them to shared memory, whole
 * vectors at a time, and a thread takes a row from there. Rows of even length are spread over the banks by a gap after every
 * 32 elements; odd ones need none. Includes reduce_item.cuh. */
#pragma once
#include "reduce_item.cuh"

/* The policies that have this kernel: sums and extremes of what fills a word or two. */
template <class P> constexpr bool ga_reduce_takes_short = false;
template <int op, class In, class T>
constexpr bool ga_reduce_takes_short<ga_reduce_plain<op, In, T>> =
    GA_BLOCK > 1 && (op == GA_UF_add || op == GA_UF_maximum || op == GA_UF_minimum) && std::is_arithmetic<In>::value
    && sizeof(In) >= 4;

template <class P> constexpr int ga_reduce_short_tile =
    GA_REDUCE_SHORT_BYTES / int(sizeof(typename P::in));

GA_FN int place_short(int at, bool gaps)
{
    return gaps ? at + at / 32 : at;
}

/* Loads come first, so that they are under way together. */
template <class P> GA_FN void fetch_rows(const typename P::in *src, int count, bool gaps, typename P::in *tile)
{
    typedef typename P::in in;
    constexpr int N = 16 / sizeof(in), K = ga_reduce_short_tile<P> / (GA_BLOCK * N);
    ga_pack<in, N> packs[K];
    GA_UNROLL
    for (int k = 0; k < K; k++)
        if ((k * GA_BLOCK + GA_THREAD) * N + N <= count)
            packs[k] = ga_pack_load<in, N>(src + (k * GA_BLOCK + GA_THREAD) * N);
    GA_UNROLL
    for (int k = 0; k < K; k++) {
        const int at = (k * GA_BLOCK + GA_THREAD) * N;
        GA_UNROLL
        for (int i = 0; i < N; i++)
            if (at + N <= count)
                tile[place_short(at + i, gaps)] = packs[k].v[i];
            else if (at + i < count)
                tile[place_short(at + i, gaps)] = src[at + i];
    }
    GA_SYNC();
}

/* A block takes `span` rows, as many as make whole vectors. */
template <class P> GA_KERNEL reduce_short(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    GA_SHARED typename P::in tile[ga_reduce_short_tile<P> + ga_reduce_short_tile<P> / 32];
    const int length = int(s.dim[1].size);
    const bool gaps = length % 2 == 0;
    const int64_t first = GA_BLOCK_ID * s.span, left = s.outputs - first;
    const int rows = int(left < s.span ? left : s.span);
    fetch_rows<P>(reinterpret_cast<const typename P::in *>(s.src) + first * length, rows * length, gaps, tile);
    for (int row = GA_THREAD; row < rows; row += GA_BLOCK) {
        const int64_t place = s.place + (first + row) * s.dim[0].place;
        typename P::acc total = P::neutral();
        for (int i = 0; i < length; i++)
            total = P::merge(total, P::lift(tile[place_short(row * length + i, gaps)], place + i * s.dim[1].place));
        store_result<P>(s, s.dst, (first + row) * s.dim[0].dst, total);
    }
}

template <class P> static int launch_short(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_short<P>, blocks, stream, *stage);
}

template <class P> constexpr ga_reduce_launch ga_reduce_short_of()
{
    if constexpr (ga_reduce_takes_short<P>)
        return launch_short<P>;
    else
        return nullptr;
}
