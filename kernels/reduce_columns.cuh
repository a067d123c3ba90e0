/* Reductions where the innermost axis that stays is contiguous: a thread goes down a few columns
 * side by side. Blocks number tiles of that axis fastest, then outer outputs, then pieces. Includes
 * reduce_item.cuh, reduce_few.cuh. */
#pragma once
#include "reduce_few.cuh"
#include "reduce_item.cuh"

/* The CPU goes along rows with as many accumulators as stay in its first cache. */
template <class P> constexpr int ga_reduce_column_lanes =
    GA_BLOCK == 1                                                   ? 512
    : sizeof(typename P::acc) > 8                                   ? 1
    : sizeof(typename P::acc) <= 4 && sizeof(typename P::in) >= 4   ? 16 / sizeof(typename P::in)
    : sizeof(typename P::in) >= 8                                   ? 1
                                                                    : 8 / sizeof(typename P::in);

/* D rows, `down` places apart; `others` are those of a pair's second operand. */
template <class P, int N, int D>
GA_FN void merge_tile(const ga_pack<typename P::in, N> (&packs)[D], const ga_pack<typename P::in, N> (&others)[D],
                      int64_t place, int64_t down, int64_t across, typename P::acc (&lanes)[N])
{
    if constexpr (P::batches && D > 1) {
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
        for (int e = 0; e < D * N; e++) {
            const int u = e / N, i = e % N;
            lanes[i] = P::merge(lanes[i], lift_one<P>(&packs[u].v[i], &others[u].v[i], place + u * down + i * across));
        }
    }
}

/* Rows `row`, row + step... of N whole columns: D of them, whose loads are under way together. */
template <class P, int N, int D>
GA_FN void take_rows(const ga_reduce_stage &s, const ga_reduce_item &item, int64_t row, int step,
                     typename P::acc (&lanes)[N])
{
    typedef typename P::in in;
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    ga_pack<in, N> packs[D];
    GA_UNROLL
    for (int u = 0; u < D; u++)
        packs[u] = ga_pack_load<in, N>(reinterpret_cast<const in *>(s.src + item.src + (row + u * step) * axis.src));
    const int64_t place = item.place + row * axis.place, down = step * axis.place, across = s.dim[s.nkeep - 1].place;
    if constexpr (ga_reduce_pairs<P>) {
        ga_pack<in, N> others[D];
        GA_UNROLL
        for (int u = 0; u < D; u++)
            others[u] =
                ga_pack_load<in, N>(reinterpret_cast<const in *>(s.where + item.where + (row + u * step) * axis.where));
        merge_tile<P>(packs, others, place, down, across, lanes);
    } else {
        merge_tile<P>(packs, packs, place, down, across, lanes);
    }
}

/* GPU: N whole columns, down the tiles of rows of piece `part`. */
template <class P, int N>
GA_FN void reduce_column_tiles(const ga_reduce_stage &s, const ga_reduce_item &item, int64_t part, int first, int step,
                               typename P::acc (&lanes)[N])
{
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    const int64_t tile = int64_t(step) * GA_REDUCE_DEPTH;
    if constexpr (P::batches)
        GA_UNROLL
        for (int i = 0; i < N; i++)
            P::begin(lanes[i], reinterpret_cast<const typename P::in *>(s.src + item.src)[i]);
    GA_NO_UNROLL
    for (int64_t base = part * tile; base < axis.size; base += s.parts * tile) {
        int64_t row = base + first, end = base + tile < axis.size ? base + tile : axis.size;
        if (base + tile <= axis.size) {
            take_rows<P, N, GA_REDUCE_DEPTH>(s, item, row, step, lanes);
            continue;
        }
        GA_NO_UNROLL
        for (; row < end; row += step)
            take_rows<P, N, 1>(s, item, row, step, lanes);
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
        if constexpr (ga_reduce_pairs<P>) {
            const in *other = reinterpret_cast<const in *>(s.where + item.where + row * axis.where);
            for (int i = 0; i < columns; i++)
                lanes[i] = P::merge(lanes[i], P::lift_pair(line[i], other[i]));
        } else {
            GA_INDEPENDENT
            for (int i = 0; i < columns; i++)
                lanes[i] = P::merge(lanes[i], P::lift(line[i], item.place + row * axis.place + i * inner.place));
        }
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

/* This thread's share of the accumulators of up to N columns; a few rows of them are under way together. */
template <class P, int N>
GA_FN void merge_column_parts(const ga_reduce_stage &s, int64_t output, int columns, typename P::acc (&lanes)[N])
{
    typedef typename P::acc A;
    constexpr int D = sizeof(A) > 8 ? 1 : 4;
    const int64_t step = GA_BLOCK / s.width;
    GA_NO_UNROLL
    for (int64_t part = GA_THREAD / s.width; part < s.parts; part += D * step) {
        A values[D][N];
        GA_UNROLL
        for (int e = 0; e < D * N; e++) {
            const int64_t row = part + e / N * step;
            values[e / N][e % N] = row < s.parts && e % N < columns
                                       ? reinterpret_cast<const A *>(s.dst)[row * s.outputs + output + e % N]
                                       : P::neutral();
        }
        GA_UNROLL
        for (int e = 0; e < D * N; e++)
            lanes[e % N] = P::merge(lanes[e % N], values[e / N][e % N]);
    }
}

/* The block that comes last of a tile's merges its pieces. Called, so that the columns before it have all registers. */
template <class P, int N>
GA_FN_CALL void join_columns(const ga_reduce_stage &s, int64_t tile, int64_t output, int columns, int64_t dst)
{
    if (!ga_block_arrives(s.arrived + tile, s.parts))
        return;
    typename P::acc lanes[N];
    GA_UNROLL
    for (int i = 0; i < N; i++)
        lanes[i] = P::neutral();
    merge_column_parts<P, N>(s, output, columns, lanes);
    ga_block_merge_rows<P, N>(lanes, s.width);
    if (GA_THREAD < s.width)
        for (int i = 0; i < columns; i++)
            store_result<P>(s, s.result, dst + i * s.dim[s.nkeep - 1].dst, lanes[i]);
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
    if constexpr (GA_BLOCK > 1)
        if (s.arrived)
            join_columns<P, N>(s, GA_BLOCK_ID - part * s.tiles * outer, output, columns, item.dst);
}

template <class P> static int launch_columns(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    if constexpr (ga_reduce_takes_lines<P> && !ga_reduce_pairs<P>)
        if (holds_few<P>(stage))
            return launch_few<P>(stage, stream);
    return ga_launch(reduce_columns<P>, blocks, stream, *stage);
}
