/* _triangle: matrices with zeros on one side of a diagonal; _pack_bits: truth values as bits.
 * gpuarray/_creation.py and _bits.py compose what these do not take. Includes dense.h, launch.h. */
#include "arguments.h"
#include "dense.h"
#include "launch.h"
#include "module.h"

static int
launch_triangle(GaArray *from, GaArray *to, int64_t k, bool lower)
{
    ga_stream *stream;
    char *src, *dst;
    if (ga_array_pointer(from, GA_READ, &stream, &src) < 0 || ga_array_pointer(to, GA_WRITE, &stream, &dst) < 0)
        return -1;
    ga_triangle_call call = {.itemsize = (int32_t)ga_array_itemsize(from),
                             .lower = lower,
                             .size = from->size,
                             .rows = from->shape[from->ndim - 2],
                             .columns = from->shape[from->ndim - 1],
                             .k = k,
                             .src = src,
                             .dst = dst};
    return ga_launch_triangle(ga_array_device(to), &call, stream);
}

/* Whether the kernel takes the array: contiguous matrices, aligned to items of which complex numbers have two. */
static bool
has_triangle(const GaArray *a)
{
    return (a->flags & GA_ARRAY_C) && a->ndim >= 2 && a->shape[a->ndim - 1] < INT32_MAX &&
           ((intptr_t)a->buffer->ptr + a->offset) % (intptr_t)ga_array_itemsize(a) == 0;
}

static PyObject *
keep_triangle(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    if (!ga_arguments_count("_triangle", nargs, 3, 3))
        return NULL;
    if (!GA_ARRAY_CHECK(state, args[0]))
        return PyErr_Format(PyExc_TypeError, "_triangle: expected an ndarray, got %.200s", Py_TYPE(args[0])->tp_name);
    GaArray *a = (GaArray *)args[0];
    long long k = PyLong_AsLongLong(args[1]);
    int lower = PyObject_IsTrue(args[2]);
    if ((k == -1 && PyErr_Occurred()) || lower < 0)
        return NULL;
    if (!has_triangle(a))
        Py_RETURN_NONE;
    int64_t outside = INT64_MAX / 2; /* of any matrix; kernels add to it */
    k = k > outside ? outside : k < -outside ? -outside : k;
    GaArray *result = ga_array_new(state, ga_array_device(a), a->descr, a->ndim, a->shape, 'C');
    if (result != NULL && result->size > 0 && launch_triangle(a, result, k, lower > 0) < 0)
        Py_CLEAR(result);
    return (PyObject *)result;
}

/* The arrays of _pack_bits, borrowed: lines of bytes, and bytes of as many lines. */
static int
take_lines(GaState *state, PyObject *const *args, GaArray **lines, GaArray **packed)
{
    *lines = ga_dense_take(state, "_pack_bits", args[0]);
    *packed = *lines == NULL ? NULL : ga_dense_take_as(state, "_pack_bits", args[1], GA_u8);
    if (*packed == NULL)
        return -1;
    int64_t length = (*lines)->ndim > 0 ? (*lines)->shape[(*lines)->ndim - 1] : 0;
    if (length > 0 && ga_array_itemsize(*lines) == 1 && (*packed)->size == (*lines)->size / length * ((length + 7) / 8))
        return 0;
    PyErr_SetString(PyExc_ValueError, "_pack_bits: the arrays do not fit each other");
    return -1;
}

static PyObject *
pack_bits(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    GaArray *from, *to;
    ga_stream *stream;
    char *src, *dst;
    if (!ga_arguments_count("_pack_bits", nargs, 3, 3) || take_lines(state, args, &from, &to) < 0)
        return NULL;
    int little = PyObject_IsTrue(args[2]);
    if (little < 0 || ga_array_pointer(from, GA_READ, &stream, &src) < 0 ||
        ga_array_pointer(to, GA_WRITE, &stream, &dst) < 0)
        return NULL;
    int64_t length = from->shape[from->ndim - 1];
    ga_pack_call call = {.little = little > 0,
                         .lines = from->size / length,
                         .length = length,
                         .src = (const uint8_t *)src,
                         .dst = (uint8_t *)dst};
    if (ga_launch_pack(ga_array_device(to), &call, stream) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef mask_functions[] = {
    {"_triangle", (PyCFunction)(void (*)(void))keep_triangle, METH_FASTCALL,
     "_triangle($module, m, k, lower, /)\n--\n\nContiguous matrices with zeros above their diagonal k, or below it; None for "
     "others."},
    {"_pack_bits", (PyCFunction)(void (*)(void))pack_bits, METH_FASTCALL,
     "_pack_bits($module, lines, packed, little, /)\n--\n\nFill bytes with the truth values along the last axis of an array "
     "of bytes."},
    {NULL, NULL, 0, NULL},
};

int
ga_mask_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, mask_functions);
}
