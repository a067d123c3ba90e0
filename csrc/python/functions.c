/* Module functions that stand on reductions and matrix products, with NumPy's signatures. One
 * table; each takes its arguments apart and calls what the methods of ndarray call. */
#include "functions.h"

#include "arguments.h"
#include "array_type.h"
#include "dtype.h"
#include "matmul.h"
#include "reduce_parse.h"
#include "transfer.h"
#include "ufunc_call.h"

/* A result, or for NotImplemented (data that no device holds) that of NumPy's function. */
static PyObject *
or_on_host(PyObject *module, const char *name, PyObject *result, PyObject *const *args,
           Py_ssize_t nargs, PyObject *kwnames)
{
    if (result != Py_NotImplemented)
        return result;
    PyObject *text = PyUnicode_FromString(name);
    Py_SETREF(result, NULL);
    if (text != NULL)
        result =
            ga_forward_call(PyModule_GetState(module), "function_host", text, args, nargs, kwnames);
    Py_XDECREF(text);
    return result;
}

static PyObject *
reduce_function(PyObject *module, enum ga_ufunc op, PyObject *const *values)
{
    ga_reduce_args args;
    if (ga_reduce_take(values + 1, &args) < 0)
        return NULL;
    return ga_ufunc_reduce(PyModule_GetState(module), op, values[0], &args);
}

#define REDUCTION(name, op) \
    static PyObject *name##_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, \
                                     PyObject *kwnames) \
    { \
        static const ga_signature signature = { \
            #name, 1, 7, {"a", "axis", "dtype", "out", "keepdims", "initial", "where", NULL}}; \
        PyObject *values[7]; \
        if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0) \
            return NULL; \
        return reduce_function(module, GA_UF_##op, values); \
    }
REDUCTION(sum, add)
REDUCTION(prod, multiply)

/* max and min have no dtype. */
#define EXTREMUM(name, op) \
    static PyObject *name##_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, \
                                     PyObject *kwnames) \
    { \
        static const ga_signature signature = { \
            #name, 1, 6, {"a", "axis", "out", "keepdims", "initial", "where", NULL}}; \
        PyObject *got[6]; \
        if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0) \
            return NULL; \
        PyObject *const values[7] = {got[0], got[1], NULL, got[2], got[3], got[4], got[5]}; \
        return reduce_function(module, GA_UF_##op, values); \
    }
EXTREMUM(max, maximum)
EXTREMUM(min, minimum)
EXTREMUM(amax, maximum)
EXTREMUM(amin, minimum)

/* any and all compute in bool, also where out= is of another dtype and where objects could give one
 * of themselves. Of an array of ours without out= that is the loop in any case. */
#define TRUTH(name, op) \
    static PyObject *name##_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, \
                                     PyObject *kwnames) \
    { \
        static const ga_signature signature = { \
            #name, 1, 4, {"a", "axis", "out", "keepdims", "where", NULL}}; \
        PyObject *got[5]; \
        if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0) \
            return NULL; \
        bool implied = ga_arguments_given(got[2]) == NULL && \
                       GA_ARRAY_CHECK((GaState *)PyModule_GetState(module), got[0]); \
        PyObject *dtype = implied ? NULL : (PyObject *)&PyBool_Type; \
        PyObject *const values[7] = {got[0], got[1], dtype, got[2], got[3], NULL, got[4]}; \
        return reduce_function(module, GA_UF_##op, values); \
    }
TRUTH(any, logical_or)
TRUTH(all, logical_and)

static PyObject *
mean_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "mean", 1, 5, {"a", "axis", "dtype", "out", "keepdims", "where", NULL}};
    PyObject *got[6];
    ga_reduce_args reduce;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    PyObject *const values[6] = {got[1], got[2], got[3], got[4], NULL, got[5]};
    if (ga_reduce_take(values, &reduce) < 0)
        return NULL;
    PyObject *mean = ga_ufunc_mean(PyModule_GetState(module), got[0], &reduce);
    return or_on_host(module, "mean", mean, args, nargs, kwnames);
}

static PyObject *
find_position(PyObject *module, bool maximum, PyObject *const *values)
{
    int keepdims = values[3] != NULL ? PyObject_IsTrue(values[3]) : 0;
    if (keepdims < 0)
        return NULL;
    return ga_ufunc_argreduce(PyModule_GetState(module), maximum, values[0], values[1], values[2],
                              keepdims);
}

#define POSITION(name, maximum) \
    static PyObject *name##_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, \
                                     PyObject *kwnames) \
    { \
        static const ga_signature signature = { \
            #name, 1, 3, {"a", "axis", "out", "keepdims", NULL}}; \
        PyObject *values[4]; \
        if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0) \
            return NULL; \
        PyObject *position = find_position(module, maximum, values); \
        return or_on_host(module, #name, position, args, nargs, kwnames); \
    }
POSITION(argmax, true)
POSITION(argmin, false)

static int
parse_order(PyObject *value, char *order)
{
    *order = 'C';
    if (value == NULL || value == Py_None)
        return 0;
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : "";
    if (text != NULL && strlen(text) == 1 && strchr("CFAKcfak", *text) != NULL) {
        *order = *text == 'F' || *text == 'f' ? 'F' : 'C';
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "matmul: order must be one of 'C', 'F', 'A', or 'K' (got %R)",
                 value);
    return -1;
}

static PyObject *
matmul_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "matmul", 2, 3, {" x1", " x2", "out", "casting", "order", "dtype", "subok", NULL}};
    PyObject *got[7];
    ga_matmul_options options = {.order = 'C'};
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0 ||
        parse_order(got[4], &options.order) < 0)
        return NULL;
    options.out = got[2];
    if (options.out != NULL && PyTuple_Check(options.out) && PyTuple_GET_SIZE(options.out) == 1)
        options.out = PyTuple_GET_ITEM(options.out, 0);
    options.casting = ga_arguments_given(got[3]);
    options.dtype = ga_arguments_given(got[5]);
    PyObject *product = ga_matmul_run(PyModule_GetState(module), got[0], got[1], &options);
    return or_on_host(module, "matmul", product, args, nargs, kwnames);
}

static PyObject *
dot_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"dot", 2, 3, {"a", "b", "out", NULL}};
    PyObject *got[3];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    PyObject *product = ga_dot(PyModule_GetState(module), got[0], got[1], got[2]);
    return or_on_host(module, "dot", product, args, nargs, kwnames);
}

/* Sets whether float32 products may be TF32; gives what was set before. */
static PyObject *
set_tf32(PyObject *module, PyObject *value)
{
    GaState *state = PyModule_GetState(module);
    int allowed = PyObject_IsTrue(value);
    if (allowed < 0)
        return NULL;
    PyObject *before = PyBool_FromLong(state->matmul_tf32);
    state->matmul_tf32 = allowed;
    return before;
}

static PyObject *
get_tf32(PyObject *module, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(((GaState *)PyModule_GetState(module))->matmul_tf32);
}

static PyObject *
holds_dtype(PyObject *module, PyObject *dtype)
{
    (void)module;
    if (!PyArray_DescrCheck(dtype))
        return PyErr_Format(PyExc_TypeError, "_holds: expected a numpy.dtype, got %.200s",
                            Py_TYPE(dtype)->tp_name);
    return PyBool_FromLong(ga_dtype_held((PyArray_Descr *)dtype));
}

static PyObject *
widen_array(PyObject *module, PyObject *object)
{
    GaState *state = PyModule_GetState(module);
    if (ga_operand_symbolic(state, object))
        return Py_NewRef(object);
    if (!GA_ARRAY_CHECK(state, object))
        return PyErr_Format(PyExc_TypeError, "_widen: expected an ndarray, got %.200s",
                            Py_TYPE(object)->tp_name);
    return (PyObject *)ga_transfer_widen(state, (GaArray *)object);
}

#define ROW(name, text) \
    { \
#name, (PyCFunction)(void (*)(void))name##_function, METH_FASTCALL | METH_KEYWORDS, \
            #name text \
    }

PyMethodDef ga_function_table[] = {
    ROW(sum, "(a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True)\n--\n\n"
             "Sum of the elements over the given axes."),
    ROW(prod, "(a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True)\n--\n\n"
              "Product of the elements over the given axes."),
    ROW(max, "(a, axis=None, out=None, keepdims=False, initial=None, where=True)\n--\n\nLargest "
             "element; NaN wins."),
    ROW(min, "(a, axis=None, out=None, keepdims=False, initial=None, where=True)\n--\n\nSmallest "
             "element; NaN wins."),
    ROW(amax, "(a, axis=None, out=None, keepdims=False, initial=None, where=True)\n--\n\nLargest "
              "element; NaN wins."),
    ROW(amin, "(a, axis=None, out=None, keepdims=False, initial=None, where=True)\n--\n\nSmallest "
              "element; NaN wins."),
    ROW(any, "(a, axis=None, out=None, keepdims=False, *, where=True)\n--\n\nWhether an element is "
             "true."),
    ROW(all, "(a, axis=None, out=None, keepdims=False, *, where=True)\n--\n\nWhether every element "
             "is true."),
    ROW(mean, "(a, axis=None, dtype=None, out=None, keepdims=False, *, "
              "where=True)\n--\n\nArithmetic mean."),
    ROW(argmax, "(a, axis=None, out=None, *, keepdims=False)\n--\n\nPosition of the first largest "
                "element."),
    ROW(argmin, "(a, axis=None, out=None, *, keepdims=False)\n--\n\nPosition of the first smallest "
                "element."),
    ROW(matmul,
        "(x1, x2, /, out=None, *, casting='same_kind', order='K', dtype=None, subok=True)\n--\n\n"
        "Matrix product; leading axes are broadcast."),
    ROW(dot, "(a, b, out=None)\n--\n\nDot product."),
    {"_holds", holds_dtype, METH_O, "_holds(dtype, /)\n--\n\nWhether a device holds data of a dtype."},
    {"_widen", widen_array, METH_O,
     "_widen(a, /)\n--\n\nThe array, or that of bfloat16 or float8 copied to float32."},
    {"_set_matmul_tf32", set_tf32, METH_O, "_set_matmul_tf32(allowed, /)\n--\n\n"},
    {"_get_matmul_tf32", get_tf32, METH_NOARGS, "_get_matmul_tf32()\n--\n\n"},
    {NULL, NULL, 0, NULL},
};
