/* Reductions of a few long rows into one on a GPU, in the floats that reduce_lines.cuh takes: a thread
 * has a vector of each row, and little is computed beside the loads. Everything else is for
 * reduce_columns.cuh. Included there. */
#pragma once
#include "reduce_lines.cuh"

#define GA_REDUCE_FEW 16 /* rows */

/* D rows from `src` on, `down` bytes apart. */
template <class P, int N, int D> GA_FN void add_rows(const char *src, int64_t down, typename P::acc (&lanes)[N])
{
    typedef typename P::in in;
    ga_pack<in, N> packs[D];
    GA_UNROLL
    for (int u = 0; u < D; u++)
        packs[u] = ga_pack_load<in, N>(reinterpret_cast<const in *>(src + u * down));
    GA_UNROLL
    for (int e = 0; e < N * D; e++)
        lanes[e % N] = P::merge(lanes[e % N], P::lift(packs[e / N].v[e % N], 0));
}

template <class P> GA_KERNEL reduce_few(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    constexpr int N = 16 / int(sizeof(typename P::in));
    const int64_t place = (GA_BLOCK_ID * GA_BLOCK + GA_THREAD) * 16, down = s.dim[1].src;
    const int rows = int(s.dim[1].size);
    if (place >= s.dim[0].size * int64_t(sizeof(typename P::in)))
        return;
    typename P::acc lanes[N];
    GA_UNROLL
    for (int i = 0; i < N; i++)
        lanes[i] = P::neutral();
    const char *src = s.src + place;
    int left = rows;
    GA_NO_UNROLL
    for (; left >= 4; left -= 4, src += 4 * down)
        add_rows<P, N, 4>(src, down, lanes);
    if (left >= 2) {
        add_rows<P, N, 2>(src, down, lanes);
        src += 2 * down;
    }
    if (left % 2)
        add_rows<P, N, 1>(src, down, lanes);
    ga_pack<typename P::out, N> results;
    GA_UNROLL
    for (int i = 0; i < N; i++)
        results.v[i] = P::finish(s, lanes[i]);
    *reinterpret_cast<ga_pack<typename P::out, N> *>(s.dst + place) = results;
}

template <class P> static bool holds_few(const ga_reduce_stage *s)
{
    const int64_t size = sizeof(typename P::out);
    const uint64_t bits = uintptr_t(s->src) | uintptr_t(s->dst) | uint64_t(s->dim[1].src) | uint64_t(s->dim[0].size * size);
    return s->nkeep == 1 && s->last && s->dim[1].size <= GA_REDUCE_FEW && s->dim[0].dst == size && bits % 16 == 0;
}

template <class P> static int launch_few(const ga_reduce_stage *s, ga_stream *stream)
{
    const int64_t bytes = s->dim[0].size * int64_t(sizeof(typename P::in)), block = 16 * GA_BLOCK;
    return ga_launch(reduce_few<P>, (bytes + block - 1) / block, stream, *s);
}
