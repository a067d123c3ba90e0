/* What reduce, accumulate and reduceat do alike before they launch: operands, NumPy's loop, the layout
 * of a source that kernels can read, and where a result may be written at once. */
#include "reduce_plan.h"

#include <string.h>

#include "../core/overlap.h"
#include "dtype.h"
#include "transfer.h"

void
ga_reduce_clear(ga_reduction *r)
{
    Py_CLEAR(r->x);
    Py_CLEAR(r->mask);
    Py_CLEAR(r->result);
    Py_CLEAR(r->temp);
    Py_CLEAR(r->dtype);
}

enum ga_call_status
ga_reduce_check_ufunc(const ga_reduction *r)
{
    if (r->info->nin == 2 && r->info->nout == 1)
        return GA_CALL_OK;
    PyErr_Format(PyExc_ValueError, "%s only supported for %s", r->method,
                 r->info->nin != 2 ? "binary functions" : "functions returning a single value");
    return GA_CALL_ERROR;
}

enum ga_call_status
ga_reduce_take_operands(ga_reduction *r, PyObject *x)
{
    ga_device *device;
    PyObject *where =
        r->args->where == Py_True || r->args->where == Py_None ? NULL : r->args->where;
    PyObject *all[3] = {x, r->args->out, where};
    if (ga_reduce_plan_out(r->state, r->info->name, r->args->out, &r->out) < 0 ||
        ga_operand_device(r->state, all, 3, &device) < 0)
        return GA_CALL_ERROR;
    enum ga_call_status status = ga_operand_take_array(r->state, x, device, &r->x);
    if (status != GA_CALL_OK || where == NULL)
        return status;
    return ga_operand_take_mask(r->state, where, ga_array_device(r->x), &r->mask);
}

static int
cast_source(ga_reduction *r, PyArray_Descr *descr)
{
    GaArray *cast = ga_transfer_cast(r->state, r->x, descr);
    if (cast == NULL)
        return -1;
    Py_SETREF(r->x, cast);
    return 0;
}

/* What kernels of float32 read as it is, with rows and columns of their own. */
static bool
reads_source(const ga_reduction *r)
{
    enum ga_ufunc op = r->ufunc->op;
    enum ga_dtype loop = r->loop->dtypes[1];
    bool whole = strcmp(r->method, "reduce") == 0 && r->args->form == GA_REDUCE_WHOLE;
    return whole && r->x->dtype == GA_bf16 && (loop == GA_bf16 || loop == GA_f32) &&
           (op == GA_UF_add || op == GA_UF_maximum || op == GA_UF_minimum);
}

/* Few kernels reduce bfloat16 and none float8: elements are brought to the loop's dtype, from there to
 * float32 if that is a stored one too. */
static int
widen_source(ga_reduction *r)
{
    PyArray_Descr *descr = r->loop->descrs[1], *f32 = r->state->descrs[GA_f32];
    bool as_is = reads_source(r);
    if (!as_is && cast_source(r, descr) < 0)
        return -1;
    if (!ga_registry_is_stored(r->loop->dtypes[1]))
        return 0;
    r->narrow = descr;
    r->wide = (ga_resolution){.descrs = {f32, f32, f32}, .dtypes = {GA_f32, GA_f32, GA_f32}};
    r->loop = &r->wide;
    return as_is ? 0 : cast_source(r, f32);
}

enum ga_call_status
ga_reduce_store(ga_reduction *r)
{
    GaArray **slot = r->temp != NULL ? &r->temp : &r->result;
    if (r->narrow != NULL) {
        GaArray *rounded = ga_transfer_cast(r->state, *slot, r->narrow);
        if (rounded == NULL)
            return GA_CALL_ERROR;
        Py_SETREF(*slot, rounded);
    }
    bool failed = r->temp != NULL && ga_transfer_assign(r->state, r->result, r->temp) < 0;
    return failed ? GA_CALL_ERROR : GA_CALL_OK;
}

enum ga_call_status
ga_reduce_resolve(ga_reduction *r)
{
    ga_question question = {.casting = NPY_UNSAFE_CASTING, .reduction = true};
    if (ga_dtype_parse(r->args->dtype, &r->dtype) < 0)
        return GA_CALL_ERROR;
    for (int i = 0; i < 4; i++)
        question.codes[i] = GA_CODE_NONE;
    if (r->out != NULL) {
        question.codes[0] = (enum ga_operand_code)r->out->dtype;
        question.descrs[0] = r->out->descr;
    }
    question.codes[1] = (enum ga_operand_code)r->x->dtype;
    question.descrs[1] = r->x->descr;
    question.signature[0] = r->dtype;
    enum ga_call_status status = ga_resolve_loop(r->ufunc, &question, &r->loop);
    if (status != GA_CALL_OK)
        return status;
    const enum ga_dtype *loop = r->loop->dtypes;
    if (loop[0] != loop[2]) {
        PyErr_Format(
            PyExc_TypeError, "the resolved dtypes are not compatible with %s.%s: (%R, %R) -> %R",
            r->info->name, r->method, r->loop->descrs[0], r->loop->descrs[1], r->loop->descrs[2]);
        return GA_CALL_ERROR;
    }
    if (loop[0] != loop[1])
        return GA_CALL_FOREIGN; /* no kernel folds unlike dtypes */
    if (ga_transfer_warn_complex(r->state, r->x->descr, r->loop->descrs[1]) < 0 ||
        (r->out != NULL && ga_transfer_warn_complex(r->state, r->loop->descrs[2], r->out->descr) < 0))
        return GA_CALL_ERROR;
    bool stored = ga_registry_is_stored(r->x->dtype) || ga_registry_is_stored(loop[1]);
    return stored && widen_source(r) < 0 ? GA_CALL_ERROR : GA_CALL_OK;
}

static bool
is_misaligned(const GaArray *a)
{
    uint64_t bits = (uint64_t)(uintptr_t)a->buffer->ptr + (uint64_t)a->offset;
    for (int i = 0; i < a->ndim; i++)
        bits |= (uint64_t)a->strides[i];
    return (bits & (uint64_t)(ga_array_itemsize(a) - 1)) != 0;
}

enum ga_call_status
ga_reduce_prepare_source(ga_reduction *r)
{
    PyArray_Descr *descr = r->loop->descrs[1];
    bool times = PyDataType_ISDATETIME(descr) || PyDataType_ISDATETIME(r->x->descr);
    GaArray *fresh = NULL;
    if (times && !PyArray_EquivTypes(r->x->descr, descr))
        fresh = ga_transfer_cast(r->state, r->x, descr);
    else if (is_misaligned(r->x))
        fresh = ga_transfer_copy(r->state, r->x, NULL, NULL, 'K');
    else
        return GA_CALL_OK;
    if (fresh == NULL)
        return GA_CALL_ERROR;
    Py_SETREF(r->x, fresh);
    return GA_CALL_OK;
}

static bool
overlaps(const GaArray *a, const GaArray *b)
{
    if (b == NULL || ga_array_device(a) != ga_array_device(b))
        return false;
    ga_extent one = {(const char *)a->buffer->ptr + a->offset, a->ndim, a->shape, a->strides,
                     ga_array_itemsize(a)};
    ga_extent two = {(const char *)b->buffer->ptr + b->offset, b->ndim, b->shape, b->strides,
                     ga_array_itemsize(b)};
    return ga_overlap_bounds(&one, &two);
}

/* Whether the loop may write into out= itself. */
static bool
writes_directly(const ga_reduction *r)
{
    return r->narrow == NULL && r->out->dtype == r->loop->dtypes[2] &&
           PyArray_EquivTypes(r->out->descr, r->loop->descrs[2]) && !overlaps(r->out, r->x) &&
           !overlaps(r->out, r->mask) && !is_misaligned(r->out);
}

/* The kept axes from the one that varies fastest in memory, as NumPy's iterator finds it among all axes of source and
 * mask; the axis of reduceat has no say in it. */
static int
order_axes(const ga_reduction *r, int ndim, int *inner_first)
{
    const GaArray *x = r->x, *mask = r->mask;
    int64_t source[GA_MAXDIMS], masks[GA_MAXDIMS];
    const int64_t *models[2] = {source, masks};
    int all[GA_MAXDIMS], place[GA_MAXDIMS], kept = 0;
    for (int i = 0; i < x->ndim; i++) {
        bool reduced = (r->axes >> i & 1u) != 0;
        source[i] = r->slices && reduced ? 0 : x->strides[i];
        place[i] = reduced && ndim < x->ndim ? -1 : kept++;
    }
    if (mask != NULL && ga_layout_broadcast_strides(x->ndim, x->shape, mask->ndim, mask->shape,
                                                    mask->strides, masks) < 0)
        return ga_raise_int();
    ga_layout_order_common(x->ndim, x->shape, mask != NULL ? 2 : 1, models, all);
    for (int i = 0, n = 0; i < x->ndim; i++) {
        if (place[all[i]] >= 0)
            inner_first[n++] = place[all[i]];
    }
    return 0;
}

static GaArray *
new_result(const ga_reduction *r, int ndim, const int64_t *shape)
{
    int inner_first[GA_MAXDIMS];
    int64_t strides[GA_MAXDIMS];
    PyArray_Descr *descr = r->loop->descrs[2];
    if (order_axes(r, ndim, inner_first) < 0)
        return NULL;
    ga_layout_strides_ordered(ndim, shape, (int64_t)PyDataType_ELSIZE(descr), inner_first, strides);
    return ga_array_new_strided(r->state, ga_array_device(r->x), descr, ndim, shape, strides);
}

int
ga_reduce_make_result(ga_reduction *r, int ndim, const int64_t *shape)
{
    GaArray **slot = &r->result;
    if (r->out != NULL) {
        if (ga_reduce_plan_check_out(r->info->name, r->out, ndim, shape) < 0)
            return -1;
        r->result = (GaArray *)Py_NewRef(r->out);
        slot = &r->temp;
    }
    if (r->out != NULL && writes_directly(r))
        return 0;
    *slot = new_result(r, ndim, shape);
    return *slot != NULL ? 0 : -1;
}
