/* _series, _expand_roots, _divide_series: polynomials by their coefficients. The Python functions bring operands to one
 * dtype that the kernels have, contiguous and on one device; here shapes are checked and results made. */
#include "arguments.h"
#include "dense.h"
#include "launch.h"
#include "module.h"

/* What a call needs of its arrays. */
typedef struct {
    const ga_device *device;
    ga_stream *stream;
} launch_place;

static int
find_pointer(GaArray *a, enum ga_access access, launch_place *place, char **data)
{
    place->device = ga_array_device(a);
    return ga_array_pointer(a, access, &place->stream, data);
}

static int
take_pair(GaState *state, const char *function, PyObject *const objects[2], GaArray *out[2])
{
    for (int i = 0; i < 2; i++) {
        out[i] = ga_dense_take(state, function, objects[i]);
        if (out[i] == NULL)
            return -1;
    }
    if (out[0]->dtype == out[1]->dtype && ga_array_device(out[0]) == ga_array_device(out[1]))
        return 0;
    PyErr_Format(PyExc_ValueError, "%s: %R and %R must be of one dtype on one device", function,
                 out[0]->descr, out[1]->descr);
    return -1;
}

static int
run_series(GaArray *coefficients, GaArray *x, GaArray *result, ga_series_call *call)
{
    launch_place place;
    char *c, *points, *dst;
    if (find_pointer(coefficients, GA_READ, &place, &c) < 0 ||
        find_pointer(x, GA_READ, &place, &points) < 0 ||
        find_pointer(result, GA_WRITE, &place, &dst) < 0)
        return -1;
    call->coefficients = c;
    call->x = points;
    call->dst = dst;
    return ga_launch_series(place.device, call, place.stream);
}

static int
describe_series(const GaArray *coefficients, const GaArray *x, bool paired, ga_series_call *call)
{
    memset(call, 0, sizeof *call);
    call->dtype = x->dtype;
    call->paired = paired;
    call->terms = coefficients->shape[0];
    call->columns = coefficients->ndim == 2 ? coefficients->shape[1] : -1;
    call->points = x->size;
    if (coefficients->ndim == 2 && x->ndim == 1 && call->terms > 0 &&
        (!paired || call->columns == call->points))
        return 0;
    PyErr_SetString(PyExc_ValueError,
                    "_series: coefficients must be (terms, columns), points a vector");
    return -1;
}

static PyObject *
series_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_series", 4, 4, {"basis", "coefficients", "x", "paired", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[4];
    GaArray *pair[2];
    ga_series_call call;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    long basis = PyLong_AsLong(got[0]);
    int paired = PyObject_IsTrue(got[3]);
    if (PyErr_Occurred() || take_pair(state, "_series", got + 1, pair) < 0 ||
        describe_series(pair[0], pair[1], paired, &call) < 0)
        return NULL;
    call.basis = (enum ga_basis)basis;
    int64_t shape[2] = {call.columns, call.points};
    GaArray *result = ga_array_new(state, ga_array_device(pair[1]), pair[1]->descr, paired ? 1 : 2,
                                   paired ? shape + 1 : shape, 'C');
    if (result != NULL && result->size > 0 && run_series(pair[0], pair[1], result, &call) < 0)
        Py_CLEAR(result);
    return (PyObject *)result;
}

/* Fills dst and rest; b NULL for the product of the roots a. */
static int
run_coefficients(GaArray *a, GaArray *b, GaArray *dst, GaArray *rest)
{
    launch_place place;
    char *first, *second = NULL, *to, *left;
    if (find_pointer(a, GA_READ, &place, &first) < 0 ||
        (b != NULL && find_pointer(b, GA_READ, &place, &second) < 0) ||
        find_pointer(dst, GA_WRITE, &place, &to) < 0 ||
        find_pointer(rest, GA_WRITE, &place, &left) < 0)
        return -1;
    ga_coefficients_call call = {.dtype = a->dtype,
                                 .na = a->size,
                                 .nb = b != NULL ? b->size : 0,
                                 .a = first,
                                 .b = second,
                                 .dst = to,
                                 .rest = left};
    return ga_launch_coefficients(place.device, &call, place.stream);
}

static GaArray *
make_vector(GaState *state, GaArray *like, int64_t length)
{
    return ga_array_new(state, ga_array_device(like), like->descr, 1, &length, 'C');
}

static PyObject *
expand_roots(PyObject *module, PyObject *object)
{
    GaState *state = PyModule_GetState(module);
    GaArray *roots = ga_dense_take(state, "_expand_roots", object), *result = NULL, *rest = NULL;
    if (roots == NULL)
        return NULL;
    result = make_vector(state, roots, roots->size + 1);
    rest = make_vector(state, roots, roots->size + 1);
    if (rest == NULL || (result != NULL && run_coefficients(roots, NULL, result, rest) < 0))
        Py_CLEAR(result);
    Py_XDECREF(rest);
    return (PyObject *)result;
}

static PyObject *
divide_series(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    PyObject *result = NULL;
    GaArray *pair[2], *quotient = NULL, *rest = NULL;
    if (!ga_arguments_count("_divide_series", nargs, 2, 2) ||
        take_pair(state, "_divide_series", args, pair) < 0)
        return NULL;
    if (pair[1]->size < 1 || pair[0]->size < pair[1]->size)
        return PyErr_Format(PyExc_ValueError, "_divide_series: the divisor is empty or the longer one");
    quotient = make_vector(state, pair[0], pair[0]->size - pair[1]->size + 1);
    rest = make_vector(state, pair[0], pair[0]->size);
    if (quotient != NULL && rest != NULL && run_coefficients(pair[0], pair[1], quotient, rest) == 0)
        result = PyTuple_Pack(2, quotient, rest);
    Py_XDECREF(quotient);
    Py_XDECREF(rest);
    return result;
}

static PyMethodDef polynomial_functions[] = {
    {"_series", (PyCFunction)(void (*)(void))series_function, METH_FASTCALL | METH_KEYWORDS,
     "_series(basis, coefficients, x, paired, /)\n--\n\nValues of series with coefficients (terms, columns) at points: "
     "every column at every point, or paired."},
    {"_expand_roots", expand_roots, METH_O,
     "_expand_roots($module, roots, /)\n--\n\nCoefficients, highest first, of the polynomial with these roots."},
    {"_divide_series", (PyCFunction)(void (*)(void))divide_series, METH_FASTCALL,
     "_divide_series($module, u, v, /)\n--\n\nQuotient and rest of coefficients, highest first; the rest as long as u."},
    {NULL, NULL, 0, NULL},
};

int
ga_polynomial_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, polynomial_functions);
}
