/* Where Python looks into an ndarray: truth, numbers, hash, length, membership, text.
 *
 * Flagged 0-d arrays answer as the NumPy scalar they stand for, ordinary arrays as a numpy.ndarray.
 * What is not a plain item (complex to int, times, one-element arrays with axes) is asked of NumPy
 * on a host copy, so that its warnings and refusals are those of the installed version. Each of
 * these waits for the device. */
#include "array_type.h"

#include "convert.h"
#include "transfer.h"
#include "ufunc.h"

#define SELF ((GaArray *)self)

static bool
is_scalar(PyObject *self)
{
    return (SELF->flags & GA_ARRAY_SCALAR) != 0;
}

/* The NumPy object that stands for a 0-d array: a scalar of numpy.generic if flagged, else a 0-d
 * numpy.ndarray. */
static PyObject *
fetch_value(GaState *state, GaArray *self)
{
    PyArrayObject *host = ga_transfer_to_numpy(state, self, true);
    if (host == NULL || !(self->flags & GA_ARRAY_SCALAR))
        return (PyObject *)host;
    return PyArray_Return(host);
}

static bool
is_nonzero(enum ga_dtype dtype, int64_t itemsize, const ga_scalar *value)
{
    static const ga_scalar zero = {.bytes = {0}};
    double re = 0, im = 0;
    float parts[2] = {0, 0};
    switch (dtype) {
    case GA_f16:
    case GA_bf16:
        return (value->u & 0x7fff) != 0; /* either zero */
    case GA_e4m3:
    case GA_e5m2:
        return (value->u & 0x7f) != 0;
    case GA_f32:
    case GA_c64:
        memcpy(parts, value->bytes, (size_t)itemsize);
        return parts[0] != 0 || parts[1] != 0;
    case GA_f64:
    case GA_c128:
        memcpy(&re, value->bytes, sizeof re);
        if (dtype == GA_c128)
            memcpy(&im, value->bytes + sizeof re, sizeof im);
        return re != 0 || im != 0;
    default:
        return memcmp(value->bytes, zero.bytes, (size_t)itemsize) != 0;
    }
}

static int
convert_bool(PyObject *self)
{
    ga_scalar value;
    if (SELF->size == 0) {
        PyErr_SetString(
            PyExc_ValueError,
            "The truth value of an empty array is ambiguous. Use `array.size > 0` to check "
            "that an array is not empty.");
        return -1;
    }
    if (SELF->size > 1) {
        PyErr_SetString(
            PyExc_ValueError,
            "The truth value of an array with more than one element is ambiguous. Use a.any() "
            "or a.all()");
        return -1;
    }
    if (ga_transfer_item(SELF, 0, &value) < 0)
        return -1;
    return is_nonzero(SELF->dtype, ga_array_itemsize(SELF), &value);
}

/* What int(), float() and complex() look at in place of the array. */
static PyObject *
number_source(PyObject *self)
{
    ga_scalar value;
    if (SELF->size != 1) {
        PyErr_SetString(PyExc_TypeError,
                        "only 0-dimensional arrays can be converted to Python scalars");
        return NULL;
    }
    if (SELF->ndim > 0 || strchr("cmM", SELF->descr->kind) != NULL)
        return fetch_value(ga_array_state(self), SELF);
    return ga_transfer_item(SELF, 0, &value) < 0 ? NULL : ga_convert_item(SELF->descr, &value);
}

static PyObject *
convert_int(PyObject *self)
{
    PyObject *source = number_source(self);
    PyObject *result = source == NULL ? NULL : PyNumber_Long(source);
    Py_XDECREF(source);
    return result;
}

static PyObject *
convert_float(PyObject *self)
{
    PyObject *source = number_source(self);
    PyObject *result = source == NULL ? NULL : PyNumber_Float(source);
    Py_XDECREF(source);
    return result;
}

static PyObject *
convert_complex(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *source = number_source(self);
    PyObject *result =
        source == NULL ? NULL : PyObject_CallOneArg((PyObject *)&PyComplex_Type, source);
    Py_XDECREF(source);
    return result;
}

static PyObject *
convert_index(PyObject *self)
{
    ga_scalar value;
    if (SELF->ndim > 0 || strchr("iu", SELF->descr->kind) == NULL) {
        if (is_scalar(self))
            PyErr_Format(PyExc_TypeError,
                         "a scalar of dtype %S cannot be interpreted as an integer", SELF->descr);
        else
            PyErr_SetString(PyExc_TypeError,
                            "only integer scalar arrays can be converted to a scalar index");
        return NULL;
    }
    return ga_transfer_item(SELF, 0, &value) < 0 ? NULL : ga_convert_item(SELF->descr, &value);
}

static Py_hash_t
convert_hash(PyObject *self)
{
    if (!is_scalar(self)) {
        PyErr_SetString(PyExc_TypeError, "unhashable type: 'gpuarray.ndarray'");
        return -1;
    }
    PyObject *value = fetch_value(ga_array_state(self), SELF);
    Py_hash_t hash = value == NULL ? -1 : PyObject_Hash(value);
    Py_XDECREF(value);
    return hash;
}

static Py_ssize_t
get_length(PyObject *self)
{
    if (SELF->ndim > 0)
        return (Py_ssize_t)SELF->shape[0];
    if (is_scalar(self))
        PyErr_Format(PyExc_TypeError, "a scalar of dtype %S has no len()", SELF->descr);
    else
        PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
}

static int
contains_value(PyObject *self, PyObject *value)
{
    int found = -1;
    GaState *state = ga_array_state(self);
    ga_reduce_args args = {.keepdims = false};
    PyObject *any = NULL;
    PyObject *equal = PyObject_RichCompare(self, value, Py_EQ);
    if (equal == NULL)
        goto done;
    if (!GA_ARRAY_CHECK(state, equal)) {
        found = PyObject_IsTrue(equal);
        goto done;
    }
    any = ga_ufunc_reduce(state, GA_UF_logical_or, equal, &args);
    found = any == NULL ? -1 : PyObject_IsTrue(any);
done:
    Py_XDECREF(any);
    Py_XDECREF(equal);
    return found;
}

/* repr or str: scalars as NumPy prints them, arrays by the Python function that brings over only
 * what it prints. */
static PyObject *
print_array(PyObject *self, const char *name, PyObject *(*print)(PyObject *))
{
    GaState *state = ga_array_state(self);
    PyObject *function =
        is_scalar(self) ? NULL : PyDict_GetItemString(state->python_functions, name);
    if (function != NULL)
        return PyObject_CallOneArg(function, self);
    PyObject *value = fetch_value(state, SELF);
    PyObject *text = value == NULL ? NULL : print(value);
    Py_XDECREF(value);
    return text;
}

static PyObject *
repr_array(PyObject *self)
{
    return print_array(self, "array_repr", PyObject_Repr);
}

static PyObject *
str_array(PyObject *self)
{
    return print_array(self, "array_str", PyObject_Str);
}

static PyObject *
format_array(PyObject *self, PyObject *spec)
{
    if (SELF->ndim > 0) {
        if (PyUnicode_Check(spec) && PyUnicode_GetLength(spec) == 0)
            return PyObject_Str(self);
        PyErr_SetString(PyExc_TypeError,
                        "unsupported format string passed to gpuarray.ndarray.__format__");
        return NULL;
    }
    PyObject *value = fetch_value(ga_array_state(self), SELF);
    PyObject *text = value == NULL ? NULL : PyObject_Format(value, spec);
    Py_XDECREF(value);
    return text;
}

/* A NumPy scalar goes back to the device as a flagged array; anything else stays what it is. Steals
 * value. */
static PyObject *
scalar_to_device(GaState *state, PyObject *value, ga_device *device)
{
    if (value == NULL || !PyArray_IsScalar(value, Generic))
        return value;
    GaArray *a = ga_convert_array(state, value, NULL, device, 'C', GA_COPY_ALWAYS);
    Py_DECREF(value);
    return (PyObject *)ga_array_as_scalar(a);
}

static PyObject *
round_scalar(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = ga_array_state(self);
    if (!is_scalar(self)) {
        PyErr_SetString(PyExc_TypeError, "type gpuarray.ndarray doesn't define __round__ method");
        return NULL;
    }
    if (nargs > 1) {
        PyErr_Format(PyExc_TypeError, "__round__ takes at most 1 argument (%zd given)", nargs);
        return NULL;
    }
    PyObject *value = fetch_value(state, SELF);
    if (value == NULL)
        return NULL;
    PyObject *rounded = PyObject_CallMethod(value, "__round__", nargs == 1 ? "O" : NULL,
                                            nargs == 1 ? args[0] : NULL);
    if (rounded == NULL && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Format(PyExc_TypeError, "type %.200s doesn't define __round__ method",
                     Py_TYPE(value)->tp_name);
    Py_DECREF(value);
    return scalar_to_device(state, rounded, ga_array_device(SELF));
}

static PyObject *
truncate_scalar(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (is_scalar(self))
        return convert_int(self);
    PyErr_SetString(PyExc_TypeError, "type gpuarray.ndarray doesn't define __trunc__ method");
    return NULL;
}

PyMethodDef ga_convert_methods[] = {
    {"__complex__", convert_complex, METH_NOARGS,
     "__complex__($self, /)\n--\n\nThe one element as a complex."},
    {"__format__", format_array, METH_O,
     "__format__($self, spec, /)\n--\n\nFormat a 0-d array as its element."},
    {"__round__", (PyCFunction)(void (*)(void))round_scalar, METH_FASTCALL,
     "__round__($self, ndigits=None, /)\n--\n\nround() of a scalar."},
    {"__trunc__", truncate_scalar, METH_NOARGS,
     "__trunc__($self, /)\n--\n\nmath.trunc() of a scalar."},
    {NULL, NULL, 0, NULL},
};

PyType_Slot ga_convert_slots[] = {
    {Py_nb_bool, convert_bool},
    {Py_nb_int, convert_int},
    {Py_nb_float, convert_float},
    {Py_nb_index, convert_index},
    {Py_tp_hash, convert_hash},
    {Py_sq_length, get_length},
    {Py_mp_length, get_length},
    {Py_sq_contains, contains_value},
    {Py_tp_repr, repr_array},
    {Py_tp_str, str_array},
    {0, NULL},
};
