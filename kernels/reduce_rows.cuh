/* Reductions along a contiguous axis: `width` threads share an item, each loads whole vectors. On
 * the GPU the axis is cut into tiles that are dealt out to the pieces in turn; on the CPU a piece
 * is halved down to leaves, which are packed first where the axis has gaps. Includes reduce_item.cuh, reduce_leaf.cuh,
 * reduce_lines.cuh. */
#pragma once
#include "reduce_item.cuh"
#include "reduce_leaf.cuh"
#include "reduce_lines.cuh"

/* On the CPU, a few vectors of accumulators. Compilers keep selected floats in memory, where more of them hide the
 * way through it. */
template <class P> constexpr int ga_reduce_row_lanes =
    GA_BLOCK > 1 ? (sizeof(typename P::in) > 16 ? 1 : 16 / sizeof(typename P::in))
                 : sizeof(typename P::acc) > 16 ? 4 : (P::selects ? 256 : 64) / sizeof(typename P::acc);

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

/* Accumulators of a thread on the GPU: one a lane of its vectors, but a policy that batches has one for all. */
template <class P> constexpr int ga_reduce_row_accs = P::batches ? 1 : ga_reduce_row_lanes<P>;

/* D vectors, `next` places apart. */
template <class P, int N, int D, int L>
GA_FN void merge_packs(const ga_pack<typename P::in, N> (&packs)[D], int64_t place, int64_t next, int64_t step,
                       typename P::acc (&lanes)[L])
{
    if constexpr (P::batches)
        P::absorb(lanes[0], packs, place, next, step);
    else
        GA_UNROLL
        for (int u = 0; u < D; u++)
            merge_pack<P, N>(packs[u], place + u * next, step, lanes);
}

/* The D vectors `next` elements apart, and of pairs those of the other operand: all are under way
 * before any is used. */
template <class P, int N, int D, int L>
GA_FN void take_packs(const typename P::in *src, const typename P::in *other, int64_t next, int64_t place, int64_t step,
                      typename P::acc (&lanes)[L])
{
    typedef typename P::in in;
    ga_pack<in, N> packs[D];
    GA_UNROLL
    for (int u = 0; u < D; u++)
        packs[u] = ga_pack_load<in, N>(src + u * next);
    if constexpr (ga_reduce_pairs<P>) {
        ga_pack<in, N> others[D];
        GA_UNROLL
        for (int u = 0; u < D; u++) /* squares read once: the cache would have it, but takes its time */
            others[u] = other == src ? packs[u] : ga_pack_load<in, N>(other + u * next);
        GA_UNROLL
        for (int e = 0; e < N * D; e++)
            lanes[e % N] = P::merge(lanes[e % N], P::lift_pair(packs[e / N].v[e % N], others[e / N].v[e % N]));
    } else {
        merge_packs<P>(packs, place, next * step, step, lanes);
    }
}

/* GPU: this thread's share of piece `part` of `count` contiguous elements. */
template <class P>
GA_FN typename P::acc reduce_tiles(const typename P::in *src, const typename P::in *other, int64_t count, int64_t place,
                                   int64_t step, int lane, int width, int64_t part, int64_t parts)
{
    constexpr int N = ga_reduce_row_lanes<P>, L = ga_reduce_row_accs<P>;
    const int64_t whole = count - count % N, next = int64_t(width) * N, tile = next * GA_REDUCE_DEPTH;
    typename P::acc lanes[L];
    GA_UNROLL
    for (int i = 0; i < L; i++)
        lanes[i] = P::neutral();
    if constexpr (P::batches)
        P::begin(lanes[0], src[0]);
    GA_NO_UNROLL
    for (int64_t base = part * tile; base < whole; base += parts * tile) {
        int64_t at = base + int64_t(lane) * N;
        if (base + tile <= whole) {
            take_packs<P, N, GA_REDUCE_DEPTH>(src + at, other + at, next, place + at * step, step, lanes);
            continue;
        }
        GA_NO_UNROLL
        for (; at < whole; at += next)
            take_packs<P, N, 1>(src + at, other + at, 0, place + at * step, step, lanes);
    }
    typename P::acc total = merge_lanes<P, L>(lanes);
    GA_NO_UNROLL
    for (int64_t at = whole + lane; part == 0 && at < count; at += width)
        total = P::merge(total, lift_one<P>(src + at, other + at, place + at * step));
    return total;
}

/* CPU: a leaf with an accumulator a lane. */
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
        merge_pack<P, N>(*reinterpret_cast<const ga_pack<in, N> *>(src + at), place + at * step, step, lanes);
    A total = merge_lanes<P, N>(lanes);
    for (int64_t at = whole; at < count; at++)
        total = P::merge(total, P::lift(src[at], place + at * step));
    return total;
}

/* CPU: the element `at` places behind `src` along the axis, whose neighbours are `stride` bytes apart. */
template <class in> GA_FN const in *follow_axis(const in *src, int64_t stride, int64_t at)
{
    return reinterpret_cast<const in *>(reinterpret_cast<const char *>(src) + at * stride);
}

template <class P>
GA_FN typename P::acc reduce_few(const typename P::in *src, int64_t stride, int64_t count, int64_t place, int64_t step)
{
    typename P::acc total = P::neutral();
    for (int64_t at = 0; at < count; at++)
        total = P::merge(total, P::lift(*follow_axis(src, stride, at), place + at * step));
    return total;
}

template <class P> constexpr int64_t leaf_most()
{
    if constexpr (ga_reduce_leaf<P>::special)
        return ga_reduce_leaf<P>::most;
    else
        return ga_reduce_row_lanes<P> * GA_REDUCE_LEAF;
}

/* Fewer elements than accumulators are merged one after the other. */
template <class P> constexpr int64_t leaf_least()
{
    return ga_reduce_leaf<P>::special ? 8 : ga_reduce_row_lanes<P> < 8 ? 8 : ga_reduce_row_lanes<P>;
}

template <class P>
static inline typename P::acc reduce_leaf(const typename P::in *src, int64_t count, int64_t place, int64_t step)
{
    if constexpr (ga_reduce_leaf<P>::special)
        return ga_reduce_leaf<P>::take(src, count);
    else
        return reduce_vectors<P>(src, count, place, step);
}

/* The commonest strides are made known to compilers, for the sake of vectors. */
template <class in> static inline void pack_axis(const in *src, int64_t stride, int64_t count, in *__restrict__ packed)
{
    if (stride == 2 * int64_t(sizeof(in)))
        for (int64_t at = 0; at < count; at++)
            packed[at] = src[2 * at];
    else if (stride == -int64_t(sizeof(in)))
        for (int64_t at = 0; at < count; at++)
            packed[at] = src[-at];
    else
        for (int64_t at = 0; at < count; at++)
            packed[at] = *follow_axis(src, stride, at);
}

/* Elements with gaps are brought together first. Called for the sake of the stack. */
template <class P>
static __attribute__((noinline)) typename P::acc
pack_leaf(const typename P::in *src, int64_t stride, int64_t count, int64_t place, int64_t step)
{
    typename P::in packed[leaf_most<P>()];
    pack_axis(src, stride, count, packed);
    return reduce_leaf<P>(packed, count, place, step);
}

/* The CPU's share is the whole piece: halves of it, down to leaves. Not inlined, because compilers would unroll the
 * recursion. */
template <class P>
static __attribute__((noinline)) typename P::acc
halve_vectors(const typename P::in *src, int64_t stride, int64_t count, int64_t place, int64_t step)
{
    constexpr int64_t leaf = leaf_most<P>();
    if (count < leaf_least<P>())
        return reduce_few<P>(src, stride, count, place, step);
    if (count <= leaf)
        return stride == int64_t(sizeof *src) ? reduce_leaf<P>(src, count, place, step)
                                              : pack_leaf<P>(src, stride, count, place, step);
    int64_t half = (count / 2 + leaf - 1) / leaf * leaf;
    typename P::acc front = halve_vectors<P>(src, stride, half, place, step);
    if (ga_reduce_truth<P>::is_settled(front))
        return front;
    return P::merge(front, halve_vectors<P>(follow_axis(src, stride, half), stride, count - half, place + half * step, step));
}

/* The same under a mask. */
template <class P>
static __attribute__((noinline)) typename P::acc
mask_leaf(const typename P::in *src, int64_t stride, const uint8_t *mask, int64_t mask_stride, int64_t count)
{
    typedef typename P::in in;
    in packed[leaf_most<P>()];
    const in absent = ga_reduce_absent<P>::value();
    if (stride == int64_t(sizeof(in)) && mask_stride == 1)
        for (int64_t at = 0; at < count; at++)
            packed[at] = mask[at] != 0 ? src[at] : absent;
    else
        for (int64_t at = 0; at < count; at++)
            packed[at] = mask[at * mask_stride] != 0 ? *follow_axis(src, stride, at) : absent;
    return reduce_leaf<P>(packed, count, 0, 0);
}

template <class P>
static __attribute__((noinline)) typename P::acc
halve_masked(const typename P::in *src, int64_t stride, const uint8_t *mask, int64_t mask_stride, int64_t count)
{
    constexpr int64_t leaf = leaf_most<P>();
    if (count <= leaf)
        return mask_leaf<P>(src, stride, mask, mask_stride, count);
    const int64_t half = (count / 2 + leaf - 1) / leaf * leaf;
    return P::merge(halve_masked<P>(src, stride, mask, mask_stride, half),
                    halve_masked<P>(follow_axis(src, stride, half), stride, mask + half * mask_stride, mask_stride, count - half));
}

/* Where the first element like `best` stands among a few that lie together, or `count`: groups of
 * elements are looked at without branches. */
template <class V> static inline int64_t find_equal(const typename V::in *src, int64_t count, typename V::acc best)
{
    constexpr int64_t group = 64;
    const bool missing = ga_isnan(best);
    int64_t at = 0;
    for (; !missing && at + group <= count; at += group) {
        int found = 0;
        for (int64_t i = 0; i < group; i++)
            found += ga_equal(V::lift(src[at + i], 0), best);
        if (found)
            break;
    }
    for (; at < count; at++) {
        typename V::acc value = V::lift(src[at], 0);
        if (missing ? ga_isnan(value) : ga_equal(value, best))
            break;
    }
    return at;
}

/* P::takes_over, after a first look. */
template <class P, class V> static inline bool takes_over(V best, V x)
{
    if constexpr (ga_is_complex<V>::value)
        if (ga_reduce_is_behind<P::operation>(best, x))
            return false;
    return P::takes_over(best, x);
}

/* The first extremum of a few elements. */
template <class P>
static inline typename P::acc place_few(const typename P::in *src, int64_t stride, int64_t count, int64_t place, int64_t step)
{
    typename P::acc best = P::neutral();
    if (count > 0)
        best = P::lift(*src, place);
    for (int64_t at = 1; at < count; at++) {
        const typename P::acc next = P::lift(*follow_axis(src, stride, at), place + at * step);
        if (takes_over<P>(best.value, next.value))
            best = next;
    }
    return best;
}

/* Elements that are looked at together; a stretch is packed where it has gaps. */
template <class in> struct ga_reduce_stretch {
    static constexpr int64_t most = sizeof(in) < 16 ? 16384 / sizeof(in) : 1024;
    in packed[most];
    const in *take(const in *src, int64_t stride, int64_t count)
    {
        if (stride == int64_t(sizeof(in)))
            return src;
        pack_axis(src, stride, count, packed);
        return packed;
    }
};

/* The first extremum of truths: the first one that is not the neutral one, or the first of all. */
template <class P>
static typename P::acc find_truth(const typename P::in *src, int64_t stride, int64_t count, int64_t place, int64_t step)
{
    typedef typename P::values V;
    ga_reduce_stretch<typename P::in> stretch;
    for (int64_t first = 0; first < count; first += stretch.most) {
        const int64_t n = count - first < stretch.most ? count - first : stretch.most;
        const typename P::in *from = stretch.take(follow_axis(src, stride, first), stride, n);
        const int64_t at = find_equal<V>(from, n, typename V::acc(!V::neutral()));
        if (at < n)
            return P::lift(from[at], place + (first + at) * step);
    }
    return count > 0 ? P::lift(*src, place) : P::neutral();
}

/* The first extremum: the best of each stretch by values alone, which vectors do, and then a search in the best
 * stretch. */
template <class P>
static typename P::acc find_place(const typename P::in *src, int64_t stride, int64_t count, int64_t place, int64_t step)
{
    typedef typename P::in in;
    typedef typename P::values V;
    ga_reduce_stretch<in> stretch;
    typename V::acc best = V::neutral();
    int64_t start = 0;
    if (count < 32)
        return place_few<P>(src, stride, count, place, step);
    for (int64_t first = 0; first < count; first += stretch.most) {
        const int64_t n = count - first < stretch.most ? count - first : stretch.most;
        const in *from = stretch.take(follow_axis(src, stride, first), stride, n);
        typename V::acc value = halve_vectors<V>(from, sizeof(in), n, 0, 0);
        if (first == 0 || P::takes_over(best, value)) {
            best = value;
            start = first;
        }
    }
    const int64_t n = count - start < stretch.most ? count - start : stretch.most;
    const in *from = stretch.take(follow_axis(src, stride, start), stride, n);
    const int64_t at = find_equal<V>(from, n, best);
    return at < n ? P::lift(from[at], place + (start + at) * step) : P::neutral();
}

/* The first extremum along an axis that is walked in its order, or against it: from its other end then. */
template <class P>
static inline typename P::acc find_first(const typename P::in *src, const ga_reduce_item &item, const ga_reduce_dim &axis)
{
    constexpr bool truths = std::is_same<typename P::element, bool>::value;
    const bool turned = axis.place < 0;
    const int64_t last = turned ? item.count - 1 : 0, stride = turned ? -axis.src : axis.src;
    const int64_t place = item.place + last * axis.place, step = turned ? -axis.place : axis.place;
    if constexpr (truths)
        return find_truth<P>(follow_axis(src, axis.src, last), stride, item.count, place, step);
    else
        return find_place<P>(follow_axis(src, axis.src, last), stride, item.count, place, step);
}

/* One thread's whole item. */
template <class P>
static inline typename P::acc reduce_alone(const ga_reduce_stage &s, const ga_reduce_item &item)
{
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    const typename P::in *src = reinterpret_cast<const typename P::in *>(s.src + item.src);
    if constexpr (P::placed)
        return find_first<P>(src, item, axis);
    if constexpr (ga_reduce_absent<P>::known)
        if (s.where)
            return halve_masked<P>(src, axis.src, reinterpret_cast<const uint8_t *>(s.where + item.where), axis.where,
                                   item.count);
    return halve_vectors<P>(src, axis.src, item.count, item.place, axis.place);
}

/* An item whole on the CPU, or this thread's share of it on the GPU. */
template <class P> GA_FN typename P::acc reduce_row(const ga_reduce_stage &s, int64_t part, ga_reduce_item &item, int lane)
{
    typedef typename P::in in;
    const ga_reduce_dim &axis = s.dim[s.nkeep];
    if constexpr (GA_BLOCK == 1) {
        locate_part(s, part, item);
        return reduce_alone<P>(s, item);
    } else {
        const in *src = reinterpret_cast<const in *>(s.src + item.src);
        const in *other = ga_reduce_pairs<P> ? reinterpret_cast<const in *>(s.where + item.where) : src;
        return reduce_tiles<P>(src, other, axis.size, item.place, axis.place, lane, s.width, part, s.parts);
    }
}

/* The block that comes last of an output's merges its pieces. Called, so that the rows before it have all registers. */
template <class P> GA_FN_CALL void join_rows(const ga_reduce_stage &s)
{
    const int64_t output = GA_BLOCK_ID - divide(GA_BLOCK_ID, s.outputs) * s.outputs;
    if (!ga_block_arrives(s.arrived + output, s.parts))
        return;
    typename P::acc total = ga_block_merge<P>(merge_parts<P>(s, output), GA_BLOCK);
    if (GA_THREAD == 0)
        store_result<P>(s, s.result, locate_output(s, output).dst, total);
}

/* One item of each group of threads. It is found in line where at most one axis stays, but of large
 * accumulators, which need the registers themselves. */
template <class P> GA_FN void reduce_group(const ga_reduce_stage &s, int64_t first, int64_t last)
{
    constexpr bool large = sizeof(typename P::acc) > 16;
    const int lane = GA_THREAD & (s.width - 1);
    const int64_t number = first + GA_THREAD / s.width, known = number < last ? number : last - 1;
    const int64_t part = s.parts == 1 ? 0 : !large && s.outputs == 1 ? known : divide(known, s.outputs);
    const int64_t output = known - part * s.outputs;
    ga_reduce_item item = large ? locate_output(s, output) : locate_row(s, output);
    typename P::acc total = ga_block_merge<P>(reduce_row<P>(s, part, item, lane), s.width);
    if (lane == 0 && number < last)
        store_total<P>(s, number, item.dst, total);
}

/* Four blocks are to fit a multiprocessor, so that all pieces run at once; only large accumulators
 * would take more registers. */
template <class P> GA_KERNEL_BESIDE(sizeof(typename P::acc) > 16 ? 4 : 0) reduce_rows(GA_PARAM ga_reduce_stage s)
{
    GA_AWAIT();
    const int64_t items = s.outputs * s.parts, first = GA_BLOCK_ID * s.span;
    if constexpr (GA_BLOCK == 1) {
        const int64_t last = first + s.span < items ? first + s.span : items;
        for (int64_t number = first; number < last; number++)
            reduce_group<P>(s, number, last);
    } else {
        reduce_group<P>(s, first, items);
        if (s.arrived)
            join_rows<P>(s);
    }
}

template <class P> static int launch_rows(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    if constexpr (ga_reduce_takes_lines<P>)
        if (holds_lines<P>(stage))
            return launch_lines<P>(stage, blocks, stream);
    return ga_launch(reduce_rows<P>, blocks, stream, *stage);
}
