/* _count: how often each of some integers is there; _weigh: what weights at each add up to; _histogram: how many floats
 * each of even bins has. gpuarray/_counting.py and _histograms.py check what the values may be. */
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

/* Sums as float64 or complex128 of `size` weights of the same dtype; borrowed. */
static int
take_weights(GaState *state, PyObject *const *args, GaArray **weights, GaArray **sums, int64_t size)
{
    *weights = ga_dense_take(state, "_weigh", args[1]);
    *sums = *weights == NULL ? NULL : ga_dense_take_as(state, "_weigh", args[2], (*weights)->dtype);
    if (*sums == NULL)
        return -1;
    if ((*weights)->size == size && ((*weights)->dtype == GA_f64 || (*weights)->dtype == GA_c128))
        return 0;
    PyErr_Format(PyExc_ValueError, "_weigh: expected %lld weights of float64 or complex128, got %lld of %R", (long long)size,
                 (long long)(*weights)->size, (*weights)->descr);
    return -1;
}

static PyObject *
weigh_values(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    GaArray *weights, *sums;
    ga_stream *stream;
    char *from, *factors, *to;
    int64_t least;
    if (!ga_arguments_count("_weigh", nargs, 4, 4) || read_least(args[3], &least) < 0)
        return NULL;
    GaArray *values = ga_dense_take(state, "_weigh", args[0]);
    if (values == NULL || take_weights(state, args, &weights, &sums, values->size) < 0 ||
        ga_array_pointer(values, GA_READ, &stream, &from) < 0 ||
        ga_array_pointer(weights, GA_READ, &stream, &factors) < 0 ||
        ga_array_pointer(sums, GA_WRITE, &stream, &to) < 0)
        return NULL;
    ga_weigh_call call = {.dtype = values->dtype,
                          .parts = weights->dtype == GA_c128 ? 2 : 1,
                          .size = values->size,
                          .bins = sums->size,
                          .least = least,
                          .values = from,
                          .weights = (const double *)(void *)factors,
                          .sums = (double *)(void *)to};
    if (ga_launch_weigh(ga_array_device(sums), &call, stream) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* The three arrays of _histogram, borrowed. */
typedef struct {
    GaArray *edges, *values, *counts;
} histogram_arrays;

static int
take_histogram(GaState *state, PyObject *const *args, histogram_arrays *a)
{
    a->values = ga_dense_take(state, "_histogram", args[1]);
    if (a->values == NULL)
        return -1;
    enum ga_dtype dtype = a->values->dtype;
    if (dtype != GA_f32 && dtype != GA_f64) {
        PyErr_Format(PyExc_TypeError, "_histogram: elements of %R have no kernel", a->values->descr);
        return -1;
    }
    a->edges = ga_dense_take_as(state, "_histogram", args[0], dtype);
    a->counts = a->edges == NULL ? NULL : ga_dense_take_as(state, "_histogram", args[2], GA_i64);
    if (a->counts == NULL)
        return -1;
    if (a->counts->size >= 1 && a->counts->size <= GA_HISTOGRAM_BINS && a->edges->size == a->counts->size + 1)
        return 0;
    PyErr_Format(PyExc_ValueError, "_histogram: %lld edges do not make %lld bins, from 1 to %d",
                 (long long)a->edges->size, (long long)a->counts->size, GA_HISTOGRAM_BINS);
    return -1;
}

static PyObject *
count_between_edges(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    histogram_arrays a;
    ga_stream *stream;
    char *values, *edges, *counts;
    if (!ga_arguments_count("_histogram", nargs, 3, 3) || take_histogram(state, args, &a) < 0 ||
        ga_array_pointer(a.values, GA_READ, &stream, &values) < 0 ||
        ga_array_pointer(a.edges, GA_READ, &stream, &edges) < 0 ||
        ga_array_pointer(a.counts, GA_READWRITE, &stream, &counts) < 0)
        return NULL;
    ga_histogram_call call = {.dtype = a.values->dtype,
                              .size = a.values->size,
                              .bins = a.counts->size,
                              .values = values,
                              .edges = edges,
                              .counts = (int64_t *)(void *)counts};
    if (ga_launch_histogram(ga_array_device(a.counts), &call, stream) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef count_functions[] = {
    {"_count", (PyCFunction)(void (*)(void))count_values, METH_FASTCALL,
     "_count($module, values, counts, least, /)\n--\n\nAdd one to counts[value - least] for every integer that has a "
     "place there; counts of int64."},
    {"_weigh", (PyCFunction)(void (*)(void))weigh_values, METH_FASTCALL,
     "_weigh($module, values, weights, sums, least, /)\n--\n\nWrite to sums[value - least] the sum of the weights of all "
     "such values; weights and sums of float64 or complex128."},
    {"_histogram", (PyCFunction)(void (*)(void))count_between_edges, METH_FASTCALL,
     "_histogram($module, edges, values, counts, /)\n--\n\nAdd one to the count of its bin for every value between even edges; "
     "edges and values of float32 or float64, counts of int64."},
    {NULL, NULL, 0, NULL},
};

int
ga_count_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, count_functions);
}
