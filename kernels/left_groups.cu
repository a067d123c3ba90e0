/* The kernel of operations that go strictly left to right, for a group of dtypes: one thread an
 * output, which goes over all reduced axes, the outermost slowest, and chooses the operation as it
 * runs. They are rare and bound by latency, so one kernel a dtype serves them all, and reductions,
 * running results and slices alike.
 *
 * A result starts from the initial value, else from the first element. Each step rounds to the
 * dtype, as NumPy's loops do; but a difference or quotient of float16 stays in float until it is
 * stored. Owns ga_left_launch_<id>. Includes left.h, reduce_ops.cuh, reduce_strided.cuh,
 * slices.cuh. */
#include "left.h"
#include "reduce_ops.cuh"
#include "reduce_strided.cuh"
#include "slices.cuh"

/* Offsets of one output's elements, one after the other. */
struct ga_left_odometer {
    int64_t src, where;
    int32_t index[GA_REDUCE_DIMS];
};

GA_FN void step_odometer(const ga_reduce_stage &s, ga_left_odometer &at)
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

/* ---- one step ---- */

template <int op, class T> GA_FN ga_compute<T> apply_left(ga_compute<T> total, T x, [[maybe_unused]] bool every)
{
    auto value = ga_reduce_op<op>::type::template call<T>(total, ga_widen(x));
    if constexpr (op == GA_UF_subtract || op == GA_UF_divide)
        if (!every)
            return ga_narrow<ga_compute<T>>(value);
    return ga_widen(ga_narrow<T>(value));
}

template <class T> GA_FN_CALL ga_compute<T> merge_left(enum ga_ufunc op, ga_compute<T> total, T x, bool every)
{
    constexpr enum ga_dtype dtype = ga_dtype_of<T>::value;
    switch (op) {
#define U21(name, types, out, identity, order, ...)                                \
    case GA_UF_##name:                                                             \
        if constexpr (ga_reduces_##order##_##out<dtype, GA_TYPES_##types, false>)  \
            return apply_left<GA_UF_##name, T>(total, x, every);                   \
        break;
#include "../csrc/tables/ufuncs.def"
    default:
        break;
    }
    return total;
}

/* ---- the walk ---- */

template <class T> GA_FN void store_left(const ga_reduce_stage &w, int64_t offset, ga_compute<T> total)
{
    *reinterpret_cast<T *>(w.dst + offset) = ga_narrow<T>(total);
}

template <class T> GA_FN void walk_output(const ga_left_stage &s, ga_reduce_item item)
{
    const ga_reduce_stage &w = s.slices.walk;
    ga_left_odometer at = {item.src, item.where, {}};
    ga_compute<T> total = ga_widen(ga_reduce_scalar<T>(w.initial));
    bool started = w.has_initial;
    GA_NO_UNROLL
    for (int64_t i = 0; i < item.count; i++) {
        if (!w.where || ga_load(reinterpret_cast<const bool *>(w.where + at.where))) {
            T x = load_as<T>(w.src + at.src, w.src_dtype);
            total = started ? merge_left<T>(s.op, total, x, s.every) : ga_widen(x);
            started = true;
        }
        step_odometer(w, at);
        if (s.every)
            store_left<T>(w, item.dst + i * w.dim[w.nkeep].dst, total);
    }
    if (!s.every)
        store_left<T>(w, item.dst, total);
}

template <class T> GA_KERNEL walk_left(GA_PARAM ga_left_stage s)
{
    GA_AWAIT();
    const ga_reduce_stage &w = s.slices.walk;
    const int64_t items = w.outputs * s.slices.segments;
    int64_t first = GA_BLOCK_ID * w.span, last = first + w.span < items ? first + w.span : items;
    for (int64_t number = first + GA_THREAD; number < last; number += GA_BLOCK) {
        int64_t slice = divide(number, w.outputs);
        ga_reduce_item item = locate_output(w, number - slice * w.outputs);
        item.count = w.chunk;
        if (s.slices.starts)
            locate_slice(s.slices, slice, item);
        walk_output<T>(s, item);
    }
}

#define GA_LOOP(id)                                                                           \
    int ga_left_launch_##id(const ga_left_stage *stage, int64_t blocks, ga_stream *stream)    \
    {                                                                                         \
        return ga_launch(walk_left<ga_ctype<GA_##id>::type>, blocks, stream, *stage);         \
    }
GA_LOOPS
