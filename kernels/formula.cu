/* Element-wise formulas with parameters, as functors of the element-wise framework. Owns ga_formula_run.
 * Includes iterate.cuh, math_compare.cuh, math_real.cuh, slots.h. */
#include "iterate.cuh"
#include "math_compare.cuh"
#include "math_real.cuh"
#include "slots.h"

/* A step of the chain that the formula stands for: rounded as its ufunc's result is. */
template <class T> GA_FN ga_compute<T> round_step(ga_compute<T> x)
{
    return ga_widen(ga_narrow<T>(x));
}

template <class T> struct formula_close {
    typedef ga_compute<T> C;
    T relative, absolute;
    bool nan;

    template <class> GA_METHOD bool call(C x, C y) const
    {
        C apart = round_step<T>(x - y), size = y < 0 ? -y : y;
        C bound = round_step<T>(ga_widen(absolute) + round_step<T>(ga_widen(relative) * size));
        bool near = (apart < 0 ? -apart : apart) <= bound && ga_isfinite(y);
        return near || x == y || (nan && ga_isnan(x) && ga_isnan(y));
    }
};

template <class T> struct formula_clip {
    typedef ga_compute<T> C;
    T low, high;

    template <class> GA_METHOD C call(C x) const
    {
        const C least = ga_widen(low), most = ga_widen(high), raised = x < least ? least : x;
        return raised > most ? most : raised; /* selects that the CPU's compiler makes vectors of */
    }
};

template <class T> struct formula_present {
    typedef ga_compute<T> C;
    T otherwise;

    template <class> GA_METHOD C call(C x) const
    {
        return ga_isnan(x) ? ga_widen(otherwise) : x;
    }
};

template <class T> struct formula_finite {
    typedef ga_compute<T> C;
    T nan, high, low;

    template <class> GA_METHOD C call(C x) const
    {
        C value = ga_isnan(x) ? ga_widen(nan) : x > 0 ? ga_widen(high) : ga_widen(low);
        return ga_isfinite(x) ? x : value;
    }
};

template <class T> struct formula_sinc {
    typedef ga_compute<T> C;
    static constexpr int ulp = 4;
    T pi, least;

    template <class> GA_METHOD C call(C x) const
    {
        C y = round_step<T>(ga_widen(pi) * (x == 0 ? ga_widen(least) : x));
        return round_step<T>(ga_sin(y)) / y;
    }
};

template <class T> struct formula_round {
    typedef ga_compute<T> C;
    T factor;
    bool inverse;

    template <class> GA_METHOD C call(C x) const
    {
        C by = ga_widen(factor), whole = ga_rint(round_step<T>(inverse ? x / by : x * by));
        return inverse ? whole * by : whole / by;
    }
};

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
            formula_close<T> close = {parameter_of<T>(call, 0), parameter_of<T>(call, 1), call->nan};
            *result = ga_map_launch<formula_close<T>, T, T, bool, ga_none>(plan, close, stream);
            return GA_OK;
        } else if (formula == GA_FORMULA_FINITE) {
            formula_finite<T> finite = {parameter_of<T>(call, 0), parameter_of<T>(call, 1), parameter_of<T>(call, 2)};
            *result = ga_map_launch<formula_finite<T>, T, ga_none, T, ga_none>(plan, finite, stream);
            return GA_OK;
        } else if (formula == GA_FORMULA_SINC) {
            formula_sinc<T> sinc = {parameter_of<T>(call, 0), parameter_of<T>(call, 1)};
            *result = ga_map_launch<formula_sinc<T>, T, ga_none, T, ga_none>(plan, sinc, stream);
            return GA_OK;
        } else if (formula == GA_FORMULA_ROUND) {
            formula_round<T> round = {parameter_of<T>(call, 0), call->inverse};
            *result = ga_map_launch<formula_round<T>, T, ga_none, T, ga_none>(plan, round, stream);
            return GA_OK;
        }
    if constexpr (is_real<T> || ga_is_int<T>::value)
        if (formula == GA_FORMULA_CLIP) {
            formula_clip<T> clip = {parameter_of<T>(call, 0), parameter_of<T>(call, 1)};
            *result = ga_map_launch<formula_clip<T>, T, ga_none, T, ga_none>(plan, clip, stream);
            return GA_OK;
        }
    if constexpr (is_real<T> || ga_is_complex<T>::value)
        if (formula == GA_FORMULA_PRESENT) {
            formula_present<T> present = {parameter_of<T>(call, 0)};
            *result = ga_map_launch<formula_present<T>, T, ga_none, T, ga_none>(plan, present, stream);
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
#undef GA_DTYPE
    default:
        break;
    }
    if (status == GA_OK)
        return result;
    return ga_kernel_fail(GA_ERR_TYPE, "formula %d has no kernel for dtype %d", int(call->formula),
                          int(call->operands.in[0]));
}
