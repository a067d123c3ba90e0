/* _count: how often each small integer is there. gpuarray/_counting.py checks what the places may be. */
#include "dense.h"
#include "launch.h"
#include "module.h"

static PyObject *
count_places(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    ga_stream *stream;
    char *places, *counts;
    if (!_PyArg_CheckPositional("_count", nargs, 2, 2))
        return NULL;
    GaArray *from = ga_dense_take_as(state, "_count", args[0], GA_i64);
    GaArray *to = from == NULL ? NULL : ga_dense_take_as(state, "_count", args[1], GA_i64);
    if (to == NULL || ga_array_pointer(from, GA_READ, &stream, &places) < 0 ||
        ga_array_pointer(to, GA_READWRITE, &stream, &counts) < 0)
        return NULL;
    ga_count_call call = {.size = from->size,
                          .bins = to->size,
                          .places = (const int64_t *)(void *)places,
                          .counts = (int64_t *)(void *)counts};
    if (ga_launch_count(ga_array_device(to), &call, stream) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef count_functions[] = {
    {"_count", (PyCFunction)(void (*)(void))count_places, METH_FASTCALL,
     "_count($module, places, counts, /)\n--\n\nAdd one to counts[place] for every place within it; both contiguous "
     "int64."},
    {NULL, NULL, 0, NULL},
};

int
ga_count_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, count_functions);
}
