/* Variance and standard deviation: a reduction whose accumulators hold moments. Owns ga_moments_run.
 * Includes moments_kits.h, reduce_fill.h, slots.h, port.cuh. */
#include "moments_kits.h"
#include "port.cuh"
#include "reduce_fill.h"
#include "slots.h"

static const ga_reduce_kit *find_kit(enum ga_dtype dtype)
{
    switch (dtype) {
#define GA_DTYPE(id, ...) \
    case GA_##id:         \
        return ga_moments_kit_##id();
#include "../csrc/tables/dtypes.def"
    default:
        return nullptr;
    }
}

int ga_moments_run(const ga_moments_call *call, ga_stream *stream)
{
    const ga_reduce_kit *kit = find_kit(call->reduce.src_dtype);
    ga_reduce_stage s;
    if (!kit)
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "var, std: no loop for dtype %d", int(call->reduce.src_dtype));
    if (call->reduce.keep_size == 0)
        return 0;
    ga_reduce_fill(&call->reduce, &s);
    s.direct = true; /* the kit is the source's own */
    s.initial.d = call->ddof;
    s.has_initial = call->root;
    s.narrow = call->reduce.dtype == GA_f32;
    return ga_reduce_stages(kit, &s, stream);
}
