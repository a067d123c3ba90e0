/* Sorting along the last axis, and binary search: what gpuarray/_sorting.py and _searching.py stand on. Arrays arrive
 * C-contiguous; axes, dtypes and layouts are the callers' business. */
#include "arguments.h"
#include "dense.h"
#include "launch.h"
#include "module.h"
#include "sort_host.h"

/* A permutation of positions, int64, of `size` elements; NULL for None. */
static int
take_order(GaState *state, const char *function, PyObject *object, int64_t size, GaArray **out)
{
    *out = NULL;
    if (object == NULL || object == Py_None)
        return 0;
    *out = ga_dense_take(state, function, object);
    if (*out == NULL)
        return -1;
    if ((*out)->dtype == GA_i64 && (*out)->size == size)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s: the order must have %lld elements of dtype int64", function,
                 (long long)size);
    return -1;
}

static void
describe_rows(const GaArray *a, bool descending, ga_sort_call *call)
{
    memset(call, 0, sizeof *call);
    call->dtype = a->dtype;
    call->descending = descending;
    call->length = a->ndim > 0 ? a->shape[a->ndim - 1] : 1;
    call->rows = call->length > 0 ? a->size / call->length : 0;
}

static int
check_out(const GaArray *a, const GaArray *out)
{
    if (a->ndim == out->ndim && memcmp(a->shape, out->shape, (size_t)a->ndim * sizeof *a->shape) == 0 &&
        ga_array_device(a) == ga_array_device(out))
        return 0;
    PyErr_SetString(PyExc_ValueError, "sort: out must have the array's shape and device");
    return -1;
}

static int
run_sort(GaArray *a, GaArray *out, bool descending)
{
    ga_sort_call call;
    ga_stream *stream;
    char *src, *dst;
    if (ga_array_pointer(a, GA_READ, &stream, &src) < 0 || ga_array_pointer(out, GA_WRITE, &stream, &dst) < 0)
        return -1;
    describe_rows(a, descending, &call);
    call.src = src;
    call.dst = dst;
    return ga_launch_sort(ga_array_device(a), &call, stream);
}

static PyObject *
sort_rows(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"_sort", 1, 4, {"a", "descending", "out", "stable", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *values[4];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    int descending = values[1] != NULL ? PyObject_IsTrue(values[1]) : 0;
    int stable = values[3] != NULL ? PyObject_IsTrue(values[3]) : 0;
    GaArray *a = descending < 0 || stable < 0 ? NULL : ga_dense_take(state, "sort", values[0]), *out = a;
    if (a != NULL && values[2] != NULL)
        out = ga_dense_take_as(state, "sort", values[2], a->dtype);
    if (out == NULL || check_out(a, out) < 0)
        return NULL;
    bool by_numpy = !descending && !stable && ga_sort_host_takes(a);
    if ((by_numpy ? ga_sort_host_rows(state, a, out) : run_sort(a, out, descending)) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* Fills positions and, unless NULL, `sorted` with the elements in their order. */
static int
run_argsort(GaArray *a, GaArray *order, GaArray *positions, GaArray *sorted, bool descending)
{
    ga_sort_call call;
    ga_stream *stream;
    char *src, *given = NULL, *dst, *values = NULL;
    describe_rows(a, descending, &call);
    if (ga_array_pointer(a, GA_READ, &stream, &src) < 0 ||
        (order != NULL && ga_array_pointer(order, GA_READ, &stream, &given) < 0) ||
        (sorted != NULL && ga_array_pointer(sorted, GA_WRITE, &stream, &values) < 0) ||
        ga_array_pointer(positions, GA_WRITE, &stream, &dst) < 0)
        return -1;
    call.src = src;
    call.dst = values;
    call.order = (const int64_t *)(void *)given;
    call.positions = (int64_t *)(void *)dst;
    return ga_launch_sort(ga_array_device(a), &call, stream);
}

static PyObject *
argsort_rows(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"_argsort", 1, 3, {"a", "descending", "order", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *values[3];
    GaArray *order, *positions;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    int descending = values[1] != NULL ? PyObject_IsTrue(values[1]) : 0;
    GaArray *a = descending < 0 ? NULL : ga_dense_take(state, "argsort", values[0]);
    if (a == NULL || take_order(state, "argsort", values[2], a->size, &order) < 0)
        return NULL;
    positions =
        ga_array_new(state, ga_array_device(a), state->descrs[GA_i64], a->ndim, a->shape, 'C');
    if (positions != NULL && run_argsort(a, order, positions, NULL, descending) < 0)
        Py_CLEAR(positions);
    return (PyObject *)positions;
}

static PyObject *
sort_both(PyObject *module, PyObject *object)
{
    GaState *state = PyModule_GetState(module);
    PyObject *result = NULL;
    GaArray *a = ga_dense_take(state, "sort", object), *sorted = NULL, *positions = NULL;
    if (a == NULL)
        return NULL;
    ga_device *device = ga_array_device(a);
    sorted = ga_array_new(state, device, a->descr, a->ndim, a->shape, 'C');
    positions = ga_array_new(state, device, state->descrs[GA_i64], a->ndim, a->shape, 'C');
    if (sorted != NULL && positions != NULL && run_argsort(a, NULL, positions, sorted, false) == 0)
        result = PyTuple_Pack(2, sorted, positions);
    Py_XDECREF(sorted);
    Py_XDECREF(positions);
    return result;
}

/* The places of `values` in `sorted`, both of one dtype, as int64 or uint8; of a result of bool
 * whether they are there. */
static int
run_search(GaArray *sorted, GaArray *values, GaArray *order, GaArray *result, bool right, bool closed)
{
    ga_stream *stream;
    char *from, *keys, *given = NULL, *dst;
    if (ga_array_pointer(sorted, GA_READ, &stream, &from) < 0 ||
        ga_array_pointer(values, GA_READ, &stream, &keys) < 0 ||
        (order != NULL && ga_array_pointer(order, GA_READ, &stream, &given) < 0) ||
        ga_array_pointer(result, GA_WRITE, &stream, &dst) < 0)
        return -1;
    ga_search_call call = {.dtype = sorted->dtype,
                           .right = right,
                           .closed = closed,
                           .size = sorted->size,
                           .count = values->size,
                           .sorted = from,
                           .values = keys,
                           .order = (const int64_t *)(void *)given,
                           .dst = result->dtype == GA_i64 ? (int64_t *)(void *)dst : NULL,
                           .bytes = result->dtype == GA_u8 ? (uint8_t *)dst : NULL,
                           .found = result->dtype == GA_b1 ? (bool *)dst : NULL};
    return ga_launch_search(ga_array_device(sorted), &call, stream);
}

/* The result of a search, of int64, uint8 or bool. */
static PyObject *
make_search(GaState *state, GaArray *sorted, GaArray *values, GaArray *order, enum ga_dtype dtype, bool right, bool closed)
{
    if (sorted->dtype != values->dtype || ga_array_device(sorted) != ga_array_device(values))
        return PyErr_Format(PyExc_ValueError, "searchsorted: %R and %R must be of one dtype",
                            sorted->descr, values->descr);
    GaArray *result = ga_array_new(state, ga_array_device(values), state->descrs[dtype], values->ndim,
                                   values->shape, 'C');
    if (result != NULL && result->size > 0 && run_search(sorted, values, order, result, right, closed) < 0)
        Py_CLEAR(result);
    return (PyObject *)result;
}

static PyObject *
search_sorted(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_search", 2, 4, {"sorted", "values", "right", "order", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[4];
    GaArray *order;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    int right = got[2] != NULL ? PyObject_IsTrue(got[2]) : 0;
    GaArray *sorted = right < 0 ? NULL : ga_dense_take(state, "searchsorted", got[0]);
    GaArray *values = sorted == NULL ? NULL : ga_dense_take(state, "searchsorted", got[1]);
    if (values == NULL || take_order(state, "searchsorted", got[3], sorted->size, &order) < 0)
        return NULL;
    return make_search(state, sorted, values, order, GA_i64, right, false);
}

static PyObject *
find_values(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    if (!ga_arguments_count("_contains", nargs, 2, 2))
        return NULL;
    GaArray *sorted = ga_dense_take(state, "_contains", args[0]);
    GaArray *values = sorted == NULL ? NULL : ga_dense_take(state, "_contains", args[1]);
    return values == NULL ? NULL : make_search(state, sorted, values, NULL, GA_b1, false, false);
}

static PyObject *
find_bins(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    if (!ga_arguments_count("_bins", nargs, 3, 3))
        return NULL;
    int narrow = PyObject_IsTrue(args[2]);
    GaArray *edges = narrow < 0 ? NULL : ga_dense_take(state, "_bins", args[0]);
    GaArray *values = edges == NULL ? NULL : ga_dense_take(state, "_bins", args[1]);
    if (values == NULL)
        return NULL;
    narrow = narrow && edges->size <= UINT8_MAX;
    return make_search(state, edges, values, NULL, narrow ? GA_u8 : GA_i64, true, true);
}

#define ROW(name, function, text) \
    { \
        name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, name text \
    }

static PyMethodDef sort_functions[] = {
    ROW("_sort", sort_rows,
        "($module, a, descending=False, out=None, stable=False)\n--\n\nSort a contiguous array along its last axis, in "
        "place or into another one."),
    ROW("_argsort", argsort_rows,
        "($module, a, descending=False, order=None)\n--\n\nThe positions that sort a contiguous "
        "array, stably, along its last axis, beginning with a permutation of it."),
    {"_sort_both", sort_both, METH_O,
     "_sort_both($module, a, /)\n--\n\nThe sorted elements of a contiguous array, and the "
     "positions "
     "they came from."},
    ROW("_search", search_sorted,
        "($module, sorted, values, right=False, order=None)\n--\n\nWhere each value belongs in a "
        "sorted vector."),
    {"_bins", (PyCFunction)(void (*)(void))find_bins, METH_FASTCALL,
     "_bins($module, edges, values, narrow, /)\n--\n\nHow many of some sorted edges are not greater than each value, the last one "
     "only if it is less: int64, or where `narrow` and there are at most 255 edges, bytes."},
    {"_contains", (PyCFunction)(void (*)(void))find_values, METH_FASTCALL,
     "_contains($module, sorted, values, /)\n--\n\nWhether each value is in a sorted vector; NaN never is."},
    {NULL, NULL, 0, NULL},
};

int
ga_sort_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, sort_functions);
}
