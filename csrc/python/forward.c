/* Methods of ndarray that are written in Python. gpuarray/__init__.py registers its functions once,
 * by name; those of the table below become methods of the type (so they are ordinary Python
 * functions to inspect and help), and C code finds the others (array_repr...)
 * with ga_forward_find. */
#include "array_type.h"

#include "module.h"

/* Method of ndarray, and the registered name it stands under where that differs. */
static const struct {
    const char *method, *function;
} forwarded[] = {
    {"argpartition", NULL},
    {"argsort", NULL},
    {"byteswap", NULL},
    {"choose", NULL},
    {"clip", NULL},
    {"compress", NULL},
    {"conj", NULL},
    {"conjugate", NULL},
    {"cumprod", NULL},
    {"cumsum", NULL},
    {"dot", NULL},
    {"dump", NULL},
    {"dumps", NULL},
    {"getfield", NULL},
    {"nonzero", NULL},
    {"partition", NULL},
    {"put", NULL},
    {"repeat", NULL},
    {"round", NULL},
    {"searchsorted", NULL},
    {"setfield", NULL},
    {"sort", NULL},
    {"std", NULL},
    {"take", NULL},
    {"tofile", NULL},
    {"trace", NULL},
    {"var", NULL},
    {"__array_function__", "array_function"},
    {"__array_ufunc__", "array_ufunc"},
};

PyObject *
ga_forward_find(GaState *state, const char *name)
{
    PyObject *function = PyDict_GetItemString(state->python_functions, name);
    if (function == NULL)
        PyErr_Format(
            PyExc_NotImplementedError,
            "ndarray needs the Python function '%s', which is registered by `import gpuarray`",
            name);
    return function;
}

PyObject *
ga_forward_call(GaState *state, const char *name, PyObject *first, PyObject *const *args,
                Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *function = ga_forward_find(state, name);
    if (function == NULL)
        return NULL;
    size_t count = (size_t)nargs + (kwnames != NULL ? (size_t)PyTuple_GET_SIZE(kwnames) : 0);
    PyObject **all = PyMem_Malloc((count + 1) * sizeof *all);
    if (all == NULL)
        return PyErr_NoMemory();
    all[0] = first;
    memcpy(all + 1, args, count * sizeof *all);
    PyObject *result = PyObject_Vectorcall(function, all, (size_t)nargs + 1, kwnames);
    PyMem_Free(all);
    return result;
}

/* Callables that are not functions (partials, builtins) do not bind to an instance by
 * themselves. */
static PyObject *
as_method(PyObject *function)
{
    return PyFunction_Check(function) ? Py_NewRef(function) : PyInstanceMethod_New(function);
}

static int
install_methods(GaState *state)
{
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
        const char *name =
            forwarded[i].function != NULL ? forwarded[i].function : forwarded[i].method;
        PyObject *function = PyDict_GetItemString(state->python_functions, name);
        if (function == NULL)
            continue;
        PyObject *method = as_method(function);
        int rc = method == NULL ? -1
                                : PyObject_SetAttrString((PyObject *)state->array_type,
                                                         forwarded[i].method, method);
        Py_XDECREF(method);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static PyObject *
register_functions(PyObject *module, PyObject *functions)
{
    GaState *state = PyModule_GetState(module);
    if (!PyDict_Check(functions)) {
        PyErr_SetString(PyExc_TypeError,
                        "_register_functions: expected a dict of names and functions");
        return NULL;
    }
    if (PyDict_Update(state->python_functions, functions) < 0 || install_methods(state) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef module_methods[] = {
    {"_register_functions", register_functions, METH_O,
     "_register_functions($module, functions, /)\n--\n\nTake over the Python functions that "
     "ndarray stands on."},
    {NULL, NULL, 0, NULL},
};

int
ga_forward_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, module_methods);
}
