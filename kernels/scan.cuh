/* The kernels of a scan, over a policy P of reduce_policy.cuh:
 *
 *   rows     a warp or a block shares a piece; each thread loads vectors, the block makes prefixes of the threads' totals
 *   lanes    a thread goes along a piece of one lane, or (on the CPU) of a few neighbouring ones; any stride
 *   line     one lane's piece on the CPU, element by element
 *   totals   what comes before each piece, from the pieces' totals
 *
 * Includes reduce_strided.cuh, scan_stage.h. */
#pragma once
#include "reduce_strided.cuh"
#include "scan_stage.h"

/* Vectors of 16 bytes, of what is read or of the wider results, up to four of them at a time. */
template <class P> constexpr int ga_scan_row_width =
    int(sizeof(typename P::in) > sizeof(typename P::out) ? sizeof(typename P::in) : sizeof(typename P::out));
template <class P> constexpr int ga_scan_row_lanes = ga_scan_row_width<P> > 16 ? 1 : 16 / ga_scan_row_width<P>;
template <class P> constexpr int ga_scan_rounds = ga_scan_row_lanes<P> > 8 || sizeof(typename P::acc) > 16 ? 1
                                                  : ga_scan_row_lanes<P> > 4                               ? 2
                                                                                                           : 4;
template <class P> constexpr int ga_scan_column_lanes = GA_BLOCK == 1 ? 1024 / sizeof(typename P::acc) : 1;

template <class P> GA_FN typename P::acc *find_total(const ga_scan_stage &s, int64_t part, int64_t lane)
{
    return reinterpret_cast<typename P::acc *>(s.totals) + part * s.walk.outputs + lane;
}

/* What comes before a piece. */
template <class P> GA_FN typename P::acc get_carry(const ga_scan_stage &s, int64_t part, int64_t lane)
{
    return s.totals && !s.totals_only ? *find_total<P>(s, part, lane) : P::neutral();
}

/* ---- rows ---- */

template <class P, int N>
GA_FN void load_vector(const ga_scan_stage &s, const ga_reduce_item &item, int64_t at, typename P::acc (&values)[N])
{
    if (s.packed_in && at + N <= item.count) {
        typedef typename P::in in;
        ga_pack<in, N> pack = ga_pack_load<in, N>(reinterpret_cast<const in *>(s.walk.src + item.src) + at);
        GA_UNROLL
        for (int i = 0; i < N; i++)
            values[i] = P::lift(pack.v[i], item.place + at + i);
        return;
    }
    GA_UNROLL
    for (int i = 0; i < N; i++)
        values[i] = at + i < item.count ? lift_element<P, true>(s.walk, item, at + i) : P::neutral();
}

/* All loads of a whole tile are under way together. */
template <class P, int N, int K>
GA_FN void load_tile(const ga_scan_stage &s, const ga_reduce_item &item, int64_t first,
                     typename P::acc (&values)[K][N])
{
    typedef typename P::in in;
    const int64_t next = int64_t(s.walk.width) * N, at = first + GA_THREAD % s.walk.width * N;
    if (!s.packed_in || first + next * K > item.count) {
        GA_UNROLL
        for (int k = 0; k < K; k++)
            load_vector<P, N>(s, item, at + k * next, values[k]);
        return;
    }
    ga_pack<in, N> packs[K];
    GA_UNROLL
    for (int k = 0; k < K; k++)
        packs[k] = ga_pack_load<in, N>(reinterpret_cast<const in *>(s.walk.src + item.src) + at + k * next);
    GA_UNROLL
    for (int k = 0; k < K; k++)
        GA_UNROLL
        for (int i = 0; i < N; i++)
            values[k][i] = P::lift(packs[k].v[i], item.place + at + k * next + i);
}

template <class P, int N>
GA_FN void store_vector(const ga_scan_stage &s, const ga_reduce_item &item, int64_t at,
                        const typename P::acc (&values)[N])
{
    typedef typename P::out out;
    char *dst = s.walk.dst + item.dst;
    if (s.packed_out && at + N <= item.count) {
        ga_pack<out, N> pack;
        GA_UNROLL
        for (int i = 0; i < N; i++)
            pack.v[i] = P::settle(values[i]);
        *reinterpret_cast<ga_pack<out, N> *>(reinterpret_cast<out *>(dst) + at) = pack;
        return;
    }
    GA_UNROLL
    for (int i = 0; i < N; i++)
        if (at + i < item.count)
            *reinterpret_cast<out *>(dst + (at + i) * s.walk.dim[s.walk.nkeep].dst) = P::settle(values[i]);
}

/* One tile: `width` threads times K vectors of N. Returns its total. */
template <class P, int N, int K>
GA_FN typename P::acc scan_tile(const ga_scan_stage &s, const ga_reduce_item &item, int64_t first,
                                typename P::acc carry)
{
    typename P::acc values[K][N], before[K], total;
    const int64_t width = s.walk.width, at = first + GA_THREAD % s.walk.width * N;
    load_tile<P, N, K>(s, item, first, values);
    GA_UNROLL
    for (int k = 0; k < K; k++) {
        GA_UNROLL
        for (int i = 1; i < N; i++)
            values[k][i] = P::merge(values[k][i - 1], values[k][i]);
        before[k] = values[k][N - 1];
    }
    ga_block_scan<P, K>(before, total, s.walk.width);
    if (s.totals_only)
        return total;
    GA_UNROLL
    for (int k = 0; k < K; k++) {
        typename P::acc start = P::merge(carry, before[k]);
        GA_UNROLL
        for (int i = 0; i < N; i++)
            values[k][i] = P::merge(start, values[k][i]);
        store_vector<P, N>(s, item, at + k * width * N, values[k]);
    }
    return total;
}

/* Moves an item's destination to its piece, as locate_part has moved the rest. */
GA_FN ga_reduce_item locate_piece(const ga_scan_stage &s, int64_t part, int64_t lane)
{
    ga_reduce_item item = locate_output(s.walk, lane);
    locate_part(s.walk, part, item);
    item.dst += part * s.walk.chunk * s.walk.dim[s.walk.nkeep].dst;
    return item;
}

/* Each element waits for the one before, and for nothing else. Totals, which nobody sees, may be made in any order. */
template <class P> GA_FN void scan_line(const ga_scan_stage &s, const ga_reduce_item &item, int64_t part, int64_t lane)
{
    const ga_reduce_dim &axis = s.walk.dim[s.walk.nkeep];
    if (s.totals_only) {
        *find_total<P>(s, part, lane) = reduce_strided_share<P, true>(s.walk, item, 0, item.count, 0, 1);
        return;
    }
    typename P::acc running = get_carry<P>(s, part, lane);
    const char *from = s.walk.src + item.src;
    char *to = s.walk.dst + item.dst;
    for (int64_t i = 0; i < item.count; i++, from += axis.src, to += axis.dst) {
        running = P::merge(running, P::lift(*reinterpret_cast<const typename P::in *>(from), item.place + i));
        *reinterpret_cast<typename P::out *>(to) = P::settle(running);
    }
}

/* By one group of threads; `mine` is false where there is no piece left for it. */
template <class P>
GA_FN void scan_tiles(const ga_scan_stage &s, ga_reduce_item &item, int64_t part, int64_t lane, bool mine)
{
    constexpr int N = ga_scan_row_lanes<P>, K = ga_scan_rounds<P>;
    const int64_t tile = int64_t(s.walk.width) * N * K;
    item.count = mine ? item.count : 0;
    typename P::acc carry = get_carry<P>(s, part, lane);
    GA_NO_UNROLL
    for (int64_t first = 0; first < s.walk.chunk; first += tile)
        carry = P::merge(carry, scan_tile<P, N, K>(s, item, first, carry));
    if (s.totals_only && mine && GA_THREAD % s.walk.width == 0)
        *find_total<P>(s, part, lane) = carry;
}

template <class P> GA_FN void scan_row(const ga_scan_stage &s, int64_t number, bool mine)
{
    int64_t part = divide(number, s.walk.outputs), lane = number - part * s.walk.outputs;
    ga_reduce_item item = locate_piece(s, part, lane);
    if constexpr (GA_BLOCK == 1)
        scan_line<P>(s, item, part, lane);
    else
        scan_tiles<P>(s, item, part, lane, mine);
}

/* Every thread of a block goes through as many pieces and tiles, for the sake of its barriers. The
 * last pass begins with what the first one read last and the cache may still hold. */
template <class P> GA_KERNEL scan_rows(GA_PARAM ga_scan_stage s)
{
    GA_AWAIT();
    const int groups = GA_BLOCK / s.walk.width;
    const int64_t items = s.walk.outputs * s.walk.parts;
    const bool again = s.totals && !s.totals_only;
    int64_t first = (again ? GA_GRID - 1 - GA_BLOCK_ID : GA_BLOCK_ID) * s.walk.span;
    int64_t last = first + s.walk.span < items ? first + s.walk.span : items;
    for (int64_t base = first; base < last; base += groups) {
        int64_t number = base + GA_THREAD / s.walk.width;
        scan_row<P>(s, number < last ? number : last - 1, number < last);
    }
}

/* ---- lanes ---- */

/* plain: elements lie side by side on the innermost axis in src and dst. */
template <class P, bool plain>
GA_FN void scan_step(const ga_scan_stage &s, const ga_reduce_item &item, int64_t row, int lanes,
                     typename P::acc *running, const typename P::acc *carries)
{
    const ga_reduce_stage &w = s.walk;
    const ga_reduce_dim &axis = w.dim[w.nkeep];
    const int64_t src_step = plain ? int64_t(sizeof(typename P::in)) : w.nkeep > 0 ? w.dim[w.nkeep - 1].src : 0;
    const int64_t dst_step = plain ? int64_t(sizeof(typename P::out)) : w.nkeep > 0 ? w.dim[w.nkeep - 1].dst : 0;
    const int64_t src = item.src + row * axis.src;
    char *dst = w.dst + item.dst + row * axis.dst;
    GA_INDEPENDENT
    for (int i = 0; i < lanes; i++) {
        const char *from = w.src + src + i * src_step;
        running[i] = P::merge(running[i], P::lift(*reinterpret_cast<const typename P::in *>(from), item.place + row));
        if (!s.totals_only)
            *reinterpret_cast<typename P::out *>(dst + i * dst_step) =
                P::settle(s.totals ? P::merge(carries[i], running[i]) : running[i]);
    }
}

/* Of the operations, these four are accumulated; the others go along lanes alone, one element at a time. */
template <class T> constexpr bool ga_scan_is_rare(int op)
{
    const bool frequent = op == GA_UF_add || op == GA_UF_multiply || op == GA_UF_maximum || op == GA_UF_minimum;
    return !frequent || ga_reduce_is_rare<T>(op) || (ga_is_complex<T>::value && ga_reduce_is_extremum(op));
}

/* Rows that a thread of the GPU has under way at once. */
template <class P> constexpr int ga_scan_depth = 1;
template <int op, class In, class T>
constexpr int ga_scan_depth<ga_reduce_plain<op, In, T>> = ga_scan_is_rare<T>(op) ? 1 : sizeof(T) > 8 ? 4 : 8;
template <int op, class T, bool nan>
constexpr int ga_scan_depth<ga_reduce_placed<op, T, nan>> = ga_scan_is_rare<T>(op) ? 1 : 4;

/* The rows of a piece, one lane. */
template <class P>
GA_FN void scan_down(const ga_scan_stage &s, const ga_reduce_item &item, typename P::acc &running,
                     const typename P::acc &carry)
{
    constexpr int D = ga_scan_depth<P>;
    const ga_reduce_dim &axis = s.walk.dim[s.walk.nkeep];
    const char *src = s.walk.src + item.src;
    GA_NO_UNROLL
    for (int64_t row = 0; row < item.count; row += D) {
        typename P::in values[D];
        GA_UNROLL
        for (int u = 0; u < D; u++) /* the last row again beyond the end, so that no load has to wait for a test */
            values[u] = *reinterpret_cast<const typename P::in *>(
                src + (row + u < item.count ? row + u : item.count - 1) * axis.src);
        GA_UNROLL
        for (int u = 0; u < D && row + u < item.count; u++) {
            running = P::merge(running, P::lift(values[u], item.place + row + u));
            if (!s.totals_only)
                *reinterpret_cast<typename P::out *>(s.walk.dst + item.dst + (row + u) * axis.dst) =
                    P::settle(s.totals ? P::merge(carry, running) : running);
        }
    }
}

template <class P>
GA_FN void scan_column(const ga_scan_stage &s, const ga_reduce_item &item, int64_t part, int64_t lane)
{
    typename P::acc running = P::neutral();
    scan_down<P>(s, item, running, get_carry<P>(s, part, lane));
    if (s.totals_only)
        *find_total<P>(s, part, lane) = running;
}

template <class P>
GA_FN void scan_columns(const ga_scan_stage &s, const ga_reduce_item &item, int64_t part, int64_t lane, int lanes)
{
    typename P::acc running[ga_scan_column_lanes<P>], carries[ga_scan_column_lanes<P>];
    for (int i = 0; i < lanes; i++) {
        running[i] = P::neutral();
        carries[i] = get_carry<P>(s, part, lane + i);
    }
    for (int64_t row = 0; row < item.count; row++) {
        if (s.packed_in && s.packed_out)
            scan_step<P, true>(s, item, row, lanes, running, carries);
        else
            scan_step<P, false>(s, item, row, lanes, running, carries);
    }
    for (int i = 0; s.totals_only && i < lanes; i++)
        *find_total<P>(s, part, lane + i) = running[i];
}

/* A block takes `span` tiles of neighbouring lanes, numbered by piece first. */
template <class P> GA_KERNEL scan_lanes(GA_PARAM ga_scan_stage s)
{
    GA_AWAIT();
    constexpr int L = ga_scan_column_lanes<P>;
    const ga_reduce_stage &w = s.walk;
    const int64_t inner = w.nkeep > 0 ? w.dim[w.nkeep - 1].size : 1, outer = divide(w.outputs, inner);
    const int64_t tiles = w.tiles * outer, items = tiles * w.parts;
    int64_t last = (GA_BLOCK_ID + 1) * w.span < items ? (GA_BLOCK_ID + 1) * w.span : items;
    for (int64_t number = GA_BLOCK_ID * w.span + GA_THREAD; number < last; number += GA_BLOCK) {
        int64_t part = divide(number, tiles), tile = number - part * tiles, line = divide(tile, w.tiles);
        int64_t column = (tile - line * w.tiles) * L, lane = line * inner + column;
        int lanes = int(inner - column < L ? inner - column : L);
        ga_reduce_item item = locate_piece(s, part, lane);
        if constexpr (GA_BLOCK > 1)
            scan_column<P>(s, item, part, lane);
        else if (lanes == 1)
            scan_line<P>(s, item, part, lane);
        else
            scan_columns<P>(s, item, part, lane, lanes);
    }
}

/* ---- totals ---- */

/* What comes before each piece of a lane, by one thread. */
template <class P> GA_FN void scan_lane_totals(const ga_scan_stage &s, int64_t lane)
{
    constexpr int D = ga_scan_depth<P>;
    typename P::acc before = P::neutral(), values[D];
    for (int64_t part = 0; part < s.walk.parts; part += D) {
        GA_UNROLL
        for (int u = 0; u < D; u++)
            values[u] = part + u < s.walk.parts ? *find_total<P>(s, part + u, lane) : P::neutral();
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            if (part + u < s.walk.parts)
                *find_total<P>(s, part + u, lane) = before;
            before = P::merge(before, values[u]);
        }
    }
}

/* A thread a lane where its pieces are few. Else a block a lane: each thread adds up a run of pieces, then writes what
 * comes before each of them. */
template <class P> GA_KERNEL scan_totals(GA_PARAM ga_scan_stage s)
{
    GA_AWAIT();
    if (s.walk.parts <= GA_SCAN_FEW) {
        int64_t lane = GA_BLOCK_ID * GA_BLOCK + GA_THREAD;
        if (lane < s.walk.outputs)
            scan_lane_totals<P>(s, lane);
        return;
    }
    const int64_t run = (s.walk.parts + GA_BLOCK - 1) / GA_BLOCK, first = GA_THREAD * run;
    const int64_t last = first + run < s.walk.parts ? first + run : s.walk.parts;
    typename P::acc before[1] = {P::neutral()}, all;
    for (int64_t part = first; part < last; part++)
        before[0] = P::merge(before[0], *find_total<P>(s, part, GA_BLOCK_ID));
    ga_block_scan<P, 1>(before, all, GA_BLOCK);
    for (int64_t part = first; part < last; part++) {
        typename P::acc *total = find_total<P>(s, part, GA_BLOCK_ID), value = *total;
        *total = before[0];
        before[0] = P::merge(before[0], value);
    }
}

/* ---- launchers ---- */

template <class P> static int launch_scan_rows(const ga_scan_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(scan_rows<P>, blocks, stream, *stage);
}

template <class P> static int launch_scan_lanes(const ga_scan_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(scan_lanes<P>, blocks, stream, *stage);
}

template <class P> static int launch_scan_totals(const ga_scan_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(scan_totals<P>, blocks, stream, *stage);
}
