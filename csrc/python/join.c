/* concatenate: a result array, and a strided copy of each input into its part of it. The result's
 * axis order is the common one of the inputs (F if all are F). Steps: parse, inputs, shape, result,
 * blocks. */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "array.h"
#include "convert.h"
#include "dtype.h"
#include "module.h"
#include "transfer.h"

typedef struct {
    GaState *state;
    Py_ssize_t count;
    GaArray **inputs;     /* owned references, NULL where not yet made */
    PyArray_Descr *descr; /* owned */
    ga_device *device;
    bool flatten;       /* axis=None */
    PyObject *sequence; /* borrowed: what was given */
    int axis, ndim;
    int64_t shape[GA_MAXDIMS];
} join_call;

/* The device of the first input that is ours; NULL if there is none. */
static ga_device *
find_device(GaState *state, PyObject *sequence)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sequence); i++) {
        PyObject *item = PyTuple_GET_ITEM(sequence, i);
        if (GA_ARRAY_CHECK(state, item))
            return ga_array_device((GaArray *)item);
    }
    return NULL;
}

/* *plain is set when an input is of a dtype that no device holds and none of them is ours. */
static int
make_inputs(join_call *call, PyObject *sequence, bool *plain)
{
    PyArrayObject *host = NULL;
    call->device = find_device(call->state, sequence);
    call->count = PyTuple_GET_SIZE(sequence);
    call->inputs = PyMem_Calloc((size_t)call->count + 1, sizeof *call->inputs);
    if (call->inputs == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < call->count && host == NULL; i++) {
        PyObject *item = PyTuple_GET_ITEM(sequence, i);
        if (ga_convert_any(call->state, item, NULL, call->device, 'K', GA_COPY_IF_NEEDED,
                           &call->inputs[i], &host) < 0)
            return -1;
    }
    *plain = host != NULL;
    Py_XDECREF(host);
    if (call->device == NULL && ga_device_default(&call->device) < 0)
        return ga_raise_int();
    return 0;
}

static int
refuse_dimensions(const join_call *call, Py_ssize_t i)
{
    PyErr_Format(
        PyExc_ValueError,
        "all the input arrays must have same number of dimensions, but the array at index 0 has %d "
        "dimension(s) and the array at index %zd has %d dimension(s)",
        call->ndim, i, call->inputs[i]->ndim);
    return -1;
}

static int
add_input(join_call *call, Py_ssize_t i)
{
    const GaArray *a = call->inputs[i];
    if (a->ndim != call->ndim)
        return refuse_dimensions(call, i);
    for (int k = 0; k < call->ndim; k++) {
        if (k == call->axis)
            call->shape[k] += a->shape[k];
        else if (a->shape[k] != call->shape[k]) {
            PyErr_Format(
                PyExc_ValueError,
                "all the input array dimensions except for the concatenation axis must match "
                "exactly, but along dimension %d, the array at index 0 has size %lld and the array "
                "at index %zd has size %lld",
                k, (long long)call->shape[k], i, (long long)a->shape[k]);
            return -1;
        }
    }
    return 0;
}

static int
find_flat_shape(join_call *call)
{
    call->ndim = 1;
    call->axis = 0;
    call->shape[0] = 0;
    for (Py_ssize_t i = 0; i < call->count; i++)
        call->shape[0] += call->inputs[i]->size;
    return 0;
}

static int
find_shape(join_call *call, PyObject *axis_arg)
{
    if (call->flatten)
        return find_flat_shape(call);
    const GaArray *first = call->inputs[0];
    Py_ssize_t axis = axis_arg == NULL ? 0 : PyNumber_AsSsize_t(axis_arg, PyExc_OverflowError);
    if (axis == -1 && PyErr_Occurred())
        return -1;
    call->ndim = first->ndim;
    if (first->ndim == 0) {
        PyErr_SetString(PyExc_ValueError, "zero-dimensional arrays cannot be concatenated");
        return -1;
    }
    if (axis < -first->ndim || axis >= first->ndim)
        return ga_raise_axis(call->state, axis, first->ndim);
    call->axis = (int)(axis < 0 ? axis + first->ndim : axis);
    memcpy(call->shape, first->shape, (size_t)first->ndim * sizeof *call->shape);
    for (Py_ssize_t i = 1; i < call->count; i++) {
        if (add_input(call, i) < 0)
            return -1;
    }
    return 0;
}

static bool
is_weak(const join_call *call, Py_ssize_t i)
{
    PyObject *item = PyTuple_GET_ITEM(call->sequence, i);
    return PyLong_CheckExact(item) || PyFloat_CheckExact(item) || PyComplex_CheckExact(item);
}

/* Python numbers, which only axis=None takes, adapt to the arrays' dtypes as in NumPy, which is asked. */
static int
find_weak_descr(join_call *call)
{
    PyObject *function = PyObject_GetAttrString(call->state->numpy, "result_type");
    PyObject *types = PyTuple_New(call->count);
    for (Py_ssize_t i = 0; types != NULL && i < call->count; i++) {
        PyObject *item = is_weak(call, i) ? PyTuple_GET_ITEM(call->sequence, i) : (PyObject *)call->inputs[i]->descr;
        PyTuple_SET_ITEM(types, i, Py_NewRef(item));
    }
    if (function != NULL && types != NULL)
        call->descr = (PyArray_Descr *)PyObject_Call(function, types, NULL);
    Py_XDECREF(types);
    Py_XDECREF(function);
    for (Py_ssize_t i = 0; call->descr != NULL && i < call->count; i++) {
        GaArray *cast = is_weak(call, i) ? ga_transfer_cast(call->state, call->inputs[i], call->descr) : NULL;
        if (cast != NULL)
            Py_SETREF(call->inputs[i], cast);
        else if (is_weak(call, i))
            return -1;
    }
    return call->descr == NULL ? -1 : 0;
}

static int
find_descr(join_call *call)
{
    for (Py_ssize_t i = 0; call->flatten && i < call->count; i++) {
        if (is_weak(call, i))
            return find_weak_descr(call);
    }
    PyArray_Descr **descrs = PyMem_Malloc((size_t)call->count * sizeof *descrs);
    if (descrs == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < call->count; i++)
        descrs[i] = call->inputs[i]->descr;
    /* All at once: int16, uint16 and float16 together are float32, two by two float64. */
    call->descr = PyArray_ResultType(0, NULL, call->count, descrs);
    PyMem_Free(descrs);
    return call->descr == NULL ? -1 : 0;
}

static int
check_casting(const join_call *call, NPY_CASTING casting)
{
    for (Py_ssize_t i = 0; i < call->count; i++) {
        PyArray_Descr *from = call->inputs[i]->descr;
        if (ga_dtype_can_cast(from, call->descr, casting)) {
            if (ga_transfer_warn_complex(call->state, from, call->descr) < 0)
                return -1;
            continue;
        }
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from %R to %R according to the rule '%s'", from,
                     call->descr, ga_dtype_casting_name(casting));
        return -1;
    }
    return 0;
}

enum axis_order { ORDER_UNKNOWN, ORDER_KEPT, ORDER_SWAPPED };

/* Whether `right` should come before `left` in the result: what the inputs' strides say of two axes.
 * Axes of length one say nothing; where inputs disagree, C order wins. */
static enum axis_order
compare_axes(const join_call *call, int left, int right)
{
    enum axis_order order = ORDER_UNKNOWN;
    for (Py_ssize_t i = 0; i < call->count && order != ORDER_KEPT; i++) {
        const GaArray *a = call->inputs[i];
        if (a->shape[left] == 1 || a->shape[right] == 1)
            continue;
        bool swapped = llabs(a->strides[right]) > llabs(a->strides[left]);
        order = swapped ? ORDER_SWAPPED : ORDER_KEPT;
    }
    return order;
}

/* The result's strides, by the insertion sort that NumPy uses: an axis moves left as long as
 * nothing forbids it, and stays at the last place that something asked for. */
static void
find_strides(const join_call *call, int64_t *strides)
{
    int order[GA_MAXDIMS];
    for (int i = 0; i < call->ndim; i++) {
        int place = i;
        enum axis_order verdict = ORDER_UNKNOWN;
        for (int k = i - 1; k >= 0 && verdict != ORDER_KEPT; k--) {
            verdict = compare_axes(call, order[k], i);
            if (verdict == ORDER_SWAPPED)
                place = k;
        }
        memmove(order + place + 1, order + place, (size_t)(i - place) * sizeof *order);
        order[place] = i;
    }
    int64_t step = (int64_t)PyDataType_ELSIZE(call->descr);
    for (int i = call->ndim - 1; i >= 0; i--) {
        strides[order[i]] = step;
        step *= call->shape[order[i]];
    }
}

static GaArray *
make_result(const join_call *call)
{
    int64_t strides[GA_MAXDIMS];
    if (call->flatten)
        return ga_array_new(call->state, call->device, call->descr, call->ndim, call->shape, 'C');
    find_strides(call, strides);
    return ga_array_new_strided(call->state, call->device, call->descr, call->ndim, call->shape,
                                strides);
}

static GaArray *
take_out(const join_call *call, PyObject *out)
{
    GaArray *result = (GaArray *)out;
    if (!GA_ARRAY_CHECK(call->state, out)) {
        PyErr_Format(PyExc_TypeError, "concatenate(): out must be an ndarray, not %.200s",
                     Py_TYPE(out)->tp_name);
        return NULL;
    }
    if (result->ndim != call->ndim) {
        PyErr_SetString(PyExc_ValueError, "Output array has wrong dimensionality");
        return NULL;
    }
    if (memcmp(result->shape, call->shape, (size_t)call->ndim * sizeof *call->shape) != 0) {
        PyErr_SetString(PyExc_ValueError, "Output array is the wrong shape");
        return NULL;
    }
    return (GaArray *)Py_NewRef(out);
}

/* An input as it lies in the result: for axis=None the part of the flat result in the input's
 * shape. */
static GaArray *
view_block(const join_call *call, GaArray *result, const GaArray *input, int64_t start)
{
    int64_t strides[GA_MAXDIMS];
    int64_t offset = start * result->strides[call->axis];
    if (!call->flatten)
        return ga_array_view(call->state, result, NULL, input->ndim, input->shape, result->strides,
                             offset);
    int64_t step = result->strides[0];
    for (int k = input->ndim - 1; k >= 0; k--) {
        strides[k] = step;
        step *= input->shape[k];
    }
    return ga_array_view(call->state, result, NULL, input->ndim, input->shape, strides, offset);
}

static int
copy_blocks(const join_call *call, GaArray *result)
{
    int64_t start = 0;
    for (Py_ssize_t i = 0; i < call->count; i++) {
        GaArray *input = call->inputs[i];
        GaArray *block = view_block(call, result, input, start);
        int rc = block == NULL ? -1 : ga_transfer_assign(call->state, block, input);
        Py_XDECREF(block);
        if (rc < 0)
            return -1;
        start += call->flatten ? input->size : input->shape[call->axis];
    }
    return 0;
}

static void
clear_call(join_call *call)
{
    for (Py_ssize_t i = 0; call->inputs != NULL && i < call->count; i++)
        Py_XDECREF(call->inputs[i]);
    PyMem_Free(call->inputs);
    Py_XDECREF(call->descr);
}

/* The result's dtype: the one asked for, that of out, or what the inputs promote to. */
static int
settle_descr(join_call *call, PyObject *out, PyObject *dtype, PyObject *casting_arg)
{
    NPY_CASTING casting = NPY_SAME_KIND_CASTING;
    if (casting_arg != NULL && !PyArray_CastingConverter(casting_arg, &casting))
        return -1;
    if (out != NULL && dtype != NULL) {
        PyErr_SetString(
            PyExc_TypeError,
            "concatenate() only takes `out` or `dtype` as an argument, but both were provided.");
        return -1;
    }
    if (out != NULL && GA_ARRAY_CHECK(call->state, out))
        call->descr = (PyArray_Descr *)Py_NewRef(((GaArray *)out)->descr);
    else if (dtype != NULL && ga_dtype_parse(dtype, &call->descr) < 0)
        return -1;
    if (call->descr == NULL && find_descr(call) < 0)
        return -1;
    return check_casting(call, casting);
}

static GaArray *
run_join(join_call *call, PyObject **values)
{
    PyObject *out = ga_arguments_given(values[2]);
    if (call->count == 0) {
        PyErr_SetString(PyExc_ValueError, "need at least one array to concatenate");
        return NULL;
    }
    call->flatten = values[1] == Py_None;
    if (find_shape(call, values[1]) < 0 ||
        settle_descr(call, out, ga_arguments_given(values[3]), values[4]) < 0)
        return NULL;
    GaArray *result = out != NULL ? take_out(call, out) : make_result(call);
    if (result != NULL && copy_blocks(call, result) < 0)
        Py_CLEAR(result);
    return result;
}

static PyObject *
answer_by_numpy(GaState *state, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *function = PyObject_GetAttrString(state->numpy, "concatenate");
    if (function == NULL)
        return NULL;
    PyObject *result = PyObject_Vectorcall(function, args, (size_t)nargs, kwnames);
    Py_DECREF(function);
    return result;
}

static PyObject *
join_concatenate(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "concatenate", 1, 3, {" arrays", "axis", "out", "dtype", "casting"}};
    PyObject *values[5], *result = NULL;
    bool plain = false;
    join_call call = {.state = PyModule_GetState(module)};
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    PyObject *sequence = PySequence_Tuple(values[0]);
    if (sequence == NULL)
        return NULL;
    call.sequence = sequence;
    if (make_inputs(&call, sequence, &plain) == 0)
        result = plain ? answer_by_numpy(call.state, args, nargs, kwnames)
                       : (PyObject *)run_join(&call, values);
    clear_call(&call);
    Py_DECREF(sequence);
    return result;
}

static PyMethodDef join_functions[] = {
    {"concatenate", (PyCFunction)(void (*)(void))join_concatenate, METH_FASTCALL | METH_KEYWORDS,
     "concatenate($module, arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')\n--\n\n"
     "Join arrays along an axis they have.\n\n"
     "Parameters\n----------\narrays : sequence of array_like\n    Of one shape except along "
     "`axis`.\naxis : int or None, optional\n"
     "    None: the arrays are flattened first.\nout : ndarray, optional\n    Where the result "
     "goes.\ndtype : dtype, optional\n"
     "    By default what the arrays promote to; not together with `out`.\ncasting : str, "
     "optional\n"
     "    What conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or "
     "'unsafe'.\n\nReturns\n-------\nndarray\n"
     "    On the device of the first device array among `arrays`."},
    {NULL, NULL, 0, NULL},
};

int
ga_join_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, join_functions);
}
