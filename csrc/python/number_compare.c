/* Comparison operators. == and != always have an answer where the shapes fit: what cannot be
 * compared is unequal. */
#include "number.h"

#include "transfer.h"
#include "ufunc_call.h"

static enum ga_ufunc
ufunc_of(int operation)
{
    switch (operation) {
    case Py_LT:
        return GA_UF_less;
    case Py_LE:
        return GA_UF_less_equal;
    case Py_EQ:
        return GA_UF_equal;
    case Py_NE:
        return GA_UF_not_equal;
    case Py_GT:
        return GA_UF_greater;
    default:
        return GA_UF_greater_equal;
    }
}

/* Shape of any object as NumPy sees it. */
static int
shape_of(PyObject *object, int64_t *shape)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FromAny(object, NULL, 0, 0, 0, NULL);
    if (array == NULL) {
        PyErr_Clear(); /* not an array at all: one thing */
        return 0;
    }
    int ndim = PyArray_NDIM(array);
    for (int i = 0; i < ndim; i++)
        shape[i] = PyArray_DIM(array, i);
    Py_DECREF(array);
    return ndim;
}

/* The broadcast shape, filled with one truth value. */
static PyObject *
fill_answer(GaState *state, GaArray *a, PyObject *other, bool answer)
{
    int64_t other_shape[GA_MAXDIMS], shape[GA_MAXDIMS];
    int ndims[2] = {a->ndim, shape_of(other, other_shape)}, ndim;
    const int64_t *shapes[2] = {a->shape, other_shape};
    if (ga_layout_broadcast(2, ndims, shapes, &ndim, shape) < 0)
        return ga_raise();
    ga_scalar value = {.bytes = {answer}};
    GaArray *result =
        ga_array_new(state, ga_array_device(a), state->descrs[GA_b1], ndim, shape, 'C');
    if (result != NULL && ga_transfer_fill(state, result, &value) < 0)
        Py_CLEAR(result);
    return (PyObject *)(result != NULL && ndim == 0 ? ga_array_as_scalar(result) : result);
}

/* NumPy's answer on the host: objects are compared element by element. */
static PyObject *
compare_on_host(GaState *state, PyObject *x, PyObject *y, enum ga_ufunc op)
{
    PyObject *args[2] = {x, y};
    if (PyDict_GetItemString(state->python_functions, "ufunc_host") == NULL)
        Py_RETURN_NOTIMPLEMENTED;
    return ga_ufunc_on_host(state, (GaUfunc *)state->ufuncs[op], "__call__", args, 2, NULL);
}

PyObject *
ga_number_compare(PyObject *x, PyObject *y, int operation)
{
    GaState *state = ga_number_state(x, y);
    enum ga_ufunc op = ufunc_of(operation);
    if (ga_number_gives_way(state, x, y, false))
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *result = ga_ufunc_binary(state, op, x, y, NULL);
    if (result == Py_NotImplemented)
        Py_SETREF(result, compare_on_host(state, x, y, op));
    bool equality = operation == Py_EQ || operation == Py_NE;
    if (result != NULL || !equality || !GA_ARRAY_CHECK(state, x) ||
        !PyErr_ExceptionMatches(PyExc_TypeError))
        return result;
    PyErr_Clear(); /* no loop, as for datetime with integer */
    return fill_answer(state, (GaArray *)x, y, operation == Py_NE);
}
