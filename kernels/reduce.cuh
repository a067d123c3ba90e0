/* The kernels of one stage of a reduction, over a policy P of reduce_policy.cuh:
 *
 *   rows      the axis is contiguous: `width` threads share an item, each loads whole vectors
 *   columns   the innermost axis that stays is contiguous: a thread goes down a few columns side by side
 *   strided   everything else: any stride, a mask, a conversion on load
 *   ordered   one thread an output, strictly left to right over all reduced axes
 *
 * An item is a piece of the axis for one output; ga_reduce_stage tells how the axis is cut. On the GPU a thread takes at
 * most 128 elements or so per accumulator before threads merge theirs in a tree; rows and columns cut the axis into tiles
 * and deal them out to the pieces in turn, so that blocks which run together read memory that lies together. On the CPU,
 * where one thread takes the whole piece, pieces are contiguous and halved down to leaves of that size. Includes block.cuh,
 * reduce_policy.cuh. */
#pragma once
#include "block.cuh"
#include "reduce_policy.cuh"

#define GA_REDUCE_DEPTH 4 /* vector loads that a thread has under way at once on the GPU */
#define GA_REDUCE_LEAF 16 /* elements per accumulator in a leaf on the CPU */

/* On the CPU, a few vectors of accumulators. Compilers keep selected floats in memory, where more of them hide the
 * way through it. */
template <class P> constexpr int ga_reduce_row_lanes =
    GA_BLOCK > 1 ? (sizeof(typename P::in) > 16 ? 1 : 16 / sizeof(typename P::in))
                 : sizeof(typename P::acc) > 16 ? 4 : (P::selects ? 256 : 64) / sizeof(typename P::acc);

/* The CPU goes along rows with as many accumulators as stay in its first cache. */
template <class P> constexpr int ga_reduce_column_lanes =
    GA_BLOCK == 1                                                   ? 512
    : sizeof(typename P::acc) > 8                                   ? 1
    : sizeof(typename P::acc) <= 4 && sizeof(typename P::in) >= 4   ? 16 / sizeof(typename P::in)
    : sizeof(typename P::in) >= 8                                   ? 1
                                                                    : 8 / sizeof(typename P::in);

/* Where an item starts and how long it is. */
struct ga_reduce_item {
    int64_t src, dst, where, place; /* offsets */
    int64_t count;
};

/* Of numbers that are not negative; short ones are the rule, and cheaper. */
GA_FN_CALL int64_t divide(int64_t n, int64_t by)
{
    return (n | by) >> 32 ? n / by : int64_t(uint32_t(n) / uint32_t(by));
}

/* Called, once an item: its divisions in line would be half of every kernel. */
GA_FN_CALL ga_reduce_item locate_output(const ga_reduce_stage &s, int64_t output)
{
    ga_reduce_item item = {0, 0, 0, s.place, 0};
    GA_NO_UNROLL
    for (int d = s.nkeep - 1; d >= 0; d--) {
        const ga_reduce_dim &dim = s.dim[d];
        int64_t rest = d > 0 ? divide(output, dim.size) : 0;
        int64_t index = output - rest * dim.size;
        item.src += index * dim.src;
        item.dst += index * dim.dst;
        item.where += index * dim.where;
        item.place += index * dim.place;
        output = rest;
    }
    return item;
}

/* Moves an output's item to piece `part` of the axis. */
GA_FN void locate_part(const ga_reduce_stage &s, int64_t part, ga_reduce_item &item)
{
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    int64_t first = part * s.chunk;
    item.count = axis.size - first < s.chunk ? axis.size - first : s.chunk;
    item.src += first * axis.src;
    item.where += first * axis.where;
    item.place += first * axis.place;
}

GA_FN ga_reduce_item locate_item(const ga_reduce_stage &s, int64_t number)
{
    int64_t part = s.parts == 1 ? 0 : divide(number, s.outputs);
    ga_reduce_item item = locate_output(s, number - part * s.outputs);
    locate_part(s, part, item);
    return item;
}

/* `number` is that of the accumulator, `offset` that of the result. */
template <class P>
GA_FN void store_total(const ga_reduce_stage &s, int64_t number, int64_t offset, typename P::acc total)
{
    if (s.last)
        *reinterpret_cast<typename P::out *>(s.dst + offset) = P::finish(s, total);
    else
        reinterpret_cast<typename P::acc *>(s.dst)[number] = total;
}

/* ---- rows ---- */

template <class P, int N> GA_FN typename P::acc merge_lanes(typename P::acc (&lanes)[N])
{
    GA_UNROLL
    for (int half = N / 2; half > 0; half /= 2)
        GA_UNROLL
        for (int i = 0; i < half; i++)
            lanes[i] = P::merge(lanes[i], lanes[i + half]);
    return lanes[0];
}

template <class P, int N>
GA_FN void merge_pack(const ga_pack<typename P::in, N> &pack, int64_t place, int64_t step, typename P::acc (&lanes)[N])
{
    if constexpr (P::selects) {
        GA_LANES
        for (int i = 0; i < N; i++)
            lanes[i] = P::merge(lanes[i], P::lift(pack.v[i], place + i * step));
    } else {
        GA_UNROLL
        for (int i = 0; i < N; i++)
            lanes[i] = P::merge(lanes[i], P::lift(pack.v[i], place + i * step));
    }
}

/* GPU: this thread's share of piece `part` of `count` contiguous elements. */
template <class P>
GA_FN typename P::acc reduce_tiles(const typename P::in *src, int64_t count, int64_t place, int64_t step, int lane,
                                   int width, int64_t part, int64_t parts)
{
    typedef typename P::in in;
    constexpr int N = ga_reduce_row_lanes<P>;
    const int64_t whole = count - count % N, next = int64_t(width) * N, tile = next * GA_REDUCE_DEPTH;
    typename P::acc lanes[N];
    GA_UNROLL
    for (int i = 0; i < N; i++)
        lanes[i] = P::neutral();
    GA_NO_UNROLL
    for (int64_t base = part * tile; base < whole; base += parts * tile) {
        int64_t at = base + int64_t(lane) * N;
        if (base + tile <= whole) {
            ga_pack<in, N> packs[GA_REDUCE_DEPTH];
            GA_UNROLL
            for (int u = 0; u < GA_REDUCE_DEPTH; u++)
                packs[u] = ga_pack_load<in, N>(src + at + u * next);
            GA_UNROLL
            for (int u = 0; u < GA_REDUCE_DEPTH; u++)
                merge_pack<P, N>(packs[u], place + (at + u * next) * step, step, lanes);
            continue;
        }
        GA_NO_UNROLL
        for (; at < whole; at += next)
            merge_pack<P, N>(ga_pack_load<in, N>(src + at), place + at * step, step, lanes);
    }
    typename P::acc total = merge_lanes<P, N>(lanes);
    GA_NO_UNROLL
    for (int64_t at = whole + lane; part == 0 && at < count; at += width)
        total = P::merge(total, P::lift(src[at], place + at * step));
    return total;
}

/* CPU: a leaf. */
template <class P>
GA_FN typename P::acc reduce_vectors(const typename P::in *src, int64_t count, int64_t place, int64_t step)
{
    typedef typename P::in in;
    typedef typename P::acc A;
    constexpr int N = ga_reduce_row_lanes<P>;
    int64_t whole = count - count % N;
    A lanes[N];
    for (int i = 0; i < N; i++)
        lanes[i] = P::neutral();
    for (int64_t at = 0; at < whole; at += N)
        merge_pack<P, N>(ga_pack_load<in, N>(src + at), place + at * step, step, lanes);
    A total = merge_lanes<P, N>(lanes);
    for (int64_t at = whole; at < count; at++)
        total = P::merge(total, P::lift(src[at], place + at * step));
    return total;
}

template <class P>
GA_FN typename P::acc reduce_few(const typename P::in *src, int64_t count, int64_t place, int64_t step)
{
    typename P::acc total = P::neutral();
    for (int64_t at = 0; at < count; at++)
        total = P::merge(total, P::lift(src[at], place + at * step));
    return total;
}

/* The CPU's share is the whole piece: halves of it, down to leaves. Not inlined, because compilers would unroll the
 * recursion. */
template <class P>
static __attribute__((noinline)) typename P::acc halve_vectors(const typename P::in *src, int64_t count, int64_t place, int64_t step)
{
    constexpr int64_t leaf = ga_reduce_row_lanes<P> * GA_REDUCE_LEAF;
    if (count < 8)
        return reduce_few<P>(src, count, place, step);
    if (count <= leaf)
        return reduce_vectors<P>(src, count, place, step);
    int64_t half = (count / 2 + leaf - 1) / leaf * leaf;
    typename P::acc front = halve_vectors<P>(src, half, place, step);
    return P::merge(front, halve_vectors<P>(src + half, count - half, place + half * step, step));
}

/* The first extremum among contiguous elements: the best of each stretch by values alone, which vectors do, and then a
 * search in the best stretch. */
template <class P>
static inline typename P::acc find_place(const typename P::in *src, int64_t count, int64_t place, int64_t step)
{
    typedef typename P::values V;
    constexpr int64_t stretch = 1024;
    typename V::acc best = V::neutral();
    int64_t at = 0;
    for (int64_t first = 0; first < count; first += stretch) {
        typename V::acc value = halve_vectors<V>(src + first, count - first < stretch ? count - first : stretch, 0, 0);
        if (first == 0 || P::takes_over(best, value)) {
            best = value;
            at = first;
        }
    }
    for (; at < count; at++) {
        typename V::acc value = V::lift(src[at], 0);
        if (ga_isnan(best) ? ga_isnan(value) : ga_equal(value, best))
            break;
    }
    return {decltype(P::neutral().value)(best), place + at * step};
}

/* One thread's whole item. An axis walked against its order (step < 0) is left to the places. */
template <class P>
static inline typename P::acc reduce_alone(const typename P::in *src, const ga_reduce_item &item, int64_t step)
{
    if constexpr (P::placed)
        if (step > 0)
            return find_place<P>(src, item.count, item.place, step);
    return halve_vectors<P>(src, item.count, item.place, step);
}

/* An item whole on the CPU, or this thread's share of it on the GPU. */
template <class P> GA_FN typename P::acc reduce_row(const ga_reduce_stage &s, int64_t part, ga_reduce_item &item, int lane)
{
    typedef typename P::in in;
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    if constexpr (GA_BLOCK == 1) {
        locate_part(s, part, item);
        return reduce_alone<P>(reinterpret_cast<const in *>(s.src + item.src), item, axis.place);
    } else {
        const in *src = reinterpret_cast<const in *>(s.src + item.src);
        return reduce_tiles<P>(src, axis.size, item.place, axis.place, lane, s.width, part, s.parts);
    }
}

template <class P> GA_KERNEL reduce_rows(GA_PARAM ga_reduce_stage s)
{
    const int groups = GA_BLOCK / s.width, lane = GA_THREAD % s.width;
    const int64_t items = s.outputs * s.parts;
    int64_t first = GA_BLOCK_ID * s.span;
    int64_t last = first + s.span < items ? first + s.span : items;
    for (int64_t base = first; base < last; base += groups) {
        int64_t number = base + GA_THREAD / s.width, known = number < last ? number : last - 1;
        int64_t part = s.parts == 1 ? 0 : divide(known, s.outputs);
        ga_reduce_item item = locate_output(s, known - part * s.outputs);
        typename P::acc total = reduce_row<P>(s, part, item, lane);
        total = ga_block_merge<P>(total, s.width);
        if (lane == 0 && number < last)
            store_total<P>(s, number, item.dst, total);
    }
}

/* ---- columns: blocks number tiles of the innermost axis fastest, then outer outputs, then pieces ---- */

template <class P, int N>
GA_FN void merge_row(const ga_pack<typename P::in, N> &pack, int64_t place, int64_t across, typename P::acc (&lanes)[N])
{
    GA_UNROLL
    for (int i = 0; i < N; i++)
        lanes[i] = P::merge(lanes[i], P::lift(pack.v[i], place + i * across));
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
    GA_NO_UNROLL
    for (int64_t base = part * tile; base < axis.size; base += s.parts * tile) {
        int64_t row = base + first, end = base + tile < axis.size ? base + tile : axis.size;
        if (base + tile <= axis.size) {
            ga_pack<in, N> packs[GA_REDUCE_DEPTH];
            GA_UNROLL
            for (int u = 0; u < GA_REDUCE_DEPTH; u++)
                packs[u] = ga_pack_load<in, N>(reinterpret_cast<const in *>(src + (row + u * step) * axis.src));
            GA_UNROLL
            for (int u = 0; u < GA_REDUCE_DEPTH; u++)
                merge_row<P, N>(packs[u], item.place + (row + u * step) * axis.place, across, lanes);
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

/* ---- strided ---- */

/* An element of dtype `dtype` as T. Called: its sixteen conversions in every loop would cost minutes of compiling. */
template <class T> GA_FN_CALL T load_as(const char *p, enum ga_dtype dtype)
{
    switch (dtype) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id:                \
        return ga_convert<T>(ga_load(reinterpret_cast<const ctype *>(p)));
#include "../csrc/tables/dtypes.def"
#undef GA_DTYPE
    default:
        return T();
    }
}

/* The element at offset `src` (masked by the one at `where`), lifted. */
template <class P>
GA_FN typename P::acc lift_at(const ga_reduce_stage &s, int64_t src, [[maybe_unused]] int64_t where, int64_t place)
{
    typedef typename P::in in;
    if constexpr (!P::direct_only) {
        if (s.where && !ga_load(reinterpret_cast<const bool *>(s.where + where)))
            return P::neutral();
        if (!s.direct)
            return P::lift_element(load_as<typename P::element>(s.src + src, s.src_dtype), place);
    }
    return P::lift(*reinterpret_cast<const in *>(s.src + src), place);
}

/* plain: known to be neither masked nor converted. */
template <class P, bool plain>
GA_FN typename P::acc lift_element(const ga_reduce_stage &s, const ga_reduce_item &item, int64_t at)
{
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    if constexpr (plain)
        return P::lift(*reinterpret_cast<const typename P::in *>(s.src + item.src + at * axis.src),
                       item.place + at * axis.place);
    return lift_at<P>(s, item.src + at * axis.src, item.where + at * axis.where, item.place + at * axis.place);
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
    for (; at + int64_t(N - 1) * width < last; at += int64_t(N) * width)
        GA_UNROLL
        for (int i = 0; i < N; i++)
            lanes[i] = P::merge(lanes[i], lift_element<P, plain>(s, item, at + int64_t(i) * width));
    typename P::acc total = merge_lanes<P, N>(lanes);
    GA_NO_UNROLL
    for (; at < last; at += width)
        total = P::merge(total, lift_element<P, plain>(s, item, at));
    return total;
}

template <class P>
static __attribute__((noinline)) typename P::acc
halve_strided(const ga_reduce_stage &s, const ga_reduce_item &item, int64_t first, int64_t last)
{
    constexpr int64_t leaf = 4 * GA_REDUCE_LEAF;
    if (last - first <= leaf)
        return s.direct && !s.where ? reduce_strided_share<P, true>(s, item, first, last, 0, 1)
                                    : reduce_strided_share<P, false>(s, item, first, last, 0, 1);
    int64_t half = first + ((last - first) / 2 + leaf - 1) / leaf * leaf;
    typename P::acc front = halve_strided<P>(s, item, first, half);
    return P::merge(front, halve_strided<P>(s, item, half, last));
}

template <class P> GA_KERNEL reduce_strided(GA_PARAM ga_reduce_stage s)
{
    const int groups = GA_BLOCK / s.width, lane = GA_THREAD % s.width;
    const int64_t items = s.outputs * s.parts;
    int64_t first = GA_BLOCK_ID * s.span;
    int64_t last = first + s.span < items ? first + s.span : items;
    for (int64_t base = first; base < last; base += groups) {
        int64_t number = base + GA_THREAD / s.width;
        ga_reduce_item item = locate_item(s, number < last ? number : last - 1);
        typename P::acc total;
        if constexpr (GA_BLOCK == 1)
            total = halve_strided<P>(s, item, 0, item.count);
        else
            total = reduce_strided_share<P, false>(s, item, 0, item.count, lane, s.width);
        total = ga_block_merge<P>(total, s.width);
        if (lane == 0 && number < last)
            store_total<P>(s, number, item.dst, total);
    }
}

/* ---- launchers, as a kit holds them ---- */

template <class P> static int launch_rows(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_rows<P>, blocks, stream, *stage);
}

template <class P> static int launch_columns(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_columns<P>, blocks, stream, *stage);
}

template <class P> static int launch_strided(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_strided<P>, blocks, stream, *stage);
}
