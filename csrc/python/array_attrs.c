/* Attributes of ndarray; real and imag are in array_parts.c. Shape and dtype can be set, which
 * changes the array's own layout and never its memory. */
#include "array_type.h"

#include "convert.h"
#include "dtype.h"
#include "guard.h"
#include "transfer.h"

#define SELF ((GaArray *)self)

static PyObject *
get_shape(PyObject *self, void *closure)
{
    (void)closure;
    return ga_array_tuple(SELF->ndim, SELF->shape);
}

static int
set_shape(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    int64_t asked[GA_MAXDIMS], shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    if (ga_array_settable(SELF, "shape", value) < 0)
        return -1;
    int ndim = ga_array_integers(&value, 1, asked);
    if (ndim < 0)
        return -1;
    if (ga_layout_resolve_shape(SELF->size, ndim, asked, shape) < 0)
        return ga_raise_int();
    if (!ga_layout_reshape(SELF->ndim, SELF->shape, SELF->strides, ga_array_itemsize(SELF), ndim,
                           shape, 'C', strides)) {
        PyErr_SetString(PyExc_AttributeError,
                        "Incompatible shape for in-place modification. Use `.reshape()` to make a "
                        "copy with the desired shape.");
        return -1;
    }
    return ga_array_set_layout(SELF, ndim, shape, strides);
}

static PyObject *
get_strides(PyObject *self, void *closure)
{
    (void)closure;
    return ga_array_tuple(SELF->ndim, SELF->strides);
}

static PyObject *
get_ndim(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(SELF->ndim);
}

static PyObject *
get_size(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(SELF->size);
}

static PyObject *
get_itemsize(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(ga_array_itemsize(SELF));
}

static PyObject *
get_nbytes(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(SELF->size * ga_array_itemsize(SELF));
}

static PyObject *
get_dtype(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(SELF->descr);
}

static int
set_dtype(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    int rc = -1;
    PyArray_Descr *descr = NULL;
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    if (ga_array_settable(SELF, "dtype", value) < 0 || ga_dtype_parse(value, &descr) < 0)
        goto done;
    if (descr == NULL)
        descr = ga_dtype_descr(ga_array_state(self), GA_f64);
    if (ga_dtype_view_layout(SELF, descr, shape, strides) < 0)
        goto done;
    SELF->dtype = ga_dtype_of(descr);
    Py_SETREF(SELF->descr, (PyArray_Descr *)Py_NewRef(descr));
    rc = ga_array_set_layout(SELF, SELF->ndim, shape, strides);
done:
    Py_XDECREF(descr);
    return rc;
}

static PyObject *
get_flags(PyObject *self, void *closure)
{
    (void)closure;
    return ga_flags_new(ga_array_state(self), SELF);
}

static PyObject *
get_base(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(SELF->base != NULL ? SELF->base : Py_None);
}

static PyObject *
get_device(PyObject *self, void *closure)
{
    (void)closure;
    return ga_convert_device_object(ga_array_state(self), ga_array_device(SELF));
}

static PyObject *
get_transposed(PyObject *self, void *closure)
{
    (void)closure;
    return ga_shape_transpose(ga_array_state(self), SELF, -1, NULL);
}

static PyObject *
get_matrix_transposed(PyObject *self, void *closure)
{
    (void)closure;
    int64_t axes[GA_MAXDIMS];
    int ndim = SELF->ndim;
    if (ndim < 2) {
        PyErr_SetString(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
        return NULL;
    }
    for (int i = 0; i < ndim; i++)
        axes[i] = i;
    axes[ndim - 2] = ndim - 1;
    axes[ndim - 1] = ndim - 2;
    return ga_shape_transpose(ga_array_state(self), SELF, ndim, axes);
}

static PyObject *
get_flat(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *function = ga_forward_find(ga_array_state(self), "flat");
    return function == NULL ? NULL : PyObject_CallOneArg(function, self);
}

static int
set_flat(PyObject *self, PyObject *value, void *closure)
{
    if (ga_array_settable(SELF, "flat", value) < 0)
        return -1;
    PyObject *flat = get_flat(self, closure);
    int rc = flat == NULL ? -1 : PyObject_SetItem(flat, Py_Ellipsis, value);
    Py_XDECREF(flat);
    return rc;
}

static PyObject *
get_data(PyObject *self, void *closure)
{
    (void)closure;
    GaState *state = ga_array_state(self);
    PyArrayObject *host =
        ga_guard_read(state, SELF) < 0 ? NULL : ga_transfer_to_numpy(state, SELF, true);
    if (host == NULL)
        return NULL;
    if (!ga_array_device(SELF)->is_cpu)
        PyArray_CLEARFLAGS(host,
                           NPY_ARRAY_WRITEABLE); /* writes to a copy would be lost in silence */
    PyObject *data = PyObject_GetAttrString((PyObject *)host, "data");
    Py_DECREF(host);
    return data;
}

static PyObject *
get_is_scalar(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong((SELF->flags & GA_ARRAY_SCALAR) != 0);
}

static PyObject *
get_priority(PyObject *self, void *closure)
{
    (void)self;
    (void)closure;
    return PyFloat_FromDouble(100.0);
}

PyGetSetDef ga_attrs_getset[] = {
    {"shape", get_shape, set_shape, "Lengths of the axes.", NULL},
    {"strides", get_strides, NULL, "Bytes from one element to the next along each axis.", NULL},
    {"ndim", get_ndim, NULL, "Number of axes.", NULL},
    {"size", get_size, NULL, "Number of elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of an element.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements.", NULL},
    {"dtype", get_dtype, set_dtype, "The numpy.dtype of the elements.", NULL},
    {"flags", get_flags, NULL, "Layout and writability.", NULL},
    {"base", get_base, NULL, "The object that owns the memory; None if it is the array itself.",
     NULL},
    {"device", get_device, NULL, "The device the elements live on.", NULL},
    {"T", get_transposed, NULL, "View with the axes reversed.", NULL},
    {"mT", get_matrix_transposed, NULL, "View with the last two axes exchanged.", NULL},
    {"flat", get_flat, set_flat, "One-dimensional iterator over the elements in C order.", NULL},
    {"data", get_data, NULL,
     "Memory of the elements on the host: shared on the CPU, a read-only copy otherwise.", NULL},
    {"_is_scalar", get_is_scalar, NULL, "Whether the array stands for a NumPy scalar.", NULL},
    {"__array_priority__", get_priority, NULL,
     "Larger than a numpy.ndarray's, so that results live on the device.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
