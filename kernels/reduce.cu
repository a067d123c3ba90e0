/* Reductions of binary ufuncs: from a ga_reduce_call to stages. Owns ga_reduce_run.
 * Includes kinds.h, left.h, reduce_fill.h, reduce_kits.h, slots.h, port.cuh. */
#include "kinds.h"
#include "left.h"
#include "port.cuh"
#include "reduce_fill.h"
#include "reduce_kits.h"
#include "slots.h"

static const ga_reduce_kit *find_kit(const ga_reduce_call *call)
{
    bool direct = call->src_dtype == call->dtype;
    enum ga_dtype dtype = direct ? ga_kind_serving(call->op, call->dtype) : call->dtype;
    enum ga_dtype src = direct ? dtype : call->src_dtype;
    switch (dtype) {
#define GA_DTYPE(id, ...) \
    case GA_##id:         \
        return ga_reduce_kit_##id(call->op, src);
#include "../csrc/tables/dtypes.def"
    default:
        return nullptr;
    }
}

static const char *name_dtype(enum ga_dtype dtype)
{
    static const char *const names[] = {
#define GA_DTYPE(id, ctype, ch, kind, size, name) name,
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
    };
    return dtype < GA_DTYPE_COUNT ? names[dtype] : "unknown";
}

static const char *name_ufunc(enum ga_ufunc op)
{
    switch (op) {
#define U21(name, ...)  \
    case GA_UF_##name:  \
        return #name;
#include "../csrc/tables/ufuncs.def"
    default:
        return "ufunc";
    }
}

static void fill_stage(const ga_reduce_call *call, ga_reduce_stage *s)
{
    memset(s, 0, sizeof *s);
    s->src = static_cast<const char *>(call->src);
    s->dst = static_cast<char *>(call->dst);
    s->where = call->has_where ? static_cast<const char *>(call->where) : nullptr;
    s->initial = call->initial;
    s->has_initial = call->has_initial;
    s->divisor = call->divisor;
    s->src_dtype = call->src_dtype;
    s->direct = call->src_dtype == call->dtype;
    s->nkeep = call->nkeep;
    for (int d = 0; d < call->nkeep; d++)
        s->dim[d] = {call->keep_shape[d], call->src_keep[d], call->dst_keep[d], call->where_keep[d], 0, false};
}

/* The reduced axes with their places in C order: dim[first...]. A mask that is not there has no strides. */
static void fill_reduced(const ga_reduce_call *call, ga_reduce_dim *dim)
{
    int64_t place = 1;
    for (int d = call->nred - 1; d >= 0; d--) {
        dim[d] = {call->red_shape[d], call->src_red[d], 0, call->where_red[d], place, true};
        place *= call->red_shape[d];
    }
}

static int run_ordered(const ga_reduce_call *call, ga_stream *stream)
{
    ga_left_stage s = {};
    ga_reduce_stage *w = &s.slices.walk;
    s.op = call->op;
    s.slices.segments = 1;
    fill_stage(call, w);
    w->nred = call->nred;
    fill_reduced(call, w->dim + w->nkeep);
    w->outputs = call->keep_size;
    w->chunk = call->red_size;
    return ga_left_run(&s, call->dtype, call->red_size, stream);
}

void ga_reduce_fill(const ga_reduce_call *call, ga_reduce_stage *s)
{
    fill_stage(call, s);
    fill_reduced(call, s->dim + s->nkeep);
    s->nkeep += call->nred;
    if (!s->where)
        for (int d = 0; d < s->nkeep; d++)
            s->dim[d].where = 0;
}

static int run_tree(const ga_reduce_kit *kit, const ga_reduce_call *call, ga_stream *stream)
{
    ga_reduce_stage s;
    ga_reduce_fill(call, &s);
    return ga_reduce_stages(kit, &s, stream);
}

int ga_reduce_run(const ga_reduce_call *call, ga_stream *stream)
{
    const ga_reduce_kit *kit = call->ordered ? nullptr : find_kit(call);
    if (!kit && !(call->ordered && ga_left_has(call->op, call->dtype)))
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "%s.reduce has no loop for %s", name_ufunc(call->op),
                              name_dtype(call->dtype));
    if (call->keep_size == 0)
        return 0;
    return kit ? run_tree(kit, call, stream) : run_ordered(call, stream);
}
