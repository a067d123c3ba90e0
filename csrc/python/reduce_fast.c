/* x.sum() and its like: a whole contiguous array reduced to one element, nothing else asked. The
 * launch is the one that reduce.c would make, so the bits are the same. */
#include "launch.h"
#include "reduce_plan.h"

/* Everything NULL, the axis too. */
static bool
is_bare(const ga_reduce_args *args)
{
    return args->form == GA_REDUCE_WHOLE && args->axis == NULL && args->dtype == NULL &&
           args->out == NULL && args->initial == NULL && args->where == NULL && !args->keepdims;
}

/* One run of aligned elements, at least one. An operation that goes left to right does so along one
 * axis only. */
static bool
is_one_run(const GaArray *a, bool reorderable)
{
    uint64_t start = (uint64_t)(uintptr_t)a->buffer->ptr + (uint64_t)a->offset;
    if (a->size == 0 || (start & (uint64_t)(ga_array_itemsize(a) - 1)) != 0)
        return false;
    return reorderable ? (a->flags & (GA_ARRAY_C | GA_ARRAY_F)) != 0
                       : a->ndim == 1 && (a->flags & GA_ARRAY_C) != 0;
}

static int
launch_run(const GaUfunc *ufunc, const ga_resolution *loop, int64_t divisor, GaArray *a,
           GaArray *result)
{
    char *src, *dst;
    ga_stream *stream;
    ga_reduce_call launch;
    if (ga_array_pointer(a, GA_READ, &stream, &src) < 0 ||
        ga_array_pointer(result, GA_WRITE, &stream, &dst) < 0)
        return -1;
    launch.op = ufunc->op;
    launch.src_dtype = a->dtype;
    launch.dtype = loop->dtypes[2];
    launch.nkeep = 0;
    launch.keep_size = 1;
    launch.nred = 1;
    launch.red_size = launch.red_shape[0] = a->size;
    launch.ordered = !ufunc->info->reorderable;
    launch.has_initial = launch.has_where = false;
    launch.src = src;
    launch.dst = dst;
    launch.where = NULL;
    launch.src_red[0] = ga_array_itemsize(a);
    launch.where_red[0] = 0;
    launch.initial = (ga_scalar){.bytes = {0}};
    launch.divisor = divisor;
    return ga_launch_reduce(ga_array_device(a), &launch, stream);
}

PyObject *
ga_reduce_fast(GaState *state, GaUfunc *ufunc, PyObject *x, const ga_reduce_args *args)
{
    GaArray *a = (GaArray *)x;
    if (Py_TYPE(x) != state->array_type || !is_bare(args) || ufunc->info->nin != 2 ||
        ga_registry_is_stored(a->dtype))
        return NULL;
    const ga_resolution *loop = ga_resolve_direct_reduction(ufunc, a->dtype);
    if (loop == NULL || loop->dtypes[0] != loop->dtypes[1] || loop->dtypes[0] != loop->dtypes[2] ||
        !is_one_run(a, ufunc->info->reorderable))
        return NULL;
    GaArray *result = ga_array_new(state, ga_array_device(a), loop->descrs[2], 0, a->shape, 'C');
    if (result != NULL && launch_run(ufunc, loop, args->divisor, a, result) < 0)
        Py_CLEAR(result);
    return (PyObject *)ga_array_as_scalar(result);
}
