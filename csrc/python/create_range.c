/* arange. Length and values are NumPy's to the last bit: the length from the arguments' own Python
 * arithmetic, the first two elements converted, every later one start + i * (second - first) in the
 * dtype itself, computed on the device. Dtypes whose rule is another one (float16, complex, bool,
 * times) are made by NumPy and sent over. */
#include <math.h>
#include <string.h>

#include "convert.h"
#include "create.h"
#include "dense.h"
#include "dtype.h"
#include "launch.h"
#include "transfer.h"
#include "ufunc_call.h"

/* start, stop and step are owned; Python or NumPy numbers. */
typedef struct {
    PyObject *start, *stop, *step;
    PyArray_Descr *descr; /* owned */
    bool open; /* no start was given: 0 stands for it */
    int64_t length;
    ga_scalar first, second;
} range;

/* A number of ours as the NumPy scalar it stands for. */
static PyObject *
host_number(GaState *state, PyObject *number)
{
    if (!GA_ARRAY_CHECK(state, number))
        return Py_NewRef(number);
    PyArrayObject *host = ga_transfer_to_numpy(state, (GaArray *)number, false);
    return host == NULL ? NULL : PyArray_Return(host);
}

static int
read_limits(GaState *state, PyObject **values, range *r)
{
    PyObject *start = ga_arguments_given(values[0]), *stop = ga_arguments_given(values[1]);
    PyObject *step = ga_arguments_given(values[2]);
    if (start == NULL && stop == NULL) {
        PyErr_SetString(PyExc_TypeError, "arange() requires stop to be specified.");
        return -1;
    }
    if (stop == NULL) {
        stop = start;
        start = NULL;
    }
    r->open = start == NULL;
    r->stop = host_number(state, stop);
    r->start = start != NULL ? host_number(state, start) : PyLong_FromLong(0);
    r->step = step != NULL ? host_number(state, step) : PyLong_FromLong(1);
    return r->stop == NULL || r->start == NULL || r->step == NULL ? -1 : 0;
}

static void
clear_range(range *r)
{
    Py_CLEAR(r->start);
    Py_CLEAR(r->stop);
    Py_CLEAR(r->step);
    Py_CLEAR(r->descr);
}

/* int64, or what it and the three numbers promote to. */
static int
find_descr(GaState *state, range *r)
{
    PyObject *numbers[] = {r->start, r->stop, r->step};
    PyArray_Descr *descr = ga_dtype_descr(state, GA_i64);
    for (int i = 0; i < 3 && descr != NULL; i++) {
        PyArray_Descr *wider = PyArray_DescrFromObject(numbers[i], descr);
        Py_SETREF(descr, wider);
    }
    r->descr = descr;
    return descr == NULL ? -1 : 0;
}

/* Exactly the dtypes that the sequence slot computes as NumPy does. */
static bool
is_native(const range *r)
{
    enum ga_dtype dtype = ga_dtype_of(r->descr);
    if (dtype == GA_DTYPE_COUNT)
        return false;
    char kind = ga_registry_dtype(dtype)->kind;
    return kind == 'i' || kind == 'u' || dtype == GA_f32 || dtype == GA_f64;
}

/* The ceiling as a length, in NumPy's words when there is none. */
static int
round_length(double value, int64_t *length)
{
    double ceiling = ceil(value);
    if (isnan(ceiling)) {
        PyErr_SetString(PyExc_ValueError, "arange: cannot compute length");
        return -1;
    }
    if (!(ceiling >= -0x1p63 && ceiling < 0x1p63)) {
        PyErr_SetString(PyExc_ValueError, "Maximum allowed size exceeded");
        return -1;
    }
    *length = ceiling > 0 ? (int64_t)ceiling : 0;
    return 0;
}

/* 1 or 0; -1 with an exception. */
static int
is_nonzero(PyObject *number)
{
    PyObject *zero = PyLong_FromLong(0);
    int result = zero == NULL ? -1 : PyObject_RichCompareBool(number, zero, Py_NE);
    Py_XDECREF(zero);
    return result;
}

static int
find_length(range *r)
{
    int rc = -1;
    PyObject *quotient = NULL;
    PyObject *distance = PyNumber_Subtract(r->stop, r->start);
    if (distance == NULL)
        return -1;
    quotient = PyNumber_TrueDivide(distance, r->step);
    if (quotient == NULL)
        goto done;
    int distant = is_nonzero(distance), counted = is_nonzero(quotient);
    double value = PyFloat_AsDouble(quotient);
    if (distant < 0 || counted < 0 || (value == -1 && PyErr_Occurred()))
        goto done;
    if (distant && !counted) { /* the quotient underflowed */
        r->length = 1;
        rc = 0;
    } else
        rc = round_length(value, &r->length);
done:
    if (rc < 0 && PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_SetString(PyExc_ValueError, "Maximum allowed size exceeded");
    Py_DECREF(distance);
    Py_XDECREF(quotient);
    return rc;
}

static int
find_elements(GaState *state, range *r)
{
    if (r->length > 0 && ga_convert_scalar(state, r->start, r->descr, &r->first) < 0)
        return -1;
    if (r->length < 2)
        return 0;
    PyObject *next = PyNumber_Add(r->start, r->step);
    int rc = next == NULL ? -1 : ga_convert_scalar(state, next, r->descr, &r->second);
    Py_XDECREF(next);
    return rc;
}

/* second - first in the dtype; *exact tells whether first + delta is second again, which rounding
 * may prevent. */
static ga_scalar
find_delta(const range *r, bool *exact)
{
    ga_scalar delta = {{0}};
    *exact = true;
    switch (ga_dtype_of(r->descr)) {
    case GA_f64:
        delta.d = r->second.d - r->first.d;
        *exact = r->first.d + delta.d == r->second.d;
        break;
    case GA_f32:
        delta.f = r->second.f - r->first.f;
        *exact = r->first.f + delta.f == r->second.f;
        break;
    default: /* integers wrap; the low bytes are the element's */
        delta.u = r->second.u - r->first.u;
        break;
    }
    return delta;
}

static int
launch_sequence(GaState *state, GaArray *a, const range *r)
{
    ga_sequence_call call = {.dtype = a->dtype, .size = a->size, .start = r->first};
    ga_stream *stream;
    char *data;
    bool exact;
    call.delta = find_delta(r, &exact);
    if (ga_array_pointer(a, GA_WRITE, &stream, &data) < 0)
        return -1;
    call.dst = data;
    if (ga_launch_sequence(ga_array_device(a), &call, stream) < 0)
        return -1;
    if (exact || a->size < 2)
        return 0;
    GaArray *place = ga_array_view(state, a, NULL, 0, NULL, NULL, ga_array_itemsize(a));
    int rc = place == NULL ? -1 : ga_transfer_fill(state, place, &r->second);
    Py_XDECREF(place);
    return rc;
}

static GaArray *
make_native(GaState *state, range *r, ga_device *device)
{
    if (find_length(r) < 0 || find_elements(state, r) < 0)
        return NULL;
    GaArray *a = ga_array_new(state, device, r->descr, 1, &r->length, 'C');
    if (a != NULL && a->size > 0 && launch_sequence(state, a, r) < 0)
        Py_CLEAR(a);
    return a;
}

/* NumPy's own arange; *plain where its dtype is one that no device holds. */
static GaArray *
make_by_numpy(GaState *state, const range *r, PyObject *dtype, const ga_create_target *target,
              PyObject **plain)
{
    PyObject *rule = dtype != NULL ? dtype : Py_None;
    bool dates = r->descr != NULL && r->descr->kind == 'M'; /* which have no zero to start from */
    PyObject *host = PyObject_CallMethod(state->numpy, "arange", "OOOO", dates && r->open ? Py_None : r->start, r->stop,
                                         r->step, rule);
    if (host == NULL)
        return NULL;
    if (target->device == NULL && !ga_dtype_held(PyArray_DESCR((PyArrayObject *)host))) {
        *plain = host;
        return NULL;
    }
    ga_device *device = ga_create_target_device(target);
    GaArray *a = device == NULL
                     ? NULL
                     : ga_transfer_from_numpy(state, (PyArrayObject *)host, NULL, device, 'C');
    Py_DECREF(host);
    return a;
}

static PyObject *
make_range(GaState *state, range *r, PyObject *dtype, const ga_create_target *target)
{
    PyObject *plain = NULL;
    r->descr = (PyArray_Descr *)Py_XNewRef(target->descr);
    if (r->descr == NULL && !target->plain && find_descr(state, r) < 0)
        return NULL;
    if (r->descr != NULL && is_native(r)) {
        ga_device *device = ga_create_target_device(target);
        return device == NULL ? NULL : (PyObject *)make_native(state, r, device);
    }
    GaArray *a = make_by_numpy(state, r, dtype, target, &plain);
    return plain != NULL ? plain : (PyObject *)a;
}

static PyObject *
create_arange(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "arange", 0, 4, {"start", "stop", "step", "dtype", "device", "like"}};
    PyObject *values[6], *result = NULL;
    ga_create_target target;
    range r = {0};
    GaState *state = PyModule_GetState(module);
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        ga_create_target_parse(state, values[3], values[4], values[5], &target) < 0)
        return NULL;
    if (read_limits(state, values, &r) == 0)
        result = make_range(state, &r, ga_arguments_given(values[3]), &target);
    clear_range(&r);
    ga_create_target_clear(&target);
    return result;
}

/* What linspace writes when its bounds are numbers: all of a row of floats in one launch. */
static PyObject *
fill_progression(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    ga_stream *stream;
    char *data;
    if (!ga_arguments_count("_progression", nargs, 4, 4))
        return NULL;
    GaArray *a = ga_dense_take(state, "_progression", args[0]);
    if (a == NULL)
        return NULL;
    ga_sequence_call call = {.dtype = a->dtype, .size = a->size, .ends = args[3] != Py_None};
    if (ga_number_pack(args[1], a->dtype, &call.start) != GA_CALL_OK ||
        ga_number_pack(args[2], a->dtype, &call.delta) != GA_CALL_OK ||
        (call.ends && ga_number_pack(args[3], a->dtype, &call.end) != GA_CALL_OK))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "_progression: %R, %R", args[1], args[2]);
    if (ga_array_pointer(a, GA_WRITE, &stream, &data) < 0)
        return NULL;
    call.dst = data;
    if (ga_launch_sequence(ga_array_device(a), &call, stream) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef ga_create_range_functions[] = {
    {"arange", GA_CREATE_FUNCTION(create_arange),
     "arange($module, start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, "
     "like=None)\n--\n\n"
     "Return evenly spaced values from a half-open interval.\n\n"
     "Parameters\n----------\nstart : number, optional\n    First value, 0 by default.\nstop : "
     "number\n    End, not included.\n"
     "step : number, optional\n    Distance between values.\ndtype : dtype, optional\n    By "
     "default found in the numbers.\n"
     "device : Device or str, optional\n    Where the array goes; by default the default device.\n"
     "like : ndarray, optional\n    Its device is used when `device` is not "
     "given.\n\nReturns\n-------\nndarray"},
    {"_progression", (PyCFunction)(void (*)(void))fill_progression, METH_FASTCALL,
     "_progression($module, a, start, delta, end, /)\n--\n\nstart + i * delta into a contiguous array; its last element is `end` unless "
     "that is None."},
    {NULL, NULL, 0, NULL},
};
