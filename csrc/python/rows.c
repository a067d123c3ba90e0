/* _sort_rows: the order of a matrix' rows. gpuarray/_unique_rows.py makes the matrix. Includes
 * arguments.h, dense.h, launch.h. */
#include "arguments.h"
#include "dense.h"
#include "dtype.h"
#include "launch.h"
#include "module.h"

enum { SRC, POSITIONS, SPARE, FIRST, COUNT };

static GaArray *
make_vector(GaState *state, const GaArray *src, enum ga_dtype dtype)
{
    PyArray_Descr *descr = ga_dtype_descr(state, dtype);
    if (descr == NULL)
        return NULL;
    GaArray *vector = ga_array_new(state, ga_array_device(src), descr, 1, src->shape, 'C');
    Py_DECREF(descr);
    return vector;
}

static int
launch_rows(GaArray *const *arrays)
{
    char *data[COUNT];
    ga_stream *stream = NULL;
    for (int i = 0; i < COUNT; i++) {
        if (ga_array_pointer(arrays[i], i == SRC ? GA_READ : GA_WRITE, &stream, &data[i]) < 0)
            return -1;
    }
    ga_rows_call call = {.dtype = arrays[SRC]->dtype,
                         .rows = arrays[SRC]->shape[0],
                         .length = arrays[SRC]->shape[1],
                         .src = data[SRC],
                         .positions = (int64_t *)(void *)data[POSITIONS],
                         .spare = (int64_t *)(void *)data[SPARE],
                         .first = (bool *)data[FIRST]};
    return call.rows > 0 ? ga_launch_rows(ga_array_device(arrays[SRC]), &call, stream) : 0;
}

static PyObject *
sort_rows(PyObject *module, PyObject *matrix)
{
    GaState *state = PyModule_GetState(module);
    GaArray *arrays[COUNT] = {ga_dense_take(state, "_sort_rows", matrix)};
    PyObject *result = NULL;
    if (arrays[SRC] == NULL)
        return NULL;
    if (arrays[SRC]->ndim != 2)
        return PyErr_Format(PyExc_ValueError, "_sort_rows: the array has %d dimensions, not 2", arrays[SRC]->ndim);
    for (int i = POSITIONS; i < COUNT; i++) {
        arrays[i] = make_vector(state, arrays[SRC], i == FIRST ? GA_b1 : GA_i64);
        if (arrays[i] == NULL)
            goto done;
    }
    if (launch_rows(arrays) == 0)
        result = PyTuple_Pack(2, arrays[POSITIONS], arrays[FIRST]);
done:
    for (int i = POSITIONS; i < COUNT; i++)
        Py_XDECREF(arrays[i]);
    return result;
}

static PyMethodDef rows_functions[] = {
    {"_sort_rows", sort_rows, METH_O,
     "_sort_rows($module, matrix, /)\n--\n\nThe positions that sort the rows of a contiguous matrix, and which of the sorted rows are "
     "unlike the one before."},
    {NULL, NULL, 0, NULL},
};

int
ga_rows_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, rows_functions);
}
