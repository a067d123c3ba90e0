/* The launches of a planned reduction: reduced axes collapsed into one launch (copied together
 * where they will not), kept axes looped over where more are left than a launch takes. */
#include "launch.h"
#include "reduce_plan.h"

static int
compact_mask(ga_reduction *r)
{
    int64_t strides[GA_MAXDIMS];
    const GaArray *x = r->x;
    if (ga_layout_broadcast_strides(x->ndim, x->shape, r->mask->ndim, r->mask->shape,
                                    r->mask->strides, strides) < 0)
        return ga_raise_int();
    GaArray *wide = ga_array_view(r->state, r->mask, NULL, x->ndim, x->shape, strides, 0);
    GaArray *compact = wide != NULL ? ga_reduce_plan_compact(r->state, wide, r->axes) : NULL;
    Py_XDECREF(wide);
    if (compact == NULL)
        return -1;
    Py_SETREF(r->mask, compact);
    return 0;
}

/* Copies of x and the mask whose axes collapse; the plan follows, the result's strides stay. */
static int
compact_source(ga_reduction *r)
{
    if (r->mask != NULL && compact_mask(r) < 0)
        return -1;
    GaArray *compact = ga_reduce_plan_compact(r->state, r->x, r->axes);
    if (compact == NULL)
        return -1;
    Py_SETREF(r->x, compact);
    return ga_reduce_plan_split(r->x, r->mask, ga_reduce_plan_last(&r->plan), &r->plan);
}

static void
describe_reduced(const ga_reduction *r, const ga_iter *red, ga_reduce_call *launch)
{
    launch->op = r->ufunc->op;
    launch->src_dtype = r->x->dtype;
    launch->dtype = r->loop->dtypes[2];
    launch->ordered = !r->info->reorderable;
    launch->has_initial = r->has_initial;
    launch->has_where = r->mask != NULL;
    launch->initial = r->initial;
    launch->divisor = r->args->divisor;
    launch->nred = red->ndim;
    launch->red_size = red->size;
    memcpy(launch->red_shape, red->shape, sizeof launch->red_shape);
    memcpy(launch->src_red, red->strides[0], sizeof launch->src_red);
    memset(launch->where_keep, 0, sizeof launch->where_keep);
    memset(launch->where_red, 0, sizeof launch->where_red);
    if (r->mask != NULL)
        memcpy(launch->where_red, red->strides[1], sizeof launch->where_red);
}

typedef struct {
    char *src, *dst, *mask;
    ga_stream *stream;
} reduce_pointers;

static int
get_pointers(ga_reduction *r, const ga_iter *red, reduce_pointers *out)
{
    out->mask = NULL;
    if (ga_array_pointer(r->x, GA_READ, &out->stream, &out->src) < 0 ||
        (r->mask != NULL && ga_array_pointer(r->mask, GA_READ, &out->stream, &out->mask) < 0) ||
        ga_array_pointer(r->temp != NULL ? r->temp : r->result, GA_WRITE, &out->stream, &out->dst) <
            0)
        return -1;
    out->src += red->offsets[0];
    if (out->mask != NULL)
        out->mask += red->offsets[1];
    return 0;
}

static int
launch_one(const ga_reduction *r, const ga_reduce_call *launch, ga_stream *stream)
{
    if (r->args->form != GA_REDUCE_WHOLE) {
        ga_present_call present = {*launch, r->args->form == GA_REDUCE_MEAN_PRESENT};
        return ga_launch_present(ga_array_device(r->x), &present, stream);
    }
    if (r->moments == NULL)
        return ga_launch_reduce(ga_array_device(r->x), launch, stream);
    ga_moments_call moments = {*launch, r->moments->ddof, r->moments->root};
    return ga_launch_moments(ga_array_device(r->x), &moments, stream);
}

int
ga_reduce_launch_all(ga_reduction *r)
{
    ga_iter red, keep;
    ga_reduce_call launch;
    reduce_pointers at;
    const int64_t *strides[3] = {r->plan.src_keep, r->plan.dst_keep, r->plan.mask_keep};
    bool masked = r->mask != NULL, reorder = r->info->reorderable;
    if (!ga_reduce_plan_collapse(&r->plan, masked, reorder, &red)) {
        if (compact_source(r) < 0)
            return -1;
        (void)ga_reduce_plan_collapse(&r->plan, masked, reorder, &red);
    }
    describe_reduced(r, &red, &launch);
    if (get_pointers(r, &red, &at) < 0)
        return -1;
    ga_iter_begin(&keep, r->plan.nkeep, r->plan.keep_shape, masked ? 3 : 2, strides, true);
    do {
        launch.nkeep = keep.ndim;
        launch.keep_size = keep.size;
        memcpy(launch.keep_shape, keep.shape, sizeof launch.keep_shape);
        memcpy(launch.src_keep, keep.strides[0], sizeof launch.src_keep);
        memcpy(launch.dst_keep, keep.strides[1], sizeof launch.dst_keep);
        if (masked)
            memcpy(launch.where_keep, keep.strides[2], sizeof launch.where_keep);
        launch.src = at.src + keep.offsets[0];
        launch.dst = at.dst + keep.offsets[1];
        launch.where = masked ? at.mask + keep.offsets[2] : NULL;
        if (keep.size > 0 && launch_one(r, &launch, at.stream) < 0)
            return -1;
    } while (ga_iter_next(&keep));
    return 0;
}
