/* From any Python object to an ndarray: decides what kind of object it is and hands it on. In this
 * order: an ndarray of ours; CUDA memory of another library (no copy); lists that hold our arrays
 * (gathered on the device); everything else as NumPy understands it, then sent to the device, or on
 * the CPU device wrapped without a copy. */
#include "convert.h"

#include "convert_steps.h"
#include "dtype.h"
#include "guard.h"
#include "transfer.h"

typedef struct {
    GaState *state;
    PyObject *object;
    PyArray_Descr *descr; /* borrowed or NULL */
    ga_device *device;    /* NULL: nobody named one */
    char order;
    enum ga_copy_mode copy;
} request;

static GaArray *
refuse_copy(const char *why)
{
    PyErr_Format(
        PyExc_ValueError,
        "Unable to avoid copy while creating an array as requested: %s. Use copy=None to copy only "
        "when needed.",
        why);
    return NULL;
}

static bool
fits_order(const GaArray *a, char order)
{
    if (order == 'C')
        return (a->flags & GA_ARRAY_C) != 0;
    return order != 'F' || (a->flags & GA_ARRAY_F) != 0;
}

static bool
fits_descr(const GaArray *a, PyArray_Descr *descr)
{
    if (descr == NULL || descr == a->descr)
        return true;
    return a->dtype == ga_dtype_of(descr) &&
           (!PyDataType_ISDATETIME(descr) || PyArray_EquivTypes(a->descr, descr));
}

/* `fresh`: nobody else has the array, so it counts as a copy. */
static GaArray *
fit_array(const request *r, GaArray *a, bool fresh)
{
    bool same_device = r->device == NULL || r->device == ga_array_device(a);
    if (same_device && fits_descr(a, r->descr) && fits_order(a, r->order) &&
        (fresh || r->copy != GA_COPY_ALWAYS))
        return (GaArray *)Py_NewRef(a);
    if (r->copy == GA_COPY_NEVER)
        return refuse_copy(same_device ? "the dtype or order asked for differs"
                                       : "the array is on another device");
    if (r->descr != NULL && ga_transfer_warn_complex(r->state, a->descr, r->descr) < 0)
        return NULL;
    return ga_transfer_copy(r->state, a, r->descr, r->device, r->order);
}

/* ---- From NumPy ---- */

static bool
can_wrap(PyArrayObject *source)
{
    return ga_dtype_of(PyArray_DESCR(source)) != GA_DTYPE_COUNT && PyArray_ISALIGNED(source);
}

/* `fresh`: nobody else holds `source`, so that sharing its memory counts as a copy. */
static GaArray *
fit_numpy(const request *r, PyArrayObject *source, bool fresh)
{
    ga_device *device = r->device;
    if (device == NULL && ga_device_default(&device) < 0)
        return (GaArray *)ga_raise();
    request here = *r;
    here.device = device;
    /* A number is no copy of an array. */
    if (PyArray_NDIM(source) > 0 && ga_guard_send(r->state, source, device) < 0)
        return NULL;
    if (device->is_cpu && can_wrap(source) && (fresh || r->copy != GA_COPY_ALWAYS)) {
        GaArray *wrapped = ga_convert_wrap_numpy(r->state, source, device);
        GaArray *result = wrapped == NULL ? NULL : fit_array(&here, wrapped, fresh);
        Py_XDECREF(wrapped);
        return result;
    }
    if (r->copy == GA_COPY_NEVER)
        return refuse_copy("the data are on the host");
    return ga_transfer_from_numpy(r->state, source, r->descr, device, r->order);
}

PyArray_Descr *
ga_convert_native(PyArray_Descr *descr)
{
    if (PyArray_ISNBO(descr->byteorder))
        return (PyArray_Descr *)Py_NewRef(descr);
    return PyArray_DescrNewByteorder(descr, NPY_NATIVE);
}

/* Numbers and their lists: no protocol need be asked of them, and what NumPy makes of them is new
 * memory. */
static bool
is_plain_data(PyObject *object)
{
    return PyList_Check(object) || PyTuple_Check(object) || PyLong_Check(object) ||
           PyFloat_Check(object) || PyComplex_Check(object) || PyArray_IsScalar(object, Generic);
}

static bool
speaks_dlpack_only(PyObject *object)
{
    return !PyObject_CheckBuffer(object) && !PyObject_HasAttrString(object, "__array__") &&
           !PyObject_HasAttrString(object, "__array_interface__") &&
           PyObject_HasAttrString(object, "__dlpack__");
}

/* Discovery by NumPy. A dtype of ours is asked of NumPy at once, so that lists convert element by
 * element with its checks. */
static PyArrayObject *
make_numpy(const request *r)
{
    Py_XINCREF(r->descr);
    return (PyArrayObject *)PyArray_FromAny(r->object, r->descr, 0, 0, NPY_ARRAY_FORCECAST, NULL);
}

static int
convert_foreign(const request *r, GaArray **array, PyArrayObject **host)
{
    bool is_numpy = PyArray_Check(r->object);
    PyArrayObject *source = is_numpy ? (PyArrayObject *)Py_NewRef(r->object) : make_numpy(r);
    if (source == NULL)
        return -1;
    if (r->device == NULL &&
        !ga_dtype_held(r->descr != NULL ? r->descr : PyArray_DESCR(source))) {
        *host = source;
        return 0;
    }
    bool fresh = !is_numpy && is_plain_data(r->object);
    if (fresh && r->copy == GA_COPY_NEVER)
        refuse_copy("the data are Python objects");
    else
        *array = fit_numpy(r, source, fresh);
    Py_DECREF(source);
    return *array == NULL ? -1 : 0;
}

/* ---- The other kinds ---- */

static int
convert_sequence(const request *r, GaArray *found, GaArray **array)
{
    if (r->copy == GA_COPY_NEVER) {
        refuse_copy("the arrays of a list are put together in new memory");
        return -1;
    }
    ga_device *device = r->device != NULL ? r->device : ga_array_device(found);
    GaArray *gathered = ga_convert_gather(r->state, r->object, r->descr, device);
    if (gathered != NULL)
        *array = fit_array(r, gathered, true);
    Py_XDECREF(gathered);
    return *array == NULL ? -1 : 0;
}

/* 1 if the object offers CUDA memory, 0 if not. */
static int
convert_cuda(const request *r, GaArray **array)
{
    if (PyArray_Check(r->object) || is_plain_data(r->object))
        return 0;
    PyObject *interface = PyObject_GetAttrString(r->object, "__cuda_array_interface__");
    if (interface == NULL) {
        /* Other exceptions too: PyTorch raises its own kinds for tensors that are not on a GPU. */
        PyErr_Clear();
        return 0;
    }
    GaArray *wrapped = ga_convert_wrap_cuda(r->state, r->object, interface);
    Py_DECREF(interface);
    if (wrapped != NULL)
        *array = fit_array(r, wrapped, false);
    Py_XDECREF(wrapped);
    return *array == NULL ? -1 : 1;
}

GaArray *
ga_convert_dlpack(GaState *state, PyObject *object, PyArray_Descr *descr, ga_device *device,
                  char order, enum ga_copy_mode copy)
{
    request r = {state, object, descr, device, order, copy};
    bool fresh, to_host = device != NULL && device->is_cpu;
    GaArray *wrapped =
        ga_convert_wrap_dlpack(state, object, to_host, copy != GA_COPY_NEVER, &fresh);
    GaArray *result = wrapped == NULL ? NULL : fit_array(&r, wrapped, fresh);
    Py_XDECREF(wrapped);
    return result;
}

/* 1 if the object is a producer that numpy.asarray would not take, 0 if not. Host memory goes to the default device
 * where none was named, as other data of the host do. */
static int
convert_producer(const request *r, GaArray **array)
{
    if (PyArray_Check(r->object) || is_plain_data(r->object) || !speaks_dlpack_only(r->object))
        return 0;
    ga_device *device = r->device;
    *array = ga_convert_dlpack(r->state, r->object, r->descr, device, r->order, r->copy);
    if (*array == NULL || device != NULL || !ga_array_device(*array)->is_cpu)
        return *array == NULL ? -1 : 1;
    if (ga_device_default(&device) < 0) {
        Py_CLEAR(*array);
        return ga_raise_int();
    }
    request rest = *r;
    rest.device = device;
    GaArray *moved = fit_array(&rest, *array, true);
    Py_SETREF(*array, moved);
    return moved == NULL ? -1 : 1;
}

/* 1 if the object is a Python number that becomes the dtype of its kind, float64 or int64, filled in without a copy from the
 * host; 0 if not. */
static int
convert_number(const request *r, GaArray **array)
{
    enum ga_dtype dtype = PyFloat_CheckExact(r->object) ? GA_f64 : GA_i64;
    PyArray_Descr *descr = r->state->descrs[dtype];
    ga_device *device = r->device;
    ga_scalar value;
    int overflow = 0;
    if ((dtype == GA_i64 && !PyLong_CheckExact(r->object)) || r->copy == GA_COPY_NEVER ||
        (r->descr != NULL && r->descr != descr))
        return 0;
    if (dtype == GA_i64)
        PyLong_AsLongLongAndOverflow(r->object, &overflow);
    if (overflow != 0)
        return 0;
    if ((device == NULL && ga_device_default(&device) < 0))
        return ga_raise_int();
    *array = ga_array_new(r->state, device, descr, 0, NULL, 'C');
    if (*array != NULL &&
        (ga_convert_scalar(r->state, r->object, descr, &value) < 0 || ga_transfer_fill(r->state, *array, &value) < 0))
        Py_CLEAR(*array);
    return *array == NULL ? -1 : 1;
}

int
ga_convert_any(GaState *state, PyObject *object, PyArray_Descr *descr, ga_device *device,
               char order, enum ga_copy_mode copy, GaArray **array, PyArrayObject **host)
{
    request r = {state, object, descr, device, order, copy};
    *array = NULL;
    *host = NULL;
    if (GA_ARRAY_CHECK(state, object)) {
        *array = fit_array(&r, (GaArray *)object, false);
        return *array == NULL ? -1 : 0;
    }
    if (PyList_Check(object) || PyTuple_Check(object)) {
        GaArray *found = ga_convert_find_array(state, object);
        if (found != NULL)
            return convert_sequence(&r, found, array);
    }
    int rc = convert_number(&r, array);
    if (rc == 0)
        rc = convert_cuda(&r, array);
    if (rc == 0)
        rc = convert_producer(&r, array);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    return convert_foreign(&r, array, host);
}

GaArray *
ga_convert_array(GaState *state, PyObject *object, PyArray_Descr *descr, ga_device *device,
                 char order, enum ga_copy_mode copy)
{
    GaArray *array;
    PyArrayObject *host;
    if (ga_convert_any(state, object, descr, device, order, copy, &array, &host) < 0)
        return NULL;
    if (host != NULL) {
        ga_transfer_refuse_dtype(PyArray_DESCR(host));
        Py_DECREF(host);
    }
    return array;
}
