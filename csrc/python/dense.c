/* Arrays for the families whose kernels take contiguous elements. */
#include "dense.h"

#include "transfer.h"

GaArray *
ga_dense_take(GaState *state, const char *function, PyObject *object)
{
    if (!GA_ARRAY_CHECK(state, object)) {
        PyErr_Format(PyExc_TypeError, "%s: expected an ndarray, got %.200s", function,
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    GaArray *a = (GaArray *)object;
    if ((a->flags & GA_ARRAY_C) && ga_transfer_aligned(a))
        return a;
    PyErr_Format(PyExc_ValueError, "%s: the array must be contiguous and aligned", function);
    return NULL;
}

GaArray *
ga_dense_take_as(GaState *state, const char *function, PyObject *object, enum ga_dtype dtype)
{
    GaArray *a = ga_dense_take(state, function, object);
    if (a == NULL || a->dtype == dtype)
        return a;
    PyErr_Format(PyExc_TypeError, "%s: expected elements of %R, got %R", function, state->descrs[dtype],
                 a->descr);
    return NULL;
}
