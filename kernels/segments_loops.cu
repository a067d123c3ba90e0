/* Reductions of slices of an axis (ufunc.reduceat) in one dtype, GA_LOOP of dtypes.def: for each slice of each lane one
 * thread, or `width` of them where slices are long. Owns ga_segments_kernel_<id>. Includes reduce.cuh,
 * scan_policy.cuh, scan_stage.h. */
#include "reduce.cuh"
#include "scan_policy.cuh"
#include "scan_stage.h"

#define GA_JOIN_(a, b) a##b
#define GA_JOIN(a, b) GA_JOIN_(a, b)

static constexpr enum ga_dtype loop_dtype = GA_JOIN(GA_, GA_LOOP);
typedef ga_ctype<loop_dtype>::type T;

namespace { /* T is another type in every file compiled from this one */

GA_FN ga_reduce_item locate_slice(const ga_segments_stage &s, int64_t number)
{
    const ga_reduce_dim &axis = s.walk.dim[s.walk.nkeep];
    int64_t slice = divide(number, s.walk.outputs);
    ga_reduce_item item = locate_output(s.walk, number - slice * s.walk.outputs);
    int64_t first = s.starts[slice], last = slice + 1 < s.segments ? s.starts[slice + 1] : axis.size;
    item.count = last > first ? last - first : 1;
    item.src += first * axis.src;
    item.dst += slice * axis.dst;
    return item;
}

/* What this thread has of the slice. */
template <class P> GA_FN typename P::acc reduce_share(const ga_segments_stage &s, const ga_reduce_item &item)
{
    if constexpr (P::starts_empty) {
        typename P::acc total = lift_element<P, false>(s.walk, item, 0);
        GA_NO_UNROLL
        for (int64_t at = 1; at < item.count; at++)
            total = P::merge(total, lift_element<P, false>(s.walk, item, at));
        return total;
    } else if constexpr (GA_BLOCK == 1) {
        return halve_strided<P>(s.walk, item, 0, item.count);
    } else {
        return reduce_strided_share<P, false>(s.walk, item, 0, item.count, GA_THREAD % s.walk.width, s.walk.width);
    }
}

template <class P> GA_KERNEL reduce_slices(GA_PARAM ga_segments_stage s)
{
    const int groups = GA_BLOCK / s.walk.width;
    const int64_t items = s.walk.outputs * s.segments;
    int64_t first = GA_BLOCK_ID * s.walk.span;
    int64_t last = first + s.walk.span < items ? first + s.walk.span : items;
    for (int64_t base = first; base < last; base += groups) {
        int64_t number = base + GA_THREAD / s.walk.width;
        ga_reduce_item item = locate_slice(s, number < last ? number : last - 1);
        typename P::acc total = reduce_share<P>(s, item);
        if constexpr (!P::starts_empty)
            total = ga_block_merge<P>(total, s.walk.width);
        if (GA_THREAD % s.walk.width == 0 && number < last)
            *reinterpret_cast<typename P::out *>(s.walk.dst + item.dst) = P::settle(total);
    }
}

template <class P> int launch_slices(const ga_segments_stage *stage, int64_t blocks, ga_stream *stream)
{
    return ga_launch(reduce_slices<P>, blocks, stream, *stage);
}

template <int op> ga_segments_launch find_TREE()
{
    return launch_slices<ga_scan_tree<op, T>>;
}

template <int op> ga_segments_launch find_LEFT()
{
    return launch_slices<ga_slice_left<op, T>>;
}

/* A reduction needs a result of the operands' dtype. */
constexpr bool keeps_SAME = true;
constexpr bool keeps_BOOL = std::is_same<T, bool>::value;

} // namespace

#define GA_SEGMENTS_FIND GA_JOIN(ga_segments_kernel_, GA_LOOP)

ga_segments_launch GA_SEGMENTS_FIND(enum ga_ufunc op)
{
    switch (op) {
#define U11(...)
#define U12(...)
#define U22(...)
#define X11(...)
#define X21(...)
#define X22(...)
#define U21(name, types, out, identity, order, domain, ulp, expression, doc) \
    case GA_UF_##name:                                                       \
        if constexpr (keeps_##out && (GA_TYPES_##types >> loop_dtype & 1))   \
            return find_##order<GA_UF_##name>();                             \
        break;
#include "../csrc/tables/ufuncs.def"
    default:
        break;
    }
    return nullptr;
}
