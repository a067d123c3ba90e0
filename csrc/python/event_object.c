/* Event: a point in a stream's work, to be waited for or to measure time between two. It is made on
 * the device of the stream it is first recorded on, and made anew when that changes. */
#include "convert.h"
#include "stream_object.h"

static GaEvent *
event_of(PyObject *self)
{
    return (GaEvent *)self;
}

static PyObject *
raise_backend(const ga_device *device)
{
    ga_fail_backend(device->backend);
    return ga_raise();
}

static PyObject *
event_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"timing", NULL};
    int timing = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:Event", names, &timing))
        return NULL;
    GaEvent *self = (GaEvent *)type->tp_alloc(type, 0);
    if (self != NULL)
        self->timing = timing != 0;
    return (PyObject *)self;
}

static void
drop_event(GaEvent *e)
{
    if (e->event != NULL)
        e->device->backend->event_destroy(e->event);
    e->event = NULL;
    e->device = NULL;
}

static void
event_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    drop_event(event_of(self));
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
event_repr(PyObject *self)
{
    const GaEvent *e = event_of(self);
    return PyUnicode_FromFormat("<Event on %s>",
                                e->device != NULL ? e->device->name : "no stream yet");
}

static int
prepare_event(GaEvent *e, ga_device *device)
{
    if (e->device == device)
        return 0;
    drop_event(e);
    if (device->backend->event_create(device->index, e->timing, &e->event) < 0) {
        e->event = NULL;
        return -1;
    }
    e->device = device;
    return 0;
}

/* The stream to record on: the one given, else the current one of the default device. */
static int
choose_stream(PyObject *self, PyObject *arg, ga_device **device, ga_stream **stream)
{
    PyTypeObject *type = ga_state(Py_TYPE(self))->stream_type;
    if (arg != Py_None && !PyObject_TypeCheck(arg, type)) {
        PyErr_Format(PyExc_TypeError, "record() takes a Stream or None, not %.200s",
                     Py_TYPE(arg)->tp_name);
        return -1;
    }
    if (arg == Py_None) {
        if (ga_device_default(device) < 0)
            return ga_raise_int();
        *stream = ga_device_stream(*device);
        return 0;
    }
    *device = ((GaStream *)arg)->device;
    *stream = ((GaStream *)arg)->stream;
    return 0;
}

static PyObject *
event_record(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", NULL};
    PyObject *arg = Py_None;
    ga_device *device;
    ga_stream *stream = NULL;
    GaEvent *e = event_of(self);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:record", names, &arg))
        return NULL;
    if (choose_stream(self, arg, &device, &stream) < 0)
        return NULL;
    if (prepare_event(e, device) < 0 || device->backend->event_record(e->event, stream) < 0)
        return raise_backend(device);
    Py_RETURN_NONE;
}

static PyObject *
event_synchronize(PyObject *self, PyObject *unused)
{
    (void)unused;
    const GaEvent *e = event_of(self);
    int rc;
    if (e->event == NULL)
        Py_RETURN_NONE;
    Py_BEGIN_ALLOW_THREADS
    rc = e->device->backend->event_sync(e->event);
    Py_END_ALLOW_THREADS
    if (rc < 0)
        return raise_backend(e->device);
    if (ga_raise_fault(e->device) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
event_query(PyObject *self, PyObject *unused)
{
    (void)unused;
    const GaEvent *e = event_of(self);
    bool done = true;
    if (e->event != NULL && e->device->backend->event_query(e->event, &done) < 0)
        return raise_backend(e->device);
    return PyBool_FromLong(done);
}

static PyObject *
event_elapsed_time(PyObject *self, PyObject *arg)
{
    const GaEvent *from = event_of(self), *to = (GaEvent *)arg;
    float milliseconds;
    if (!PyObject_TypeCheck(arg, Py_TYPE(self))) {
        PyErr_Format(PyExc_TypeError, "elapsed_time() takes an Event, not %.200s",
                     Py_TYPE(arg)->tp_name);
        return NULL;
    }
    if (from->event == NULL || to->event == NULL || !from->timing || !to->timing ||
        from->device != to->device) {
        PyErr_SetString(
            PyExc_ValueError,
            "elapsed_time() needs two events made with timing=True that were recorded on "
            "streams of one device");
        return NULL;
    }
    if (from->device->backend->event_elapsed(from->event, to->event, &milliseconds) < 0)
        return raise_backend(from->device);
    return PyFloat_FromDouble((double)milliseconds);
}

static PyMethodDef event_methods[] = {
    {"record", (PyCFunction)(void (*)(void))event_record, METH_VARARGS | METH_KEYWORDS,
     "record($self, /, stream=None)\n--\n\nMark the end of the work so far.\n\n"
     "Parameters\n----------\nstream : Stream, optional\n    By default the current stream of the "
     "default device."},
    {"synchronize", event_synchronize, METH_NOARGS,
     "synchronize($self, /)\n--\n\nWait until the event has been reached."},
    {"query", event_query, METH_NOARGS,
     "query($self, /)\n--\n\nWhether the event has been reached; does not wait."},
    {"elapsed_time", event_elapsed_time, METH_O,
     "elapsed_time($self, end, /)\n--\n\nMilliseconds from this event to another.\n\n"
     "Parameters\n----------\nend : Event\n    Recorded later, and "
     "reached.\n\nReturns\n-------\nfloat"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot event_slots[] = {
    {Py_tp_doc, "Event(timing=True)\n--\n\nA point in the work of a stream.\n\n"
                "Parameters\n----------\ntiming : bool, optional\n    Whether it can measure time; "
                "cheaper without."},
    {Py_tp_new, event_new},
    {Py_tp_dealloc, event_dealloc},
    {Py_tp_repr, event_repr},
    {Py_tp_methods, event_methods},
    {0, NULL},
};

PyType_Spec ga_event_spec = {
    .name = "gpuarray.Event",
    .basicsize = sizeof(GaEvent),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = event_slots,
};
