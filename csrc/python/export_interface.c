/* Descriptions of an ndarray's memory as dictionaries: NumPy's interface on the CPU device, CUDA's on a GPU. Whoever
 * takes CUDA's is told our current stream, behind which everything done to the array is in order. */
#include "export.h"

#include "array_type.h"

#define SELF ((GaArray *)self)

/* bfloat16 and float8 have no name there: NumPy's own arrays of them say '<V2', and who reads that gets bytes. */
static int
check_name(const GaArray *a, const char *interface)
{
    if (!ga_registry_is_stored(a->dtype))
        return 0;
    PyErr_Format(PyExc_AttributeError, "%s: it has no name for %R; view it as integers", interface,
                 a->descr);
    return -1;
}

static PyObject *
get_array_interface(PyObject *self, void *closure)
{
    (void)closure;
    if (!ga_array_device(SELF)->is_cpu) {
        PyErr_SetString(PyExc_AttributeError,
                        "__array_interface__: only arrays on the CPU device have it");
        return NULL;
    }
    if (check_name(SELF, "__array_interface__") < 0)
        return NULL;
    PyArrayObject *host = ga_export_share(ga_state(Py_TYPE(self)), SELF);
    if (host == NULL)
        return NULL;
    PyObject *interface = PyObject_GetAttrString((PyObject *)host, "__array_interface__");
    Py_DECREF(host);
    return interface;
}

/* What ml_dtypes calls its dtypes there ('<f1') NumPy does not understand: those are bytes. New reference. */
static PyObject *
name_elements(const GaArray *a)
{
    if (ga_registry_is_stored(a->dtype))
        return PyUnicode_FromFormat("|V%d", (int)ga_array_itemsize(a));
    return PyObject_GetAttrString((PyObject *)a->descr, "str");
}

/* Version 3; an array without elements has no address. */
static PyObject *
build_interface(GaArray *a, const char *data, const ga_stream *stream)
{
    PyObject *result = NULL, *strides = NULL;
    bool writeable = (a->flags & GA_ARRAY_WRITEABLE) != 0;
    unsigned long long address = a->size > 0 ? (unsigned long long)(uintptr_t)data : 0;
    unsigned long long handle = ga_array_device(a)->backend->stream_handle(stream);
    PyObject *shape = ga_array_tuple(a->ndim, a->shape);
    PyObject *typestr = name_elements(a);
    strides = a->flags & GA_ARRAY_C ? Py_NewRef(Py_None) : ga_array_tuple(a->ndim, a->strides);
    if (shape == NULL || typestr == NULL || strides == NULL)
        goto done;
    /* 1 names CUDA's legacy default stream there; 0 is not allowed. */
    result = Py_BuildValue("{sOsOs(KO)sOsisK}", "shape", shape, "typestr", typestr, "data", address,
                           writeable ? Py_False : Py_True, "strides", strides, "version", 3,
                           "stream", handle == 0 ? 1 : handle);
done:
    Py_XDECREF(shape);
    Py_XDECREF(typestr);
    Py_XDECREF(strides);
    return result;
}

static PyObject *
get_cuda_interface(PyObject *self, void *closure)
{
    (void)closure;
    GaArray *a = SELF;
    ga_stream *stream;
    char *data;
    if (ga_array_device(SELF)->is_cpu) {
        PyErr_SetString(PyExc_AttributeError,
                        "__cuda_array_interface__: only arrays on a CUDA device have it");
        return NULL;
    }
    if (check_name(a, "__cuda_array_interface__") < 0 ||
        ga_array_pointer(a, a->flags & GA_ARRAY_WRITEABLE ? GA_READWRITE : GA_READ, &stream,
                         &data) < 0)
        return NULL;
    return build_interface(a, data, stream);
}

/* To look at addresses, not at memory. */
static PyObject *
get_outline(PyObject *self, void *closure)
{
    (void)closure;
    GaArray *a = SELF;
    const char *data = (const char *)a->buffer->ptr + a->offset;
    return build_interface(a, data, ga_device_stream(ga_array_device(a)));
}

PyGetSetDef ga_export_getset[] = {
    {"__array_interface__", get_array_interface, NULL,
     "Memory of an array on the CPU device, as NumPy describes it.", NULL},
    {"__cuda_array_interface__", get_cuda_interface, NULL,
     "Memory of an array on a CUDA device, version 3.", NULL},
    {"_outline", get_outline, NULL, "Address and layout as in that interface, on any device.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
