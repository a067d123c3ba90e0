/* Import by DLPack, version 1 and the one before: a producer's memory as an ndarray without a copy,
 * read-only where the producer says so or, before version 1, could not say otherwise (as NumPy
 * does). The array keeps the managed tensor alive through an object of ours, whose end calls the
 * producer's deleter.
 *
 * On CUDA the producer is told our current stream and makes that wait; our other streams see a
 * write on it. */
#include "convert_steps.h"
#include "dlpack.h"
#include "dtype.h"

#define OWNER_NAME "gpuarray.dlpack"

static const char used_legacy[] = "used_" GA_DLPACK_LEGACY;
static const char used_versioned[] = "used_" GA_DLPACK_VERSIONED;

/* A capsule that was looked into and is not yet taken. */
typedef struct {
    PyObject *capsule; /* borrowed */
    bool versioned;
    void *managed;
    ga_dlpack_tensor *tensor;
    uint64_t flags;
} import_tensor;

/* ---- Talking to the producer ---- */

static int
ask_place(PyObject *producer, ga_dlpack_device *out)
{
    int rc = -1;
    PyObject *place = PyObject_CallMethod(producer, "__dlpack_device__", NULL);
    if (place == NULL)
        return -1;
    PyObject *pair = PySequence_Tuple(place);
    Py_DECREF(place);
    if (pair == NULL)
        return -1;
    if (PyTuple_GET_SIZE(pair) != 2) {
        PyErr_SetString(PyExc_ValueError,
                        "from_dlpack: __dlpack_device__ must give a device type and a device id");
        goto done;
    }
    out->type = (int32_t)PyLong_AsLong(PyTuple_GET_ITEM(pair, 0));
    out->index = (int32_t)PyLong_AsLong(PyTuple_GET_ITEM(pair, 1));
    rc = PyErr_Occurred() ? -1 : 0;
done:
    Py_DECREF(pair);
    return rc;
}

static bool
is_on_host(ga_dlpack_device place)
{
    return place.type == GA_DLPACK_CPU || place.type == GA_DLPACK_PINNED;
}

static int
open_place(ga_dlpack_device place, ga_device **out)
{
    char name[24] = "cpu";
    if (!is_on_host(place)) {
        if (place.type != GA_DLPACK_CUDA && place.type != GA_DLPACK_MANAGED) {
            PyErr_Format(PyExc_BufferError,
                         "from_dlpack: memory on a device of DLPack's type %d cannot be used; the "
                         "host (1, 3) and CUDA (2, 13) can",
                         (int)place.type);
            return -1;
        }
        PyOS_snprintf(name, sizeof name, "cuda:%d", (int)place.index);
    }
    return ga_device_open(name, out) < 0 ? ga_raise_int() : 0;
}

static int
set_stream(PyObject *keywords, ga_dlpack_device place)
{
    ga_device *device;
    if (open_place(place, &device) < 0)
        return -1;
    if (device->is_cpu)
        return 0;
    uintptr_t handle = device->backend->stream_handle(ga_device_stream(device));
    PyObject *stream = PyLong_FromUnsignedLongLong(handle);
    int rc = stream == NULL ? -1 : PyDict_SetItemString(keywords, "stream", stream);
    Py_XDECREF(stream);
    return rc;
}

/* What version 1 added, as keywords. */
static int
set_news(PyObject *keywords, bool to_host, bool may_copy)
{
    int rc = -1;
    PyObject *host = Py_BuildValue("ii", GA_DLPACK_CPU, 0);
    PyObject *version = Py_BuildValue("ii", GA_DLPACK_MAJOR, GA_DLPACK_MINOR);
    if (host == NULL || version == NULL ||
        PyDict_SetItemString(keywords, "max_version", version) < 0 ||
        (to_host && PyDict_SetItemString(keywords, "dl_device", host) < 0) ||
        (!may_copy && PyDict_SetItemString(keywords, "copy", Py_False) < 0))
        goto done;
    rc = 0;
done:
    Py_XDECREF(host);
    Py_XDECREF(version);
    return rc;
}

static PyObject *
call_method(PyObject *method, PyObject *keywords)
{
    PyObject *none = PyTuple_New(0);
    PyObject *capsule = none == NULL ? NULL : PyObject_Call(method, none, keywords);
    Py_XDECREF(none);
    return capsule;
}

/* Older producers know `stream` alone, and give their memory as it lies. */
static PyObject *
ask_old_producer(PyObject *method, ga_dlpack_device place)
{
    PyErr_Clear();
    PyObject *keywords = PyDict_New(), *capsule = NULL;
    if (keywords != NULL && set_stream(keywords, place) == 0)
        capsule = call_method(method, keywords);
    Py_XDECREF(keywords);
    return capsule;
}

static PyObject *
ask_capsule(PyObject *producer, ga_dlpack_device place, bool to_host, bool may_copy)
{
    PyObject *capsule = NULL, *keywords = PyDict_New();
    PyObject *method = PyObject_GetAttrString(producer, "__dlpack__");
    if (keywords == NULL || method == NULL || set_news(keywords, to_host, may_copy) < 0 ||
        (!to_host && set_stream(keywords, place) < 0))
        goto done;
    capsule = call_method(method, keywords);
    if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError))
        capsule = ask_old_producer(method, place);
done:
    Py_XDECREF(keywords);
    Py_XDECREF(method);
    return capsule;
}

/* ---- Looking into the capsule ---- */

static int
open_versioned(import_tensor *t)
{
    ga_dlpack_versioned *managed = PyCapsule_GetPointer(t->capsule, GA_DLPACK_VERSIONED);
    if (managed == NULL)
        return -1;
    if (managed->major != GA_DLPACK_MAJOR) {
        PyErr_Format(PyExc_BufferError,
                     "from_dlpack: the producer's tensor is of DLPack version %u.%u; version %d "
                     "is understood",
                     (unsigned)managed->major, (unsigned)managed->minor, GA_DLPACK_MAJOR);
        return -1;
    }
    t->managed = managed;
    t->tensor = &managed->tensor;
    t->flags = managed->flags;
    return 0;
}

static int
open_capsule(import_tensor *t)
{
    t->versioned = PyCapsule_IsValid(t->capsule, GA_DLPACK_VERSIONED);
    if (t->versioned)
        return open_versioned(t);
    if (!PyCapsule_IsValid(t->capsule, GA_DLPACK_LEGACY)) {
        PyErr_Format(PyExc_ValueError,
                     "from_dlpack: __dlpack__ gave %R, which is no DLPack capsule, or one that was "
                     "used already",
                     t->capsule);
        return -1;
    }
    ga_dlpack_legacy *managed = PyCapsule_GetPointer(t->capsule, GA_DLPACK_LEGACY);
    t->managed = managed;
    t->tensor = &managed->tensor;
    t->flags = GA_DLPACK_READ_ONLY; /* it cannot say so itself, and JAX hands out its constants so */
    return 0;
}

/* A dtype that has a code of its own. */
static enum ga_dtype
find_stored(const ga_dlpack_dtype *dtype)
{
    if (dtype->code == GA_DLPACK_BFLOAT && dtype->bits == 16)
        return GA_bf16;
    if (dtype->code == GA_DLPACK_FLOAT8_E4M3FN && dtype->bits == 8)
        return GA_e4m3;
    return dtype->code == GA_DLPACK_FLOAT8_E5M2 && dtype->bits == 8 ? GA_e5m2 : GA_DTYPE_COUNT;
}

static char
find_kind(uint8_t code)
{
    switch (code) {
    case GA_DLPACK_BOOL:
        return 'b';
    case GA_DLPACK_INT:
        return 'i';
    case GA_DLPACK_UINT:
        return 'u';
    case GA_DLPACK_FLOAT:
        return 'f';
    case GA_DLPACK_COMPLEX:
        return 'c';
    default:
        return 0;
    }
}

/* New reference. */
static PyArray_Descr *
read_descr(GaState *state, const ga_dlpack_tensor *tensor)
{
    char kind = find_kind(tensor->dtype.code);
    enum ga_dtype dtype = tensor->dtype.lanes == 1 ? find_stored(&tensor->dtype) : GA_DTYPE_COUNT;
    if (kind != 0 && tensor->dtype.lanes == 1 && tensor->dtype.bits % 8 == 0)
        dtype = ga_registry_find_dtype(kind, tensor->dtype.bits / 8);
    if (dtype != GA_DTYPE_COUNT)
        return ga_dtype_descr(state, dtype);
    PyErr_Format(PyExc_BufferError,
                 "from_dlpack: no device holds DLPack's dtype of code %d with %d bits and %d lanes",
                 tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes);
    return NULL;
}

static int
read_block(const import_tensor *t, ga_foreign_block *block)
{
    const ga_dlpack_tensor *tensor = t->tensor;
    int64_t itemsize = (int64_t)PyDataType_ELSIZE(block->descr);
    if (tensor->ndim < 0 || tensor->ndim > GA_MAXDIMS) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: %d dimensions; at most %d can be held",
                     (int)tensor->ndim, GA_MAXDIMS);
        return -1;
    }
    block->ndim = tensor->ndim;
    block->data = tensor->data == NULL ? NULL : (char *)tensor->data + tensor->byte_offset;
    block->readonly = (t->flags & GA_DLPACK_READ_ONLY) != 0;
    for (int i = 0; i < block->ndim; i++)
        block->shape[i] = tensor->shape[i];
    if (tensor->strides == NULL)
        ga_layout_strides(block->ndim, block->shape, itemsize, 'C', block->strides);
    else
        for (int i = 0; i < block->ndim; i++)
            block->strides[i] = tensor->strides[i] * itemsize;
    return 0;
}

/* ---- Taking it ---- */

static void
delete_legacy(PyObject *owner)
{
    ga_dlpack_legacy *managed = PyCapsule_GetPointer(owner, OWNER_NAME);
    if (managed->deleter != NULL)
        managed->deleter(managed);
}

static void
delete_versioned(PyObject *owner)
{
    ga_dlpack_versioned *managed = PyCapsule_GetPointer(owner, OWNER_NAME);
    if (managed->deleter != NULL)
        managed->deleter(managed);
}

/* The object that owns the tensor from now on. */
static PyObject *
take_capsule(const import_tensor *t)
{
    PyObject *owner = PyCapsule_New(t->managed, OWNER_NAME, NULL);
    if (owner == NULL)
        return NULL;
    if (PyCapsule_SetName(t->capsule, t->versioned ? used_versioned : used_legacy) < 0 ||
        PyCapsule_SetDestructor(owner, t->versioned ? delete_versioned : delete_legacy) < 0)
        Py_CLEAR(owner);
    return owner;
}

static GaArray *
wrap_capsule(GaState *state, import_tensor *t)
{
    GaArray *a = NULL;
    ga_device *device;
    ga_foreign_block block = {0};
    if (open_capsule(t) < 0 || open_place(t->tensor->device, &device) < 0)
        return NULL;
    block.descr = read_descr(state, t->tensor);
    if (block.descr == NULL || read_block(t, &block) < 0)
        goto done;
    block.owner = take_capsule(t);
    if (block.owner != NULL)
        a = ga_convert_wrap_block(state, &block, device);
    if (a != NULL && !device->is_cpu && ga_convert_note_producer(a) < 0)
        Py_CLEAR(a);
done:
    Py_XDECREF(block.owner);
    Py_DECREF(block.descr);
    return a;
}

GaArray *
ga_convert_wrap_dlpack(GaState *state, PyObject *producer, bool to_host, bool may_copy, bool *fresh)
{
    ga_dlpack_device place;
    if (ask_place(producer, &place) < 0)
        return NULL;
    to_host = to_host && may_copy && !is_on_host(place);
    PyObject *capsule = ask_capsule(producer, place, to_host, may_copy);
    if (capsule == NULL)
        return NULL;
    import_tensor tensor = {.capsule = capsule};
    GaArray *a = wrap_capsule(state, &tensor);
    *fresh = a != NULL && (tensor.flags & GA_DLPACK_COPIED);
    Py_DECREF(capsule);
    return a;
}
