/* The cast slot: plans a conversion and hands it to the loops of its source dtype, or of one that
 * gives the same bits. Equal dtypes are copied (ga_copy_run). Includes cast.cuh. */
#include "cast.cuh"

#include "slots.h"

#define GA_COPY_LEAST 16 /* shorter sides of a matrix are not worth a tile */

/* A source that is one value along the target's lines is a column: to be read once a line, not to be turned. */
int
ga_copy_rows(const ga_ufunc_call *call)
{
    int64_t size = ga_map_itemsize(call->in[0]);
    int last = call->ndim - 1;
    if (call->ndim < 2 || !call->args[0].data || call->size >= GA_WALK_LIMIT || call->shape[last] < GA_COPY_LEAST)
        return -1;
    if (call->args[1].strides[last] != size || call->args[0].strides[last] == size || call->args[0].strides[last] == 0)
        return -1;
    for (int d = 0; d < last; d++)
        if (call->args[0].strides[d] == size || call->args[0].strides[d] == -size)
            return call->shape[d] >= GA_COPY_LEAST ? d : -1;
    return -1;
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
    if (call->in[0] == call->out[0] && scale.num == scale.den)
        return ga_copy_run(call, stream);
    if (!ga_map_fits(call)) {
        ga_ufunc_call half[2];
        ga_map_halve(call, half);
        return run_mapped(&half[0], scale, stream) < 0 ? -1 : run_mapped(&half[1], scale, stream);
    }
    ga_map_plan plan;
    ga_map_prepare(call, &plan);
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
