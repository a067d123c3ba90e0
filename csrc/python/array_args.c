/* Reads the arguments that several methods of ndarray have in common, and checks what attributes
 * are given. */
#include "array_type.h"

char
ga_array_order(PyObject *arg, const char *allowed, char fallback)
{
    if (arg == NULL || arg == Py_None)
        return fallback;
    if (PyUnicode_Check(arg) && PyUnicode_GetLength(arg) == 1) {
        Py_UCS4 letter = PyUnicode_ReadChar(arg, 0);
        letter = letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter;
        if (letter < 128 && letter != 0 && strchr(allowed, (int)letter) != NULL)
            return (char)letter;
    }
    PyErr_Format(PyUnicode_Check(arg) ? PyExc_ValueError : PyExc_TypeError,
                 "order must be one of '%s' (got %R)", allowed, arg);
    return 0;
}

static int
parse_integer(PyObject *arg, int64_t *out)
{
    Py_ssize_t value = PyNumber_AsSsize_t(arg, PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred())
        return -1;
    *out = value;
    return 0;
}

static int
parse_integers(PyObject *const *items, Py_ssize_t count, int64_t *out)
{
    if (count > GA_MAXDIMS) {
        PyErr_Format(PyExc_ValueError,
                     "maximum supported dimension for an ndarray is currently %d, found %zd",
                     GA_MAXDIMS, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (parse_integer(items[i], &out[i]) < 0)
            return -1;
    }
    return (int)count;
}

int
ga_array_integers(PyObject *const *args, Py_ssize_t nargs, int64_t *out)
{
    PyArray_Dims dims = {NULL, -1};
    if (nargs != 1)
        return parse_integers(args, nargs, out);
    if (args[0] == Py_None) {
        PyErr_SetString(PyExc_TypeError,
                        "expected a sequence of integers or a single integer, got 'None'");
        return -1;
    }
    if (!PyArray_IntpConverter(args[0], &dims))
        return -1;
    for (int i = 0; i < dims.len; i++)
        out[i] = dims.ptr[i];
    PyDimMem_FREE(dims.ptr);
    return dims.len;
}

int
ga_array_axis(GaState *state, PyObject *arg, int ndim, int64_t *axis)
{
    int64_t value;
    if (parse_integer(arg, &value) < 0)
        return -1;
    if (value < -ndim || value >= ndim)
        return ga_raise_axis(state, value, ndim);
    *axis = value < 0 ? value + ndim : value;
    return 0;
}

int
ga_array_settable(GaArray *a, const char *name, PyObject *value)
{
    if (value == NULL)
        PyErr_Format(PyExc_AttributeError, "cannot delete attribute %s of an ndarray", name);
    else if (a->flags & GA_ARRAY_SCALAR)
        PyErr_Format(PyExc_AttributeError, "attribute '%s' of a scalar is not writable", name);
    else
        return 0;
    return -1;
}

PyObject *
ga_array_tuple(int ndim, const int64_t *values)
{
    PyObject *tuple = PyTuple_New(ndim);
    for (int i = 0; tuple != NULL && i < ndim; i++) {
        PyObject *value = PyLong_FromLongLong(values[i]);
        if (value == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, value);
    }
    return tuple;
}
