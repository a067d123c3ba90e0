/* _extend: an array with more of itself around it, or moved round. gpuarray/_padding.py and
 * _joining.py make the new array. Includes arguments.h, dense.h, launch.h, transfer.h. */
#include "arguments.h"
#include "dense.h"
#include "launch.h"
#include "module.h"
#include "transfer.h"
#include "ufunc_call.h"

enum { SRC, DST, BEFORE, BORDER, OUTSIDE, ARGUMENTS };

/* Whether the arrays are of one dtype and device, with at least one axis and no more than a launch takes. */
static bool
are_alike(const GaArray *src, const GaArray *dst)
{
    return src->ndim == dst->ndim && src->ndim > 0 && src->ndim <= GA_ITER_DIMS && src->dtype == dst->dtype &&
           ga_array_device(src) == ga_array_device(dst);
}

/* src is new, and a copy where elements are not aligned; dst is borrowed, and contiguous. */
static int
take_arrays(GaState *state, PyObject *const *args, GaArray **src, GaArray **dst)
{
    GaArray *a = (GaArray *)args[SRC];
    *dst = ga_dense_take(state, "_extend", args[DST]);
    if (*dst == NULL)
        return -1;
    if (!GA_ARRAY_CHECK(state, a) || !are_alike(a, *dst)) {
        PyErr_SetString(PyExc_ValueError, "_extend: the arrays do not fit each other");
        return -1;
    }
    *src = ga_transfer_aligned(a) ? (GaArray *)Py_NewRef(a) : ga_transfer_copy(state, a, NULL, NULL, 'K');
    return *src != NULL ? 0 : -1;
}

static int
take_before(PyObject *tuple, const GaArray *src, const GaArray *dst, ga_extend_call *call)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != dst->ndim) {
        PyErr_SetString(PyExc_TypeError, "_extend: before must be a tuple with an integer for each axis");
        return -1;
    }
    call->ndim = dst->ndim;
    for (int d = 0; d < dst->ndim; d++) {
        call->before[d] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, d));
        if (call->before[d] == -1 && PyErr_Occurred())
            return -1;
        call->shape[d] = dst->shape[d];
        call->inner[d] = src->shape[d];
        call->strides[d] = src->strides[d];
    }
    return 0;
}

/* The rule, and the element that stands outside under the constant one. */
static int
take_border(PyObject *const *args, const GaArray *src, ga_extend_call *call)
{
    long border = PyLong_AsLong(args[BORDER]);
    if (border == -1 && PyErr_Occurred())
        return -1;
    bool constant = border == GA_BORDER_CONSTANT;
    if (border < GA_BORDER_CONSTANT || border > GA_BORDER_WRAP || (src->size == 0 && !constant)) {
        PyErr_SetString(PyExc_ValueError, "_extend: there is no such border");
        return -1;
    }
    call->border = (enum ga_border)border;
    if (!constant || ga_number_pack(args[OUTSIDE], src->dtype, &call->outside) == GA_CALL_OK)
        return 0;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "_extend: a number that the dtype does not hold");
    return -1;
}

static int
launch_extend(GaArray *src, GaArray *dst, ga_extend_call *call)
{
    ga_stream *stream = NULL;
    char *from, *to;
    call->itemsize = (int32_t)ga_array_itemsize(src);
    call->size = dst->size;
    if (ga_array_pointer(src, GA_READ, &stream, &from) < 0 || ga_array_pointer(dst, GA_WRITE, &stream, &to) < 0)
        return -1;
    call->src = from;
    call->dst = to;
    return call->size > 0 ? ga_launch_extend(ga_array_device(dst), call, stream) : 0;
}

static PyObject *
extend_array(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaArray *src = NULL, *dst;
    ga_extend_call call = {.ndim = 0};
    if (!ga_arguments_count("_extend", nargs, ARGUMENTS, ARGUMENTS) ||
        take_arrays(PyModule_GetState(module), args, &src, &dst) < 0)
        return NULL;
    bool done = take_before(args[BEFORE], src, dst, &call) == 0 && take_border(args, src, &call) == 0 &&
                launch_extend(src, dst, &call) == 0;
    Py_DECREF(src);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef extend_functions[] = {
    {"_extend", (PyCFunction)(void (*)(void))extend_array, METH_FASTCALL,
     "_extend($module, src, dst, before, border, outside, /)\n--\n\nFill dst with src, which begins `before` elements from its "
     "start, and with what a border's rule has beyond it."},
    {NULL, NULL, 0, NULL},
};

int
ga_extend_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, extend_functions);
}
