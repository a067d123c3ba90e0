/* Reductions of everything else: any stride, a mask, a conversion on load. Includes reduce_item.cuh. */
#pragma once
#include "reduce_item.cuh"

/* An element of dtype `dtype` as T. Called: its conversions in every loop would cost minutes of compiling. */
template <class T> GA_FN_CALL T load_as(const char *p, enum ga_dtype dtype)
{
    switch (dtype) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id:                \
        return ga_convert<T>(ga_load(reinterpret_cast<const ctype *>(p)));
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
    default:
        return T();
    }
}

/* The element at offset `src`, of any dtype, masked by the one at `where`. Called, for the same reason. */
template <class P>
GA_FN_CALL typename P::acc lift_at(const ga_reduce_stage &s, int64_t src, int64_t where, int64_t place)
{
    if (s.where && !ga_load(reinterpret_cast<const bool *>(s.where + where)))
        return P::neutral();
    if (!s.direct)
        return P::lift_element(load_as<typename P::element>(s.src + src, s.src_dtype), place);
    return P::lift(*reinterpret_cast<const typename P::in *>(s.src + src), place);
}

/* plain: known to be neither masked nor converted. */
template <class P, bool plain>
GA_FN typename P::acc lift_element(const ga_reduce_stage &s, const ga_reduce_item &item, int64_t at)
{
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    const int64_t src = item.src + at * axis.src, place = item.place + at * axis.place;
    typedef const typename P::in *pointer;
    if constexpr (plain)
        return lift_one<P>(reinterpret_cast<pointer>(s.src + src),
                           reinterpret_cast<pointer>(s.where + item.where + at * axis.where), place);
    else
        return lift_at<P>(s, src, item.where + at * axis.where, place);
}

template <class P, bool plain>
GA_FN typename P::acc reduce_strided_share(const ga_reduce_stage &s, const ga_reduce_item &item, int64_t first,
                                           int64_t last, int lane, int width)
{
    constexpr int N = 4;
    typename P::acc lanes[N];
    GA_UNROLL
    for (int i = 0; i < N; i++)
        lanes[i] = P::neutral();
    int64_t at = first + lane;
    GA_NO_UNROLL
    for (; at + int64_t(N - 1) * width < last; at += int64_t(N) * width) {
        typename P::acc values[N]; /* loads come first, so that they are under way together */
        GA_UNROLL
        for (int i = 0; i < N; i++)
            values[i] = lift_element<P, plain>(s, item, at + int64_t(i) * width);
        GA_UNROLL
        for (int i = 0; i < N; i++)
            lanes[i] = P::merge(lanes[i], values[i]);
    }
    typename P::acc total = merge_lanes<P, N>(lanes);
    GA_NO_UNROLL
    for (; at < last; at += width)
        total = P::merge(total, lift_element<P, plain>(s, item, at));
    return total;
}

template <class P, bool plain>
static __attribute__((noinline)) typename P::acc
halve_strided(const ga_reduce_stage &s, const ga_reduce_item &item, int64_t first, int64_t last)
{
    constexpr int64_t leaf = 4 * GA_REDUCE_LEAF;
    if (last - first <= leaf)
        return reduce_strided_share<P, plain>(s, item, first, last, 0, 1);
    int64_t half = first + ((last - first) / 2 + leaf - 1) / leaf * leaf;
    typename P::acc front = halve_strided<P, plain>(s, item, first, half);
    return P::merge(front, halve_strided<P, plain>(s, item, half, last));
}

/* The whole item on the CPU, this thread's share of it on the GPU. */
template <class P, bool plain>
GA_FN typename P::acc reduce_strided_item(const ga_reduce_stage &s, const ga_reduce_item &item)
{
    if constexpr (GA_BLOCK == 1)
        return halve_strided<P, plain>(s, item, 0, item.count);
    else
        return reduce_strided_share<P, plain>(s, item, 0, item.count, GA_THREAD % s.width, s.width);
}

template <class P> GA_FN typename P::acc reduce_any_item(const ga_reduce_stage &s, const ga_reduce_item &item)
{
    if constexpr (!P::direct_only)
        if (s.where || !s.direct)
            return reduce_strided_item<P, false>(s, item);
    return reduce_strided_item<P, true>(s, item);
}

template <class P> GA_KERNEL reduce_strided(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    const int groups = GA_BLOCK / s.width, lane = GA_THREAD % s.width;
    const int64_t items = s.outputs * s.parts;
    int64_t first = GA_BLOCK_ID * s.span;
    int64_t last = first + s.span < items ? first + s.span : items;
    for (int64_t base = first; base < last; base += groups) {
        int64_t number = base + GA_THREAD / s.width;
        ga_reduce_item item = locate_item(s, number < last ? number : last - 1);
        typename P::acc total = ga_block_merge<P>(reduce_any_item<P>(s, item), s.width);
        if (lane == 0 && number < last)
            store_total<P>(s, number, item.dst, total);
    }
}

template <class P> static int launch_strided(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_strided<P>, blocks, stream, *stage);
}
