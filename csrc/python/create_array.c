/* array, asarray and their like, and asnumpy: arrays from data that exist already. */
#include <string.h>

#include "convert.h"
#include "create.h"
#include "export.h"
#include "guard.h"
#include "transfer.h"
#include "ufunc_call.h"

/* One call, its arguments bound and parsed. */
typedef struct {
    PyObject *object;
    ga_create_target target;
    char order;
    enum ga_copy_mode copy;
    int ndmin;
} array_call;

/* Fewer than ndmin dimensions get axes of length one in front. */
static GaArray *
add_dimensions(GaState *state, GaArray *a, int ndmin)
{
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    if (a == NULL || a->ndim >= ndmin)
        return a;
    if (ndmin > GA_MAXDIMS) {
        PyErr_Format(PyExc_ValueError,
                     "ndmin bigger than allowable number of dimensions NPY_MAXDIMS (=%d)",
                     GA_MAXDIMS);
        Py_DECREF(a);
        return NULL;
    }
    int added = ndmin - a->ndim;
    for (int i = 0; i < added; i++) {
        shape[i] = 1;
        strides[i] = ga_array_itemsize(a);
    }
    memcpy(shape + added, a->shape, (size_t)a->ndim * sizeof *shape);
    memcpy(strides + added, a->strides, (size_t)a->ndim * sizeof *strides);
    GaArray *view = ga_array_view(state, a, NULL, ndmin, shape, strides, 0);
    Py_DECREF(a);
    return view;
}

/* A flagged array stands for a scalar: an array made of it is an ordinary one. */
static GaArray *
convert_scalar(GaState *state, const array_call *call)
{
    if (call->copy == GA_COPY_NEVER) {
        PyErr_SetString(
            PyExc_ValueError,
            "Unable to avoid copy while creating an array as requested: a scalar has no memory "
            "to share");
        return NULL;
    }
    return ga_transfer_copy(state, (GaArray *)call->object, call->target.descr, call->target.device,
                            'C');
}

static bool
is_flagged(GaState *state, PyObject *object)
{
    return GA_ARRAY_CHECK(state, object) && (((GaArray *)object)->flags & GA_ARRAY_SCALAR);
}

/* NumPy converts an array to another dtype in the order "K" where "A" is asked for. */
static char
order_of(GaState *state, const array_call *call)
{
    PyArray_Descr *descr = call->target.descr;
    bool converts = call->order == 'A' && descr != NULL && GA_ARRAY_CHECK(state, call->object) &&
                    !PyArray_EquivTypes(((GaArray *)call->object)->descr, descr);
    return converts ? 'K' : call->order;
}

/* *plain is set where NumPy should answer. */
static GaArray *
run_call(GaState *state, const array_call *call, bool *plain)
{
    GaArray *array = NULL;
    PyArrayObject *host = NULL;
    *plain = call->target.plain;
    if (*plain)
        return NULL;
    if (is_flagged(state, call->object))
        array = convert_scalar(state, call);
    else if (ga_convert_any(state, call->object, call->target.descr, call->target.device,
                            order_of(state, call), call->copy, &array, &host) < 0)
        return NULL;
    *plain = host != NULL;
    Py_XDECREF(host);
    return add_dimensions(state, array, call->ndmin);
}

/* Of NumPy's arguments only those that it knows, by keyword. */
static PyObject *
answer_by_numpy(GaState *state, const array_call *call, PyObject *dtype)
{
    static const char *const letters[] = {"C", "F", "A", "K"};
    PyObject *function = PyObject_GetAttrString(state->numpy, "array");
    PyObject *args = PyTuple_Pack(1, call->object), *result = NULL;
    PyObject *copy = call->copy == GA_COPY_IF_NEEDED ? Py_None
                     : call->copy == GA_COPY_ALWAYS  ? Py_True
                                                     : Py_False;
    const char *order = letters[call->order == 'C'   ? 0
                                : call->order == 'F' ? 1
                                : call->order == 'A' ? 2
                                                     : 3];
    PyObject *kwargs = Py_BuildValue("{sOsOsssi}", "dtype", dtype != NULL ? dtype : Py_None, "copy",
                                     copy, "order", order, "ndmin", call->ndmin);
    if (function != NULL && args != NULL && kwargs != NULL)
        result = PyObject_Call(function, args, kwargs);
    Py_XDECREF(function);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    return result;
}

static PyObject *
finish_call(GaState *state, array_call *call, PyObject *dtype)
{
    bool plain;
    PyObject *result = (PyObject *)run_call(state, call, &plain);
    if (plain)
        result = answer_by_numpy(state, call, dtype);
    ga_create_target_clear(&call->target);
    return result;
}

static int
parse_ndmin(PyObject *arg, int *out)
{
    *out = 0;
    if (arg == NULL)
        return 0;
    long value = PyLong_AsLong(arg);
    if (value == -1 && PyErr_Occurred())
        return -1;
    *out = value > GA_MAXDIMS ? GA_MAXDIMS + 1 : value < 0 ? 0 : (int)value;
    return 0;
}

static PyObject *
create_array(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "array", 1, 2, {"object", "dtype", "copy", "order", "subok", "ndmin", "device", "like"}};
    PyObject *values[8];
    array_call call = {0};
    GaState *state = PyModule_GetState(module);
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    call.object = values[0];
    if (ga_create_copy_mode(values[2], GA_COPY_ALWAYS, &call.copy) < 0 ||
        ga_convert_order(values[3], 'K', &call.order) < 0 ||
        parse_ndmin(values[5], &call.ndmin) < 0 ||
        ga_create_target_parse(state, values[1], values[6], values[7], &call.target) < 0)
        return NULL;
    return finish_call(state, &call, values[1]);
}

static PyObject *
convert_call(PyObject *module, const ga_signature *signature, PyObject *const *args,
             Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *values[6];
    array_call call = {0};
    GaState *state = PyModule_GetState(module);
    if (ga_arguments_bind(signature, args, nargs, kwnames, values) < 0)
        return NULL;
    call.object = values[0];
    if (ga_create_copy_mode(values[4], GA_COPY_IF_NEEDED, &call.copy) < 0 ||
        ga_convert_order(values[2], 'K', &call.order) < 0 ||
        ga_create_target_parse(state, values[1], values[3], values[5], &call.target) < 0)
        return NULL;
    return finish_call(state, &call, values[1]);
}

static PyObject *
create_asarray(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "asarray", 1, 3, {"a", "dtype", "order", "device", "copy", "like"}};
    bool plain = nargs == 1 && kwnames == NULL;
    if (plain && ga_operand_symbolic(PyModule_GetState(module), args[0])) /* stands for an array */
        return Py_NewRef(args[0]);
    return convert_call(module, &signature, args, nargs, kwnames);
}

static PyObject *
create_asanyarray(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "asanyarray", 1, 3, {"a", "dtype", "order", "device", "copy", "like"}};
    return convert_call(module, &signature, args, nargs, kwnames);
}

/* In one order, with a dimension at least, as NumPy's functions of these names. */
static PyObject *
order_call(PyObject *module, const ga_signature *signature, PyObject *const *args, Py_ssize_t nargs,
           PyObject *kwnames, char order)
{
    PyObject *values[4];
    array_call call = {.order = order, .copy = GA_COPY_IF_NEEDED, .ndmin = 1};
    GaState *state = PyModule_GetState(module);
    if (ga_arguments_bind(signature, args, nargs, kwnames, values) < 0)
        return NULL;
    call.object = values[0];
    if (ga_create_target_parse(state, values[1], values[2], values[3], &call.target) < 0)
        return NULL;
    return finish_call(state, &call, values[1]);
}

static PyObject *
create_ascontiguousarray(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames)
{
    static const ga_signature signature = {
        "ascontiguousarray", 1, 2, {"a", "dtype", "device", "like"}};
    return order_call(module, &signature, args, nargs, kwnames, 'C');
}

static PyObject *
create_asfortranarray(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "asfortranarray", 1, 2, {"a", "dtype", "device", "like"}};
    return order_call(module, &signature, args, nargs, kwnames, 'F');
}

/* For objects that are not ours: numpy.asarray, or into `out`. */
static PyObject *
fetch_foreign(GaState *state, PyObject *object, PyObject *order, PyObject *out)
{
    if (out != NULL) {
        PyObject *done = PyObject_CallMethod(state->numpy, "copyto", "OO", out, object);
        Py_XDECREF(done);
        return done == NULL ? NULL : Py_NewRef(out);
    }
    PyObject *rule = order != NULL ? order : Py_None;
    return PyObject_CallMethod(state->numpy, "asarray", "OOO", object, Py_None, rule);
}

static PyObject *
create_asnumpy(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"asnumpy", 1, 4, {"a", "stream", "order", "out"}};
    PyObject *values[4];
    GaState *state = PyModule_GetState(module);
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    if (GA_ARRAY_CHECK(state, values[0]) && ga_guard_read(state, (GaArray *)values[0]) < 0)
        return NULL;
    if (GA_ARRAY_CHECK(state, values[0]))
        return ga_export_get(state, (GaArray *)values[0], values[1], values[2], values[3]);
    return fetch_foreign(state, values[0], values[2], ga_arguments_given(values[3]));
}

#define DEVICE_TEXT \
    "device : Device or str, optional\n    By default the data's own, else the default device.\n" \
    "like : ndarray, optional\n    Its device is used when `device` is not " \
    "given.\n\nReturns\n-------\nndarray\n" \
    "    A numpy.ndarray where no device holds the dtype (strings, objects, records) and none " \
    "was named."
#define DTYPE_TEXT "dtype : dtype, optional\n    By default found in the data.\n"
#define ORDER_TEXT \
    "order : {'C', 'F', 'A', 'K'}, optional\n    'K' keeps the order of the data's axes.\n"
#define AS_TEXT \
    "\n\nParameters\n----------\na : array_like\n    The data.\n" DTYPE_TEXT ORDER_TEXT DEVICE_TEXT

static PyObject *
create_peek(PyObject *module, PyObject *array)
{
    GaState *state = PyModule_GetState(module);
    if (GA_ARRAY_CHECK(state, array))
        return (PyObject *)ga_transfer_peek(state, (GaArray *)array);
    PyErr_Format(PyExc_TypeError, "_peek: expected an ndarray, not %.200s",
                 Py_TYPE(array)->tp_name);
    return NULL;
}

static const char array_doc[] =
    "array($module, object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, "
    "device=None, like=None)\n--\n\n"
    "Make an array of data.\n\nParameters\n----------\nobject : array_like\n    The data: arrays, "
    "numbers, nested sequences.\n" DTYPE_TEXT
    "copy : bool, optional\n    True: always. None: when needed. False: never, else "
    "ValueError.\n" ORDER_TEXT
    "subok : bool, optional\n    Accepted; there are no subclasses.\nndmin : int, optional\n    "
    "Least number of dimensions.\n" DEVICE_TEXT;
static const char asarray_doc[] =
    "asarray($module, a, dtype=None, order=None, *, device=None, copy=None, like=None)\n--\n\n"
    "Convert to an array, copying only where needed." AS_TEXT;
static const char asanyarray_doc[] =
    "asanyarray($module, a, dtype=None, order=None, *, device=None, copy=None, like=None)\n--\n\n"
    "Convert to an array, copying only where needed; the same as asarray." AS_TEXT;
static const char ascontiguousarray_doc[] =
    "ascontiguousarray($module, a, dtype=None, *, device=None, like=None)\n--\n\n"
    "Convert to an array of one dimension at least, contiguous in C order.\n\n"
    "Parameters\n----------\na : array_like\n    The data.\n" DTYPE_TEXT DEVICE_TEXT;
static const char asfortranarray_doc[] =
    "asfortranarray($module, a, dtype=None, *, device=None, like=None)\n--\n\n"
    "Convert to an array of one dimension at least, contiguous in Fortran order.\n\n"
    "Parameters\n----------\na : array_like\n    The data.\n" DTYPE_TEXT DEVICE_TEXT;
static const char asnumpy_doc[] =
    "asnumpy($module, a, stream=None, order='C', out=None)\n--\n\n"
    "Copy an array to the host; anything else as numpy.asarray.\n\n"
    "Parameters\n----------\na : array_like\n    The array.\nstream : Stream, optional\n    By "
    "default the current stream.\n"
    "order : {'C', 'F', 'A', 'K'}, optional\n    Order of the copy.\nout : numpy.ndarray, "
    "optional\n    Filled and returned.\n\n"
    "Returns\n-------\nnumpy.ndarray";

typedef PyObject *(*conversion)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

/* A user's call, which asks for the copies that it makes. */
static PyObject *
ask(PyObject *module, conversion function, PyObject *const *args, Py_ssize_t nargs,
    PyObject *kwnames)
{
    GaState *state = PyModule_GetState(module);
    state->guard.asked++;
    PyObject *result = function(module, args, nargs, kwnames);
    state->guard.asked--;
    return result;
}

#define ASKED(name) \
    static PyObject *asked_##name(PyObject *module, PyObject *const *args, Py_ssize_t nargs, \
                                  PyObject *kwnames) \
    { \
        return ask(module, create_##name, args, nargs, kwnames); \
    }
ASKED(array)
ASKED(asarray)
ASKED(asanyarray)
ASKED(ascontiguousarray)
ASKED(asfortranarray)
ASKED(asnumpy)

#define ROW(kind, name) \
    { \
#name, GA_CREATE_FUNCTION(kind##_##name), name##_doc \
    }

PyMethodDef ga_create_array_functions[] = {
    ROW(create, array),
    ROW(create, asarray),
    ROW(create, asanyarray),
    ROW(create, ascontiguousarray),
    ROW(create, asfortranarray),
    ROW(create, asnumpy),
    {"_peek", create_peek, METH_O,
     "_peek($module, a, /)\n--\n\nHost copy of an ndarray that raises nothing which earlier work "
     "left: for its text."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef ga_create_asked_functions[] = {
    ROW(asked, array),          ROW(asked, asarray),
    ROW(asked, asanyarray),     ROW(asked, ascontiguousarray),
    ROW(asked, asfortranarray), ROW(asked, asnumpy),
    {NULL, NULL, 0, NULL},
};
