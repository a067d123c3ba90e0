/* _interpolate, _spline, _label and _number: the slots that gpuarray.ndimage stands on, for arrays it has prepared. */
#include <math.h>

#include "../core/iter.h"
#include "../core/registry.h"
#include "arguments.h"
#include "array.h"
#include "device_object.h"
#include "launch.h"
#include "module.h"

static int
refuse(const char *function, const char *what)
{
    PyErr_Format(PyExc_ValueError, "%s: %s", function, what);
    return -1;
}

/* One of our arrays of a dtype; contiguous where asked for; borrowed. */
static GaArray *
take_array(GaState *state, const char *function, PyObject *object, enum ga_dtype dtype, bool dense)
{
    GaArray *a = (GaArray *)object;
    if (GA_ARRAY_CHECK(state, object) && a->dtype == dtype && (!dense || (a->flags & GA_ARRAY_C)))
        return a;
    refuse(function, "an operand has the wrong dtype or layout");
    return NULL;
}

static bool
is_short(GaState *state, PyObject *object)
{
    return GA_ARRAY_CHECK(state, object) && ((GaArray *)object)->dtype == GA_f32;
}

/* Numbers of a sequence; their count must be as told. */
static int
read_doubles(PyObject *sequence, int count, double *out)
{
    if (!PyTuple_Check(sequence) || PyTuple_GET_SIZE(sequence) != count)
        return refuse("_interpolate", "the matrix has another size");
    for (int i = 0; i < count; i++)
        out[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(sequence, i));
    return PyErr_Occurred() ? -1 : 0;
}

/* ---- interpolation ---- */

/* The axes of src that are interpolated, in order; along the others dst is stepped through with it. */
static int
describe_source(const GaArray *src, const GaArray *dst, PyObject *axes, ga_interpolate_call *call)
{
    Py_ssize_t count = PyTuple_Check(axes) ? PyTuple_GET_SIZE(axes) : 0;
    bool same_rank = src->ndim == dst->ndim && dst->ndim <= GA_RESAMPLE_PLACES;
    if (count < 1 || count > GA_RESAMPLE_DIMS) {
        PyErr_Format(PyExc_NotImplementedError,
                     "interpolation of arrays with %zd axes is not there; 1 to %d are", count,
                     GA_RESAMPLE_DIMS);
        return -1;
    }
    for (int d = 0; d < src->ndim; d++) {
        if (src->shape[d] < 1)
            return refuse("_interpolate", "an axis has no elements");
        if (call->ndim < count && PyLong_AsLong(PyTuple_GET_ITEM(axes, call->ndim)) == d) {
            call->shape[call->ndim] = src->shape[d];
            call->strides[call->ndim++] = src->strides[d];
        } else if (same_rank && src->shape[d] == dst->shape[d]) {
            call->carry[d] = src->strides[d];
        } else {
            return refuse("_interpolate", "an axis that is left alone is not the result's");
        }
    }
    return call->ndim == count ? 0 : refuse("_interpolate", "axes are not those of src in order");
}

/* Where the result goes, of float32, float64 or integers. */
static GaArray *
take_result(GaState *state, PyObject *object, ga_interpolate_call *call)
{
    enum ga_dtype dtype = GA_ARRAY_CHECK(state, object) ? ((GaArray *)object)->dtype : GA_f64;
    const ga_dtype_info *info = ga_registry_dtype(dtype);
    call->short_dst = dtype == GA_f32;
    if (info->kind == 'i' || info->kind == 'u') {
        int bits = 8 * info->itemsize - (info->kind == 'i');
        call->whole = info->itemsize;
        call->least = info->kind == 'i' ? -ldexp(1, bits) : 0;
        call->greatest = nextafter(ldexp(1, bits), 0);
    }
    bool is_real = call->whole > 0 || call->short_dst;
    return take_array(state, "_interpolate", object, is_real ? dtype : GA_f64, true);
}

static int
describe_result(const GaArray *dst, ga_interpolate_call *call)
{
    call->size = dst->size;
    call->dst_ndim = call->coordinates != NULL ? 1 : dst->ndim;
    if (call->dst_ndim > GA_RESAMPLE_PLACES)
        return refuse("_interpolate", "the result has too many axes");
    for (int d = 0; call->coordinates == NULL && d < dst->ndim; d++)
        call->dst_shape[d] = dst->shape[d];
    return 0;
}

/* Coordinates on the device, or the matrix and the offset of an affine map. */
static int
take_map(GaState *state, PyObject *const *got, GaArray *dst, ga_interpolate_call *call,
         ga_stream **stream)
{
    char *data;
    if (got[2] == Py_None)
        return read_doubles(got[3], call->ndim * dst->ndim, call->matrix) < 0 ||
                       read_doubles(got[4], call->ndim, call->offset) < 0
                   ? -1
                   : 0;
    call->short_coordinates = is_short(state, got[2]);
    GaArray *coordinates =
        take_array(state, "_interpolate", got[2], call->short_coordinates ? GA_f32 : GA_f64, true);
    if (coordinates == NULL)
        return -1;
    if (coordinates->size != call->ndim * dst->size || call->ndim != ((GaArray *)got[0])->ndim)
        return refuse("_interpolate", "coordinates have the wrong size");
    if (ga_array_pointer(coordinates, GA_READ, stream, &data) < 0)
        return -1;
    call->coordinates = data;
    return 0;
}

static PyObject *
interpolate(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"_interpolate",
                                           10,
                                           10,
                                           {"src", "dst", "coordinates", "matrix", "offset",
                                            "order", "mode", "outside", "pad", "axes", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[10];
    ga_interpolate_call call = {.size = 0};
    ga_stream *stream;
    char *from, *to;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    call.short_src = is_short(state, got[0]);
    GaArray *src = take_array(state, "_interpolate", got[0], call.short_src ? GA_f32 : GA_f64, false);
    GaArray *dst = take_result(state, got[1], &call);
    if (src == NULL || dst == NULL)
        return NULL;
    call.order = (int32_t)PyLong_AsLong(got[5]);
    call.mode = (enum ga_resample_mode)PyLong_AsLong(got[6]);
    call.outside = PyFloat_AsDouble(got[7]);
    call.pad = PyLong_AsLongLong(got[8]);
    if (PyErr_Occurred() || describe_source(src, dst, got[9], &call) < 0 ||
        take_map(state, got, dst, &call, &stream) < 0 || describe_result(dst, &call) < 0 ||
        ga_array_pointer(src, GA_READ, &stream, &from) < 0 ||
        ga_array_pointer(dst, GA_WRITE, &stream, &to) < 0)
        return NULL;
    call.src = from;
    call.dst = to;
    int rc = call.size == 0 ? 0 : ga_launch_interpolate(ga_array_device(dst), &call, stream);
    return rc < 0 ? NULL : Py_NewRef(Py_None);
}

/* ---- splines ---- */

static int
describe_lines(const GaArray *a, int axis, ga_spline_call *call)
{
    ga_iter it;
    int count = 0;
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    const int64_t *const operand[1] = {strides};
    for (int d = 0; d < a->ndim; d++) {
        if (d == axis)
            continue;
        shape[count] = a->shape[d];
        strides[count++] = a->strides[d];
    }
    ga_iter_begin(&it, count, shape, 1, operand, true);
    if (it.outer_ndim > 0)
        return refuse("_spline", "too many axes that cannot be joined");
    call->nlines = it.ndim;
    call->size = it.size;
    memcpy(call->shape, it.shape, sizeof it.shape);
    memcpy(call->strides, it.strides[0], sizeof call->strides);
    call->data = (char *)call->data + it.offsets[0];
    call->length = a->shape[axis];
    call->stride = a->strides[axis];
    return 0;
}

static PyObject *
filter_spline(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"_spline", 4, 4, {"a", "axis", "order", "mode", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[4];
    ga_spline_call call = {.size = 0};
    ga_stream *stream;
    char *data;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    GaArray *a = take_array(state, "_spline", got[0], GA_f64, false);
    long axis = PyLong_AsLong(got[1]);
    call.order = (int32_t)PyLong_AsLong(got[2]);
    call.mode = (enum ga_resample_mode)PyLong_AsLong(got[3]);
    if (a == NULL || PyErr_Occurred())
        return NULL;
    if (axis < 0 || axis >= a->ndim || call.order < 2 || call.order > GA_RESAMPLE_ORDER)
        return PyErr_Format(PyExc_ValueError, "_spline: no axis %ld, or no order %d", axis,
                            call.order);
    if (a->size == 0)
        Py_RETURN_NONE;
    if (ga_array_pointer(a, GA_READWRITE, &stream, &data) < 0)
        return NULL;
    call.data = data;
    if (describe_lines(a, (int)axis, &call) < 0)
        return NULL;
    return ga_launch_spline(ga_array_device(a), &call, stream) < 0 ? NULL : Py_NewRef(Py_None);
}

/* ---- labels ---- */

/* The steps to neighbours: bytes, a signed one for each axis of each step. */
static int
take_steps(PyObject *bytes, int ndim, ga_label_call *call)
{
    if (!PyBytes_Check(bytes) || ndim < 1 || PyBytes_GET_SIZE(bytes) % ndim != 0 ||
        PyBytes_GET_SIZE(bytes) / ndim > GA_LABEL_NEIGHBOURS)
        return refuse("_label", "steps must be bytes, one for each axis");
    const char *steps = PyBytes_AS_STRING(bytes);
    call->count = (int32_t)(PyBytes_GET_SIZE(bytes) / ndim);
    for (int k = 0; k < call->count; k++)
        memcpy(call->steps[k], steps + k * ndim, (size_t)ndim);
    return 0;
}

static PyObject *
label_elements(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_label", 4, 4, {"mask", "roots", "firsts", "steps", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[4];
    ga_label_call call = {.size = 0};
    ga_stream *stream;
    char *mask_data, *roots_data, *firsts_data;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    GaArray *mask = take_array(state, "_label", got[0], GA_b1, true);
    GaArray *roots = mask == NULL ? NULL : take_array(state, "_label", got[1], GA_i64, true);
    GaArray *firsts = roots == NULL ? NULL : take_array(state, "_label", got[2], GA_b1, true);
    if (firsts == NULL)
        return NULL;
    if (mask->ndim > GA_LABEL_DIMS)
        return PyErr_Format(PyExc_NotImplementedError,
                            "label of arrays with %d axes is not there; 1 to %d are", mask->ndim,
                            GA_LABEL_DIMS);
    if ((roots->size != mask->size || firsts->size != mask->size) &&
        refuse("_label", "mask, roots and firsts differ in size") < 0)
        return NULL;
    call.ndim = mask->ndim;
    call.size = mask->size;
    memcpy(call.shape, mask->shape, sizeof *mask->shape * (size_t)mask->ndim);
    if (take_steps(got[3], mask->ndim, &call) < 0 ||
        ga_array_pointer(mask, GA_READ, &stream, &mask_data) < 0 ||
        ga_array_pointer(roots, GA_WRITE, &stream, &roots_data) < 0 ||
        ga_array_pointer(firsts, GA_WRITE, &stream, &firsts_data) < 0)
        return NULL;
    call.mask = (const uint8_t *)mask_data;
    call.firsts = (uint8_t *)firsts_data;
    call.roots = (int64_t *)(void *)roots_data;
    int rc = call.size == 0 ? 0 : ga_launch_label(ga_array_device(mask), &call, stream);
    return rc < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
number_elements(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_number", 3, 3, {"roots", "numbers", "labels", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[3];
    ga_number_call call = {.size = 0};
    ga_stream *stream;
    char *data[3];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    call.short_labels = GA_ARRAY_CHECK(state, got[2]) && ((GaArray *)got[2])->dtype == GA_i32;
    for (int k = 0; k < 3; k++) {
        enum ga_dtype dtype = k == 2 && call.short_labels ? GA_i32 : GA_i64;
        GaArray *a = take_array(state, "_number", got[k], dtype, true);
        if (a == NULL || (k > 0 && a->size != call.size && refuse("_number", "sizes differ") < 0) ||
            ga_array_pointer(a, k == 2 ? GA_WRITE : GA_READ, &stream, &data[k]) < 0)
            return NULL;
        call.size = a->size;
    }
    call.roots = (const int64_t *)(void *)data[0];
    call.numbers = (const int64_t *)(void *)data[1];
    call.labels = data[2];
    const ga_device *device = ga_array_device((GaArray *)got[0]);
    int rc = call.size == 0 ? 0 : ga_launch_number(device, &call, stream);
    return rc < 0 ? NULL : Py_NewRef(Py_None);
}

#define ROW(name, function, text) \
    { \
        name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, name text \
    }

static PyMethodDef resample_functions[] = {
    ROW("_interpolate", interpolate,
        "($module, src, dst, coordinates, matrix, offset, order, mode, outside, pad, axes)\n--\n\nFill "
        "dst with values of src at coordinates along axes, or at those that an affine map gives."),
    ROW("_spline", filter_spline,
        "($module, a, axis, order, mode)\n--\n\nTurn values along an axis into coefficients of "
        "their spline, in place."),
    ROW("_label", label_elements,
        "($module, mask, roots, firsts, steps)\n--\n\nGive each true element the flat index of the "
        "first one that is connected with it, and say which are those."),
    ROW("_number", number_elements,
        "($module, roots, numbers, labels)\n--\n\nGive each element the number of its root."),
    {NULL, NULL, 0, NULL},
};

int
ga_resample_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, resample_functions);
}
