/* ufunc.reduce from end to end: operands, NumPy's loop (small integers add up in 64 bits), axes,
 * result, launches. Owns the reduction's references from begin to end; a call that fails before the
 * launch has changed nothing.
 *
 * The source is read in its own dtype and converted on load, so that no temporary of its size
 * appears; only time units, elements that are not aligned, and axes that will not collapse make a
 * copy. */
#include "reduce_plan.h"

#include "../core/overlap.h"
#include "convert.h"
#include "dtype.h"
#include "transfer.h"

static void
clear_reduction(ga_reduction *r)
{
    Py_CLEAR(r->x);
    Py_CLEAR(r->mask);
    Py_CLEAR(r->result);
    Py_CLEAR(r->temp);
    Py_CLEAR(r->dtype);
}

static enum ga_call_status
check_ufunc(const ga_reduction *r)
{
    if (r->info->nin == 2 && r->info->nout == 1)
        return GA_CALL_OK;
    PyErr_SetString(PyExc_ValueError,
                    r->info->nin != 2
                        ? "reduce only supported for binary functions"
                        : "reduce only supported for functions returning a single value");
    return GA_CALL_ERROR;
}

static enum ga_call_status
take_operands(ga_reduction *r, PyObject *x)
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

static enum ga_call_status
resolve_reduction(ga_reduction *r)
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
        PyErr_Format(PyExc_TypeError,
                     "the resolved dtypes are not compatible with %s.reduce: (%R, %R) -> %R",
                     r->info->name, r->loop->descrs[0], r->loop->descrs[1], r->loop->descrs[2]);
        return GA_CALL_ERROR;
    }
    return loop[0] == loop[1] ? GA_CALL_OK : GA_CALL_FOREIGN; /* no kernel folds unlike dtypes */
}

static int
count_bits(uint64_t bits)
{
    return __builtin_popcountll(bits);
}

static enum ga_call_status
take_axes(ga_reduction *r)
{
    int rc = ga_reduce_plan_axes(r->state, r->args->axis, r->x->ndim, &r->axes);
    return rc < 0 ? GA_CALL_ERROR : GA_CALL_OK;
}

static enum ga_call_status
check_axes(const ga_reduction *r)
{
    if (r->info->reorderable || count_bits(r->axes) <= 1)
        return GA_CALL_OK;
    PyErr_Format(
        PyExc_ValueError,
        "reduction operation '%s' is not reorderable, so at most one axis may be specified",
        r->info->name);
    return GA_CALL_ERROR;
}

/* initial= in the loop's dtype; an array counts by its one element. */
static enum ga_call_status
take_initial(ga_reduction *r)
{
    PyObject *initial = r->args->initial, *number;
    if (initial == NULL || initial == Py_None)
        return GA_CALL_OK;
    r->has_initial = true;
    if (!GA_ARRAY_CHECK(r->state, initial)) {
        number = Py_NewRef(initial);
    } else {
        ga_scalar value;
        GaArray *array = (GaArray *)initial;
        number =
            ga_transfer_item(array, 0, &value) == 0 ? ga_convert_item(array->descr, &value) : NULL;
    }
    if (number == NULL)
        return GA_CALL_ERROR;
    enum ga_call_status status = ga_number_pack(number, r->loop->dtypes[0], &r->initial);
    if (status == GA_CALL_FOREIGN)
        status = ga_convert_scalar(r->state, number, r->loop->descrs[0], &r->initial) < 0
                     ? GA_CALL_ERROR
                     : GA_CALL_OK;
    Py_DECREF(number);
    return status;
}

/* Without a start value an operation without identity needs something to reduce. */
static enum ga_call_status
check_identity(const ga_reduction *r)
{
    if (r->has_initial || r->info->identity != GA_IDENTITY_NONE)
        return GA_CALL_OK;
    if (r->mask != NULL) {
        PyErr_Format(PyExc_ValueError,
                     "reduction operation '%s' does not have an identity, so to use a where mask "
                     "one has to specify 'initial'",
                     r->info->name);
        return GA_CALL_ERROR;
    }
    bool empty = false;
    for (int i = 0; i < r->plan.nred; i++)
        empty = empty || r->plan.red_shape[i] == 0;
    if (!empty)
        return GA_CALL_OK;
    PyErr_Format(PyExc_ValueError,
                 "zero-size array to reduction operation %s which has no identity", r->info->name);
    return GA_CALL_ERROR;
}

static bool
is_misaligned(const GaArray *a)
{
    uint64_t bits = (uint64_t)(uintptr_t)a->buffer->ptr + (uint64_t)a->offset;
    for (int i = 0; i < a->ndim; i++)
        bits |= (uint64_t)a->strides[i];
    return (bits & (uint64_t)(ga_array_itemsize(a) - 1)) != 0;
}

static enum ga_call_status
prepare_source(ga_reduction *r)
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

/* Strides of the result: the order of the kept axes in memory, as NumPy keeps it. */
static GaArray *
new_result(const ga_reduction *r, int ndim, const int64_t *shape)
{
    int64_t model[GA_MAXDIMS], strides[GA_MAXDIMS];
    PyArray_Descr *descr = r->loop->descrs[2];
    int n = 0;
    for (int i = 0; i < r->x->ndim; i++) {
        if (ndim == r->x->ndim || !(r->axes >> i & 1u))
            model[n++] = r->x->strides[i];
    }
    const int64_t *models[1] = {model};
    ga_layout_strides_common(ndim, shape, 1, models, (int64_t)PyDataType_ELSIZE(descr), strides);
    return ga_array_new_strided(r->state, ga_array_device(r->x), descr, ndim, shape, strides);
}

static enum ga_call_status
make_result(ga_reduction *r)
{
    int64_t shape[GA_MAXDIMS];
    bool keepdims = r->args->keepdims;
    int ndim = ga_reduce_plan_shape(r->x, r->axes, keepdims, shape);
    GaArray **slot = &r->result;
    if (r->out != NULL) {
        if (ga_reduce_plan_check_out(r->info->name, r->out, ndim, shape) < 0)
            return GA_CALL_ERROR;
        r->result = (GaArray *)Py_NewRef(r->out);
        slot = &r->temp;
    }
    bool direct = r->out != NULL && r->out->dtype == r->loop->dtypes[2] &&
                  PyArray_EquivTypes(r->out->descr, r->loop->descrs[2]) &&
                  !overlaps(r->out, r->x) && !overlaps(r->out, r->mask) && !is_misaligned(r->out);
    if (!direct)
        *slot = new_result(r, ndim, shape);
    if (!direct && *slot == NULL)
        return GA_CALL_ERROR;
    ga_reduce_plan_target(r->x, r->temp != NULL ? r->temp : r->result, r->axes, keepdims, &r->plan);
    return GA_CALL_OK;
}

static enum ga_call_status
run_stages(ga_reduction *r, PyObject *x)
{
    enum ga_call_status status = check_ufunc(r);
    if (status == GA_CALL_OK)
        status = take_operands(r, x);
    if (status == GA_CALL_OK)
        status = take_axes(r);
    if (status == GA_CALL_OK)
        status = resolve_reduction(r);
    if (status == GA_CALL_OK)
        status = check_axes(r);
    if (status == GA_CALL_OK)
        status = take_initial(r);
    if (status == GA_CALL_OK)
        status = prepare_source(r);
    if (status == GA_CALL_OK && ga_reduce_plan_split(r->x, r->mask, r->axes, &r->plan) < 0)
        status = GA_CALL_ERROR;
    if (status == GA_CALL_OK)
        status = check_identity(r);
    if (status == GA_CALL_OK)
        status = make_result(r);
    if (status == GA_CALL_OK && ga_reduce_launch_all(r) < 0)
        status = GA_CALL_ERROR;
    if (status == GA_CALL_OK && r->temp != NULL &&
        ga_transfer_assign(r->state, r->result, r->temp) < 0)
        status = GA_CALL_ERROR;
    return status;
}

static PyObject *
reduce_on_host(GaState *state, GaUfunc *ufunc, PyObject *x, const ga_reduce_args *args)
{
    PyObject *given[7] = {x}, *result = NULL;
    PyObject *const values[] = {
        args->axis != NULL ? args->axis : Py_None, args->dtype,   args->out,
        args->keepdims ? Py_True : NULL,           args->initial, args->where};
    static const char *const words[] = {"axis", "dtype", "out", "keepdims", "initial", "where"};
    PyObject *names = PyList_New(0), *kwnames = NULL;
    int count = 1;
    for (int i = 0; names != NULL && i < 6; i++) {
        if (values[i] == NULL)
            continue;
        PyObject *word = PyUnicode_FromString(words[i]);
        if (word == NULL || PyList_Append(names, word) < 0)
            Py_CLEAR(names);
        Py_XDECREF(word);
        given[count++] = values[i];
    }
    kwnames = names != NULL ? PyList_AsTuple(names) : NULL;
    if (kwnames != NULL)
        result = ga_ufunc_on_host(state, ufunc, "reduce", given, 1, kwnames);
    Py_XDECREF(kwnames);
    Py_XDECREF(names);
    return result;
}

PyObject *
ga_ufunc_reduce(GaState *state, enum ga_ufunc op, PyObject *x, const ga_reduce_args *args)
{
    ga_reduction r;
    PyObject *result = ga_reduce_fast(state, (GaUfunc *)state->ufuncs[op], x, args);
    if (result != NULL || PyErr_Occurred())
        return result;
    memset(&r, 0, offsetof(ga_reduction, plan));
    r.state = state;
    r.ufunc = (GaUfunc *)state->ufuncs[op];
    r.info = r.ufunc->info;
    r.args = args;
    enum ga_call_status status = run_stages(&r, x);
    if (status == GA_CALL_FOREIGN) {
        result = reduce_on_host(state, r.ufunc, x, args);
    } else if (status == GA_CALL_OK) {
        if (r.out == NULL && r.result->ndim == 0)
            ga_array_as_scalar(r.result);
        result = (PyObject *)r.result;
        r.result = NULL;
    }
    clear_reduction(&r);
    return result;
}
