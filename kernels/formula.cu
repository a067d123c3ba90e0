/* The formula slot: functors with parameters (formula.cuh) in the element-wise framework. Owns ga_formula_run.
 * Includes formula.cuh, iterate.cuh, slots.h. */
#include "formula.cuh"
#include "iterate.cuh"
#include "slots.h"

template <class T> static T parameter_of(const ga_formula_call *call, int i)
{
    T value;
    memcpy(&value, &call->p[i], sizeof value);
    return value;
}

template <class T> constexpr bool is_real = std::is_same<T, ga_half>::value || std::is_floating_point<T>::value;

/* The formula for elements of T: GA_OK with 0 or -1 in *result, or GA_ERR_UNSUPPORTED. */
template <class T>
static enum ga_status run_typed(const ga_formula_call *call, const ga_map_plan &plan, ga_stream *stream, int *result)
{
    enum ga_formula formula = call->formula;
    if constexpr (is_real<T>)
        if (formula == GA_FORMULA_CLOSE) {
            ga_formula_close<T> close = {parameter_of<T>(call, 0), parameter_of<T>(call, 1), call->nan};
            *result = ga_map_launch<ga_formula_close<T>, T, T, bool, ga_none>(plan, close, stream);
            return GA_OK;
        } else if (formula == GA_FORMULA_FINITE) {
            ga_formula_finite<T> finite = {parameter_of<T>(call, 0), parameter_of<T>(call, 1), parameter_of<T>(call, 2)};
            *result = ga_map_launch<ga_formula_finite<T>, T, ga_none, T, ga_none>(plan, finite, stream);
            return GA_OK;
        } else if (formula == GA_FORMULA_SINC) {
            ga_formula_sinc<T> sinc = {parameter_of<T>(call, 0), parameter_of<T>(call, 1)};
            *result = ga_map_launch<ga_formula_sinc<T>, T, ga_none, T, ga_none>(plan, sinc, stream);
            return GA_OK;
        } else if (formula == GA_FORMULA_ROUND) {
            ga_formula_round<T> round = {parameter_of<T>(call, 0), call->inverse};
            *result = ga_map_launch<ga_formula_round<T>, T, ga_none, T, ga_none>(plan, round, stream);
            return GA_OK;
        }
    if constexpr (is_real<T> || ga_is_int<T>::value)
        if (formula == GA_FORMULA_CLIP) {
            ga_formula_clip<T> clip = {parameter_of<T>(call, 0), parameter_of<T>(call, 1)};
            *result = ga_map_launch<ga_formula_clip<T>, T, ga_none, T, ga_none>(plan, clip, stream);
            return GA_OK;
        }
    if constexpr (is_real<T> || ga_is_complex<T>::value)
        if (formula == GA_FORMULA_PRESENT) {
            ga_formula_present<T> present = {parameter_of<T>(call, 0)};
            *result = ga_map_launch<ga_formula_present<T>, T, ga_none, T, ga_none>(plan, present, stream);
            return GA_OK;
        }
    return GA_ERR_UNSUPPORTED;
}

static int run_halves(const ga_formula_call *call, ga_stream *stream)
{
    ga_formula_call part = *call;
    ga_ufunc_call half[2];
    ga_map_halve(&call->operands, half);
    part.operands = half[0];
    if (ga_formula_run(&part, stream) < 0)
        return -1;
    part.operands = half[1];
    return ga_formula_run(&part, stream);
}

int ga_formula_run(const ga_formula_call *call, ga_stream *stream)
{
    ga_map_plan plan;
    enum ga_status status = GA_ERR_UNSUPPORTED;
    int result = 0;
    if (call->operands.size == 0)
        return 0;
    if (!ga_map_fits(&call->operands))
        return run_halves(call, stream);
    ga_map_prepare(&call->operands, &plan);
    switch (call->operands.in[0]) {
#define GA_DTYPE(id, ctype, ...)                                \
    case GA_##id:                                               \
        status = run_typed<ctype>(call, plan, stream, &result); \
        break;
#include "../csrc/tables/dtypes.def"
    default:
        break;
    }
    if (status == GA_OK)
        return result;
    return ga_kernel_fail(GA_ERR_TYPE, "formula %d has no kernel for dtype %d", int(call->formula),
                          int(call->operands.in[0]));
}
