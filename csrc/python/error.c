/* Statuses of the core become Python exceptions here and nowhere else. */
#include "gapy.h"

static PyObject *
exception_of_status(enum ga_status status)
{
    switch (status) {
    case GA_ERR_VALUE:
        return PyExc_ValueError;
    case GA_ERR_TYPE:
        return PyExc_TypeError;
    case GA_ERR_INDEX:
        return PyExc_IndexError;
    case GA_ERR_MEMORY:
        return PyExc_MemoryError;
    case GA_ERR_UNSUPPORTED:
        return PyExc_NotImplementedError;
    case GA_ERR_OVERFLOW:
        return PyExc_OverflowError;
    case GA_ERR_ZERODIVISION:
        return PyExc_ZeroDivisionError;
    case GA_ERR_BUFFER:
        return PyExc_BufferError;
    case GA_OK:
    case GA_ERR_DEVICE:
        break;
    }
    return PyExc_RuntimeError;
}

PyObject *
ga_raise(void)
{
    /* Code that ran below the core (the garbage collector, a deleter) may have raised already. */
    if (PyErr_Occurred())
        return NULL;
    const char *message;
    enum ga_status status = ga_status_get(&message);
    PyErr_SetString(exception_of_status(status), message);
    ga_status_clear();
    return NULL;
}

int
ga_raise_int(void)
{
    (void)ga_raise();
    return -1;
}

int
ga_raise_fault(const ga_device *device)
{
    if (device->is_cpu || device->backend->fault(device->index) == 0)
        return 0;
    ga_fail_backend(device->backend);
    return ga_raise_int();
}

int
ga_raise_axis(GaState *state, int64_t axis, int ndim)
{
    PyObject *error = PyObject_CallFunction(state->axis_error, "Li", (long long)axis, ndim);
    if (error != NULL) {
        PyErr_SetObject(state->axis_error, error);
        Py_DECREF(error);
    }
    return -1;
}
