/* The element-wise loops whose first input is of a dtype of this object's group.
 *
 * Each row of ufuncs.def makes a case of one switch a dtype; `if constexpr` on the row's type set
 * leaves the loops of the other dtypes out, and those that ufunc_kin.h knows to be another's. Owns
 * ga_ufunc_loops_<id>. Includes ufunc_op.cuh and ufunc.cuh. */
#include "ufunc.cuh"
#include "ufunc_op.cuh"

/* A row without the own dtype leaves the key to a listed loop: no call has its own. */
constexpr unsigned
second_dtype(enum ga_dtype own, unsigned types)
{
    return (types >> own & 1) != 0 ? own : GA_DTYPE_COUNT;
}

/* Without the own dtype where another loop serves it. */
constexpr unsigned
compiled_types(enum ga_ufunc op, enum ga_dtype own, unsigned types)
{
    ga_ufunc_loop kin = ga_ufunc_kin(op, own);
    return kin.op == op && kin.dtype == own ? types : types & ~(1u << own);
}

/* The loop of a row for the own dtype, if its set has it. */
template <enum ga_dtype own, class Op, unsigned types, class B, class R, class S>
static enum ga_status
run_own(const ga_map_plan *plan, ga_stream *stream, int *result)
{
    if constexpr ((types >> own & 1) != 0) {
        *result = ga_map_launch<Op, typename ga_ctype<own>::type, B, R, S>(*plan, Op{}, stream);
        return GA_OK;
    }
    return GA_ERR_UNSUPPORTED;
}
/* A loop with dtypes of its own, if its first is the own. */
template <enum ga_dtype own, class Op, enum ga_dtype in, class B, class R, class S>
static enum ga_status
run_listed(const ga_map_plan *plan, ga_stream *stream, int *result)
{
    constexpr unsigned types = in == own ? 1u << own : 0u;
    return run_own<own, Op, types, B, R, S>(plan, stream, result);
}

#define OWN_CASE(name, types, B, R, S) \
    case ga_ufunc_key(GA_UF_##name, own, second_dtype(own, GA_TYPES_##types)): \
        return run_own<own, ga_op_##name, compiled_types(GA_UF_##name, own, GA_TYPES_##types), B, R, S>( \
            plan, stream, result);
#define LISTED_CASE(name, in, in2, R, S) \
    case ga_ufunc_key(GA_UF_##name, GA_##in, GA_##in2): \
        return run_listed<own, ga_op_##name##_##in##_##in2, GA_##in, ga_ctype<GA_##in2>::type, R, S>( \
            plan, stream, result);

#define U11(name, types, out, ...) OWN_CASE(name, types, ga_none, ga_out_##out<own_type>, ga_none)
#define U12(name, types, out, out2, ...) \
    OWN_CASE(name, types, ga_none, ga_out_##out<own_type>, ga_out_##out2<own_type>)
#define U21(name, types, out, ...) OWN_CASE(name, types, own_type, ga_out_##out<own_type>, ga_none)
#define U22(name, types, out, out2, ...) \
    OWN_CASE(name, types, own_type, ga_out_##out<own_type>, ga_out_##out2<own_type>)
#define X11(name, in, out, expression) \
    case ga_ufunc_key(GA_UF_##name, GA_##in, GA_##in): \
        return run_listed<own, ga_op_##name##_##in, GA_##in, ga_none, ga_ctype<GA_##out>::type, \
                          ga_none>(plan, stream, result);
#define X21(name, in, in2, out, expression) \
    LISTED_CASE(name, in, in2, ga_ctype<GA_##out>::type, ga_none)
#define X22(name, in, in2, out, out2, expression) \
    LISTED_CASE(name, in, in2, ga_ctype<GA_##out>::type, ga_ctype<GA_##out2>::type)

template <enum ga_dtype own>
static enum ga_status
run_loop(uint32_t key, const ga_map_plan *plan, ga_stream *stream, int *result)
{
    typedef typename ga_ctype<own>::type own_type;
    switch (key) {
#include "../csrc/tables/ufuncs.def"
    default:
        return GA_ERR_UNSUPPORTED;
    }
}

#define GA_LOOP(id)                                                                              \
    enum ga_status ga_ufunc_loops_##id(uint32_t key, const ga_map_plan *plan, ga_stream *stream, \
                                       int *result)                                              \
    {                                                                                            \
        return run_loop<GA_##id>(key, plan, stream, result);                                     \
    }
GA_LOOPS
