/* Selection along the last axis: what gpuarray/_partition.py and _quantiles.py stand on. Arrays arrive C-contiguous;
 * axes, places within bounds and layouts are the callers' business. */
#include "arguments.h"
#include "dense.h"
#include "launch.h"
#include "module.h"
#include "sort_host.h"

static int64_t
count_rows(const GaArray *a)
{
    int64_t rows = 1;
    for (int d = 0; d < a->ndim - 1; d++)
        rows *= a->shape[d];
    return rows;
}

static int64_t
row_length(const GaArray *a)
{
    return a->ndim > 0 ? a->shape[a->ndim - 1] : 1;
}

/* ---- order statistics ---- */

/* Places that are numbers of the host, the same for all rows. */
static int
read_places(PyObject *object, ga_rank_call *call)
{
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) > GA_RANK_PLACES) {
        PyErr_Format(PyExc_TypeError, "_order_statistics: places must be an array or a tuple of at most %d integers",
                     GA_RANK_PLACES);
        return -1;
    }
    call->count = (int32_t)PyTuple_GET_SIZE(object);
    for (int t = 0; t < call->count; t++) {
        call->place[t] = PyLong_AsLongLong(PyTuple_GET_ITEM(object, t));
        if (call->place[t] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

/* Places of each row, on the device: their axes come before those of the rows. */
static GaArray *
take_places(GaState *state, PyObject *object, const GaArray *a, ga_rank_call *call)
{
    GaArray *places = ga_dense_take_as(state, "_order_statistics", object, GA_i64);
    if (places == NULL)
        return NULL;
    int64_t count = places->ndim > 0 ? places->shape[0] : 0;
    if (places->size == count * call->rows && count <= INT32_MAX && ga_array_device(places) == ga_array_device(a)) {
        call->count = (int32_t)count;
        return places;
    }
    PyErr_SetString(PyExc_ValueError, "_order_statistics: places must be of shape (n, *rows), on the array's device");
    return NULL;
}

static GaArray *
make_statistics(GaState *state, GaArray *a, int64_t count)
{
    int64_t shape[GA_MAXDIMS + 1];
    int ndim = a->ndim > 0 ? a->ndim : 1;
    shape[0] = count;
    memcpy(shape + 1, a->shape, (size_t)(ndim - 1) * sizeof *shape);
    return ga_array_new(state, ga_array_device(a), a->descr, ndim, shape, 'C');
}

static int
run_rank(GaArray *a, GaArray *places, GaArray *result, ga_rank_call *call)
{
    ga_stream *stream;
    char *src, *given = NULL, *dst;
    if (result->size == 0)
        return 0;
    if (ga_array_pointer(a, GA_READ, &stream, &src) < 0 ||
        (places != NULL && ga_array_pointer(places, GA_READ, &stream, &given) < 0) ||
        ga_array_pointer(result, GA_WRITE, &stream, &dst) < 0)
        return -1;
    call->src = src;
    call->places = (const int64_t *)(void *)given;
    call->dst = dst;
    return ga_launch_rank(ga_array_device(a), call, stream);
}

static PyObject *
order_statistics(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    ga_rank_call call = {0};
    GaArray *places = NULL;
    if (!ga_arguments_count("_order_statistics", nargs, 2, 2))
        return NULL;
    GaArray *a = ga_dense_take(state, "_order_statistics", args[0]);
    if (a == NULL)
        return NULL;
    call.dtype = a->dtype;
    call.length = row_length(a);
    call.rows = count_rows(a);
    if (GA_ARRAY_CHECK(state, args[1])) {
        places = take_places(state, args[1], a, &call);
        if (places == NULL)
            return NULL;
    } else if (read_places(args[1], &call) < 0) {
        return NULL;
    }
    GaArray *result = make_statistics(state, a, call.count);
    if (result != NULL && run_rank(a, places, result, &call) < 0)
        Py_CLEAR(result);
    return (PyObject *)result;
}

/* ---- partitions ---- */

static GaArray *
make_partition(GaState *state, GaArray *a, PyArray_Descr *descr, int64_t kept)
{
    int64_t shape[GA_MAXDIMS];
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    if (a->ndim > 0)
        shape[a->ndim - 1] = kept;
    return ga_array_new(state, ga_array_device(a), descr, a->ndim, shape, 'C');
}

/* Fills `values` and `positions`, of which one may be NULL. */
static int
run_partition(GaArray *a, GaArray *values, GaArray *positions, int64_t kth, bool descending)
{
    const GaArray *any = values != NULL ? values : positions;
    ga_partition_call call = {.dtype = a->dtype,
                              .descending = descending,
                              .rows = count_rows(a),
                              .length = row_length(a),
                              .kth = kth,
                              .kept = row_length(any)};
    ga_stream *stream;
    char *src, *to = NULL, *at = NULL;
    if (any->size == 0)
        return 0;
    if (ga_array_pointer(a, GA_READ, &stream, &src) < 0 ||
        (values != NULL && ga_array_pointer(values, GA_WRITE, &stream, &to) < 0) ||
        (positions != NULL && ga_array_pointer(positions, GA_WRITE, &stream, &at) < 0))
        return -1;
    call.src = src;
    call.dst = to;
    call.positions = (int64_t *)(void *)at;
    return ga_launch_partition(ga_array_device(a), &call, stream);
}

/* By NumPy where that is quicker: the order of what is on either side of the place is anybody's. */
static int
run_partition_ascending(GaState *state, GaArray *a, GaArray *values, GaArray *positions, int64_t kth)
{
    if (a->size > 0 && kth < row_length(a) && ga_sort_host_takes(a))
        return ga_sort_host_partition(state, a, values, positions, kth);
    return run_partition(a, values, positions, kth, false);
}

/* The array and a place in its rows, or how many of a row's elements: an integer in [0, length]. */
static GaArray *
take_arguments(GaState *state, const char *function, PyObject *const *args, int64_t *number)
{
    GaArray *a = ga_dense_take(state, function, args[0]);
    if (a == NULL)
        return NULL;
    *number = PyLong_AsLongLong(args[1]);
    if (*number == -1 && PyErr_Occurred())
        return NULL;
    if (*number >= 0 && *number <= row_length(a))
        return a;
    PyErr_Format(PyExc_ValueError, "%s: %lld is not within rows of %lld elements", function,
                 (long long)*number, (long long)row_length(a));
    return NULL;
}

static PyObject *
partition(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    int64_t kth;
    if (!ga_arguments_count("_partition", nargs, 2, 2))
        return NULL;
    GaArray *a = take_arguments(state, "_partition", args, &kth);
    GaArray *values = a == NULL ? NULL : make_partition(state, a, a->descr, row_length(a));
    if (values != NULL && run_partition_ascending(state, a, values, NULL, kth) < 0)
        Py_CLEAR(values);
    return (PyObject *)values;
}

static PyObject *
argpartition(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    int64_t kth;
    if (!ga_arguments_count("_argpartition", nargs, 2, 2))
        return NULL;
    GaArray *a = take_arguments(state, "_argpartition", args, &kth);
    GaArray *positions = a == NULL ? NULL : make_partition(state, a, state->descrs[GA_i64], row_length(a));
    if (positions != NULL && run_partition_ascending(state, a, NULL, positions, kth) < 0)
        Py_CLEAR(positions);
    return (PyObject *)positions;
}

static PyObject *
first_of_rows(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    PyObject *result = NULL;
    GaArray *values = NULL, *positions = NULL;
    int64_t kept;
    if (!ga_arguments_count("_first_of_rows", nargs, 3, 3))
        return NULL;
    int descending = PyObject_IsTrue(args[2]);
    GaArray *a = descending < 0 ? NULL : take_arguments(state, "_first_of_rows", args, &kept);
    if (a == NULL)
        return NULL;
    values = make_partition(state, a, a->descr, kept);
    positions = make_partition(state, a, state->descrs[GA_i64], kept);
    if (values != NULL && positions != NULL && run_partition(a, values, positions, kept - 1, descending) == 0)
        result = PyTuple_Pack(2, values, positions);
    Py_XDECREF(values);
    Py_XDECREF(positions);
    return result;
}

#define ROW(name, function, text) \
    { \
        name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, name text \
    }

static PyMethodDef rank_functions[] = {
    ROW("_order_statistics", order_statistics,
        "($module, a, places, /)\n--\n\nThe elements that a sort along the last axis would put at places, a tuple or an "
        "array of shape (n, *rows): of that shape."),
    ROW("_partition", partition,
        "($module, a, kth, /)\n--\n\nThe elements of each row, that of place kth there, lesser ones before it."),
    ROW("_argpartition", argpartition, "($module, a, kth, /)\n--\n\nThe positions that partition each row."),
    ROW("_first_of_rows", first_of_rows,
        "($module, a, k, descending, /)\n--\n\nThe k elements of each row that a sort puts first, in some order, and where "
        "they are."),
    {NULL, NULL, 0, NULL},
};

int
ga_rank_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, rank_functions);
}
