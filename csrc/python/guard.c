/* Counters and mode of transfer_guard, kept in the module's state for the whole process. A hidden copy that another
 * thread makes while an asked-for one waits without the GIL is taken for asked for, too. */
#include "guard.h"

#include "array_type.h"
#include "create.h"
#include "module.h"

static int
refuse_or_warn(GaState *state, const ga_device *device, enum ga_guard_way way, int64_t nbytes)
{
    PyObject *category = ga_forward_find(state, "PerformanceWarning");
    const char *words = way == GA_GUARD_TO_HOST ? "to the host from" : "from the host to";
    if (category == NULL)
        return -1;
    if (state->guard.mode == GA_GUARD_WARN)
        return PyErr_WarnFormat(category, 1, "hidden copy of %lld bytes %s %s", (long long)nbytes,
                                words, device->name);
    PyErr_Format(category,
                 "hidden copy of %lld bytes %s %s, which transfer_guard(\"error\") forbids",
                 (long long)nbytes, words, device->name);
    return -1;
}

static int
note_crossing(GaState *state, const ga_device *device, enum ga_guard_way way, int64_t nbytes)
{
    if (state->guard.asked > 0 || (device->is_cpu && !state->guard.cpu))
        return 0;
    if (state->guard.mode != GA_GUARD_ALLOW && refuse_or_warn(state, device, way, nbytes) < 0)
        return -1;
    state->guard.copies[way]++;
    state->guard.nbytes[way] += nbytes;
    return 0;
}

int
ga_guard_read(GaState *state, const GaArray *a)
{
    return note_crossing(state, ga_array_device(a), GA_GUARD_TO_HOST,
                         a->size * ga_array_itemsize(a));
}

int
ga_guard_send(GaState *state, PyArrayObject *source, const ga_device *device)
{
    return note_crossing(state, device, GA_GUARD_TO_DEVICE, (int64_t)PyArray_NBYTES(source));
}

/* ---- Python's side ---- */

static PyObject *
set_guard(PyObject *module, PyObject *args)
{
    GaState *state = PyModule_GetState(module);
    int mode, cpu;
    if (!PyArg_ParseTuple(args, "ip:_set_guard", &mode, &cpu))
        return NULL;
    PyObject *before =
        Py_BuildValue("(iO)", (int)state->guard.mode, state->guard.cpu ? Py_True : Py_False);
    state->guard.mode = (enum ga_guard_mode)mode;
    state->guard.cpu = cpu != 0;
    return before;
}

static PyObject *
get_crossings(PyObject *module, PyObject *unused)
{
    (void)unused;
    const GaState *state = PyModule_GetState(module);
    return Py_BuildValue("((LL)(LL))", (long long)state->guard.copies[GA_GUARD_TO_HOST],
                         (long long)state->guard.nbytes[GA_GUARD_TO_HOST],
                         (long long)state->guard.copies[GA_GUARD_TO_DEVICE],
                         (long long)state->guard.nbytes[GA_GUARD_TO_DEVICE]);
}

/* For work on the host that is the CPU device's own: NumPy's libraries on shared memory. */
static PyObject *
call_asked(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    if (nargs < 1) {
        PyErr_SetString(PyExc_TypeError, "_call_asked: expected a function");
        return NULL;
    }
    state->guard.asked++;
    PyObject *result = PyObject_Vectorcall(args[0], args + 1, (size_t)nargs - 1, NULL);
    state->guard.asked--;
    return result;
}

static PyMethodDef guard_functions[] = {
    {"_set_guard", set_guard, METH_VARARGS,
     "_set_guard($module, mode, cpu, /)\n--\n\nSet both; gives what was set before."},
    {"_get_crossings", get_crossings, METH_NOARGS,
     "_get_crossings($module, /)\n--\n\n(copies, bytes) to the host, and to devices."},
    {"_call_asked", (PyCFunction)(void (*)(void))call_asked, METH_FASTCALL,
     "_call_asked($module, function, /, *args)\n--\n\nfunction(*args), whose copies are asked "
     "for."},
    {NULL, NULL, 0, NULL},
};

/* The conversions under their public names, by name; gpuarray/_transfers.py hands them to users. */
static PyObject *
make_asked(PyObject *module)
{
    PyObject *home = PyUnicode_FromString("gpuarray"), *functions = PyDict_New();
    for (PyMethodDef *row = ga_create_asked_functions;
         home != NULL && functions != NULL && row->ml_name != NULL; row++) {
        PyObject *function = PyCFunction_NewEx(row, module, home);
        int rc = function == NULL ? -1 : PyDict_SetItemString(functions, row->ml_name, function);
        Py_XDECREF(function);
        if (rc < 0)
            Py_CLEAR(functions);
    }
    Py_XDECREF(home);
    return home == NULL ? NULL : functions;
}

int
ga_guard_init(PyObject *module, GaState *state)
{
    (void)state;
    PyObject *asked = make_asked(module);
    int rc = asked == NULL ? -1 : PyModule_AddObjectRef(module, "_asked", asked);
    Py_XDECREF(asked);
    return rc < 0 ? -1 : PyModule_AddFunctions(module, guard_functions);
}
