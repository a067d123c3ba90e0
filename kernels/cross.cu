/* Cross products: a thread makes the three components of a vector. Owns ga_cross_run.
 * Includes iterate.cuh, ufunc_kin.h, ufunc_op.cuh, slots.h. */
#include "iterate.cuh"
#include "slots.h"
#include "ufunc_kin.h"
#include "ufunc_op.cuh"

static const int64_t cross_piece = GA_BLOCK == 1 ? 8192 : GA_BLOCK; /* vectors of a block */

struct cross_plan {
    int64_t size;
    ga_walk<GA_CROSS_ARGS> walk;
    char *data[GA_CROSS_ARGS];
    int64_t step[GA_CROSS_ARGS];
};

template <class T> GA_FN T multiply(T x, T y)
{
    return ga_narrow<T>(ga_op_multiply::call<T>(ga_widen(x), ga_widen(y)));
}

template <class T> GA_FN T subtract(T x, T y)
{
    return ga_narrow<T>(ga_op_subtract::call<T>(ga_widen(x), ga_widen(y)));
}

template <class T> GA_KERNEL cross_vectors(GA_PARAM cross_plan plan)
{
    GA_AWAIT();
    const int64_t first = GA_BLOCK_ID * cross_piece;
    const int64_t last = first + cross_piece < plan.size ? first + cross_piece : plan.size;
    ga_cursor<GA_CROSS_ARGS> at;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        T a[3], b[3];
        at.seek(plan.walk, uint32_t(i));
        GA_UNROLL
        for (int k = 0; k < 3; k++) {
            a[k] = *reinterpret_cast<const T *>(plan.data[GA_CROSS_A] + at.offset[GA_CROSS_A] + k * plan.step[GA_CROSS_A]);
            b[k] = *reinterpret_cast<const T *>(plan.data[GA_CROSS_B] + at.offset[GA_CROSS_B] + k * plan.step[GA_CROSS_B]);
        }
        char *dst = plan.data[GA_CROSS_DST] + at.offset[GA_CROSS_DST];
        GA_UNROLL
        for (int k = 0; k < 3; k++) {
            const int next = (k + 1) % 3, last_one = (k + 2) % 3;
            *reinterpret_cast<T *>(dst + k * plan.step[GA_CROSS_DST]) =
                subtract(multiply(a[next], b[last_one]), multiply(a[last_one], b[next]));
        }
    }
}

static void fill_plan(const ga_cross_call *call, cross_plan *plan)
{
    plan->size = call->size;
    plan->walk.ndim = call->ndim;
    for (int k = 0; k < GA_CROSS_ARGS; k++) {
        plan->data[k] = static_cast<char *>(call->args[k].data);
        plan->step[k] = call->step[k];
    }
    for (int d = 0; d < call->ndim; d++) {
        plan->walk.shape[d] = ga_divider_make(call->shape[call->ndim - 1 - d]);
        for (int k = 0; k < GA_CROSS_ARGS; k++)
            plan->walk.strides[d][k] = call->args[k].strides[call->ndim - 1 - d];
    }
}

/* Signed integers are the work of the unsigned ones' kernel. */
template <class T> static int run_typed(const cross_plan &plan, ga_stream *stream)
{
    constexpr enum ga_dtype dtype = ga_dtype_of<T>::value;
    if constexpr (!std::is_same<T, bool>::value && !ga_is_time<T>::value
                  && ga_ufunc_kin(GA_UF_subtract, dtype).dtype == dtype)
        return ga_launch(cross_vectors<T>, (plan.size + cross_piece - 1) / cross_piece, stream, plan);
    return ga_kernel_fail(GA_ERR_TYPE, "cross: no kernel for dtype %d", int(dtype));
}

int ga_cross_run(const ga_cross_call *call, ga_stream *stream)
{
    cross_plan plan;
    fill_plan(call, &plan);
    switch (ga_ufunc_kin(GA_UF_subtract, call->dtype).dtype) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id:                \
        return run_typed<ctype>(plan, stream);
#include "../csrc/tables/dtypes.def"
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "cross: unknown dtype %d", int(call->dtype));
    }
}
