/* Reductions of contiguous rows on a GPU as they come most often, so that little is computed beside
 * the loads: floats that are summed, squared and summed, or whose extremum is wanted; at most one axis
 * stays, or one row is cut into pieces, a block each. Rows are made of whole vectors. Everything else
 * is for reduce_rows.cuh, which this saves a tenth. Included there. */
#pragma once
#include "reduce_item.cuh"

#define GA_REDUCE_LINE_DEPTH 8 /* vector loads that a thread has under way at once */

/* The policies that have these kernels. */
template <class P> constexpr bool ga_reduce_takes_lines = false;
template <int op, class T>
constexpr bool ga_reduce_takes_lines<ga_reduce_plain<op, T, T>> =
    GA_BLOCK > 1 && std::is_floating_point<T>::value && (op == GA_UF_add || op == GA_UF_maximum || op == GA_UF_minimum);

template <class P> GA_FN typename P::acc lift_in_line(typename P::in x)
{
    if constexpr (ga_reduce_pairs<P>)
        return P::lift_pair(x, x);
    else
        return P::lift(x, 0);
}

/* The D vectors from `src` on, `next` elements apart. */
template <class P, int N, int D>
GA_FN void add_line(const typename P::in *src, int64_t next, typename P::acc (&lanes)[N])
{
    ga_pack<typename P::in, N> packs[D];
    GA_UNROLL
    for (int u = 0; u < D; u++)
        packs[u] = ga_pack_load<typename P::in, N>(src + u * next);
    GA_UNROLL
    for (int e = 0; e < N * D; e++)
        lanes[e % N] = P::merge(lanes[e % N], lift_in_line<P>(packs[e / N].v[e % N]));
}

/* This thread's share of `count` elements, which `width` threads reduce together. */
template <class P> GA_FN typename P::acc reduce_line(const typename P::in *src, int64_t count, int lane, int width)
{
    constexpr int N = 16 / int(sizeof(typename P::in)), D = GA_REDUCE_LINE_DEPTH;
    const int64_t next = width * N;
    typename P::acc lanes[N];
    GA_UNROLL
    for (int i = 0; i < N; i++)
        lanes[i] = P::neutral();
    int64_t at = lane * N;
    GA_NO_UNROLL
    for (; at + (D - 1) * next < count; at += D * next)
        add_line<P, N, D>(src + at, next, lanes);
    GA_NO_UNROLL
    for (; at + (D / 2 - 1) * next < count; at += D / 2 * next)
        add_line<P, N, D / 2>(src + at, next, lanes);
    GA_NO_UNROLL
    for (; at < count; at += next)
        add_line<P, N, 1>(src + at, next, lanes);
    return merge_lanes<P, N>(lanes);
}

template <class P> GA_KERNEL reduce_lines(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    const int lane = GA_THREAD & (s.width - 1), span = int(s.span);
    const int64_t number = GA_BLOCK_ID * span + unsigned(GA_THREAD) / unsigned(s.width);
    const int64_t known = number < s.outputs ? number : s.outputs - 1;
    const char *src = s.src + (s.nkeep ? known * s.dim[0].src : 0);
    typename P::acc total = reduce_line<P>(reinterpret_cast<const typename P::in *>(src), s.dim[s.nkeep].size, lane, s.width);
    total = ga_block_merge<P>(total, s.width);
    if (lane == 0 && number < s.outputs)
        store_total<P>(s, number, s.nkeep ? number * s.dim[0].dst : 0, total);
}

/* One row: a block takes a piece, and the last one merges them all. */
template <class P> GA_KERNEL reduce_line_pieces(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    const int64_t first = GA_BLOCK_ID * s.chunk, left = s.dim[0].size - first;
    const typename P::in *src = reinterpret_cast<const typename P::in *>(s.src) + first;
    typename P::acc total = reduce_line<P>(src, left < s.chunk ? left : s.chunk, GA_THREAD, GA_BLOCK);
    total = ga_block_merge<P>(total, GA_BLOCK);
    if (GA_THREAD == 0)
        reinterpret_cast<typename P::acc *>(s.dst)[GA_BLOCK_ID] = total;
    if (!ga_block_arrives(s.arrived, s.parts))
        return;
    total = ga_block_merge<P>(merge_parts<P>(s, 0), GA_BLOCK);
    if (GA_THREAD == 0)
        store_result<P>(s, s.result, 0, total);
}

/* Of pairs, whether both are the same element. */
static inline bool pairs_alike(const ga_reduce_stage *s)
{
    return s->where == s->src && (s->nkeep == 0 || s->dim[0].where == s->dim[0].src);
}

/* Vectors are aligned where rows are launched at all. */
template <class P> static bool holds_lines(const ga_reduce_stage *s)
{
    const int lanes = 16 / int(sizeof(typename P::in));
    const bool pieces = s->nkeep == 0 && s->parts > 1 && s->arrived && s->chunk % lanes == 0;
    return s->nkeep <= 1 && (s->parts == 1 || pieces) && s->dim[s->nkeep].size % lanes == 0
           && (!ga_reduce_pairs<P> || pairs_alike(s));
}

template <class P> static int launch_lines(const ga_reduce_stage *s, int64_t blocks, ga_stream *stream)
{
    if (s->parts > 1)
        return ga_launch(reduce_line_pieces<P>, blocks, stream, *s);
    return ga_launch(reduce_lines<P>, blocks, stream, *s);
}
