/* Reductions where the innermost axis that stays is contiguous: a thread goes down a few columns side by side. Blocks number
 * tiles of that axis fastest, then outer outputs, then pieces. Includes reduce_item.cuh. */
#pragma once
#include "reduce_item.cuh"

/* The CPU goes along rows with as many accumulators as stay in its first cache. */
template <class P> constexpr int ga_reduce_column_lanes =
    GA_BLOCK == 1                                                   ? 512
    : sizeof(typename P::acc) > 8                                   ? 1
    : sizeof(typename P::acc) <= 4 && sizeof(typename P::in) >= 4   ? 16 / sizeof(typename P::in)
    : sizeof(typename P::in) >= 8                                   ? 1
                                                                    : 8 / sizeof(typename P::in);

template <class P, int N>
GA_FN void merge_row(const ga_pack<typename P::in, N> &pack, int64_t place, int64_t across, typename P::acc (&lanes)[N])
{
    GA_UNROLL
    for (int i = 0; i < N; i++)
        lanes[i] = P::merge(lanes[i], P::lift(pack.v[i], place + i * across));
}

/* D rows, `down` places apart. */
template <class P, int N, int D>
GA_FN void merge_tile(const ga_pack<typename P::in, N> (&packs)[D], int64_t place, int64_t down, int64_t across,
                      typename P::acc (&lanes)[N])
{
    if constexpr (P::batches) {
        GA_UNROLL
        for (int i = 0; i < N; i++) {
            ga_pack<typename P::in, D> column;
            GA_UNROLL
            for (int u = 0; u < D; u++)
                column.v[u] = packs[u].v[i];
            const ga_pack<typename P::in, D> columns[1] = {column};
            P::absorb(lanes[i], columns, place + i * across, 0, down);
        }
    } else {
        GA_UNROLL
        for (int u = 0; u < D; u++)
            merge_row<P, N>(packs[u], place + u * down, across, lanes);
    }
}

/* GPU: N whole columns, down the tiles of rows of piece `part`. */
template <class P, int N>
GA_FN void reduce_column_tiles(const ga_reduce_stage &s, const ga_reduce_item &item, int64_t part, int first, int step,
                               typename P::acc (&lanes)[N])
{
    typedef typename P::in in;
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    const int64_t across = s.dim[s.nkeep - 1].place, tile = int64_t(step) * GA_REDUCE_DEPTH;
    const char *src = s.src + item.src;
    if constexpr (P::batches)
        GA_UNROLL
        for (int i = 0; i < N; i++)
            P::begin(lanes[i], reinterpret_cast<const in *>(src)[i]);
    GA_NO_UNROLL
    for (int64_t base = part * tile; base < axis.size; base += s.parts * tile) {
        int64_t row = base + first, end = base + tile < axis.size ? base + tile : axis.size;
        if (base + tile <= axis.size) {
            ga_pack<in, N> packs[GA_REDUCE_DEPTH];
            GA_UNROLL
            for (int u = 0; u < GA_REDUCE_DEPTH; u++)
                packs[u] = ga_pack_load<in, N>(reinterpret_cast<const in *>(src + (row + u * step) * axis.src));
            merge_tile<P>(packs, item.place + row * axis.place, step * axis.place, across, lanes);
            continue;
        }
        GA_NO_UNROLL
        for (; row < end; row += step)
            merge_row<P, N>(ga_pack_load<in, N>(reinterpret_cast<const in *>(src + row * axis.src)),
                            item.place + row * axis.place, across, lanes);
    }
}

/* `columns` columns, every `step`th row from `first` to before `last`. */
template <class P, int N>
GA_FN void reduce_column_rows(const ga_reduce_stage &s, const ga_reduce_item &item, int columns, int64_t first,
                              int64_t last, int64_t step, typename P::acc (&lanes)[N])
{
    typedef typename P::in in;
    const ga_reduce_dim &axis = s.dim[s.nkeep], &inner = s.dim[s.nkeep - 1];
    for (int64_t row = first; row < last; row += step) {
        const in *line = reinterpret_cast<const in *>(s.src + item.src + row * axis.src);
        GA_INDEPENDENT
        for (int i = 0; i < columns; i++)
            lanes[i] = P::merge(lanes[i], P::lift(line[i], item.place + row * axis.place + i * inner.place));
    }
}

/* This thread's share of piece `part` of up to N columns. */
template <class P, int N>
GA_FN void reduce_column_part(const ga_reduce_stage &s, ga_reduce_item &item, int64_t part, int columns,
                              typename P::acc (&lanes)[N])
{
    if constexpr (GA_BLOCK == 1) {
        locate_part(s, part, item);
        reduce_column_rows<P, N>(s, item, columns, 0, item.count, 1, lanes);
    } else {
        const int first = GA_THREAD / s.width, step = GA_BLOCK / s.width;
        if (columns == N)
            reduce_column_tiles<P, N>(s, item, part, first, step, lanes);
        else if (columns > 0)
            reduce_column_rows<P, N>(s, item, columns, part * step + first, s.dim[s.nkeep].size, s.parts * step, lanes);
    }
}

template <class P> GA_KERNEL reduce_columns(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    constexpr int N = ga_reduce_column_lanes<P>;
    const ga_reduce_dim &inner = s.dim[s.nkeep - 1];
    int64_t outer = divide(s.outputs, inner.size);
    int64_t rest = divide(GA_BLOCK_ID, s.tiles), tile = GA_BLOCK_ID - rest * s.tiles, part = divide(rest, outer);
    int64_t column = (tile * s.width + GA_THREAD % s.width) * N;
    int64_t left = inner.size - column;
    int columns = int(left < 0 ? 0 : left < N ? left : N);
    int64_t output = (rest - part * outer) * inner.size + (columns > 0 ? column : 0);
    ga_reduce_item item = locate_output(s, output);
    typename P::acc lanes[N];
    GA_UNROLL
    for (int i = 0; i < (GA_BLOCK == 1 ? columns : N); i++)
        lanes[i] = P::neutral();
    reduce_column_part<P, N>(s, item, part, columns, lanes);
    ga_block_merge_rows<P, N>(lanes, s.width);
    if (GA_THREAD < s.width)
        for (int i = 0; i < columns; i++)
            store_total<P>(s, part * s.outputs + output + i, item.dst + i * inner.dst, lanes[i]);
}

template <class P> static int launch_columns(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_columns<P>, blocks, stream, *stage);
}
