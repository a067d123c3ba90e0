/* Arguments that many functions take: device, shape, axis, order. Accepts and refuses what NumPy
 * does, in its words. */
#include "convert.h"
#include "device_object.h"

int
ga_convert_device(GaState *state, PyObject *arg, ga_device **out)
{
    *out = NULL;
    if (arg == NULL || arg == Py_None)
        return 0;
    if (PyObject_TypeCheck(arg, state->device_type)) {
        *out = ((GaDevice *)arg)->device;
        return 0;
    }
    if (!PyUnicode_Check(arg)) {
        PyErr_Format(
            PyExc_TypeError,
            "device must be a Device, a string such as 'cpu' or 'cuda:0', or None, not %.200s",
            Py_TYPE(arg)->tp_name);
        return -1;
    }
    const char *name = PyUnicode_AsUTF8(arg);
    if (name == NULL)
        return -1;
    return ga_device_open(name, out) < 0 ? ga_raise_int() : 0;
}

int
ga_convert_shape(PyObject *arg, int64_t *shape)
{
    PyArray_Dims dims = {NULL, -1};
    if (arg == Py_None) {
        PyErr_SetString(PyExc_TypeError,
                        "expected a sequence of integers or a single integer, got 'None'");
        return -1;
    }
    if (!PyArray_IntpConverter(arg, &dims))
        return -1;
    int ndim = dims.len;
    for (int i = 0; i < ndim; i++) {
        shape[i] = dims.ptr[i];
        if (shape[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "negative dimensions are not allowed");
            ndim = -1;
        }
    }
    PyDimMem_FREE(dims.ptr);
    return ndim;
}

/* True is no axis, as in NumPy. */
static Py_ssize_t
read_axis(PyObject *item)
{
    if (!PyBool_Check(item))
        return PyNumber_AsSsize_t(item, PyExc_OverflowError);
    PyErr_SetString(PyExc_TypeError, "an integer is required for the axis");
    return -1;
}

static int
add_axis(GaState *state, PyObject *item, int ndim, uint64_t *mask)
{
    Py_ssize_t axis = read_axis(item);
    if (axis == -1 && PyErr_Occurred())
        return -1;
    if (axis < -ndim || axis >= ndim)
        return ga_raise_axis(state, axis, ndim);
    uint64_t bit = UINT64_C(1) << (axis < 0 ? axis + ndim : axis);
    if (*mask & bit) {
        PyErr_SetString(PyExc_ValueError, "duplicate value in 'axis'");
        return -1;
    }
    *mask |= bit;
    return 0;
}

/* NumPy lets axis 0 and -1 pass for an array without dimensions; not so (0,). */
static int
check_no_axis(GaState *state, PyObject *arg)
{
    Py_ssize_t axis = read_axis(arg);
    if (axis == -1 && PyErr_Occurred())
        return -1;
    return axis == 0 || axis == -1 ? 0 : ga_raise_axis(state, axis, 0);
}

int
ga_convert_axes(GaState *state, PyObject *arg, int ndim, uint64_t *mask)
{
    *mask = 0;
    if (arg == NULL || arg == Py_None) {
        *mask = ndim == 64 ? UINT64_MAX : (UINT64_C(1) << ndim) - 1;
        return 0;
    }
    if (!PyTuple_Check(arg))
        return ndim == 0 ? check_no_axis(state, arg) : add_axis(state, arg, ndim, mask);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arg); i++) {
        if (add_axis(state, PyTuple_GET_ITEM(arg, i), ndim, mask) < 0)
            return -1;
    }
    return 0;
}

int
ga_convert_order(PyObject *arg, char fallback, char *out)
{
    NPY_ORDER order = NPY_KEEPORDER;
    *out = fallback;
    if (arg == NULL || arg == Py_None)
        return 0;
    if (!PyArray_OrderConverter(arg, &order))
        return -1;
    *out = order == NPY_CORDER         ? 'C'
           : order == NPY_FORTRANORDER ? 'F'
           : order == NPY_ANYORDER     ? 'A'
                                       : 'K';
    return 0;
}
