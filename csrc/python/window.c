/* _window: an array of filtered elements of another one, by the backend's window slot. What a
 * filter is, how long its result is and where boxes lie is decided in Python; here axes are
 * described and joined. */
#include "arguments.h"
#include "array.h"
#include "device_object.h"
#include "launch.h"
#include "module.h"

static int
refuse(const char *what)
{
    PyErr_Format(PyExc_ValueError, "_window: %s", what);
    return -1;
}

static int
read_numbers(PyObject *tuple, int ndim, int64_t *out)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != ndim)
        return refuse("box and start need a number for each axis");
    for (int d = 0; d < ndim; d++) {
        out[d] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, d));
        if (out[d] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

/* Adds an axis inside those before it, as one with the last of them where both arrays go through both in one step. */
static int
add_axis(ga_window_call *call, ga_window_axis axis)
{
    ga_window_axis *last = call->ndim > 0 ? &call->axes[call->ndim - 1] : NULL;
    if (ga_window_is_plain(&axis) && axis.size == 1)
        return 0;
    if (last != NULL && ga_window_is_plain(&axis) && ga_window_is_plain(last) &&
        last->src_stride == axis.src_stride * axis.size &&
        last->dst_stride == axis.dst_stride * axis.size) {
        axis.size = axis.src_size = axis.size * last->size;
        *last = axis;
        return 0;
    }
    if (call->ndim == GA_ITER_DIMS)
        return refuse("too many axes that cannot be joined");
    call->axes[call->ndim++] = axis;
    return 0;
}

static int
describe_axes(const GaArray *src, const GaArray *dst, PyObject *box, PyObject *start,
              ga_window_call *call)
{
    int64_t window[GA_MAXDIMS], first[GA_MAXDIMS];
    if (src->ndim != dst->ndim)
        return refuse("src and dst must have the same number of axes");
    if (read_numbers(box, dst->ndim, window) < 0 || read_numbers(start, dst->ndim, first) < 0)
        return -1;
    call->count = 1;
    call->size = dst->size;
    for (int d = 0; d < dst->ndim; d++) {
        ga_window_axis axis = {dst->shape[d],   src->shape[d], src->strides[d],
                               dst->strides[d], window[d],     first[d]};
        if (axis.window < 1 || (axis.src_size < 1 && dst->size > 0))
            return refuse("an axis has no elements");
        call->count *= axis.window;
        if (add_axis(call, axis) < 0)
            return -1;
    }
    return 0;
}

/* Few weights of a wide sum, which are a NumPy array. */
static int
take_weights_on_host(PyObject *object, const GaArray *dst, ga_window_call *call)
{
    PyArrayObject *weights = (PyArrayObject *)object;
    bool is_complex = dst->dtype == GA_c64 || dst->dtype == GA_c128;
    if (call->op != GA_WINDOW_WIDE_SUM || is_complex || PyArray_TYPE(weights) != NPY_DOUBLE ||
        !PyArray_ISCARRAY_RO(weights) || PyArray_SIZE(weights) != call->count ||
        call->count > GA_WINDOW_FEW)
        return refuse("weights on the host must be few, float64, contiguous, of a wide sum");
    call->weights = PyArray_DATA(weights);
    call->weights_on_host = true;
    return 0;
}

/* Weights of a sum or the mask of another filter, contiguous, one for each place of the box. */
static int
take_weights(GaState *state, PyObject *object, GaArray *dst, ga_window_call *call,
             ga_stream **stream)
{
    char *data;
    bool sums = call->op == GA_WINDOW_SUM || call->op == GA_WINDOW_WIDE_SUM;
    if (object == Py_None)
        return sums ? refuse("a sum needs weights") : 0;
    if (PyArray_Check(object))
        return take_weights_on_host(object, dst, call);
    GaArray *weights = (GaArray *)object;
    bool is_complex = dst->dtype == GA_c64 || dst->dtype == GA_c128;
    enum ga_dtype wide = is_complex ? GA_c128 : GA_f64;
    enum ga_dtype dtype = !sums ? GA_b1 : call->op == GA_WINDOW_SUM ? dst->dtype : wide;
    if (!GA_ARRAY_CHECK(state, object) || weights->dtype != dtype ||
        weights->size != call->count || !(weights->flags & GA_ARRAY_C) ||
        ga_array_device(weights) != ga_array_device(dst))
        return refuse("weights must be contiguous, of the filter's dtype and size, on its device");
    if (ga_array_pointer(weights, GA_READ, stream, &data) < 0)
        return -1;
    call->weights = data;
    call->mask = sums ? NULL : (const uint8_t *)data;
    return 0;
}

/* A NumPy array of one element in the filter's dtype. */
static int
take_outside(PyObject *object, const GaArray *dst, ga_scalar *out)
{
    if (!PyArray_Check(object) || PyArray_SIZE((PyArrayObject *)object) != 1 ||
        !PyArray_EquivTypes(PyArray_DESCR((PyArrayObject *)object), dst->descr))
        return refuse("outside must be one element of the filter's dtype");
    memcpy(out->bytes, PyArray_DATA((PyArrayObject *)object), (size_t)ga_array_itemsize(dst));
    return 0;
}

static int
take_numbers(PyObject *const *got, ga_window_call *call)
{
    call->op = (enum ga_window_op)PyLong_AsLong(got[2]);
    call->border = (enum ga_border)PyLong_AsLong(got[6]);
    call->divisor = PyFloat_AsDouble(got[8]);
    call->rank = PyLong_AsLongLong(got[9]);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *
window_filter(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_window",
        10,
        10,
        {"src", "dst", "op", "weights", "box", "start", "border", "outside", "divisor", "rank",
         NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[10];
    ga_window_call call = {.ndim = 0};
    ga_stream *stream;
    char *from, *to;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    if (!GA_ARRAY_CHECK(state, got[0]) || !GA_ARRAY_CHECK(state, got[1]))
        return PyErr_Format(PyExc_TypeError, "_window: src and dst must be ndarrays");
    GaArray *src = (GaArray *)got[0], *dst = (GaArray *)got[1];
    if ((src->dtype != dst->dtype || ga_array_device(src) != ga_array_device(dst)) &&
        refuse("src and dst must have one dtype and device") < 0)
        return NULL;
    call.dtype = dst->dtype;
    if (take_numbers(got, &call) < 0 || describe_axes(src, dst, got[4], got[5], &call) < 0 ||
        take_weights(state, got[3], dst, &call, &stream) < 0 ||
        take_outside(got[7], dst, &call.outside) < 0 ||
        ga_array_pointer(src, GA_READ, &stream, &from) < 0 ||
        ga_array_pointer(dst, GA_WRITE, &stream, &to) < 0)
        return NULL;
    call.src = from;
    call.dst = to;
    return ga_launch_window(ga_array_device(dst), &call, stream) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef window_functions[] = {
    {"_window", (PyCFunction)(void (*)(void))window_filter, METH_FASTCALL | METH_KEYWORDS,
     "_window($module, src, dst, op, weights, box, start, border, outside, divisor, "
     "rank)\n--\n\nMake each element of dst of a box of src: element i along an axis of those from "
     "i + start on."},
    {NULL, NULL, 0, NULL},
};

int
ga_window_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, window_functions);
}
