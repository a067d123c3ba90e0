/* The layout of a reduction. Pure arithmetic over the caller's arrays but for compact, which makes
 * a copy. */
#include "reduce_plan.h"

#include "convert.h"
#include "transfer.h"

static bool
is_reduced(uint64_t axes, int axis)
{
    return (axes >> axis & 1u) != 0;
}

int
ga_reduce_plan_split(const GaArray *a, const GaArray *mask, uint64_t axes, ga_reduce_plan *out)
{
    int64_t strides[GA_MAXDIMS] = {0};
    if (mask != NULL && ga_layout_broadcast_strides(a->ndim, a->shape, mask->ndim, mask->shape,
                                                    mask->strides, strides) < 0)
        return ga_raise_int();
    out->nkeep = out->nred = 0;
    for (int i = 0; i < a->ndim; i++) {
        bool red = is_reduced(axes, i);
        int n = red ? out->nred++ : out->nkeep++;
        (red ? out->red_shape : out->keep_shape)[n] = a->shape[i];
        (red ? out->src_red : out->src_keep)[n] = a->strides[i];
        (red ? out->mask_red : out->mask_keep)[n] = strides[i];
    }
    return 0;
}

int
ga_reduce_plan_shape(const GaArray *a, uint64_t axes, bool keepdims, int64_t *shape)
{
    int ndim = 0;
    for (int i = 0; i < a->ndim; i++) {
        if (!is_reduced(axes, i))
            shape[ndim++] = a->shape[i];
        else if (keepdims)
            shape[ndim++] = 1;
    }
    return ndim;
}

void
ga_reduce_plan_target(const GaArray *a, const GaArray *target, uint64_t axes, bool keepdims,
                      ga_reduce_plan *out)
{
    int kept = 0, at = 0;
    for (int i = 0; i < a->ndim; i++) {
        if (!is_reduced(axes, i))
            out->dst_keep[kept++] = target->strides[at++];
        else if (keepdims)
            at++;
    }
}

int
ga_reduce_plan_check_out(const char *function, const GaArray *out, int ndim, const int64_t *shape)
{
    char given[256], needed[256];
    if (out->ndim == ndim && memcmp(out->shape, shape, sizeof(int64_t) * (size_t)ndim) == 0)
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "%s(): output parameter out has shape %s, the reduction gives shape %s", function,
                 ga_layout_format(out->ndim, out->shape, given, sizeof given),
                 ga_layout_format(ndim, shape, needed, sizeof needed));
    return -1;
}

GaArray *
ga_reduce_plan_compact(GaState *state, GaArray *a, uint64_t axes)
{
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < a->ndim; i++) {
            if (is_reduced(axes, i) != (pass == 1))
                continue;
            shape[n] = a->shape[i];
            strides[n++] = a->strides[i];
        }
    }
    GaArray *view = ga_array_view(state, a, NULL, a->ndim, shape, strides, 0);
    GaArray *copy = view != NULL ? ga_transfer_copy(state, view, NULL, NULL, 'C') : NULL;
    Py_XDECREF(view);
    return copy;
}

uint64_t
ga_reduce_plan_last(const ga_reduce_plan *plan)
{
    uint64_t axes = 0;
    for (int i = plan->nkeep; i < plan->nkeep + plan->nred; i++)
        axes |= UINT64_C(1) << i;
    return axes;
}

bool
ga_reduce_plan_collapse(const ga_reduce_plan *plan, bool masked, bool reorder, ga_iter *red)
{
    const int64_t *strides[2] = {plan->src_red, plan->mask_red};
    ga_iter_begin(red, plan->nred, plan->red_shape, masked ? 2 : 1, strides, reorder);
    return red->outer_ndim == 0;
}

int
ga_reduce_plan_out(GaState *state, const char *function, PyObject *object, GaArray **out)
{
    *out = NULL;
    if (object == NULL || object == Py_None)
        return 0;
    if (!GA_ARRAY_CHECK(state, object)) {
        PyErr_Format(
            PyExc_TypeError,
            "%s(): return arrays must be of ArrayType: out= takes gpuarray.ndarray, not %s",
            function, Py_TYPE(object)->tp_name);
        return -1;
    }
    if (!(((GaArray *)object)->flags & GA_ARRAY_WRITEABLE)) {
        PyErr_SetString(PyExc_ValueError, "output array is read-only");
        return -1;
    }
    *out = (GaArray *)object;
    return 0;
}
