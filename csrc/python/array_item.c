/* Elements as Python objects and bytes, and filling with one value. */
#include "array_type.h"

#include "arguments.h"
#include "convert.h"
#include "index.h"
#include "transfer.h"

#define SELF ((GaArray *)self)

static int
refuse_index(Py_ssize_t index, int axis, int64_t length)
{
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %lld", index,
                 axis, (long long)length);
    return -1;
}

/* One index along an axis, negative allowed. */
static int
parse_position(PyObject *arg, int axis, int64_t length, int64_t *out)
{
    Py_ssize_t index = PyNumber_AsSsize_t(arg, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred())
        return -1;
    if (index < -length || index >= length)
        return refuse_index(index, axis, length);
    *out = index < 0 ? index + length : index;
    return 0;
}

/* Flat position in C order from item()'s arguments: none, one flat index, or one for every axis. */
static int
locate_item(GaArray *a, PyObject *const *args, Py_ssize_t nargs, int64_t *position)
{
    *position = 0;
    if (nargs == 0) {
        if (a->size == 1)
            return 0;
        PyErr_SetString(PyExc_ValueError, "can only convert an array of size 1 to a Python scalar");
        return -1;
    }
    if (nargs == 1)
        return parse_position(args[0], 0, a->size, position);
    if (nargs != a->ndim) {
        PyErr_SetString(PyExc_ValueError, "incorrect number of indices for array");
        return -1;
    }
    for (int i = 0; i < a->ndim; i++) {
        int64_t along;
        if (parse_position(args[i], i, a->shape[i], &along) < 0)
            return -1;
        *position = *position * a->shape[i] + along;
    }
    return 0;
}

static PyObject *
item(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t position;
    ga_scalar value;
    if (nargs == 1 && PyTuple_Check(args[0])) {
        nargs = PyTuple_GET_SIZE(args[0]);
        args = &PyTuple_GET_ITEM(args[0], 0);
    }
    if (locate_item(SELF, args, nargs, &position) < 0 ||
        ga_transfer_item(SELF, position, &value) < 0)
        return NULL;
    return ga_convert_item(SELF->descr, &value);
}

static PyObject *
tolist(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyArrayObject *host = ga_transfer_to_numpy(ga_array_state(self), SELF, true);
    PyObject *list = host == NULL ? NULL : PyArray_ToList(host);
    Py_XDECREF(host);
    return list;
}

static PyObject *
tobytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"tobytes", 0, 1, {"order", NULL}};
    PyObject *value;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, &value) < 0)
        return NULL;
    char order = ga_array_order(value, "CFAK", 'C');
    PyArrayObject *host =
        order == 0 ? NULL : ga_transfer_to_numpy(ga_array_state(self), SELF, true);
    if (host == NULL)
        return NULL;
    NPY_ORDER numpy_order = order == 'F'   ? NPY_FORTRANORDER
                            : order == 'A' ? NPY_ANYORDER
                                           : NPY_CORDER;
    PyObject *bytes = PyArray_ToString(host, order == 'K' ? NPY_KEEPORDER : numpy_order);
    Py_DECREF(host);
    return bytes;
}

static PyObject *
fill(PyObject *self, PyObject *value)
{
    if (PyList_Check(value) || PyTuple_Check(value)) {
        PyErr_SetString(PyExc_ValueError, "fill: value must be one element, not a sequence");
        return NULL;
    }
    if (ga_index_assign(ga_array_state(self), SELF, value) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef ga_item_methods[] = {
    {"item", (PyCFunction)(void (*)(void))item, METH_FASTCALL,
     "item($self, /, *args)\n--\n\nOne element as a Python object: the only one, or the one at an "
     "index."},
    {"tolist", tolist, METH_NOARGS,
     "tolist($self, /)\n--\n\nThe elements as nested lists of Python objects."},
    {"tobytes", GA_FASTCALL(tobytes), "tobytes($self, /, order='C')\n--\n\nThe elements as bytes."},
    {"fill", fill, METH_O, "fill($self, value, /)\n--\n\nSet every element to one value."},
    {NULL, NULL, 0, NULL},
};
