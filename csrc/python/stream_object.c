/* Stream: a queue of work on a device. `with stream:` makes it the calling thread's current stream,
 * on which all work of that thread is launched. Arrays used on two streams are ordered by the core
 * without the user's help (buffer.h).
 *
 * A stream is waited for before it is destroyed, and the buffers and the pool are told to forget
 * it. */
#include "stream_object.h"

#include "convert.h"
#include "device_object.h"
#include "module.h"

static GaStream *
stream_of(PyObject *self)
{
    return (GaStream *)self;
}

static PyObject *
raise_backend(const ga_device *device)
{
    ga_fail_backend(device->backend);
    return ga_raise();
}

/* Takes over the stream. */
static PyObject *
wrap_stream(PyTypeObject *type, ga_device *device, ga_stream *stream)
{
    GaStream *self = (GaStream *)type->tp_alloc(type, 0);
    if (self == NULL) {
        device->backend->stream_destroy(stream);
        return NULL;
    }
    self->device = device;
    self->stream = stream;
    return (PyObject *)self;
}

static PyObject *
stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"device", "non_blocking", NULL};
    PyObject *arg = NULL;
    int non_blocking = 1;
    ga_device *device;
    ga_stream *stream;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op:Stream", names, &arg, &non_blocking))
        return NULL;
    if (ga_device_argument(ga_state(type), arg, &device) < 0)
        return NULL;
    if (device->backend->stream_create(device->index, non_blocking != 0, &stream) < 0)
        return raise_backend(device);
    return wrap_stream(type, device, stream);
}

static PyObject *
stream_from_handle(PyObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"ptr", "device", NULL};
    PyObject *number, *arg = NULL;
    ga_device *device;
    ga_stream *stream;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|O:from_handle", names, &PyLong_Type, &number,
                                     &arg))
        return NULL;
    unsigned long long handle = PyLong_AsUnsignedLongLong(number);
    if (handle == (unsigned long long)-1 && PyErr_Occurred())
        return NULL;
    if (ga_device_argument(ga_state((PyTypeObject *)type), arg, &device) < 0)
        return NULL;
    if (device->backend->stream_wrap(device->index, (uintptr_t)handle, &stream) < 0)
        return raise_backend(device);
    return wrap_stream((PyTypeObject *)type, device, stream);
}

static int
wait_for(const GaStream *self)
{
    int rc;
    Py_BEGIN_ALLOW_THREADS
    rc = self->device->backend->stream_sync(self->stream);
    Py_END_ALLOW_THREADS
    return rc;
}

static void
stream_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    GaStream *s = stream_of(self);
    if (s->stream != NULL) {
        /* A device that fails here has no work left to wait for. */
        (void)wait_for(s);
        ga_buffer_forget_stream(s->stream);
        ga_pool_forget_stream(s->device->pool, s->stream);
        s->device->backend->stream_destroy(s->stream);
    }
    PyMem_Free(s->entries);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
stream_repr(PyObject *self)
{
    const GaStream *s = stream_of(self);
    return PyUnicode_FromFormat("<Stream %p on %s>", (void *)s->stream, s->device->name);
}

static PyObject *
stream_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    GaStream *s = stream_of(self);
    size_t room = ((size_t)s->entry_count + 1) * sizeof *s->entries;
    ga_stream_entry *entries = PyMem_Realloc(s->entries, room);
    if (entries == NULL)
        return PyErr_NoMemory();
    s->entries = entries;
    entries[s->entry_count].thread = PyThread_get_thread_ident();
    entries[s->entry_count].previous = ga_device_set_stream(s->device, s->stream);
    s->entry_count++;
    Py_INCREF(self); /* the thread's current stream, whoever drops it meanwhile */
    return Py_NewRef(self);
}

/* Blocks of other threads may be open on the same stream: the last one of this thread ends. */
static PyObject *
stream_exit(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)args;
    (void)nargs;
    GaStream *s = stream_of(self);
    int last = s->entry_count - 1;
    while (last >= 0 && s->entries[last].thread != PyThread_get_thread_ident())
        last--;
    if (last < 0) {
        PyErr_SetString(PyExc_RuntimeError, "Stream.__exit__() without __enter__() in this thread");
        return NULL;
    }
    ga_device_set_stream(s->device, s->entries[last].previous);
    s->entry_count--;
    memmove(s->entries + last, s->entries + last + 1,
            (size_t)(s->entry_count - last) * sizeof *s->entries);
    Py_DECREF(self); /* the entry's; the caller has one too */
    Py_RETURN_NONE;
}

static PyObject *
stream_synchronize(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (wait_for(stream_of(self)) < 0)
        return raise_backend(stream_of(self)->device);
    if (ga_raise_fault(stream_of(self)->device) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
stream_query(PyObject *self, PyObject *unused)
{
    (void)unused;
    const GaStream *s = stream_of(self);
    bool done;
    if (s->device->backend->stream_query(s->stream, &done) < 0)
        return raise_backend(s->device);
    return PyBool_FromLong(done);
}

static PyObject *
stream_wait_event(PyObject *self, PyObject *arg)
{
    const GaStream *s = stream_of(self);
    const GaEvent *event = (GaEvent *)arg;
    if (!PyObject_TypeCheck(arg, ga_state(Py_TYPE(self))->event_type)) {
        PyErr_Format(PyExc_TypeError, "wait_event() takes an Event, not %.200s",
                     Py_TYPE(arg)->tp_name);
        return NULL;
    }
    if (event->event == NULL) /* never recorded: nothing to wait for */
        Py_RETURN_NONE;
    if (event->device->backend != s->device->backend)
        return PyObject_CallMethod(arg, "synchronize", NULL);
    if (s->device->backend->stream_wait(s->stream, event->event) < 0)
        return raise_backend(s->device);
    Py_RETURN_NONE;
}

static PyObject *
stream_record(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs > 1) {
        PyErr_Format(PyExc_TypeError, "record() takes at most 1 argument (%zd given)", nargs);
        return NULL;
    }
    PyObject *type = (PyObject *)ga_state(Py_TYPE(self))->event_type;
    PyObject *event =
        nargs == 1 && args[0] != Py_None ? Py_NewRef(args[0]) : PyObject_CallNoArgs(type);
    PyObject *result = event == NULL ? NULL : PyObject_CallMethod(event, "record", "O", self);
    if (result == NULL)
        Py_CLEAR(event);
    Py_XDECREF(result);
    return event;
}

static PyObject *
get_ptr(PyObject *self, void *closure)
{
    (void)closure;
    const GaStream *s = stream_of(self);
    return PyLong_FromUnsignedLongLong(s->device->backend->stream_handle(s->stream));
}

static PyObject *
get_device(PyObject *self, void *closure)
{
    (void)closure;
    return ga_convert_device_object(ga_state(Py_TYPE(self)), stream_of(self)->device);
}

static PyMethodDef stream_methods[] = {
    {"from_handle", (PyCFunction)(void (*)(void))stream_from_handle,
     METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_handle($type, /, ptr, device=None)\n--\n\nStream over a cudaStream_t of another "
     "library, which goes on owning it.\n\n"
     "Parameters\n----------\nptr : int\n    The handle.\ndevice : Device or str, optional\n    "
     "Where the stream lives."},
    {"synchronize", stream_synchronize, METH_NOARGS,
     "synchronize($self, /)\n--\n\nWait until the work on the stream is done."},
    {"query", stream_query, METH_NOARGS,
     "query($self, /)\n--\n\nWhether the work on the stream is done; does not wait."},
    {"wait_event", stream_wait_event, METH_O,
     "wait_event($self, event, /)\n--\n\nLet later work on this stream wait for an event."},
    {"record", (PyCFunction)(void (*)(void))stream_record, METH_FASTCALL,
     "record($self, event=None, /)\n--\n\nRecord an event at the end of the work so far.\n\n"
     "Returns\n-------\nEvent\n    The one given, or a new one."},
    {"__enter__", stream_enter, METH_NOARGS,
     "__enter__($self, /)\n--\n\nMake this the thread's current stream."},
    {"__exit__", (PyCFunction)(void (*)(void))stream_exit, METH_FASTCALL,
     "__exit__($self, /, *args)\n--\n\nGo back to the stream of before."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef stream_getset[] = {
    {"ptr", get_ptr, NULL, "The cudaStream_t as an integer; 0 on the CPU.", NULL},
    {"device", get_device, NULL, "The Device of the stream.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_doc, "Stream(device=None, non_blocking=True)\n--\n\nA queue of work on a device.\n\n"
                "Parameters\n----------\ndevice : Device or str, optional\n    By default the "
                "default device.\n"
                "non_blocking : bool, optional\n    Whether CUDA leaves it unordered with the "
                "default stream.\n\n"
                "Notes\n-----\nInside ``with stream:`` the calling thread works on it. Arrays that "
                "are used on\n"
                "several streams are ordered automatically."},
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_repr, stream_repr},
    {Py_tp_methods, stream_methods},
    {Py_tp_getset, stream_getset},
    {0, NULL},
};

static PyType_Spec stream_spec = {
    .name = "gpuarray.Stream",
    .basicsize = sizeof(GaStream),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = stream_slots,
};

int
ga_stream_init(PyObject *module, GaState *state)
{
    state->stream_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &stream_spec, NULL);
    if (state->stream_type == NULL || PyModule_AddType(module, state->stream_type) < 0)
        return -1;
    state->event_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &ga_event_spec, NULL);
    return state->event_type == NULL ? -1 : PyModule_AddType(module, state->event_type);
}
