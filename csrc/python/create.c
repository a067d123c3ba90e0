/* What creation functions share (create.h), and their registration. Data that no device holds stay
 * NumPy's business when nobody named a device: the call then goes to numpy as it came. */
#include "create.h"

#include <string.h>

#include "convert.h"
#include "dtype.h"
#include "module.h"
#include "transfer.h"

static int
parse_descr(PyObject *arg, ga_create_target *out)
{
    PyArray_Descr *descr = NULL;
    if (ga_arguments_given(arg) == NULL)
        return 0;
    descr = ga_dtype_read(arg);
    if (descr == NULL)
        return -1;
    if (ga_dtype_held(descr))
        out->descr = ga_convert_native(descr);
    else if (out->device == NULL)
        out->plain = true;
    else
        ga_transfer_refuse_dtype(descr);
    Py_DECREF(descr);
    return out->descr == NULL && !out->plain ? -1 : 0;
}

int
ga_create_target_parse(GaState *state, PyObject *dtype, PyObject *device, PyObject *like,
                       ga_create_target *out)
{
    memset(out, 0, sizeof *out);
    if (ga_convert_device(state, device, &out->device) < 0)
        return -1;
    if (out->device == NULL && like != NULL && GA_ARRAY_CHECK(state, like))
        out->device = ga_array_device((GaArray *)like);
    return parse_descr(dtype, out);
}

void
ga_create_target_clear(ga_create_target *target)
{
    Py_CLEAR(target->descr);
}

ga_device *
ga_create_target_device(const ga_create_target *target)
{
    ga_device *device = target->device;
    if (device == NULL && ga_device_default(&device) < 0)
        ga_raise();
    return device;
}

int
ga_create_copy_mode(PyObject *arg, enum ga_copy_mode fallback, enum ga_copy_mode *out)
{
    *out = fallback;
    if (arg == NULL)
        return 0;
    if (PyUnicode_Check(arg)) {
        PyErr_SetString(PyExc_ValueError, "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
        return -1;
    }
    int truth = arg == Py_None ? -1 : PyObject_IsTrue(arg);
    if (truth < 0 && arg != Py_None)
        return -1;
    *out = truth < 0 ? GA_COPY_IF_NEEDED : truth ? GA_COPY_ALWAYS : GA_COPY_NEVER;
    return 0;
}

PyObject *
ga_create_by_numpy(GaState *state, const char *name, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    PyObject *function = PyObject_GetAttrString(state->numpy, name);
    if (function == NULL)
        return NULL;
    PyObject *result =
        PyObject_Vectorcall(function, args, (size_t)PyVectorcall_NARGS((size_t)nargs), kwnames);
    Py_DECREF(function);
    return result;
}

/* Python numbers whose assignment to an element is what copyto does, too. */
static bool
is_simple_value(PyObject *value, const GaArray *a)
{
    char kind = ga_registry_dtype(a->dtype)->kind;
    if (PyLong_CheckExact(value) || PyBool_Check(value))
        return kind != 'M' && kind != 'm';
    if (PyFloat_CheckExact(value))
        return kind == 'f' || kind == 'c';
    return PyComplex_CheckExact(value) && kind == 'c';
}

static int
fill_by_array(GaState *state, GaArray *a, PyObject *value)
{
    GaArray *source =
        ga_convert_array(state, value, NULL, ga_array_device(a), 'K', GA_COPY_IF_NEEDED);
    int rc = source == NULL ? -1 : ga_transfer_warn_complex(state, source->descr, a->descr);
    if (rc == 0)
        rc = ga_transfer_assign(state, a, source);
    Py_XDECREF(source);
    return rc;
}

/* One element converted by NumPy. */
static int
fill_by_numpy(GaState *state, GaArray *a, PyObject *value)
{
    ga_scalar element = {{0}};
    PyObject *source = PyArray_FromAny(value, NULL, 0, 0, 0, NULL);
    if (source == NULL)
        return -1;
    if (PyArray_NDIM((PyArrayObject *)source) > 0) {
        int rc = fill_by_array(state, a, source);
        Py_DECREF(source);
        return rc;
    }
    Py_INCREF(a->descr);
    PyArrayObject *single =
        (PyArrayObject *)PyArray_FromAny(source, a->descr, 0, 0, NPY_ARRAY_FORCECAST, NULL);
    Py_DECREF(source);
    if (single == NULL)
        return -1;
    memcpy(element.bytes, PyArray_DATA(single), (size_t)PyArray_ITEMSIZE(single));
    Py_DECREF(single);
    return ga_transfer_fill(state, a, &element);
}

int
ga_create_fill(GaState *state, GaArray *a, PyObject *value)
{
    ga_scalar element;
    /* copyto takes an integer for a bool only if it fits a C long. */
    if (a->dtype == GA_b1 && PyLong_CheckExact(value) && PyLong_AsLong(value) == -1 &&
        PyErr_Occurred())
        return -1;
    if (is_simple_value(value, a))
        return ga_convert_scalar(state, value, a->descr, &element) < 0
                   ? -1
                   : ga_transfer_fill(state, a, &element);
    if (GA_ARRAY_CHECK(state, value) || PyList_Check(value) || PyTuple_Check(value))
        return fill_by_array(state, a, value);
    return fill_by_numpy(state, a, value);
}

int
ga_create_init(PyObject *module, GaState *state)
{
    (void)state;
    if (PyModule_AddFunctions(module, ga_create_fill_functions) < 0 ||
        PyModule_AddFunctions(module, ga_create_like_functions) < 0 ||
        PyModule_AddFunctions(module, ga_create_dlpack_functions) < 0 ||
        PyModule_AddFunctions(module, ga_create_array_functions) < 0)
        return -1;
    return PyModule_AddFunctions(module, ga_create_range_functions);
}
