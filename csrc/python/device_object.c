/* Device: a handle on "cpu" or "cuda:N" that equals its name. As a context manager it is the
 * default device inside. */
#include "device_object.h"

#include "../core/retire.h"
#include "convert.h"
#include "module.h"

PyObject *
ga_convert_device_object(GaState *state, ga_device *device)
{
    GaDevice *self = (GaDevice *)state->device_type->tp_alloc(state->device_type, 0);
    if (self != NULL)
        self->device = device;
    return (PyObject *)self;
}

int
ga_device_argument(GaState *state, PyObject *arg, ga_device **out)
{
    if (ga_convert_device(state, arg, out) < 0)
        return -1;
    if (*out == NULL && ga_device_default(out) < 0)
        return ga_raise_int();
    return 0;
}

int
ga_device_parse(PyObject *module, PyObject *args, PyObject *kwargs, const char *format,
                ga_device **out)
{
    static char *names[] = {"device", NULL};
    PyObject *arg = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, names, &arg))
        return -1;
    return ga_device_argument(PyModule_GetState(module), arg, out);
}

static int
sync_stream(ga_device *device, ga_stream *stream)
{
    int rc;
    Py_BEGIN_ALLOW_THREADS
    rc = device->backend->stream_sync(stream);
    Py_END_ALLOW_THREADS
    return rc < 0 ? ga_fail_backend(device->backend) : 0;
}

int
ga_device_synchronize(ga_device *device)
{
    ga_stream *current = ga_device_stream(device);
    if (sync_stream(device, device->default_stream) < 0)
        return ga_raise_int();
    if (current != device->default_stream && sync_stream(device, current) < 0)
        return ga_raise_int();
    ga_retire_collect();
    return ga_raise_fault(device);
}

PyObject *
ga_device_memory(ga_device *device)
{
    ga_device_info info;
    if (device->backend->device_info(device->index, &info) < 0) {
        ga_fail_backend(device->backend);
        return ga_raise();
    }
    return Py_BuildValue("LL", (long long)info.free_memory, (long long)info.total_memory);
}

/* A number counts CUDA devices, as in CuPy. */
static PyObject *
device_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"device", NULL};
    PyObject *arg = NULL, *named = NULL;
    ga_device *device;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Device", names, &arg))
        return NULL;
    named =
        arg != NULL && PyLong_Check(arg) ? PyUnicode_FromFormat("cuda:%S", arg) : Py_XNewRef(arg);
    if (named == NULL && PyErr_Occurred())
        return NULL;
    GaState *state = ga_state(type);
    int rc = ga_device_argument(state, named, &device);
    Py_XDECREF(named);
    return rc < 0 ? NULL : ga_convert_device_object(state, device);
}

static int
device_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((GaDevice *)self)->previous);
    return 0;
}

static int
device_clear(PyObject *self)
{
    Py_CLEAR(((GaDevice *)self)->previous);
    return 0;
}

static void
device_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    (void)device_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static ga_device *
device_of(PyObject *self)
{
    return ((GaDevice *)self)->device;
}

static PyObject *
device_str(PyObject *self)
{
    return PyUnicode_FromString(device_of(self)->name);
}

static PyObject *
device_repr(PyObject *self)
{
    return PyUnicode_FromFormat("Device('%s')", device_of(self)->name);
}

/* The name's hash, since a device equals its name. */
static Py_hash_t
device_hash(PyObject *self)
{
    PyObject *name = device_str(self);
    if (name == NULL)
        return -1;
    Py_hash_t hash = PyObject_Hash(name);
    Py_DECREF(name);
    return hash;
}

static PyObject *
device_compare(PyObject *self, PyObject *other, int op)
{
    bool equal;
    if (op != Py_EQ && op != Py_NE)
        Py_RETURN_NOTIMPLEMENTED;
    if (PyUnicode_Check(other))
        equal = PyUnicode_CompareWithASCIIString(other, device_of(self)->name) == 0;
    else if (PyObject_TypeCheck(other, Py_TYPE(self)))
        equal = device_of(self) == device_of(other);
    else
        Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong(equal == (op == Py_EQ));
}

static PyObject *
get_name(PyObject *self, void *closure)
{
    (void)closure;
    return device_str(self);
}

static PyObject *
get_index(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(device_of(self)->index);
}

static PyObject *
get_kind(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(device_of(self)->is_cpu ? "cpu" : "cuda");
}

static PyObject *
device_memory_info(PyObject *self, PyObject *unused)
{
    (void)unused;
    return ga_device_memory(device_of(self));
}

static PyObject *
device_synchronize(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (ga_device_synchronize(device_of(self)) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
device_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    GaDevice *device = (GaDevice *)self;
    ga_device *before;
    if (ga_device_default(&before) < 0)
        return ga_raise();
    if (device->previous == NULL && (device->previous = PyList_New(0)) == NULL)
        return NULL;
    PyObject *saved = ga_convert_device_object(ga_state(Py_TYPE(self)), before);
    int rc = saved == NULL ? -1 : PyList_Append(device->previous, saved);
    Py_XDECREF(saved);
    if (rc < 0)
        return NULL;
    ga_device_set_default(device->device);
    return Py_NewRef(self);
}

static PyObject *
device_exit(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)args;
    (void)nargs;
    PyObject *previous = ((GaDevice *)self)->previous;
    Py_ssize_t last = previous == NULL ? -1 : PyList_GET_SIZE(previous) - 1;
    if (last < 0) {
        PyErr_SetString(PyExc_RuntimeError, "Device.__exit__() without __enter__()");
        return NULL;
    }
    ga_device_set_default(device_of(PyList_GET_ITEM(previous, last)));
    if (PyList_SetSlice(previous, last, last + 1, NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
device_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_BuildValue("O(s)", Py_TYPE(self), device_of(self)->name);
}

static PyMethodDef device_methods[] = {
    {"memory_info", device_memory_info, METH_NOARGS,
     "memory_info($self, /)\n--\n\nFree and total memory of the device.\n\nReturns\n-------\nfree, "
     "total : int\n    Bytes."},
    {"synchronize", device_synchronize, METH_NOARGS,
     "synchronize($self, /)\n--\n\nWait until the device has finished the work of the current and "
     "the default stream."},
    {"__enter__", device_enter, METH_NOARGS,
     "__enter__($self, /)\n--\n\nMake this the default device."},
    {"__exit__", (PyCFunction)(void (*)(void))device_exit, METH_FASTCALL,
     "__exit__($self, /, *args)\n--\n\nRestore the default device of before."},
    {"__reduce__", device_reduce, METH_NOARGS,
     "__reduce__($self, /)\n--\n\nSupport for pickle and copy."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef device_getset[] = {
    {"name", get_name, NULL, "Name of the device, 'cpu' or 'cuda:0'.", NULL},
    {"index", get_index, NULL, "Number of the device among those of its type.", NULL},
    {"id", get_index, NULL, "The same as index; CuPy's name for it.", NULL},
    {"type", get_kind, NULL, "'cpu' or 'cuda'.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot device_slots[] = {
    {Py_tp_doc, "Device(device=None)\n--\n\nA place where arrays live and operations run.\n\n"
                "Parameters\n----------\ndevice : str, int or Device, optional\n"
                "    'cpu', 'cuda' (the first GPU) or 'cuda:N'; N alone means 'cuda:N'. By default "
                "the default device.\n\n"
                "Notes\n-----\nA device equals its name. Inside ``with Device('cpu'):`` it is the "
                "default device."},
    {Py_tp_new, device_new},
    {Py_tp_traverse, device_traverse},
    {Py_tp_clear, device_clear},
    {Py_tp_dealloc, device_dealloc},
    {Py_tp_str, device_str},
    {Py_tp_repr, device_repr},
    {Py_tp_hash, device_hash},
    {Py_tp_richcompare, device_compare},
    {Py_tp_methods, device_methods},
    {Py_tp_getset, device_getset},
    {0, NULL},
};

static PyType_Spec device_spec = {
    .name = "gpuarray.Device",
    .basicsize = sizeof(GaDevice),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = device_slots,
};

int
ga_device_init(PyObject *module, GaState *state)
{
    state->device_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &device_spec, NULL);
    if (state->device_type == NULL || PyModule_AddType(module, state->device_type) < 0)
        return -1;
    return PyModule_AddFunctions(module, ga_device_functions);
}
