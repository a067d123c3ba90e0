/* ndarray.view and what assigning to ndarray.dtype stands on: the same bytes read in another
 * dtype. */
#include "array_type.h"

#include "arguments.h"
#include "dtype.h"
#include "transfer.h"

static int
refuse(const char *why)
{
    PyErr_SetString(PyExc_ValueError, why);
    return -1;
}

int
ga_dtype_view_layout(GaArray *a, PyArray_Descr *descr, int64_t *shape, int64_t *strides)
{
    int64_t old = ga_array_itemsize(a), size = (int64_t)PyDataType_ELSIZE(descr);
    for (int i = 0; i < a->ndim; i++) {
        shape[i] = a->shape[i];
        strides[i] = a->strides[i];
    }
    if (size == old)
        return 0;
    int last = a->ndim - 1;
    if (last < 0)
        return refuse(
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    if (shape[last] != 1 && a->size != 0 && strides[last] != old)
        return refuse("To change to a dtype of a different size, the last axis must be contiguous");
    if (size < old && old % size != 0)
        return refuse("When changing to a smaller dtype, its size must be a divisor of the size of "
                      "original dtype");
    if (size > old && shape[last] * old % size != 0)
        return refuse("When changing to a larger dtype, its size must be a divisor of the total "
                      "size in bytes of the last "
                      "axis of the array.");
    shape[last] = shape[last] * old / size;
    strides[last] = size;
    return 0;
}

/* view(type) and view(type=...) know one array type. A dtype is parsed only where the argument is
 * not that. */
static int
parse_view(GaState *state, PyObject **values, PyArray_Descr **descr)
{
    PyObject *type = values[1] != NULL ? values[1] : values[0];
    if (type == (PyObject *)state->array_type) {
        if (type == values[0])
            return 0;
    } else if (values[1] != NULL && values[1] != Py_None) {
        PyErr_Format(PyExc_TypeError, "view: type must be gpuarray.ndarray, not %R", values[1]);
        return -1;
    }
    return ga_dtype_parse(values[0], descr);
}

static PyObject *
view(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"view", 0, 2, {"dtype", "type", NULL}};
    GaState *state = ga_array_state(self);
    PyObject *values[2];
    PyArray_Descr *descr = NULL;
    GaArray *source = NULL, *result = NULL;
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        parse_view(state, values, &descr) < 0)
        goto done;
    if (descr == NULL)
        descr = (PyArray_Descr *)Py_NewRef(((GaArray *)self)->descr);
    source = ga_array_viewable(state, (GaArray *)self);
    if (source == NULL || ga_dtype_view_layout(source, descr, shape, strides) < 0)
        goto done;
    result = ga_array_view(state, source, descr, source->ndim, shape, strides, 0);
done:
    Py_XDECREF(descr);
    Py_XDECREF(source);
    return ga_array_return((GaArray *)self, result);
}

PyMethodDef ga_dtype_methods[] = {
    {"view", GA_FASTCALL(view),
     "view($self, /, dtype=None, type=None)\n--\n\nThe same memory, read in another dtype if one "
     "is given."},
    {NULL, NULL, 0, NULL},
};
