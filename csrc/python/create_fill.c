/* empty, zeros, ones, full: a shape, a dtype, an order and a value. */
#include "convert.h"
#include "create.h"
#include "transfer.h"

/* Positions in the parameter list of empty, zeros and ones; full has fill_value before dtype. */
enum { SHAPE, DTYPE, ORDER, DEVICE, LIKE, PARAMETERS };

/* An uninitialised array; descr is the default dtype where none was asked for. */
static GaArray *
make_empty(GaState *state, const ga_create_target *target, PyArray_Descr *descr,
           PyObject *shape_arg, PyObject *order_arg)
{
    int64_t shape[GA_MAXDIMS];
    char order;
    int ndim = ga_convert_shape(shape_arg, shape);
    if (ndim < 0 || ga_convert_order(order_arg, 'C', &order) < 0)
        return NULL;
    if (order != 'C' && order != 'F') {
        PyErr_SetString(PyExc_ValueError, "only 'C' or 'F' order is permitted");
        return NULL;
    }
    ga_device *device = ga_create_target_device(target);
    if (device == NULL)
        return NULL;
    return ga_array_new(state, device, target->descr != NULL ? target->descr : descr, ndim, shape,
                        order);
}

typedef int (*fill_fn)(GaState *state, GaArray *a);

static int
fill_nothing(GaState *state, GaArray *a)
{
    (void)state;
    (void)a;
    return 0;
}

static int
fill_zeros(GaState *state, GaArray *a)
{
    const ga_scalar zero = {{0}};
    return ga_transfer_fill(state, a, &zero);
}

static int
fill_ones(GaState *state, GaArray *a)
{
    PyObject *one = PyLong_FromLong(1);
    int rc = one == NULL ? -1 : ga_create_fill(state, a, one);
    Py_XDECREF(one);
    return rc;
}

static PyObject *
make_filled(PyObject *module, const ga_signature *signature, PyObject *const *args,
            Py_ssize_t nargs, PyObject *kwnames, fill_fn fill)
{
    PyObject *values[PARAMETERS];
    ga_create_target target;
    GaState *state = PyModule_GetState(module);
    if (ga_arguments_bind(signature, args, nargs, kwnames, values) < 0 ||
        ga_create_target_parse(state, values[DTYPE], values[DEVICE], values[LIKE], &target) < 0)
        return NULL;
    if (target.plain)
        return ga_create_by_numpy(state, signature->function, args, nargs, kwnames);
    GaArray *a = make_empty(state, &target, state->descrs[GA_f64], values[SHAPE], values[ORDER]);
    if (a != NULL && fill(state, a) < 0)
        Py_CLEAR(a);
    ga_create_target_clear(&target);
    return (PyObject *)a;
}

static PyObject *
create_empty(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "empty", 1, 3, {"shape", "dtype", "order", "device", "like"}};
    return make_filled(module, &signature, args, nargs, kwnames, fill_nothing);
}

static PyObject *
create_zeros(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "zeros", 1, 3, {"shape", "dtype", "order", "device", "like"}};
    return make_filled(module, &signature, args, nargs, kwnames, fill_zeros);
}

static PyObject *
create_ones(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "ones", 1, 3, {"shape", "dtype", "order", "device", "like"}};
    return make_filled(module, &signature, args, nargs, kwnames, fill_ones);
}

/* The dtype that NumPy finds in a fill value; `plain` where no device holds it. */
static PyArray_Descr *
find_descr(GaState *state, PyObject *value, ga_create_target *target)
{
    GaArray *array;
    PyArrayObject *host;
    if (ga_convert_any(state, value, NULL, target->device, 'K', GA_COPY_IF_NEEDED, &array, &host) <
        0)
        return NULL;
    target->plain = host != NULL;
    PyArray_Descr *descr = host != NULL ? PyArray_DESCR(host) : array->descr;
    Py_INCREF(descr);
    Py_XDECREF(host);
    Py_XDECREF(array);
    return descr;
}

static PyObject *
create_full(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "full", 2, 4, {"shape", "fill_value", "dtype", "order", "device", "like"}};
    PyObject *values[PARAMETERS + 1];
    ga_create_target target;
    GaState *state = PyModule_GetState(module);
    GaArray *a = NULL;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        ga_create_target_parse(state, values[2], values[4], values[5], &target) < 0)
        return NULL;
    if (target.descr == NULL && !target.plain) {
        target.descr = find_descr(state, values[1], &target);
        if (target.descr == NULL)
            return NULL;
    }
    if (target.plain) {
        ga_create_target_clear(&target);
        return ga_create_by_numpy(state, "full", args, nargs, kwnames);
    }
    a = make_empty(state, &target, target.descr, values[0], values[3]);
    if (a != NULL && ga_create_fill(state, a, values[1]) < 0)
        Py_CLEAR(a);
    ga_create_target_clear(&target);
    return (PyObject *)a;
}

#define PARAMETERS_TEXT \
    "dtype : dtype, optional\n    By default float64.\norder : {'C', 'F'}, optional\n    " \
    "Row-major or column-major.\n" \
    "device : Device or str, optional\n    Where the array goes; by default the default device.\n" \
    "like : ndarray, optional\n    Its device is used when `device` is not " \
    "given.\n\nReturns\n-------\nndarray"
#define SHAPE_TEXT \
    "\n\nParameters\n----------\nshape : int or sequence of ints\n    Shape of the new array.\n"

PyMethodDef ga_create_fill_functions[] = {
    {"empty", GA_CREATE_FUNCTION(create_empty),
     "empty($module, shape, dtype=None, order='C', *, device=None, like=None)\n--\n\n"
     "Return a new array without setting its elements." SHAPE_TEXT PARAMETERS_TEXT},
    {"zeros", GA_CREATE_FUNCTION(create_zeros),
     "zeros($module, shape, dtype=None, order='C', *, device=None, like=None)\n--\n\n"
     "Return a new array of zeros." SHAPE_TEXT PARAMETERS_TEXT},
    {"ones", GA_CREATE_FUNCTION(create_ones),
     "ones($module, shape, dtype=None, order='C', *, device=None, like=None)\n--\n\n"
     "Return a new array of ones." SHAPE_TEXT PARAMETERS_TEXT},
    {"full", GA_CREATE_FUNCTION(create_full),
     "full($module, shape, fill_value, dtype=None, order='C', *, device=None, like=None)\n--\n\n"
     "Return a new array filled with a value." SHAPE_TEXT
     "fill_value : scalar or array_like\n    Broadcast to the shape; without `dtype` it decides "
     "the dtype.\n" PARAMETERS_TEXT},
    {NULL, NULL, 0, NULL},
};
