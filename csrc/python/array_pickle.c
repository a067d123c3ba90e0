/* Pickling: an array travels as a numpy.ndarray (which keeps dtype and order), the name of its device, and the scalar
 * flag. Where the device is absent the array lands on the default one, with a warning. On the CPU device nothing is
 * copied: the numpy.ndarray shares memory, which protocol 5 hands over out of band, and an array that comes back over
 * such a buffer uses that. */
#include "array_type.h"

#include "convert.h"
#include "module.h"
#include "transfer.h"

static PyObject *
reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *result = NULL;
    GaState *state = ga_array_state(self);
    GaArray *a = (GaArray *)self;
    PyObject *module = PyType_GetModule(state->array_type);
    PyObject *rebuild = module == NULL ? NULL : PyObject_GetAttrString(module, "_rebuild");
    PyArrayObject *host = rebuild == NULL ? NULL : ga_transfer_to_numpy(state, a, true);
    if (host != NULL)
        result = Py_BuildValue("O(OsO)", rebuild, host, ga_array_device(a)->name,
                               a->flags & GA_ARRAY_SCALAR ? Py_True : Py_False);
    Py_XDECREF(host);
    Py_XDECREF(rebuild);
    return result;
}

static ga_device *
find_device(const char *name)
{
    ga_device *device;
    if (ga_device_open(name, &device) == 0)
        return device;
    ga_status_clear();
    if (ga_device_default(&device) < 0) {
        (void)ga_raise();
        return NULL;
    }
    if (PyErr_WarnFormat(
            PyExc_RuntimeWarning, 1,
            "the pickled array was on device '%s', which is not here: it is now on '%s'", name,
            device->name) < 0)
        return NULL;
    return device;
}

/* NumPy's array owns its memory unless it lies over a buffer of the pickle. */
static GaArray *
take_host(GaState *state, PyArrayObject *host, ga_device *device)
{
    if (!device->is_cpu || PyArray_BASE(host) == NULL)
        return ga_transfer_from_numpy(state, host, NULL, device, 'K');
    state->guard.asked++;
    GaArray *a = ga_convert_array(state, (PyObject *)host, NULL, device, 'K', GA_COPY_IF_NEEDED);
    state->guard.asked--;
    return a;
}

static PyObject *
rebuild_array(PyObject *module, PyObject *args)
{
    GaState *state = PyModule_GetState(module);
    PyArrayObject *host;
    const char *name;
    int scalar;
    if (!PyArg_ParseTuple(args, "O!sp:_rebuild", &PyArray_Type, &host, &name, &scalar))
        return NULL;
    ga_device *device = find_device(name);
    if (device == NULL)
        return NULL;
    GaArray *a = take_host(state, host, device);
    return (PyObject *)(scalar ? ga_array_as_scalar(a) : a);
}

PyMethodDef ga_pickle_methods[] = {
    {"__reduce__", reduce, METH_NOARGS, "__reduce__($self, /)\n--\n\nWhat pickle stores."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef module_methods[] = {
    {"_rebuild", rebuild_array, METH_VARARGS,
     "_rebuild($module, data, device, scalar, /)\n--\n\nMake the array that a pickle holds."},
    {NULL, NULL, 0, NULL},
};

int
ga_pickle_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, module_methods);
}
