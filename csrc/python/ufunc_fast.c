/* The operators' way: no keywords, no Python objects made but the result, no question to NumPy but
 * the first.
 *
 * It serves calls whose arrays have one shape (or none), are contiguous in one order and need no
 * cast, with or without a Python number, on one device: a handful of comparisons, one look into the
 * ufunc's table, an array from the free list, one launch. All else goes to ga_call_run. A miss
 * changes nothing, so that the long way may start from the beginning. */
#include "launch.h"
#include "ufunc_call.h"

typedef struct {
    GaArray *array;   /* borrowed; NULL for a number */
    PyObject *number; /* borrowed */
    int code;
} fast_operand;

static bool
describe_operand(const GaState *state, PyObject *object, fast_operand *out)
{
    PyTypeObject *type = Py_TYPE(object);
    out->array = NULL;
    out->number = object;
    if (type == state->array_type) {
        out->array = (GaArray *)object;
        out->code = (int)out->array->dtype;
        return out->code != GA_M8 && out->code != GA_m8; /* units need the long way */
    }
    if (type == &PyFloat_Type)
        out->code = GA_CODE_FLOAT;
    else if (type == &PyLong_Type)
        out->code = GA_CODE_INT;
    else if (type == &PyComplex_Type)
        out->code = GA_CODE_COMPLEX;
    else
        return false;
    return true;
}

/* Same device, shape and order: one flat index walks both. */
static bool
walks_together(const GaArray *a, const GaArray *b)
{
    if (a == b)
        return (a->flags & (GA_ARRAY_C | GA_ARRAY_F)) != 0;
    if (a->ndim != b->ndim || a->size != b->size || ga_array_device(a) != ga_array_device(b) ||
        (a->flags & b->flags & (GA_ARRAY_C | GA_ARRAY_F)) == 0)
        return false;
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] != b->shape[i])
            return false;
    }
    return true;
}

/* Contiguous memory is aligned to the element where its start is. */
static bool
is_aligned(const GaArray *a, int64_t itemsize)
{
    return (((uint64_t)(uintptr_t)a->buffer->ptr + (uint64_t)a->offset) &
            (uint64_t)(itemsize - 1)) == 0;
}

/* Partly overlapping views of one buffer are not for here; the very same elements are. */
static bool
may_write(const GaArray *out, const GaArray *in)
{
    if (out->buffer != in->buffer)
        return out->buffer->capacity != 0 &&
               in->buffer->capacity != 0; /* imported memory may be anyone's */
    return out->offset == in->offset && ga_array_itemsize(out) == ga_array_itemsize(in);
}

typedef struct {
    const GaUfunc *ufunc;
    const ga_resolution *loop;
    int nin;
    fast_operand in[2];
    GaArray *model; /* borrowed: gives shape, order and device */
    ga_ufunc_call launch;
} fast_call;

/* Stands for every element of the others. */
static bool
is_repeated(const fast_call *call, const GaArray *a)
{
    return a->ndim == 0 && a != call->model && ga_array_device(a) == ga_array_device(call->model);
}

/* The operand as it lies is what the loop takes: its dtype, or a number that C converts exactly. */
static bool
fits_loop(fast_call *call, int i)
{
    const GaArray *a = call->in[i].array;
    enum ga_dtype dtype = call->loop->dtypes[i];
    if (a == NULL)
        return ga_number_pack(call->in[i].number, dtype, &call->launch.args[i].value) == GA_CALL_OK;
    bool reads = a->dtype == dtype || ga_loop_reads(call->loop, call->ufunc, i, a->dtype);
    return reads && is_aligned(a, ga_array_itemsize(a)) &&
           (is_repeated(call, a) || walks_together(a, call->model));
}

static bool
fits_output(const fast_call *call, const GaArray *out)
{
    if (out == NULL)
        return true;
    for (int i = 0; i < call->nin; i++) {
        const GaArray *a = call->in[i].array;
        if (a == NULL)
            continue;
        if (!may_write(out, a) || (is_repeated(call, a) && a->buffer == out->buffer))
            return false;
    }
    return out->dtype == call->loop->dtypes[call->nin] && walks_together(out, call->model) &&
           is_aligned(out, ga_array_itemsize(out));
}

/* The array whose shape the result has, as far as this file goes: the first that has dimensions. */
static GaArray *
choose_model(const fast_call *call)
{
    GaArray *first = call->in[0].array, *second = call->nin == 2 ? call->in[1].array : NULL;
    if (first == NULL || (first->ndim == 0 && second != NULL))
        return second;
    return first;
}

static bool
plan_call(fast_call *call, GaArray *out)
{
    call->model = choose_model(call);
    if (call->model == NULL)
        return false;
    /* In-place integer power and numbers outside a dtype's range have rules of their own. */
    if (call->ufunc->op == GA_UF_power && call->model->dtype < GA_f16)
        return false;
    call->loop = ga_resolve_direct(call->ufunc, call->in[0].code,
                                   call->nin == 2 ? call->in[1].code : GA_CODE_NONE);
    if (call->loop == NULL || call->loop->widened || call->ufunc->info->nout != 1)
        return false;
    for (int i = 0; i < call->nin; i++) {
        if (!fits_loop(call, i))
            return false;
    }
    return fits_output(call, out);
}

static int
set_pointer(GaArray *a, enum ga_access access, ga_stream **stream, ga_operand *operand)
{
    char *data;
    if (ga_array_pointer(a, access, stream, &data) < 0)
        return -1;
    operand->data = data;
    operand->strides[0] = ga_array_itemsize(a);
    return 0;
}

static int
launch_flat(fast_call *call, GaArray *out)
{
    ga_ufunc_call *launch = &call->launch;
    ga_stream *stream = NULL;
    launch->op = call->ufunc->op;
    launch->nin = call->nin;
    launch->nout = 1;
    launch->has_where = launch->converts = false;
    launch->ndim = 1;
    launch->size = launch->shape[0] = out->size;
    launch->out[0] = launch->out[1] = out->dtype;
    for (int i = 0; i < call->nin; i++) {
        launch->in[i] = launch->source[i] = call->loop->dtypes[i];
        launch->args[i].data = NULL;
        launch->args[i].strides[0] = 0;
        if (call->in[i].array == NULL)
            continue;
        launch->source[i] = call->in[i].array->dtype;
        launch->converts |= launch->source[i] != launch->in[i];
        if (set_pointer(call->in[i].array, GA_READ, &stream, &launch->args[i]) < 0)
            return -1;
        if (is_repeated(call, call->in[i].array))
            launch->args[i].strides[0] = 0;
    }
    if (set_pointer(out, GA_WRITE, &stream, &launch->args[call->nin]) < 0)
        return -1;
    return out->size == 0 ? 0 : ga_launch_ufunc(ga_array_device(out), launch, stream);
}

static PyObject *
run_fast(GaState *state, fast_call *call, GaArray *out)
{
    const GaArray *model = call->model;
    GaArray *result = (GaArray *)Py_XNewRef(out);
    if (result == NULL)
        result = ga_array_new(state, ga_array_device(model), call->loop->descrs[call->nin],
                              model->ndim, model->shape, model->flags & GA_ARRAY_C ? 'C' : 'F');
    if (result == NULL)
        return NULL;
    if (launch_flat(call, result) < 0) {
        Py_DECREF(result);
        return NULL;
    }
    return (PyObject *)(out == NULL && model->ndim == 0 ? ga_array_as_scalar(result) : result);
}

static PyObject *
run_long(GaState *state, enum ga_ufunc op, PyObject *const *inputs, GaArray *out)
{
    PyObject *result = NULL;
    ga_ufunc_options options = {.casting = NPY_SAME_KIND_CASTING, .order = 'K'};
    options.out[0] = (PyObject *)out;
    if (out != NULL && !(out->flags & GA_ARRAY_WRITEABLE)) {
        PyErr_SetString(PyExc_ValueError, "output array is read-only");
        return NULL;
    }
    enum ga_call_status status =
        ga_call_run(state, (GaUfunc *)state->ufuncs[op], inputs, &options, &result);
    return status == GA_CALL_FOREIGN ? Py_NewRef(Py_NotImplemented) : result;
}

PyObject *
ga_ufunc_unary(GaState *state, enum ga_ufunc op, PyObject *x)
{
    fast_call call;
    call.ufunc = (GaUfunc *)state->ufuncs[op];
    call.nin = 1;
    if (describe_operand(state, x, &call.in[0]) && plan_call(&call, NULL))
        return run_fast(state, &call, NULL);
    return run_long(state, op, &x, NULL);
}

PyObject *
ga_ufunc_binary(GaState *state, enum ga_ufunc op, PyObject *x, PyObject *y, GaArray *out)
{
    fast_call call;
    call.ufunc = (GaUfunc *)state->ufuncs[op];
    call.nin = 2;
    if (describe_operand(state, x, &call.in[0]) && describe_operand(state, y, &call.in[1]) &&
        plan_call(&call, out))
        return run_fast(state, &call, out);
    PyObject *inputs[2] = {x, y};
    return run_long(state, op, inputs, out);
}
