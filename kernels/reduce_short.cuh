/* Reductions over short axes of small slabs that lie one after the other, on a GPU. A slab is an
 * axis to reduce and what lies within it: a short row, or a few rows that are added up. A block
 * copies many slabs to shared memory, whole vectors at a time, and a thread makes a result from
 * there. Slabs of even size are spread over the banks by a gap after every 32 elements; odd ones
 * need none. Includes reduce_item.cuh. */
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
template <class P> GA_FN void fetch_slabs(const typename P::in *src, int count, bool gaps, typename P::in *tile)
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

/* A result: number `number` of the block's, whose first slab is number `first`. */
template <class P>
GA_FN void reduce_slab(const ga_reduce_stage &s, int64_t first, int number, bool gaps, const typename P::in *tile)
{
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    const int length = int(axis.size), across = s.nkeep == 2 ? int(s.dim[1].size) : 1;
    const int slab = across == 1 ? number : int(unsigned(number) / unsigned(across)), column = number - slab * across;
    int64_t place = s.place + (first + slab) * s.dim[0].place, dst = (first + slab) * s.dim[0].dst;
    if (s.nkeep == 2) {
        place += column * s.dim[1].place;
        dst += column * s.dim[1].dst;
    }
    typename P::acc total = P::neutral();
    for (int i = 0; i < length; i++)
        total = P::merge(total, P::lift(tile[place_short((slab * length + i) * across + column, gaps)],
                                        place + i * axis.place));
    store_result<P>(s, s.dst, dst, total);
}

/* A block takes `span` slabs, as many as make whole vectors. */
template <class P> GA_KERNEL reduce_short(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    GA_SHARED typename P::in tile[ga_reduce_short_tile<P> + ga_reduce_short_tile<P> / 32];
    const int across = s.nkeep == 2 ? int(s.dim[1].size) : 1, slab = int(s.dim[s.nkeep].size) * across;
    const bool gaps = slab % 2 == 0;
    const int64_t first = GA_BLOCK_ID * s.span, left = s.dim[0].size - first;
    const int slabs = int(left < s.span ? left : s.span);
    fetch_slabs<P>(reinterpret_cast<const typename P::in *>(s.src) + first * slab, slabs * slab, gaps, tile);
    for (int number = GA_THREAD; number < slabs * across; number += GA_BLOCK)
        reduce_slab<P>(s, first, number, gaps, tile);
}

template <class P> static int launch_short(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_short<P>, blocks, stream, *stage);
}

template <class P, bool wanted> constexpr ga_reduce_launch ga_reduce_short_of()
{
    if constexpr (wanted && ga_reduce_takes_short<P>)
        return launch_short<P>;
    else
        return nullptr;
}
