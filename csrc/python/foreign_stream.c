/* Order between our streams and those of other libraries. Their streams are wrapped for the length of a call only:
 * nobody tells us when they are destroyed. */
#include "foreign_stream.h"

int
ga_foreign_stream_parse(PyObject *number, const char *protocol, uintptr_t *handle)
{
    PyObject *integer = PyNumber_Index(number);
    if (integer == NULL)
        return -1;
    long long value = PyLong_AsLongLong(integer);
    Py_DECREF(integer);
    if (value == -1 && PyErr_Occurred())
        return -1;
    if (value <= 0) {
        PyErr_Format(PyExc_ValueError,
                     "%s: stream %lld is no stream; 1 is CUDA's legacy default stream, 2 the "
                     "per-thread default stream",
                     protocol, value);
        return -1;
    }
    *handle = (uintptr_t)value;
    return 0;
}

/* `later` waits for what `earlier` did so far. */
static int
order_streams(const ga_device *device, ga_stream *earlier, ga_stream *later)
{
    const ga_backend *backend = device->backend;
    ga_event *event = NULL;
    int rc = backend->event_create(device->index, false, &event);
    rc = rc < 0 ? rc : backend->event_record(event, earlier);
    rc = rc < 0 ? rc : backend->stream_wait(later, event);
    if (rc < 0)
        ga_fail_backend(backend);
    if (event != NULL)
        backend->event_destroy(event);
    return rc;
}

int
ga_foreign_stream_order(ga_device *device, uintptr_t handle, enum ga_foreign_order order)
{
    const ga_backend *backend = device->backend;
    ga_stream *theirs, *ours = ga_device_stream(device);
    if (backend->stream_handle(ours) == handle)
        return 0;
    if (backend->stream_wrap(device->index, handle, &theirs) < 0) {
        ga_fail_backend(backend);
        return ga_raise_int();
    }
    bool incoming = order == GA_FOREIGN_FIRST;
    int rc = order_streams(device, incoming ? theirs : ours, incoming ? ours : theirs);
    backend->stream_destroy(theirs);
    return rc < 0 ? ga_raise_int() : 0;
}
