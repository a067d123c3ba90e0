/* Dot products of real floats, one or a batch, as reductions of pairs: one pass over both operands
 * where a library's matrix product takes several. Sums are the trees of reductions, and need no
 * library. Includes matmul_dot.h, reduce_kit.cuh. */
#include "matmul_dot.h"

#include "reduce_kit.cuh"

template <class T> struct ga_dot : ga_reduce_plain<GA_UF_add, T, T> {
    static constexpr bool direct_only = true;
    GA_FN ga_compute<T> lift_pair(T x, T y) { return ga_widen(x) * ga_widen(y); }
};

template <class T> constexpr bool ga_reduce_pairs<ga_dot<T>> = true;
template <class T> constexpr bool ga_reduce_takes_lines<ga_dot<T>> = std::is_floating_point<T>::value; /* of squares */

template <class T> static const ga_reduce_kit *find_dot()
{
    typedef ga_dot<T> P;
    static constexpr ga_reduce_kit kit =
        ga_reduce_kit_of<P>(launch_rows<P>, launch_columns<P>, launch_strided<P>, &ga_reduce_partial_kit<P>::kit);
    return &kit;
}

static const ga_reduce_kit *find_kit(enum ga_dtype dtype)
{
    switch (dtype) {
    case GA_f16:
        return find_dot<ga_half>();
    case GA_f32:
        return find_dot<float>();
    default:
        return find_dot<double>();
    }
}

bool ga_matmul_is_dot(const ga_matmul_call *call)
{
    const bool real = call->dtype == GA_f16 || call->dtype == GA_f32 || call->dtype == GA_f64;
    return real && call->out == call->dtype && call->m == 1 && call->n == 1 && call->k > 0;
}

int ga_matmul_dot(const ga_matmul_call *call, ga_stream *stream)
{
    ga_reduce_stage s;
    memset(&s, 0, sizeof s);
    s.src = static_cast<const char *>(call->a);
    s.where = static_cast<const char *>(call->b);
    s.dst = static_cast<char *>(call->c);
    s.src_dtype = call->dtype;
    s.direct = true;
    for (int d = 0; d < call->nbatch; d++)
        s.dim[d] = {call->batch_shape[d], call->a_batch[d], call->c_batch[d], call->b_batch[d], 0, false};
    s.dim[call->nbatch] = {call->k, call->a_strides[1], 0, call->b_strides[0], 0, true};
    s.nkeep = call->nbatch + 1;
    return ga_reduce_stages(find_kit(call->dtype), &s, stream);
}
