/* __dlpack__ and __dlpack_device__: an ndarray's memory for other libraries, without a copy unless one was asked for.
 *
 * A managed tensor holds a reference to the ga_buffer, not to the array, whose layout may change later. Its deleter
 * may come from any thread, with the GIL or without, and does nothing once Python ends. Versioned and legacy tensors
 * differ in their frame only: one struct holds either, with the lengths and strides behind it. */
#include "dlpack.h"

#include "arguments.h"
#include "array_type.h"
#include "export.h"
#include "foreign_stream.h"
#include "transfer.h"

typedef struct {
    union {
        ga_dlpack_legacy legacy;
        ga_dlpack_versioned versioned;
    } managed;
    ga_buffer *buffer; /* owned */
    int64_t dims[];    /* shape, then strides in elements */
} exported_tensor;

/* What a consumer asked for. */
typedef struct {
    bool versioned;
    int copy; /* 1 always, 0 never, -1 if needed */
    bool ordered;
    uintptr_t stream; /* where `ordered`: that of the consumer */
    ga_dlpack_device target;
} export_request;

/* ---- Life of what was handed out ---- */

static void
drop_tensor(exported_tensor *t)
{
    if (ga_python_ends())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    ga_buffer_release(t->buffer);
    PyMem_Free(t);
    PyGILState_Release(gil);
}

static void
delete_legacy(ga_dlpack_legacy *self)
{
    drop_tensor(self->context);
}

static void
delete_versioned(ga_dlpack_versioned *self)
{
    drop_tensor(self->context);
}

/* Of a capsule that nobody took. */
static void
destroy_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, GA_DLPACK_VERSIONED))
        drop_tensor(PyCapsule_GetContext(capsule));
    else if (PyCapsule_IsValid(capsule, GA_DLPACK_LEGACY))
        drop_tensor(PyCapsule_GetContext(capsule));
}

static PyObject *
wrap_tensor(exported_tensor *t, bool versioned)
{
    void *managed = versioned ? (void *)&t->managed.versioned : (void *)&t->managed.legacy;
    PyObject *capsule =
        PyCapsule_New(managed, versioned ? GA_DLPACK_VERSIONED : GA_DLPACK_LEGACY, destroy_capsule);
    if (capsule == NULL || PyCapsule_SetContext(capsule, t) < 0) {
        Py_CLEAR(capsule);
        drop_tensor(t);
    }
    return capsule;
}

/* ---- Description of an array ---- */

static ga_dlpack_device
find_place(const GaArray *a)
{
    const ga_device *device = ga_array_device(a);
    return (ga_dlpack_device){device->is_cpu ? GA_DLPACK_CPU : GA_DLPACK_CUDA, device->index};
}

static int
find_code(enum ga_dtype dtype)
{
    switch (dtype) {
    case GA_bf16:
        return GA_DLPACK_BFLOAT;
    case GA_e4m3:
        return GA_DLPACK_FLOAT8_E4M3FN;
    case GA_e5m2:
        return GA_DLPACK_FLOAT8_E5M2;
    default:
        break;
    }
    switch (ga_registry_dtype(dtype)->kind) {
    case 'b':
        return GA_DLPACK_BOOL;
    case 'i':
        return GA_DLPACK_INT;
    case 'u':
        return GA_DLPACK_UINT;
    case 'f':
        return GA_DLPACK_FLOAT;
    case 'c':
        return GA_DLPACK_COMPLEX;
    default:
        return -1;
    }
}

/* DLPack has no times, and strides of whole elements only. */
static int
check_array(const GaArray *a)
{
    int64_t itemsize = ga_array_itemsize(a);
    if (find_code(a->dtype) < 0) {
        PyErr_Format(PyExc_BufferError, "__dlpack__: DLPack has no dtype for %R; view it as int64",
                     a->descr);
        return -1;
    }
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] > 1 && a->strides[i] % itemsize != 0) {
            PyErr_Format(PyExc_BufferError,
                         "__dlpack__: DLPack counts strides in elements, but axis %d steps by %lld "
                         "bytes, with elements of %lld",
                         i, (long long)a->strides[i], (long long)itemsize);
            return -1;
        }
    }
    return 0;
}

static void
fill_tensor(const GaArray *a, char *data, int64_t *dims, ga_dlpack_tensor *out)
{
    int64_t itemsize = ga_array_itemsize(a);
    out->data = a->size > 0 ? data : NULL;
    out->device = find_place(a);
    out->ndim = a->ndim;
    out->dtype.code = (uint8_t)find_code(a->dtype);
    out->dtype.bits = (uint8_t)(8 * itemsize);
    out->dtype.lanes = 1;
    out->shape = dims;
    out->strides = dims + a->ndim;
    out->byte_offset = 0;
    for (int i = 0; i < a->ndim; i++) {
        out->shape[i] = a->shape[i];
        out->strides[i] = a->strides[i] / itemsize;
    }
}

static exported_tensor *
make_tensor(GaArray *a, char *data, bool versioned, uint64_t flags)
{
    exported_tensor *t = PyMem_Calloc(1, sizeof *t + 2 * (size_t)a->ndim * sizeof(int64_t));
    if (t == NULL)
        return (exported_tensor *)PyErr_NoMemory();
    t->buffer = ga_buffer_retain(a->buffer);
    if (versioned) {
        ga_dlpack_versioned *frame = &t->managed.versioned;
        frame->major = GA_DLPACK_MAJOR;
        frame->minor = GA_DLPACK_MINOR;
        frame->context = t;
        frame->deleter = delete_versioned;
        frame->flags = flags;
        fill_tensor(a, data, t->dims, &frame->tensor);
    } else {
        t->managed.legacy.context = t;
        t->managed.legacy.deleter = delete_legacy;
        fill_tensor(a, data, t->dims, &t->managed.legacy.tensor);
    }
    return t;
}

/* ---- One call ---- */

static int
parse_version(PyObject *arg, bool *versioned)
{
    *versioned = false;
    if (ga_arguments_given(arg) == NULL)
        return 0;
    if (!PyTuple_Check(arg) || PyTuple_GET_SIZE(arg) != 2) {
        PyErr_SetString(PyExc_TypeError,
                        "__dlpack__: max_version must be None or a tuple (major, minor)");
        return -1;
    }
    long major = PyLong_AsLong(PyTuple_GET_ITEM(arg, 0));
    if (major == -1 && PyErr_Occurred())
        return -1;
    *versioned = major >= GA_DLPACK_MAJOR;
    return 0;
}

/* The array's own place, or the host for an array on a GPU. */
static int
parse_target(const GaArray *a, PyObject *arg, ga_dlpack_device *target)
{
    ga_dlpack_device own = find_place(a);
    *target = own;
    if (ga_arguments_given(arg) == NULL)
        return 0;
    if (!PyTuple_Check(arg) || PyTuple_GET_SIZE(arg) != 2) {
        PyErr_SetString(PyExc_TypeError,
                        "__dlpack__: dl_device must be None or a tuple (device type, device id)");
        return -1;
    }
    long type = PyLong_AsLong(PyTuple_GET_ITEM(arg, 0));
    long index = PyLong_AsLong(PyTuple_GET_ITEM(arg, 1));
    if (PyErr_Occurred())
        return -1;
    bool same = type == own.type && index == own.index;
    if (same || (type == GA_DLPACK_CPU && index == 0)) {
        *target = (ga_dlpack_device){(int32_t)type, (int32_t)index};
        return 0;
    }
    PyErr_Format(PyExc_BufferError,
                 "__dlpack__: an array on %s cannot be exported to the DLPack device (%ld, %ld), "
                 "only to its own and to the host (1, 0)",
                 ga_array_device(a)->name, type, index);
    return -1;
}

/* None: the legacy default stream of CUDA. -1: the consumer takes care of the order itself. */
static int
parse_stream(const GaArray *a, PyObject *arg, export_request *r)
{
    bool given = ga_arguments_given(arg) != NULL;
    bool on_host = r->target.type == GA_DLPACK_CPU;
    r->ordered = !on_host;
    r->stream = 1;
    if (!given)
        return 0;
    if (on_host) {
        PyErr_Format(PyExc_RuntimeError,
                     "__dlpack__: memory on the host has no streams, stream must be None (the "
                     "array is on %s)",
                     ga_array_device(a)->name);
        return -1;
    }
    if (PyLong_Check(arg) && PyLong_AsLong(arg) == -1 && !PyErr_Occurred()) {
        r->ordered = false;
        return 0;
    }
    PyErr_Clear();
    return ga_foreign_stream_parse(arg, "__dlpack__", &r->stream);
}

static GaArray *
copy_source(GaState *state, GaArray *a, const export_request *r)
{
    ga_device *device = NULL;
    bool to_host = r->target.type == GA_DLPACK_CPU && !ga_array_device(a)->is_cpu;
    if (to_host && ga_device_open("cpu", &device) < 0)
        return (GaArray *)ga_raise();
    GaArray *copy = ga_transfer_copy(state, a, NULL, device, 'K');
    if (copy != NULL && to_host && ga_raise_fault(ga_array_device(a)) < 0)
        Py_CLEAR(copy);
    return copy;
}

/* Whether the request can only be met, or is better met, by a copy: scalars share no memory. */
static int
needs_copy(const GaArray *a, const export_request *r, bool *needed)
{
    bool moves = r->target.type != find_place(a).type;
    if (moves && r->copy == 0) {
        PyErr_Format(PyExc_BufferError,
                     "__dlpack__: an array on %s reaches the host by a copy only, and copy=False",
                     ga_array_device(a)->name);
        return -1;
    }
    *needed = moves || r->copy == 1 || (r->copy == -1 && (a->flags & GA_ARRAY_SCALAR));
    return 0;
}

static PyObject *
export_source(GaArray *source, const export_request *r, uint64_t flags)
{
    ga_stream *stream;
    char *data;
    bool writeable = (source->flags & GA_ARRAY_WRITEABLE) != 0;
    if (!writeable && !r->versioned) {
        PyErr_SetString(PyExc_BufferError,
                        "__dlpack__: a read-only array can be exported to consumers of DLPack 1.0 "
                        "and later only (max_version=(1, 0)), or with copy=True");
        return NULL;
    }
    if (check_array(source) < 0 ||
        ga_array_pointer(source, writeable ? GA_READWRITE : GA_READ, &stream, &data) < 0)
        return NULL;
    if (r->ordered &&
        ga_foreign_stream_order(ga_array_device(source), r->stream, GA_FOREIGN_LAST) < 0)
        return NULL;
    flags |= writeable ? 0 : GA_DLPACK_READ_ONLY;
    exported_tensor *t = make_tensor(source, data, r->versioned, flags);
    return t == NULL ? NULL : wrap_tensor(t, r->versioned);
}

static PyObject *
export_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "__dlpack__", 0, 0, {"stream", "max_version", "dl_device", "copy"}};
    PyObject *values[4];
    GaArray *a = (GaArray *)self;
    export_request r;
    bool copies;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        parse_version(values[1], &r.versioned) < 0 || parse_target(a, values[2], &r.target) < 0 ||
        ga_export_copy_mode(values[3], &r.copy) < 0 || parse_stream(a, values[0], &r) < 0 ||
        needs_copy(a, &r, &copies) < 0)
        return NULL;
    if (!copies)
        return export_source(a, &r, 0);
    GaArray *copy = copy_source(ga_array_state(self), a, &r);
    PyObject *capsule = copy == NULL ? NULL : export_source(copy, &r, GA_DLPACK_COPIED);
    Py_XDECREF(copy);
    return capsule;
}

static PyObject *
export_device(PyObject *self, PyObject *unused)
{
    (void)unused;
    ga_dlpack_device place = find_place((GaArray *)self);
    return Py_BuildValue("ii", (int)place.type, (int)place.index);
}

PyMethodDef ga_dlpack_methods[] = {
    {"__dlpack__", GA_FASTCALL(export_dlpack),
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "The memory as a DLPack capsule.\n\nParameters\n----------\nstream : int, optional\n"
     "    The consumer's CUDA stream, which is made to wait for ours: None and 1 for the legacy "
     "default stream,\n    2 for the per-thread default stream, a larger number for a "
     "cudaStream_t, -1 for no order at all.\n    Memory on the host has none.\n"
     "max_version : tuple, optional\n    The newest version (major, minor) that the consumer "
     "understands; None for the one before 1.0.\n"
     "dl_device : tuple, optional\n    Where the memory shall be: the array's own device, or (1, "
     "0), the host.\n"
     "copy : bool, optional\n    True: always. False: never, else BufferError. None: when "
     "needed."},
    {"__dlpack_device__", export_device, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nWhere the memory is.\n\nReturns\n-------\ntype, id : "
     "int\n    Type 1 is the host, 2 CUDA."},
    {NULL, NULL, 0, NULL},
};
