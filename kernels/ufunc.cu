/* The ufunc slot: plans a call and hands it to the loops of its first dtype. Includes ufunc.cuh. */
#include "ufunc.cuh"

#include "slots.h"
#include "ufunc_divide.h"
#include "ufunc_power_cpu.h"
#include "ufunc_turned.h"

static const char *
name_dtype(enum ga_dtype dtype)
{
    static const char *const names[] = {
#define GA_DTYPE(id, ctype, ch, kind, size, name) name,
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
    };
    return names[dtype];
}

static const char *
name_operation(enum ga_ufunc op)
{
    static const char *const names[] = {
#define U11(name, ...) #name,
#define U12(name, ...) #name,
#define U21(name, ...) #name,
#define U22(name, ...) #name,
#include "../csrc/tables/ufuncs.def"
    };
    return names[op];
}

static int
run_plan(uint32_t key, enum ga_dtype in, const ga_map_plan *plan, ga_stream *stream,
         enum ga_status *status)
{
    int result = 0;
    *status = GA_ERR_UNSUPPORTED;
    switch (in) {
#define GA_DTYPE(id, ...) \
    case GA_##id: \
        *status = ga_ufunc_loops_##id(key, plan, stream, &result); \
        break;
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
    default:
        break;
    }
    return result;
}

static int
run_halves(const ga_ufunc_call *call, ga_stream *stream)
{
    ga_ufunc_call half[2];
    ga_map_halve(call, half);
    return ga_ufunc_run(&half[0], stream) < 0 ? -1 : ga_ufunc_run(&half[1], stream);
}

/* A mask that is one value: all elements, or none. */
static int
run_constant_mask(const ga_ufunc_call *call, ga_stream *stream)
{
    if (!call->args[call->nin + call->nout].value.bytes[0])
        return 0;
    ga_ufunc_call all = *call;
    all.has_where = false;
    return ga_ufunc_run(&all, stream);
}

static int
run_mapped(const ga_ufunc_call *call, ga_stream *stream)
{
    ga_map_plan plan;
    enum ga_status status;
    enum ga_dtype in = call->in[0], in2 = call->nin == 2 ? call->in[1] : in;
    int result = 0;
    if (ga_divide_run(call, stream, &result))
        return result;
    if constexpr (GA_BLOCK == 1)
        if (ga_power_run(call, stream, &result))
            return result;
    ga_map_prepare(call, &plan);
    ga_ufunc_loop loop = {call->op, in};
    if (in == in2)
        loop = ga_ufunc_kin(call->op, in);
    uint32_t key = ga_ufunc_key(loop.op, loop.dtype, in == in2 ? loop.dtype : in2);
    result = run_plan(key, loop.dtype, &plan, stream, &status);
    if (status == GA_OK)
        return result;
    return ga_kernel_fail(GA_ERR_TYPE, "%s has no loop for %s%s%s", name_operation(call->op),
                          name_dtype(in), call->nin == 2 ? " and " : "",
                          call->nin == 2 ? name_dtype(in2) : "");
}

int
ga_ufunc_run(const ga_ufunc_call *call, ga_stream *stream)
{
    if (call->size == 0)
        return 0;
    if (call->has_where && !call->args[call->nin + call->nout].data)
        return run_constant_mask(call, stream);
    if (!ga_map_fits(call))
        return run_halves(call, stream);
    if ((GA_BLOCK == 1 || call->has_where) && ga_turned_fits(call)) /* map_rows has tiles of its own on a GPU */
        return ga_turned_run(call, run_mapped, stream);
    return run_mapped(call, stream);
}
