/* Between devices and NumPy's memory. What crosses is always one dense block in the dtype it has: a
 * strided array is made dense where it lives, keeping the order of its axes; conversions happen on
 * the device, unless NumPy alone knows them (strings, byte order, times). On the CPU device memory
 * may be shared instead: the numpy.ndarray then keeps ours alive. The GIL is released while bytes
 * move. */
#include "transfer.h"

#include <string.h>

#include "convert.h"
#include "dtype.h"

static void
widen_dims(int ndim, const int64_t *from, npy_intp *to)
{
    for (int i = 0; i < ndim; i++)
        to[i] = (npy_intp)from[i];
}

static int
copy_bytes(const ga_device *device, void *to, const void *from, int64_t nbytes,
           enum ga_copy_kind kind, ga_stream *stream)
{
    const ga_backend *backend = device->backend;
    int rc;
    Py_BEGIN_ALLOW_THREADS
    rc = backend->copy(to, from, (size_t)nbytes, kind, stream);
    Py_END_ALLOW_THREADS
    if (rc == 0)
        return 0;
    ga_fail_backend(backend);
    return ga_raise_int();
}

/* numpy.ndarray of a's shape, strides and dtype; data NULL: memory of its own. */
static PyArrayObject *
new_host(const GaArray *a, const int64_t *strides, char *data)
{
    npy_intp shape[GA_MAXDIMS], host_strides[GA_MAXDIMS];
    widen_dims(a->ndim, a->shape, shape);
    widen_dims(a->ndim, strides, host_strides);
    int flags = data != NULL && (a->flags & GA_ARRAY_WRITEABLE) ? NPY_ARRAY_WRITEABLE : 0;
    Py_INCREF(a->descr);
    return (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, a->descr, a->ndim, shape,
                                                 host_strides, data, flags, NULL);
}

static PyArrayObject *
share_memory(GaArray *a)
{
    ga_stream *stream;
    char *data;
    enum ga_access access = a->flags & GA_ARRAY_WRITEABLE ? GA_READWRITE : GA_READ;
    if (ga_array_pointer(a, access, &stream, &data) < 0)
        return NULL;
    PyArrayObject *host = new_host(a, a->strides, data);
    if (host != NULL && PyArray_SetBaseObject(host, Py_NewRef(a)) < 0)
        Py_CLEAR(host);
    return host;
}

PyArrayObject *
ga_transfer_peek(GaState *state, GaArray *a)
{
    int64_t strides[GA_MAXDIMS];
    PyArrayObject *host = NULL;
    ga_stream *stream;
    char *data;
    GaArray *dense = ga_transfer_dense(a) ? (GaArray *)Py_NewRef(a)
                                          : ga_transfer_copy(state, a, NULL, NULL, 'K');
    if (dense == NULL)
        return NULL;
    ga_transfer_strides(dense, ga_array_itemsize(dense), 'K', strides);
    if (ga_array_pointer(dense, GA_READ, &stream, &data) < 0)
        goto done;
    host = new_host(dense, strides, NULL);
    if (host == NULL || dense->size == 0)
        goto done;
    int64_t nbytes = dense->size * ga_array_itemsize(dense);
    if (copy_bytes(ga_array_device(dense), PyArray_DATA(host), data, nbytes, GA_COPY_TO_HOST,
                   stream) < 0)
        Py_CLEAR(host);
done:
    Py_DECREF(dense);
    return host;
}

PyArrayObject *
ga_transfer_to_numpy(GaState *state, GaArray *a, bool share)
{
    if (share && ga_array_device(a)->is_cpu && a->size > 0)
        return share_memory(a);
    PyArrayObject *host = ga_transfer_peek(state, a);
    if (host != NULL && ga_raise_fault(ga_array_device(a)) < 0)
        Py_CLEAR(host);
    return host;
}

/* ---- From NumPy ---- */

int
ga_transfer_refuse_dtype(PyArray_Descr *descr)
{
    PyErr_Format(
        PyExc_TypeError,
        "data of %R cannot live on a device (bool, integers, float16 to float64, complex, times, "
        "and bfloat16, float8_e4m3fn, float8_e5m2 of ml_dtypes can); without device= it stays a "
        "numpy.ndarray",
        descr);
    return -1;
}

/* The dtype in which the data cross: as they are, if the device can convert them from there to
 * `descr` as NumPy would. */
static PyArray_Descr *
choose_crossing(PyArrayObject *source, PyArray_Descr *descr)
{
    PyArray_Descr *native = ga_convert_native(PyArray_DESCR(source));
    if (native == NULL || descr == NULL)
        return native;
    bool times = PyDataType_ISDATETIME(native) || PyDataType_ISDATETIME(descr);
    bool drops_imaginary = PyDataType_ISCOMPLEX(native) && !PyDataType_ISCOMPLEX(descr);
    if (ga_dtype_of(native) != GA_DTYPE_COUNT && !times && !drops_imaginary)
        return native;
    Py_DECREF(native);
    return (PyArray_Descr *)Py_NewRef(descr);
}

static bool
is_dense(PyArrayObject *source, char order)
{
    if (order == 'C' || order == 'F')
        return order == 'C' ? PyArray_IS_C_CONTIGUOUS(source) : PyArray_IS_F_CONTIGUOUS(source);
    return PyArray_IS_C_CONTIGUOUS(source) || PyArray_IS_F_CONTIGUOUS(source);
}

static NPY_ORDER
host_order(char order)
{
    return order == 'C'   ? NPY_CORDER
           : order == 'F' ? NPY_FORTRANORDER
           : order == 'A' ? NPY_ANYORDER
                          : NPY_KEEPORDER;
}

/* The source as a dense, aligned numpy.ndarray of dtype `crossing`: itself where it fits. */
static PyArrayObject *
make_dense(PyArrayObject *source, PyArray_Descr *crossing, char order)
{
    PyArray_Descr *has = PyArray_DESCR(source);
    bool same =
        has == crossing || (PyArray_ISNBO(has->byteorder) && PyArray_EquivTypes(has, crossing));
    if (same && PyArray_ISALIGNED(source) && is_dense(source, order))
        return (PyArrayObject *)Py_NewRef(source);
    Py_INCREF(crossing);
    PyArrayObject *dense =
        (PyArrayObject *)PyArray_NewLikeArray(source, host_order(order), crossing, 0);
    if (dense != NULL && PyArray_CopyInto(dense, source) < 0)
        Py_CLEAR(dense);
    return dense;
}

static GaArray *
send_dense(GaState *state, PyArrayObject *dense, PyArray_Descr *descr, ga_device *device)
{
    int64_t shape[GA_MAXDIMS], host_strides[GA_MAXDIMS], strides[GA_MAXDIMS];
    ga_stream *stream;
    char *data;
    int ndim = PyArray_NDIM(dense);
    for (int i = 0; i < ndim; i++) {
        shape[i] = PyArray_DIM(dense, i);
        host_strides[i] = PyArray_STRIDE(dense, i);
    }
    /* NumPy's strides along axes of length one mean nothing; ours are as if freshly made. */
    ga_layout_strides_like(ndim, shape, host_strides, (int64_t)PyDataType_ELSIZE(descr), strides);
    GaArray *a = ga_array_new_strided(state, device, descr, ndim, shape, strides);
    if (a == NULL || a->size == 0)
        return a;
    if (ga_array_pointer(a, GA_WRITE, &stream, &data) < 0 ||
        copy_bytes(device, data, PyArray_DATA(dense), PyArray_NBYTES(dense), GA_COPY_TO_DEVICE,
                   stream) < 0)
        Py_CLEAR(a);
    return a;
}

/* `descr`, new reference; a time without a unit with the one that NumPy finds in the source. NULL
 * for NULL or on failure. */
static PyArray_Descr *
find_unit(PyArrayObject *source, PyArray_Descr *descr)
{
    if (descr == NULL || !PyDataType_ISDATETIME(descr))
        return (PyArray_Descr *)Py_XNewRef((PyObject *)descr);
    if (!PyDataType_ISSTRING(PyArray_DESCR(source)))
        return ga_dtype_adapt(PyArray_DESCR(source), descr);
    PyObject *times = PyObject_CallMethod((PyObject *)source, "astype", "O", descr);
    if (times == NULL)
        return NULL;
    PyArray_Descr *found = (PyArray_Descr *)Py_NewRef(PyArray_DESCR((PyArrayObject *)times));
    Py_DECREF(times);
    return found;
}

GaArray *
ga_transfer_from_numpy(GaState *state, PyArrayObject *source, PyArray_Descr *wanted,
                       ga_device *device, char order)
{
    GaArray *a = NULL;
    PyArrayObject *dense = NULL;
    PyArray_Descr *descr = find_unit(source, wanted), *crossing = NULL;
    if (wanted != NULL && descr == NULL)
        goto done;
    crossing = choose_crossing(source, descr);
    if (crossing == NULL)
        goto done;
    if (ga_dtype_of(crossing) == GA_DTYPE_COUNT) {
        ga_transfer_refuse_dtype(crossing);
        goto done;
    }
    dense = make_dense(source, crossing, order);
    if (dense == NULL)
        goto done;
    a = send_dense(state, dense, crossing, device);
    if (a != NULL && descr != NULL) {
        GaArray *converted = ga_transfer_cast(state, a, descr);
        Py_SETREF(a, converted);
    }
done:
    Py_XDECREF(dense);
    Py_XDECREF(crossing);
    Py_XDECREF(descr);
    return a;
}

/* Bytes from the first element to the one at a flat index in C order. */
static int64_t
locate_item(const GaArray *a, int64_t index)
{
    int64_t offset = 0;
    for (int i = a->ndim - 1; i >= 0; i--) {
        offset += index % a->shape[i] * a->strides[i];
        index /= a->shape[i];
    }
    return offset;
}

int
ga_transfer_item(GaArray *a, int64_t index, ga_scalar *out)
{
    ga_stream *stream;
    char *data;
    if (ga_array_pointer(a, GA_READ, &stream, &data) < 0)
        return -1;
    data += locate_item(a, index);
    int64_t itemsize = ga_array_itemsize(a);
    memset(out, 0, sizeof *out);
    if (ga_array_device(a)->is_cpu) {
        memcpy(out, data, (size_t)itemsize);
        return 0;
    }
    if (copy_bytes(ga_array_device(a), out, data, itemsize, GA_COPY_TO_HOST, stream) < 0)
        return -1;
    return ga_raise_fault(ga_array_device(a));
}
