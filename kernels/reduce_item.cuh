/* What the kernels of reduce.cuh share: where an item lies, and storing its result.
 *
 * An item is a piece of the axis for one output; ga_reduce_stage tells how the axis is cut. Includes block.cuh,
 * reduce_policy.cuh. */
#pragma once
#include "block.cuh"
#include "reduce_policy.cuh"

#define GA_REDUCE_DEPTH 4 /* vector loads that a thread has under way at once on the GPU */
#define GA_REDUCE_LEAF 16 /* elements per accumulator in a leaf on the CPU */

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

/* The same, in line where at most one axis stays. */
GA_FN ga_reduce_item locate_row(const ga_reduce_stage &s, int64_t output)
{
    const ga_reduce_dim &dim = s.dim[0];
    if (s.nkeep > 1)
        return locate_output(s, output);
    if (s.nkeep == 0)
        return {0, 0, 0, s.place, 0};
    return {output * dim.src, output * dim.dst, output * dim.where, s.place + output * dim.place, 0};
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

/* Of one axis that stays and an axis in one piece: short axes are many items, which a call would
 * cost more than their elements. */
GA_FN ga_reduce_item locate_short(const ga_reduce_stage &s, int64_t number)
{
    const ga_reduce_dim &dim = s.dim[0];
    return {number * dim.src, number * dim.dst, number * dim.where, s.place + number * dim.place, s.dim[1].size};
}

GA_FN ga_reduce_item locate_item(const ga_reduce_stage &s, int64_t number)
{
    if (s.nkeep == 1 && s.parts == 1)
        return locate_short(s, number);
    int64_t part = s.parts == 1 ? 0 : divide(number, s.outputs);
    ga_reduce_item item = locate_output(s, number - part * s.outputs);
    locate_part(s, part, item);
    return item;
}

/* The element at `src`, or of pairs those at `src` and `other`. */
template <class P> GA_FN typename P::acc lift_one(const typename P::in *src, const typename P::in *other, int64_t place)
{
    if constexpr (ga_reduce_pairs<P>)
        return P::lift_pair(*src, *other);
    else
        return P::lift(*src, place);
}

/* The result at `offset` of the results that begin at `results`. */
template <class P>
GA_FN void store_result(const ga_reduce_stage &s, char *results, int64_t offset, typename P::acc total)
{
    const typename P::out result = P::finish(s, total);
    if constexpr (ga_reduce_narrows<P>)
        if (s.narrow) {
            *reinterpret_cast<float *>(results + offset) = float(result);
            return;
        }
    *reinterpret_cast<typename P::out *>(results + offset) = result;
}

/* `number` is that of the accumulator, `offset` that of the result. */
template <class P>
GA_FN void store_total(const ga_reduce_stage &s, int64_t number, int64_t offset, typename P::acc total)
{
    if (s.last)
        store_result<P>(s, s.dst, offset, total);
    else
        reinterpret_cast<typename P::acc *>(s.dst)[number] = total;
}

/* The accumulators of all pieces of an output, a thread's share; loads come first, to be under way together. */
template <class P> GA_FN typename P::acc merge_parts(const ga_reduce_stage &s, int64_t output)
{
    constexpr int K = sizeof(typename P::acc) > 16 ? 2 : 4;
    const typename P::acc *parts = reinterpret_cast<const typename P::acc *>(s.dst) + output;
    typename P::acc total = P::neutral();
    GA_NO_UNROLL
    for (int64_t base = GA_THREAD; base < s.parts; base += K * GA_BLOCK) {
        typename P::acc values[K];
        GA_UNROLL
        for (int k = 0; k < K; k++)
            values[k] = base + k * GA_BLOCK < s.parts ? parts[(base + k * GA_BLOCK) * s.outputs] : P::neutral();
        GA_UNROLL
        for (int k = 0; k < K; k++)
            total = P::merge(total, values[k]);
    }
    return total;
}

template <class P, int N> GA_FN typename P::acc merge_lanes(typename P::acc (&lanes)[N])
{
    GA_UNROLL
    for (int half = N / 2; half > 0; half /= 2)
        GA_UNROLL
        for (int i = 0; i < half; i++)
            lanes[i] = P::merge(lanes[i], lanes[i + half]);
    return lanes[0];
}
