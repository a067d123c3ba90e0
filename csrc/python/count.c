/* _count: how often each of some integers is there. gpuarray/_counting.py checks what the values may be. */
#include "arguments.h"
#include "dense.h"
#include "launch.h"
#include "module.h"

/* An integer of the host modulo 2^64. */
static int
read_least(PyObject *object, int64_t *least)
{
    *least = (int64_t)PyLong_AsUnsignedLongLongMask(object);
    return *least == -1 && PyErr_Occurred() ? -1 : 0;
}

static PyObject *
count_values(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    ga_stream *stream;
    char *values, *counts;
    int64_t least;
    if (!ga_arguments_count("_count", nargs, 3, 3) || read_least(args[2], &least) < 0)
        return NULL;
    GaArray *from = ga_dense_take(state, "_count", args[0]);
    GaArray *to = from == NULL ? NULL : ga_dense_take_as(state, "_count", args[1], GA_i64);
    if (to == NULL || ga_array_pointer(from, GA_READ, &stream, &values) < 0 ||
        ga_array_pointer(to, GA_READWRITE, &stream, &counts) < 0)
        return NULL;
    ga_count_call call = {.dtype = from->dtype,
                          .size = from->size,
                          .bins = to->size,
                          .least = least,
                          .values = values,
                          .counts = (int64_t *)(void *)counts};
    if (ga_launch_count(ga_array_device(to), &call, stream) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef count_functions[] = {
    {"_count", (PyCFunction)(void (*)(void))count_values, METH_FASTCALL,
     "_count($module, values, counts, least, /)\n--\n\nAdd one to counts[value - least] for every integer that has a "
     "place there; counts of int64."},
    {NULL, NULL, 0, NULL},
};

int
ga_count_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, count_functions);
}
