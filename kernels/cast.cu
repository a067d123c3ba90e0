/* The cast slot: plans a conversion and hands it to the loops of its source dtype, or of one that
 * gives the same bits. Equal dtypes are copied here, by size and alignment, whatever they mean. Includes cast.cuh. */
#include "cast.cuh"

#include "slots.h"

struct copy_item {
    template <class T>
    GA_FN T
    call(T x)
    {
        return x;
    }
};

template <class T>
static int
copy_as(const ga_map_plan &plan, ga_stream *stream)
{
    return ga_map_launch<copy_item, T, ga_none, T, ga_none>(plan, copy_item{}, stream);
}

static int
copy_same(enum ga_dtype dtype, const ga_map_plan &plan, ga_stream *stream)
{
    if (dtype == GA_c64) /* aligned like its parts */
        return copy_as<ga_c64>(plan, stream);
    switch (ga_map_itemsize(dtype)) {
    case 1:
        return copy_as<uint8_t>(plan, stream);
    case 2:
        return copy_as<uint16_t>(plan, stream);
    case 4:
        return copy_as<uint32_t>(plan, stream);
    case 8:
        return copy_as<uint64_t>(plan, stream);
    default:
        return copy_as<ga_c128>(plan, stream);
    }
}

static int
convert(enum ga_dtype in, enum ga_dtype out, ga_cast_scale scale, const ga_map_plan *plan,
        ga_stream *stream)
{
    if (((1u << in | 1u << out) & GA_TYPES_K) != 0)
        return ga_cast_stored(in, out, plan, stream);
    switch (in) {
#define GA_DTYPE(id, ...) \
    case GA_##id: \
        return ga_cast_loops_##id(out, scale, plan, stream);
#include "../csrc/tables/dtypes.def"
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "cannot convert from dtype %d", (int)in);
    }
}

static int
run_mapped(const ga_ufunc_call *call, ga_cast_scale scale, ga_stream *stream)
{
    bool copies = call->in[0] == call->out[0] && scale.num == scale.den;
    if (copies && ga_transpose_fits(call))
        return ga_transpose_run(call, stream);
    if (!ga_map_fits(call)) {
        ga_ufunc_call half[2];
        ga_map_halve(call, half);
        return run_mapped(&half[0], scale, stream) < 0 ? -1 : run_mapped(&half[1], scale, stream);
    }
    ga_map_plan plan;
    ga_map_prepare(call, &plan);
    if (copies)
        return copy_same(call->in[0], plan, stream);
    return convert(call->in[0], call->out[0], scale, &plan, stream);
}

int
ga_cast_run(const ga_cast_call *call, ga_stream *stream)
{
    if (call->size == 0)
        return 0;
    ga_ufunc_call mapped;
    mapped.nin = mapped.nout = 1;
    ga_cast_pair kin = ga_cast_kin(call->in, call->out);
    if (call->num != call->den)
        kin.in = kin.out = GA_m8;
    mapped.in[0] = kin.in;
    mapped.out[0] = kin.out;
    mapped.ndim = call->ndim;
    mapped.has_where = mapped.converts = false;
    mapped.size = call->size;
    memcpy(mapped.shape, call->shape, sizeof mapped.shape);
    mapped.args[0] = call->src;
    mapped.args[1] = call->dst;
    return run_mapped(&mapped, {call->num, call->den}, stream);
}
