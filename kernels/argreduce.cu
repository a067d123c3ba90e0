/* argmax and argmin: a reduction whose accumulators remember where their value stood. Owns ga_argreduce_run.
 * Includes reduce_kits.h, slots.h, port.cuh. */
#include "port.cuh"
#include "reduce_kits.h"
#include "slots.h"

static const ga_reduce_kit *find_kit(const ga_argreduce_call *call)
{
    switch (call->dtype) {
#define GA_DTYPE(id, ...) \
    case GA_##id:         \
        return ga_argreduce_kit_##id(call->maximum);
#include "../csrc/tables/dtypes.def"
    default:
        return nullptr;
    }
}

static void fill_stage(const ga_argreduce_call *call, ga_reduce_stage *s)
{
    int64_t place = 1;
    memset(s, 0, sizeof *s);
    s->src = static_cast<const char *>(call->src);
    s->dst = reinterpret_cast<char *>(call->dst);
    s->src_dtype = call->dtype;
    s->direct = true;
    s->nkeep = call->nkeep + call->nred;
    for (int d = 0; d < call->nkeep; d++)
        s->dim[d] = {call->keep_shape[d], call->src_keep[d], call->dst_keep[d], 0, 0, false};
    for (int d = call->nred - 1; d >= 0; d--) {
        s->dim[call->nkeep + d] = {call->red_shape[d], call->src_red[d], 0, 0, place, true};
        place *= call->red_shape[d];
    }
}

int ga_argreduce_run(const ga_argreduce_call *call, ga_stream *stream)
{
    const ga_reduce_kit *kit = find_kit(call);
    if (!kit)
        return ga_kernel_fail(GA_ERR_TYPE, "argmax, argmin: unknown dtype %d", int(call->dtype));
    if (call->keep_size == 0)
        return 0;
    if (call->red_size == 0)
        return ga_kernel_fail(GA_ERR_VALUE, "attempt to get %s of an empty sequence",
                              call->maximum ? "argmax" : "argmin");
    ga_reduce_stage s;
    fill_stage(call, &s);
    return ga_reduce_stages(kit, &s, stream);
}
