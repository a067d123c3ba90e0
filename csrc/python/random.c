/* _random: one launch of the random family, into a new array or a given one. What a seed gives,
 * how far a generator moves on and which parameters are good is the business of
 * gpuarray/_random_*.py; here an operation's operands are laid out.
 *
 * A source comes as the bytes of a ga_random_source. Parameters are numbers (float; int for
 * integer operations), or ndarrays that have the result's shape (operations by rows: of 8-byte elements,
 * in the shape of its rows), with any strides. `judge` says whether they are judged on the device
 * (enum ga_random_judge). */
#include "arguments.h"
#include "array.h"
#include "convert.h"
#include "create.h"
#include "module.h"
#include "transfer.h"

#include "../core/iter.h"

#define RELEASE_SIZE 16384

static const struct {
    const char *name;
    int parameters;
} operations[GA_RANDOM_COUNT] = {
#define GA_RANDOM_ROW(name, parameters) {#name, parameters},
    GA_RANDOM_OPS(GA_RANDOM_ROW)
#undef GA_RANDOM_ROW
};

/* One call under way: the parameters that are arrays (borrowed), and what all launches have in
 * common. */
typedef struct {
    GaArray *arrays[GA_RANDOM_PARAMETERS];
    int count, ndim;
    const int64_t *shape;
    int64_t itemsize; /* of the result */
    ga_random_call call;
} drawing;

static int
take_operation(PyObject *number, PyObject *parameters, drawing *d)
{
    long op = PyLong_AsLong(number);
    if (op == -1 && PyErr_Occurred())
        return -1;
    if (op < 0 || op >= GA_RANDOM_COUNT || !PyTuple_Check(parameters) ||
        PyTuple_GET_SIZE(parameters) != operations[op].parameters) {
        PyErr_SetString(PyExc_ValueError, "_random: no such operation, or other parameters");
        return -1;
    }
    d->call.op = (enum ga_random_op)op;
    d->count = operations[op].parameters;
    return 0;
}

static int
take_source(PyObject *bytes, ga_random_source *source)
{
    if (!PyBytes_Check(bytes) || PyBytes_GET_SIZE(bytes) != (Py_ssize_t)sizeof *source) {
        PyErr_Format(PyExc_ValueError, "_random: a source is %zu bytes", sizeof *source);
        return -1;
    }
    memcpy(source, PyBytes_AS_STRING(bytes), sizeof *source);
    return 0;
}

static int
take_judge(PyObject *number, drawing *d)
{
    if (number == NULL)
        return 0;
    long judge = PyLong_AsLong(number);
    if (judge == -1 && PyErr_Occurred())
        return -1;
    if (judge < GA_RANDOM_UNJUDGED || judge > GA_RANDOM_LEGACY) {
        PyErr_SetString(PyExc_ValueError, "_random: no such judge");
        return -1;
    }
    d->call.judge = (enum ga_random_judge)judge;
    return 0;
}

static int
take_number(PyObject *number, ga_scalar *value)
{
    if (PyLong_CheckExact(number)) {
        value->u = PyLong_AsUnsignedLongLongMask(number);
        return PyErr_Occurred() ? -1 : 0;
    }
    value->d = PyFloat_AsDouble(number);
    return PyErr_Occurred() ? -1 : 0;
}

static bool
is_taken(enum ga_dtype dtype)
{
    return dtype == GA_f64 || dtype == GA_f32 || dtype == GA_i64 || dtype == GA_i32;
}

static int
take_array(const drawing *d, GaArray *a)
{
    bool fits = a->ndim == d->ndim && ga_transfer_aligned(a) &&
                (d->call.op == GA_RANDOM_each_integer ? a->dtype == GA_u64 : is_taken(a->dtype));
    for (int i = 0; fits && i < d->ndim; i++)
        fits = a->shape[i] == d->shape[i];
    if (fits)
        return 0;
    PyErr_Format(PyExc_ValueError, "random.%s: a parameter of dtype %R does not fit the result",
                 operations[d->call.op].name, a->descr);
    return -1;
}

/* An order's length, a number, against what is wanted of it. */
static int
check_order(const drawing *d, const GaArray *out)
{
    uint64_t length = d->call.parameters[0].value.u;
    int64_t wanted = out->ndim > 0 ? out->shape[out->ndim - 1] : 0;
    bool whole = (uint64_t)wanted == length || wanted == out->size || length > GA_RANDOM_ORDER_ROW;
    if (d->call.op != GA_RANDOM_order)
        return 0;
    if (d->arrays[0] == NULL && (out->flags & GA_ARRAY_C) && wanted > 0 && (uint64_t)wanted <= length && whole)
        return 0;
    PyErr_SetString(PyExc_ValueError, "random.order: no such rows");
    return -1;
}

/* By rows, a parameter is an array with an axis more, or a vector that all rows share. */
static bool
is_rows(const drawing *d)
{
    return d->call.op >= GA_RANDOM_multinomial;
}

static int
take_parameters(GaState *state, PyObject *parameters, drawing *d)
{
    for (int k = 0; k < d->count; k++) {
        PyObject *item = PyTuple_GET_ITEM(parameters, k);
        if (!GA_ARRAY_CHECK(state, item)) {
            if (take_number(item, &d->call.parameters[k].value) < 0)
                return -1;
            continue;
        }
        d->arrays[k] = (GaArray *)item;
        d->call.types[k] = d->arrays[k]->dtype;
        if (!is_rows(d) && take_array(d, d->arrays[k]) < 0)
            return -1;
    }
    return 0;
}

static int
run_call(const ga_device *device, const ga_random_call *call, ga_stream *stream)
{
    int rc;
    if (!device->is_cpu || call->size < RELEASE_SIZE)
        rc = device->backend->random(call, stream);
    else {
        Py_BEGIN_ALLOW_THREADS
        rc = device->backend->random(call, stream);
        Py_END_ALLOW_THREADS
    }
    if (rc == 0)
        return 0;
    ga_fail_backend(device->backend);
    return ga_raise_int();
}

/* The launches of an operation by elements, whose parameters are walked in the result's C order. */
static int
run_walk(drawing *d, const ga_device *device, char *const pointers[], ga_stream *stream)
{
    static const int64_t none[GA_MAXDIMS];
    const int64_t *strides[GA_RANDOM_PARAMETERS];
    char *dst = d->call.dst;
    ga_iter it;
    for (int k = 0; k < GA_RANDOM_PARAMETERS; k++)
        strides[k] = d->arrays[k] != NULL ? d->arrays[k]->strides : none;
    ga_iter_begin(&it, d->ndim, d->shape, GA_RANDOM_PARAMETERS, strides, false);
    do {
        ga_random_call *call = &d->call;
        call->ndim = it.ndim;
        call->size = it.size;
        memcpy(call->shape, it.shape, sizeof call->shape);
        for (int k = 0; k < d->count; k++) {
            call->parameters[k].data = pointers[k] != NULL ? pointers[k] + it.offsets[k] : NULL;
            memcpy(call->parameters[k].strides, it.strides[k], sizeof it.strides[k]);
        }
        call->dst = dst + call->first * d->itemsize;
        if (call->size > 0 && run_call(device, call, stream) < 0)
            return -1;
        call->first += it.size;
    } while (ga_iter_next(&it));
    return 0;
}

/* A launch by rows: its parameters have been made contiguous, or are a vector for all rows. */
static int
run_rows(drawing *d, const ga_device *device, char *const pointers[], ga_stream *stream)
{
    ga_random_call *call = &d->call;
    for (int k = 0; k < d->count; k++) {
        const GaArray *a = d->arrays[k];
        call->parameters[k].data = pointers[k];
        if (a != NULL)
            call->parameters[k].strides[0] = a->ndim == k ? 0 : k == 0 ? 8 : 8 * call->columns;
    }
    return run_call(device, call, stream);
}

static int
launch(drawing *d, GaArray *out)
{
    const ga_device *device = ga_array_device(out);
    char *pointers[GA_RANDOM_PARAMETERS] = {NULL}, *dst;
    ga_stream *stream;
    for (int k = 0; k < d->count; k++) {
        if (d->arrays[k] != NULL && ga_array_pointer(d->arrays[k], GA_READ, &stream, &pointers[k]) < 0)
            return -1;
    }
    if (ga_array_pointer(out, GA_WRITE, &stream, &dst) < 0)
        return -1;
    d->call.dst = dst;
    d->call.size = out->size;
    d->call.dtype = out->dtype;
    d->call.columns = out->ndim > 0 ? out->shape[out->ndim - 1] : 1;
    if (out->size == 0)
        return 0;
    if (is_rows(d))
        return run_rows(d, device, pointers, stream);
    for (int k = 0; k < d->count; k++) {
        if (d->arrays[k] != NULL)
            return run_walk(d, device, pointers, stream);
    }
    return run_call(device, &d->call, stream);
}

/* A new array; a scalar where the shape is None. */
static GaArray *
make_result(GaState *state, PyObject *shape_arg, PyObject *dtype, PyObject *device_arg)
{
    int64_t shape[GA_MAXDIMS];
    ga_create_target target;
    GaArray *a = NULL;
    int ndim = shape_arg == Py_None ? 0 : ga_convert_shape(shape_arg, shape);
    if (ndim < 0 || ga_create_target_parse(state, dtype, device_arg, NULL, &target) < 0)
        return NULL;
    ga_device *device = ga_create_target_device(&target);
    if (device != NULL && target.descr != NULL)
        a = ga_array_new(state, device, target.descr, ndim, shape, 'C');
    ga_create_target_clear(&target);
    return a;
}

static PyObject *
random_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_random",
        7,
        8,
        {"operation", "source", "out", "shape", "dtype", "device", "parameters", "judge", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *values[8];
    drawing d = {.count = 0};
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        take_operation(values[0], values[6], &d) < 0 ||
        take_source(values[1], &d.call.source) < 0 || take_judge(values[7], &d) < 0)
        return NULL;
    bool given = GA_ARRAY_CHECK(state, values[2]);
    GaArray *out = given ? (GaArray *)Py_NewRef(values[2])
                         : make_result(state, values[3], values[4], values[5]);
    if (out == NULL)
        return NULL;
    d.ndim = out->ndim;
    d.shape = out->shape;
    d.itemsize = ga_array_itemsize(out);
    if (take_parameters(state, values[6], &d) < 0 || check_order(&d, out) < 0 || launch(&d, out) < 0)
        Py_CLEAR(out);
    else if (!given && values[3] == Py_None)
        ga_array_as_scalar(out);
    return (PyObject *)out;
}

static PyMethodDef random_functions[] = {
    {"_random", (PyCFunction)(void (*)(void))random_function, METH_FASTCALL | METH_KEYWORDS,
     "_random($module, operation, source, out, shape, dtype, device, parameters, judge=0)\n--\n\nDraw random "
     "numbers, into `out` (contiguous) or a new array."},
    {NULL, NULL, 0, NULL},
};

/* _RANDOM_OPERATIONS: name -> number. */
int
ga_random_init(PyObject *module, GaState *state)
{
    (void)state;
    PyObject *numbers = PyDict_New();
    if (numbers == NULL)
        return -1;
    for (int i = 0; i < GA_RANDOM_COUNT; i++) {
        PyObject *number = PyLong_FromLong(i);
        int rc = number == NULL ? -1 : PyDict_SetItemString(numbers, operations[i].name, number);
        Py_XDECREF(number);
        if (rc < 0) {
            Py_DECREF(numbers);
            return -1;
        }
    }
    int rc = PyModule_AddObjectRef(module, "_RANDOM_OPERATIONS", numbers);
    Py_DECREF(numbers);
    if (rc < 0 || PyModule_AddIntMacro(module, GA_RANDOM_ORDER_ROW) < 0 ||
        PyModule_AddIntMacro(module, GA_RANDOM_ORDER_WORDS) < 0)
        return -1;
    return PyModule_AddFunctions(module, random_functions);
}
