/* Reductions of slices of an axis (ufunc.reduceat) in a group of dtypes, of operations whose order is TREE: for each
 * slice of each lane one thread, or `width` of them where slices are long. Owns ga_segments_kernel_<id>. Includes
 * reduce_ops.cuh, reduce_strided.cuh, slices.cuh. */
#include "reduce_ops.cuh"
#include "reduce_strided.cuh"
#include "slices.cuh"

template <class P> GA_KERNEL reduce_slices(GA_PARAM ga_segments_stage s)
{
    GA_AWAIT();
    const int groups = GA_BLOCK / s.walk.width;
    const int64_t items = s.walk.outputs * s.segments;
    int64_t first = GA_BLOCK_ID * s.walk.span;
    int64_t last = first + s.walk.span < items ? first + s.walk.span : items;
    for (int64_t base = first; base < last; base += groups) {
        int64_t number = base + GA_THREAD / s.walk.width, known = number < last ? number : last - 1;
        int64_t slice = divide(known, s.walk.outputs);
        ga_reduce_item item = locate_output(s.walk, known - slice * s.walk.outputs);
        locate_slice(s, slice, item);
        typename P::acc total = ga_block_merge<P>(reduce_strided_item<P, true>(s.walk, item), s.walk.width);
        if (item.count == 1) /* an element alone is the result, also of hypot and gcd, whose zero would take its sign */
            total = lift_element<P, true>(s.walk, item, 0);
        if (GA_THREAD % s.walk.width == 0 && number < last)
            *reinterpret_cast<typename P::out *>(s.walk.dst + item.dst) = P::settle(total);
    }
}

template <class P> static int launch_slices(const ga_segments_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_slices<P>, blocks, stream, *stage);
}

struct segments_family {
    typedef ga_segments_launch found;
    template <int op, class T> static found find()
    {
        if constexpr (ga_reduce_served<op, T>)
            return nullptr;
        else
            return launch_slices<ga_reduce_tree<op, T>>;
    }
};

#define GA_LOOP(id)                                               \
    ga_segments_launch ga_segments_kernel_##id(enum ga_ufunc op)  \
    {                                                             \
        return ga_tree_find<GA_##id, segments_family>(op);        \
    }
GA_LOOPS
