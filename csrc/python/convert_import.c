/* Other libraries' memory as ndarrays without a copy: a ga_buffer with a deleter that gives the
 * owner's reference back. The deleter runs with the GIL, after the streams that used the memory;
 * never while Python finalises. */
#include "convert_steps.h"
#include "dtype.h"
#include "foreign_stream.h"
#include "transfer.h"

static void
release_owner(void *owner)
{
    if (ga_python_ends())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF((PyObject *)owner);
    PyGILState_Release(gil);
}

GaArray *
ga_convert_wrap_block(GaState *state, const ga_foreign_block *block, ga_device *device)
{
    int64_t low, high;
    ga_buffer *buffer;
    ga_layout_extent(block->ndim, block->shape, block->strides,
                     (int64_t)PyDataType_ELSIZE(block->descr), &low, &high);
    Py_INCREF(block->owner);
    if (ga_buffer_wrap(device, block->data + low, (size_t)(high - low), block->readonly,
                       release_owner, block->owner, &buffer) < 0) {
        Py_DECREF(block->owner);
        return (GaArray *)ga_raise();
    }
    return ga_array_from_buffer(state, buffer, block->descr, block->ndim, block->shape,
                                block->strides, -low, !block->readonly, block->owner);
}

GaArray *
ga_convert_wrap_numpy(GaState *state, PyArrayObject *source, ga_device *device)
{
    ga_foreign_block block = {.owner = (PyObject *)source,
                              .descr = PyArray_DESCR(source),
                              .data = PyArray_DATA(source),
                              .readonly = !PyArray_ISWRITEABLE(source),
                              .ndim = PyArray_NDIM(source)};
    for (int i = 0; i < block.ndim; i++) {
        block.shape[i] = PyArray_DIM(source, i);
        block.strides[i] = PyArray_STRIDE(source, i);
    }
    return ga_convert_wrap_block(state, &block, device);
}

/* ---- __cuda_array_interface__, version 3 ---- */

static PyObject *
require_entry(PyObject *interface, const char *key)
{
    PyObject *value = PyDict_Check(interface) ? PyDict_GetItemString(interface, key) : NULL;
    if (value == NULL)
        PyErr_Format(PyExc_ValueError, "__cuda_array_interface__ has no entry '%s'", key);
    return value;
}

static int
read_integers(PyObject *tuple, int expected, int64_t *out)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) > GA_MAXDIMS ||
        (expected >= 0 && PyTuple_GET_SIZE(tuple) != expected)) {
        PyErr_SetString(
            PyExc_ValueError,
            "shape and strides of __cuda_array_interface__ must be tuples of one length");
        return -1;
    }
    int count = (int)PyTuple_GET_SIZE(tuple);
    for (int i = 0; i < count; i++) {
        out[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
        if (out[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return count;
}

static int
read_data(PyObject *interface, ga_foreign_block *block)
{
    PyObject *data = require_entry(interface, "data");
    unsigned long long address;
    int readonly;
    if (data == NULL)
        return -1;
    if (!PyTuple_Check(data) ||
        !PyArg_ParseTuple(data, "Kp;__cuda_array_interface__['data']", &address, &readonly))
        return -1;
    block->data = (char *)(uintptr_t)address;
    block->readonly = readonly != 0;
    return 0;
}

static int
read_layout(PyObject *interface, ga_foreign_block *block)
{
    PyObject *shape = require_entry(interface, "shape");
    if (shape == NULL || (block->ndim = read_integers(shape, -1, block->shape)) < 0)
        return -1;
    PyObject *strides = PyDict_GetItemString(interface, "strides");
    if (strides != NULL && strides != Py_None)
        return read_integers(strides, block->ndim, block->strides);
    ga_layout_strides(block->ndim, block->shape, (int64_t)PyDataType_ELSIZE(block->descr), 'C',
                      block->strides);
    return 0;
}

static int
order_after_producer(ga_device *device, PyObject *interface)
{
    uintptr_t handle;
    PyObject *stream = PyDict_GetItemString(interface, "stream");
    if (stream == NULL || stream == Py_None)
        return 0;
    if (ga_foreign_stream_parse(stream, "__cuda_array_interface__", &handle) < 0)
        return -1;
    return ga_foreign_stream_order(device, handle, GA_FOREIGN_FIRST);
}

/* The interface does not say which card the memory is on; libraries that have several put the
 * number beside it. */
static int
find_device(PyObject *owner, ga_device **out)
{
    char name[16];
    long index = 0;
    PyObject *device = PyObject_GetAttrString(owner, "device");
    PyObject *number = NULL;
    if (device != NULL)
        number = PyLong_Check(device) ? Py_NewRef(device) : PyObject_GetAttrString(device, "id");
    if (number == NULL && device != NULL) {
        PyErr_Clear();
        number = PyObject_GetAttrString(device, "index");
    }
    PyErr_Clear();
    if (number != NULL && PyLong_Check(number))
        index = PyLong_AsLong(number);
    PyErr_Clear();
    Py_XDECREF(number);
    Py_XDECREF(device);
    PyOS_snprintf(name, sizeof name, "cuda:%ld", index < 0 ? 0 : index);
    return ga_device_open(name, out) < 0 ? ga_raise_int() : 0;
}

/* Data of another byte order cannot be taken over as they are. */
static PyArray_Descr *
read_descr(PyObject *interface)
{
    PyArray_Descr *descr = NULL;
    PyObject *typestr = require_entry(interface, "typestr");
    if (typestr == NULL || !PyArray_DescrConverter(typestr, &descr))
        return NULL;
    if (ga_dtype_of(descr) != GA_DTYPE_COUNT)
        return descr;
    ga_transfer_refuse_dtype(descr);
    Py_DECREF(descr);
    return NULL;
}

int
ga_convert_note_producer(GaArray *a)
{
    ga_stream *stream;
    char *data;
    if (ga_array_pointer(a, GA_READ, &stream, &data) < 0)
        return -1;
    a->buffer->writer = stream;
    return 0;
}

static int
refuse_mask(PyObject *interface)
{
    PyObject *mask = PyDict_GetItemString(interface, "mask");
    if (mask == NULL || mask == Py_None)
        return 0;
    PyErr_SetString(PyExc_NotImplementedError,
                    "__cuda_array_interface__: arrays with a mask are not supported");
    return -1;
}

GaArray *
ga_convert_wrap_cuda(GaState *state, PyObject *owner, PyObject *interface)
{
    GaArray *a = NULL;
    ga_device *device;
    ga_foreign_block block = {.owner = owner, .descr = read_descr(interface)};
    if (block.descr == NULL)
        return NULL;
    if (read_data(interface, &block) < 0 || read_layout(interface, &block) < 0)
        goto done;
    if (refuse_mask(interface) < 0 || find_device(owner, &device) < 0 ||
        order_after_producer(device, interface) < 0)
        goto done;
    a = ga_convert_wrap_block(state, &block, device);
    if (a != NULL && ga_convert_note_producer(a) < 0)
        Py_CLEAR(a);
done:
    Py_DECREF(block.descr);
    return a;
}
