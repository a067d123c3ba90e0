/* ufunc.reduce from end to end: operands, NumPy's loop (small integers add up in 64 bits), axes,
 * result, launches. Owns the reduction's references from begin to end; a call that fails before the
 * launch has changed nothing.
 *
 * The source is read in its own dtype and converted on load, so that no temporary of its size
 * appears; only time units, elements that are not aligned, and axes that will not collapse make a
 * copy. */
#include "reduce_plan.h"

#include "convert.h"
#include "transfer.h"

static int
count_bits(uint64_t bits)
{
    return __builtin_popcountll(bits);
}

static enum ga_call_status
take_axes(ga_reduction *r)
{
    int rc = ga_convert_axes(r->state, r->args->axis, r->x->ndim, &r->axes);
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

/* A number as bfloat16 or float8 has it. New reference. */
static PyObject *
round_number(const ga_reduction *r, PyObject *number)
{
    ga_scalar value;
    if (ga_convert_scalar(r->state, number, r->narrow, &value) < 0)
        return NULL;
    return ga_convert_item(r->narrow, &value);
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
    if (number != NULL && r->narrow != NULL)
        Py_SETREF(number, round_number(r, number));
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

/* Without a start value an operation without identity, or with `initial=None`, needs something to reduce. */
static enum ga_call_status
check_identity(const ga_reduction *r)
{
    bool identity = r->info->identity != GA_IDENTITY_NONE && r->args->initial != Py_None;
    if (r->has_initial || identity)
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

static enum ga_call_status
make_result(ga_reduction *r)
{
    int64_t shape[GA_MAXDIMS];
    bool keepdims = r->args->keepdims;
    int ndim = ga_reduce_plan_shape(r->x, r->axes, keepdims, shape);
    if (ga_reduce_make_result(r, ndim, shape) < 0)
        return GA_CALL_ERROR;
    ga_reduce_plan_target(r->x, r->temp != NULL ? r->temp : r->result, r->axes, keepdims, &r->plan);
    return GA_CALL_OK;
}

enum ga_call_status
ga_reduce_run_planned(ga_reduction *r)
{
    enum ga_call_status status = ga_reduce_prepare_source(r);
    if (status == GA_CALL_OK && ga_reduce_plan_split(r->x, r->mask, r->axes, &r->plan) < 0)
        status = GA_CALL_ERROR;
    if (status == GA_CALL_OK)
        status = check_identity(r);
    if (status == GA_CALL_OK)
        status = make_result(r);
    if (status == GA_CALL_OK && ga_reduce_launch_all(r) < 0)
        status = GA_CALL_ERROR;
    return status == GA_CALL_OK ? ga_reduce_store(r) : status;
}

static enum ga_call_status
run_stages(ga_reduction *r, PyObject *x)
{
    enum ga_call_status status = ga_reduce_check_ufunc(r);
    if (status == GA_CALL_OK)
        status = ga_reduce_take_operands(r, x);
    if (status == GA_CALL_OK)
        status = take_axes(r);
    if (status == GA_CALL_OK)
        status = ga_reduce_resolve(r);
    if (status == GA_CALL_OK)
        status = check_axes(r);
    if (status == GA_CALL_OK)
        status = take_initial(r);
    if (status == GA_CALL_OK)
        status = ga_exponent_check_reduction(r, r->mask);
    return status == GA_CALL_OK ? ga_reduce_run_planned(r) : status;
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
    r.method = "reduce";
    enum ga_call_status status = run_stages(&r, x);
    if (status == GA_CALL_FOREIGN) {
        result = reduce_on_host(state, r.ufunc, x, args);
    } else if (status == GA_CALL_OK) {
        if (r.out == NULL && r.result->ndim == 0)
            ga_array_as_scalar(r.result);
        result = (PyObject *)r.result;
        r.result = NULL;
    }
    ga_reduce_clear(&r);
    return result;
}
