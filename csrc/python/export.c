/* How an ndarray shows itself to other libraries; export.h has the list. Memory on the CPU device
 * is shown as it is: every such way goes through a numpy.ndarray that shares it and keeps the array
 * alive. Memory on CUDA is handed to CUDA libraries without a copy, in order with the thread's
 * current stream, and to the host only as a copy; one that nobody asked for in words is read-only,
 * so that writes to it are not lost in silence. */
#include "export.h"

#include "arguments.h"
#include "convert.h"
#include "dtype.h"
#include "guard.h"
#include "stream_object.h"
#include "transfer.h"

static GaState *
state_of(PyObject *self)
{
    return ga_state(Py_TYPE(self));
}

static GaArray *
array_of(PyObject *self)
{
    return (GaArray *)self;
}

static bool
on_cpu(PyObject *self)
{
    return ga_array_device(array_of(self))->is_cpu;
}

PyArrayObject *
ga_export_share(GaState *state, GaArray *a)
{
    return ga_guard_read(state, a) < 0 ? NULL : ga_transfer_to_numpy(state, a, true);
}

/* Redirected to the numpy.ndarray, which the view then owns. */
static int
export_buffer(PyObject *self, Py_buffer *view, int flags)
{
    view->obj = NULL;
    if (!on_cpu(self)) {
        PyErr_Format(PyExc_BufferError,
                     "memory on %s has no buffer on the host; use get() for a copy",
                     ga_array_device(array_of(self))->name);
        return -1;
    }
    PyArrayObject *host = ga_export_share(state_of(self), array_of(self));
    if (host == NULL)
        return -1;
    int rc = PyObject_GetBuffer((PyObject *)host, view, flags);
    Py_DECREF(host);
    return rc;
}

/* ---- __array__ ---- */

int
ga_export_copy_mode(PyObject *arg, int *copy)
{
    *copy = -1;
    if (arg == NULL || arg == Py_None)
        return 0;
    *copy = PyObject_IsTrue(arg);
    return *copy < 0 ? -1 : 0;
}

static PyObject *
refuse_sharing(const char *why)
{
    PyErr_Format(PyExc_ValueError, "Unable to avoid copy while creating an array as requested: %s",
                 why);
    return NULL;
}

static PyArrayObject *
cast_host(PyArrayObject *host, PyArray_Descr *descr)
{
    if (descr == NULL || PyArray_EquivTypes(PyArray_DESCR(host), descr))
        return (PyArrayObject *)Py_NewRef(host);
    Py_INCREF(descr);
    return (PyArrayObject *)PyArray_CastToType(host, descr, 0);
}

static PyObject *
show_shared(GaState *state, GaArray *a, PyArray_Descr *descr, int copy)
{
    PyArrayObject *host = ga_transfer_to_numpy(state, a, copy != 1);
    if (host == NULL)
        return NULL;
    PyArrayObject *result = cast_host(host, descr);
    if (result != NULL && copy == 0 && result != host) {
        Py_CLEAR(result);
        refuse_sharing("the array has another dtype");
    }
    Py_DECREF(host);
    return (PyObject *)result;
}

static PyObject *
show_copied(GaState *state, GaArray *a, PyArray_Descr *descr, int copy)
{
    if (copy == 0)
        return refuse_sharing("the array is on a GPU");
    PyArrayObject *host = ga_transfer_to_numpy(state, a, false);
    PyArrayObject *result = host == NULL ? NULL : cast_host(host, descr);
    Py_XDECREF(host);
    if (result != NULL && copy == -1)
        PyArray_CLEARFLAGS(result, NPY_ARRAY_WRITEABLE);
    return (PyObject *)result;
}

static PyObject *
export_array(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"__array__", 0, 2, {"dtype", "copy"}};
    PyObject *values[2];
    PyArray_Descr *descr = NULL;
    int copy;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        ga_export_copy_mode(values[1], &copy) < 0)
        return NULL;
    if (ga_arguments_given(values[0]) != NULL && (descr = ga_dtype_read(values[0])) == NULL)
        return NULL;
    PyObject *result = NULL;
    if (ga_guard_read(state_of(self), array_of(self)) == 0)
        result =
            (on_cpu(self) ? show_shared : show_copied)(state_of(self), array_of(self), descr, copy);
    Py_XDECREF(descr);
    return result;
}

/* ---- get and set ---- */

/* A copy in a fixed order: arranged on the device, where that is fast. */
static PyObject *
fetch_copy(GaState *state, GaArray *a, char order)
{
    bool fits = order == 'K' || (order == 'C' && (a->flags & GA_ARRAY_C)) ||
                (order == 'F' && (a->flags & GA_ARRAY_F));
    GaArray *arranged =
        fits ? (GaArray *)Py_NewRef(a) : ga_transfer_copy(state, a, NULL, NULL, order);
    if (arranged == NULL)
        return NULL;
    PyArrayObject *host = ga_transfer_to_numpy(state, arranged, false);
    Py_DECREF(arranged);
    return (PyObject *)host;
}

static PyObject *
fetch_into(GaState *state, GaArray *a, PyObject *out)
{
    if (!PyArray_Check(out)) {
        PyErr_Format(PyExc_TypeError, "get(): out must be a numpy.ndarray, not %.200s",
                     Py_TYPE(out)->tp_name);
        return NULL;
    }
    PyArrayObject *target = (PyArrayObject *)out;
    PyArrayObject *host = ga_transfer_to_numpy(state, a, true);
    if (host == NULL)
        return NULL;
    int rc = -1;
    if (!PyArray_SAMESHAPE(target, host) ||
        !PyArray_EquivTypes(PyArray_DESCR(target), PyArray_DESCR(host)))
        PyErr_Format(PyExc_ValueError, "get(): out must have the array's dtype %R and its shape",
                     PyArray_DESCR(host));
    else
        rc = PyArray_CopyInto(target, host);
    Py_DECREF(host);
    return rc < 0 ? NULL : Py_NewRef(out);
}

/* `stream=`: made current for the length of a call. NULL for none. */
static int
parse_stream(GaState *state, GaArray *a, PyObject *arg, ga_stream **out)
{
    *out = NULL;
    if (ga_arguments_given(arg) == NULL)
        return 0;
    if (!PyObject_TypeCheck(arg, state->stream_type)) {
        PyErr_Format(PyExc_TypeError, "stream must be a Stream or None, not %.200s",
                     Py_TYPE(arg)->tp_name);
        return -1;
    }
    if (((GaStream *)arg)->device != ga_array_device(a)) {
        PyErr_Format(PyExc_ValueError, "the stream is on %s, the array on %s",
                     ((GaStream *)arg)->device->name, ga_array_device(a)->name);
        return -1;
    }
    *out = ((GaStream *)arg)->stream;
    return 0;
}

PyObject *
ga_export_get(GaState *state, GaArray *a, PyObject *stream, PyObject *order, PyObject *out)
{
    char letter;
    ga_stream *during, *before = NULL;
    if (ga_convert_order(order, 'C', &letter) < 0 || parse_stream(state, a, stream, &during) < 0)
        return NULL;
    if (during != NULL)
        before = ga_device_set_stream(ga_array_device(a), during);
    PyObject *result =
        ga_arguments_given(out) != NULL ? fetch_into(state, a, out) : fetch_copy(state, a, letter);
    if (during != NULL)
        ga_device_set_stream(ga_array_device(a), before);
    return result;
}

static PyObject *
export_get(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"get", 0, 3, {"stream", "order", "out"}};
    PyObject *values[3];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    return ga_export_get(state_of(self), array_of(self), values[0], values[1], values[2]);
}

static int
check_same_shape(const GaArray *a, const GaArray *source)
{
    char has[256], given[256];
    if (a->ndim == source->ndim &&
        PyArray_CompareLists((npy_intp *)a->shape, (npy_intp *)source->shape, a->ndim))
        return 0;
    PyErr_Format(PyExc_ValueError, "set(): the array has shape %s, the source %s",
                 ga_layout_format(a->ndim, a->shape, has, sizeof has),
                 ga_layout_format(source->ndim, source->shape, given, sizeof given));
    return -1;
}

static PyObject *
export_set(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"set", 1, 2, {"arr", "stream"}};
    PyObject *values[2];
    GaState *state = state_of(self);
    GaArray *a = array_of(self);
    ga_stream *during, *before = NULL;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        parse_stream(state, a, values[1], &during) < 0)
        return NULL;
    if (during != NULL)
        before = ga_device_set_stream(ga_array_device(a), during);
    state->guard.asked++;
    GaArray *source =
        ga_convert_array(state, values[0], a->descr, ga_array_device(a), 'K', GA_COPY_IF_NEEDED);
    state->guard.asked--;
    int rc = source == NULL || check_same_shape(a, source) < 0
                 ? -1
                 : ga_transfer_assign(state, a, source);
    if (during != NULL)
        ga_device_set_stream(ga_array_device(a), before);
    Py_XDECREF(source);
    return rc < 0 ? NULL : Py_NewRef(Py_None);
}

#define FAST_METHOD(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

PyMethodDef ga_export_methods[] = {
    {"__array__", FAST_METHOD(export_array),
     "__array__($self, /, dtype=None, copy=None)\n--\n\nThe array as a numpy.ndarray.\n\n"
     "Parameters\n----------\ndtype : dtype, optional\n    By default the array's own.\ncopy : "
     "bool, optional\n"
     "    True: a writable copy. False: memory must be shared, which only the CPU device can do.\n"
     "    None: shared on the CPU device, a read-only copy elsewhere."},
    {"get", FAST_METHOD(export_get),
     "get($self, /, stream=None, order='C', out=None)\n--\n\nA copy of the array on the host.\n\n"
     "Parameters\n----------\nstream : Stream, optional\n    By default the current stream.\norder "
     ": {'C', 'F', 'A', 'K'}\n"
     "    Order of the copy.\nout : numpy.ndarray, optional\n    Of the same dtype and shape; "
     "filled and returned.\n\n"
     "Returns\n-------\nnumpy.ndarray"},
    {"set", FAST_METHOD(export_set),
     "set($self, /, arr, stream=None)\n--\n\nOverwrite the array with data from the host.\n\n"
     "Parameters\n----------\narr : array_like\n    Of the same shape.\nstream : Stream, optional\n"
     "    By default the current stream."},
    {NULL, NULL, 0, NULL},
};

PyType_Slot ga_export_slots[] = {
    {Py_bf_getbuffer, export_buffer},
    {0, NULL},
};
