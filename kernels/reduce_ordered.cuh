/* Reductions that go strictly left to right: one thread an output, over all reduced axes, the outermost slowest.
 *
 * They start from the initial value, else from the identity where the operation has one, else from the first element.
 * Includes reduce.cuh. */
#pragma once
#include "reduce.cuh"

/* Offsets of one output's elements, one after the other. */
struct ga_reduce_odometer {
    int64_t src, where;
    int32_t index[GA_REDUCE_DIMS];
};

GA_FN void step_odometer(const ga_reduce_stage &s, ga_reduce_odometer &at)
{
    GA_NO_UNROLL
    for (int d = s.nred - 1; d >= 0; d--) {
        const ga_reduce_dim &dim = s.dim[s.nkeep + d];
        at.src += dim.src;
        at.where += dim.where;
        if (++at.index[d] < dim.size)
            return;
        at.src -= dim.size * dim.src;
        at.where -= dim.size * dim.where;
        at.index[d] = 0;
    }
}

GA_FN bool takes_element(const ga_reduce_stage &s, const ga_reduce_odometer &at)
{
    return !s.where || ga_load(reinterpret_cast<const bool *>(s.where + at.where));
}

template <class P> GA_FN typename P::acc run_ordered(const ga_reduce_stage &s, int64_t output)
{
    ga_reduce_item item = locate_output(s, output);
    ga_reduce_odometer at = {item.src, item.where, {}};
    typename P::acc total = P::start(s);
    int64_t i = 0;
    if (P::starts_empty && !s.has_initial) {
        total = lift_at<P>(s, at.src, at.where, 0);
        step_odometer(s, at);
        i = 1;
    }
    GA_NO_UNROLL
    for (; i < s.chunk; i++) {
        if (takes_element(s, at))
            total = P::merge(total, lift_at<P>(s, at.src, at.where, i));
        step_odometer(s, at);
    }
    return total;
}

/* chunk counts the elements of an output. */
template <class P> GA_KERNEL reduce_ordered(GA_PARAM ga_reduce_stage s)
{
    int64_t first = GA_BLOCK_ID * s.span;
    int64_t last = first + s.span < s.outputs ? first + s.span : s.outputs;
    for (int64_t output = first + GA_THREAD; output < last; output += GA_BLOCK) {
        typename P::acc total = run_ordered<P>(s, output);
        *reinterpret_cast<typename P::out *>(s.dst + locate_output(s, output).dst) = P::settle(total);
    }
}

template <class P> static int launch_ordered(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_ordered<P>, blocks, stream, *stage);
}
