/* _fft: one step of a Fourier transform, by the backend. gpuarray/_fourier.py takes transforms apart into such
 * steps and prepares dtypes and lengths; strides are the backend's business. _fft_plans: what the backend keeps for
 * them. */
#include "../core/iter.h"
#include "arguments.h"
#include "array.h"
#include "device_object.h"
#include "launch.h"
#include "module.h"
#include "transfer.h"

/* One step; the arrays are owned and aligned. */
typedef struct {
    GaArray *src, *dst;
    ga_fft_call call;
    ga_stream *stream;
} transform;

static int
refuse(const char *what)
{
    PyErr_Format(PyExc_ValueError, "_fft: %s", what);
    return -1;
}

/* The places of `axes` in the arrays; which of all axes they are. */
static int
take_axes(transform *t, PyObject *axes, int *places, bool *taken)
{
    if (!PyTuple_Check(axes) || PyTuple_GET_SIZE(axes) < 1 || PyTuple_GET_SIZE(axes) > GA_FFT_RANK)
        return refuse("axes must be a tuple of one to three");
    t->call.rank = (int32_t)PyTuple_GET_SIZE(axes);
    for (int i = 0; i < t->call.rank; i++) {
        long axis = PyLong_AsLong(PyTuple_GET_ITEM(axes, i));
        if (axis == -1 && PyErr_Occurred())
            return -1;
        if (axis < 0 || axis >= t->src->ndim || taken[axis])
            return refuse("axes must be of the array, and differ");
        places[i] = (int)axis;
        taken[axis] = true;
    }
    return 0;
}

static int
describe_axes(transform *t, const int *places)
{
    ga_fft_call *call = &t->call;
    bool from_complex = call->src_dtype == GA_c64 || call->src_dtype == GA_c128;
    const GaArray *signals = from_complex ? t->dst : t->src;
    const GaArray *spectra = from_complex ? t->src : t->dst;
    for (int i = 0; i < call->rank; i++) {
        bool halved = i == call->rank - 1 && call->src_dtype != call->dst_dtype;
        int64_t length = signals->shape[places[i]];
        if (length < 1 || spectra->shape[places[i]] != (halved ? length / 2 + 1 : length))
            return refuse("an axis has the wrong length");
        call->shape[i] = length;
        call->src_strides[i] = t->src->strides[places[i]];
        call->dst_strides[i] = t->dst->strides[places[i]];
    }
    return 0;
}

/* The axes that are not transformed, collapsed. */
static int
describe_batch(transform *t, const bool *taken)
{
    ga_iter it;
    int count = 0;
    int64_t shape[GA_MAXDIMS], src[GA_MAXDIMS], dst[GA_MAXDIMS];
    const int64_t *const strides[2] = {src, dst};
    for (int d = 0; d < t->src->ndim; d++) {
        if (taken[d])
            continue;
        if (t->src->shape[d] != t->dst->shape[d])
            return refuse("shapes differ along an axis that is not transformed");
        shape[count] = t->src->shape[d];
        src[count] = t->src->strides[d];
        dst[count++] = t->dst->strides[d];
    }
    ga_iter_begin(&it, count, shape, 2, strides, true);
    if (it.outer_ndim > 0 || it.ndim + t->call.rank > GA_ITER_DIMS)
        return refuse("too many axes that cannot be joined");
    t->call.nbatch = it.ndim;
    memcpy(t->call.batch_shape, it.shape, sizeof it.shape);
    memcpy(t->call.src_batch, it.strides[0], sizeof t->call.src_batch);
    memcpy(t->call.dst_batch, it.strides[1], sizeof t->call.dst_batch);
    t->call.src = (char *)t->call.src + it.offsets[0];
    t->call.dst = (char *)t->call.dst + it.offsets[1];
    return 0;
}

static int
get_pointers(transform *t)
{
    char *src, *dst;
    bool spoils = t->call.dst_dtype == GA_f32 || t->call.dst_dtype == GA_f64;
    if (ga_array_pointer(t->src, spoils ? GA_READWRITE : GA_READ, &t->stream, &src) < 0 ||
        ga_array_pointer(t->dst, GA_WRITE, &t->stream, &dst) < 0)
        return -1;
    t->call.src = src;
    t->call.dst = dst;
    return 0;
}

static int
run_transform(transform *t, PyObject *axes)
{
    int places[GA_FFT_RANK];
    bool taken[GA_MAXDIMS] = {false};
    if (t->src->ndim != t->dst->ndim || ga_array_device(t->src) != ga_array_device(t->dst))
        return refuse("the arrays must have one device and number of axes");
    t->call.src_dtype = t->src->dtype;
    t->call.dst_dtype = t->dst->dtype;
    if (take_axes(t, axes, places, taken) < 0 || describe_axes(t, places) < 0)
        return -1;
    if (t->dst->size == 0)
        return 0;
    if (get_pointers(t) < 0 || describe_batch(t, taken) < 0)
        return -1;
    return ga_launch_fft(ga_array_device(t->dst), &t->call, t->stream);
}

/* The array itself, or another one in its place if its elements are not aligned; owned. */
static GaArray *
align_array(GaState *state, GaArray *a)
{
    if (ga_transfer_aligned(a))
        return (GaArray *)Py_NewRef((PyObject *)a);
    return ga_transfer_copy(state, a, NULL, NULL, 'C');
}

static PyObject *
fft_step(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_fft", 5, 6, {"src", "dst", "axes", "inverse", "scale", "signals", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[6];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    double scale = PyFloat_AsDouble(got[4]);
    long long signals = ga_arguments_given(got[5]) != NULL ? PyLong_AsLongLong(got[5]) : 0;
    if (PyErr_Occurred())
        return NULL;
    if (!GA_ARRAY_CHECK(state, got[0]) || !GA_ARRAY_CHECK(state, got[1]))
        return PyErr_Format(PyExc_TypeError, "_fft: src and dst must be ndarrays");
    bool scaled = false, ended = false;
    transform t = {.call = {.inverse = got[3] == Py_True,
                            .scale = scale,
                            .signals = signals,
                            .scaled = &scaled,
                            .ended = &ended}};
    GaArray *dst = (GaArray *)got[1];
    t.src = align_array(state, (GaArray *)got[0]);
    t.dst = align_array(state, dst);
    int rc = t.src == NULL || t.dst == NULL ? -1 : run_transform(&t, got[2]);
    if (rc == 0 && t.dst != dst)
        rc = ga_transfer_assign(state, dst, t.dst);
    Py_XDECREF(t.src);
    Py_XDECREF(t.dst);
    return rc < 0 ? NULL : Py_BuildValue("(NN)", PyBool_FromLong(scaled), PyBool_FromLong(ended));
}

static PyObject *
fft_plans(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"_fft_plans", 1, 2, {"device", "limit", NULL}};
    PyObject *got[2];
    ga_device *device;
    ga_fft_plans before;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0 ||
        ga_device_argument(PyModule_GetState(module), ga_arguments_given(got[0]), &device) < 0)
        return NULL;
    long long limit = got[1] != NULL ? PyLong_AsLongLong(got[1]) : -1;
    if (limit == -1 && PyErr_Occurred())
        return NULL;
    if (device->backend->fft_keep(device->index, limit, &before) < 0) {
        ga_fail_backend(device->backend);
        return ga_raise();
    }
    return Py_BuildValue("{sLsLsLsL}", "plans", (long long)before.plans, "limit",
                         (long long)before.limit, "hits", (long long)before.hits, "misses",
                         (long long)before.misses);
}

#define ROW(name, function, text) \
    { \
        name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, name text \
    }

static PyMethodDef fft_functions[] = {
    ROW("_fft", fft_step,
        "($module, src, dst, axes, inverse, scale, signals=0)\n--\n\nTransform of src to dst over one to three axes; a "
        "complex src of a real dst is overwritten. Whether the result has been scaled, and whether the ends of the axis that "
        "stands for so many signals have been made real: where that costs nothing."),
    ROW("_fft_plans", fft_plans,
        "($module, device, limit=-1)\n--\n\nThe plans kept for a device, as they were before a new "
        "limit."),
    {NULL, NULL, 0, NULL},
};

int
ga_fft_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, fft_functions);
}
