/* Methods of the ufunc objects. reduce, accumulate and reduceat are native; outer and at go to the
 * Python functions registered as "ufunc_outer" and "ufunc_at"; resolve_dtypes is NumPy's. */
#include "arguments.h"
#include "array_type.h"
#include "reduce_parse.h"
#include "ufunc_call.h"

static PyObject *
reduce_ufunc(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "reduce", 1, 7, {"array", "axis", "dtype", "out", "keepdims", "initial", "where", NULL}};
    GaUfunc *ufunc = (GaUfunc *)self;
    PyObject *values[7];
    ga_reduce_args reduce;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        ga_reduce_take(values + 1, &reduce) < 0)
        return NULL;
    reduce.axis_given = values[1] != NULL;
    PyObject *first = NULL;
    if (!reduce.axis_given)
        reduce.axis = first = PyLong_FromLong(0);
    PyObject *result = ga_ufunc_reduce(ga_state(Py_TYPE(self)), ufunc->op, values[0], &reduce);
    Py_XDECREF(first);
    return result;
}

/* accumulate and reduceat: values are array, indices (reduceat), axis, dtype, out. */
static PyObject *
run_scan(PyObject *self, const ga_signature *signature, PyObject *const *args, Py_ssize_t nargs,
         PyObject *kwnames)
{
    GaState *state = ga_state(Py_TYPE(self));
    GaUfunc *ufunc = (GaUfunc *)self;
    PyObject *values[5], *first = NULL, *result = NULL;
    ga_reduce_args scan;
    if (ga_arguments_bind(signature, args, nargs, kwnames, values) < 0)
        return NULL;
    bool slices = signature->names[4] != NULL;
    PyObject **named = values + (slices ? 2 : 1);
    PyObject *const all[6] = {named[0], named[1], named[2]};
    if (ga_reduce_take(all, &scan) < 0)
        return NULL;
    if (!scan.axis_given)
        scan.axis = first = PyLong_FromLong(0);
    bool done = slices ? ga_ufunc_reduceat(state, ufunc, values[0], values[1], &scan, false, &result)
                       : ga_ufunc_accumulate(state, ufunc, values[0], &scan, &result);
    Py_XDECREF(first);
    if (!done)
        result = ga_ufunc_on_host(state, ufunc, signature->function, args, nargs, kwnames);
    return result;
}

static PyObject *
accumulate_ufunc(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "accumulate", 1, 4, {"array", "axis", "dtype", "out", NULL}};
    return run_scan(self, &signature, args, nargs, kwnames);
}

static PyObject *
reduceat_ufunc(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "reduceat", 2, 5, {"array", "indices", "axis", "dtype", "out", NULL}};
    return run_scan(self, &signature, args, nargs, kwnames);
}

/* reduceat for our own code: slices of the first axis, known to be right, of an array of the loop's dtype. */
static PyObject *
reduce_slices(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *axis, *result = NULL, *const given[6] = {NULL};
    ga_reduce_args scan;
    if (!ga_arguments_count("_reduce_slices", nargs, 2, 2) || ga_reduce_take(given, &scan) < 0)
        return NULL;
    scan.axis = axis = PyLong_FromLong(0);
    if (axis != NULL && !ga_ufunc_reduceat(ga_state(Py_TYPE(self)), (GaUfunc *)self, args[0], args[1], &scan, true, &result))
        PyErr_SetString(PyExc_TypeError, "_reduce_slices: the ufunc has no loop for this array");
    Py_XDECREF(axis);
    return result;
}

#define FORWARD(method) \
    static PyObject *method##_ufunc(PyObject *self, PyObject *const *args, Py_ssize_t nargs, \
                                    PyObject *kwnames) \
    { \
        return ga_forward_call(ga_state(Py_TYPE(self)), "ufunc_" #method, self, args, nargs, \
                               kwnames); \
    }
FORWARD(outer)
FORWARD(at)

static PyObject *
resolve_dtypes_ufunc(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    GaUfunc *ufunc = (GaUfunc *)self;
    PyObject *method = PyObject_GetAttrString(ufunc->numpy_ufunc, "resolve_dtypes");
    PyObject *result =
        method != NULL ? PyObject_Vectorcall(method, args, (size_t)nargs, kwnames) : NULL;
    Py_XDECREF(method);
    return result;
}

/* A name says it all: pickle finds the object in the package. */
static PyObject *
reduce_to_name(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    GaUfunc *ufunc = (GaUfunc *)self;
    return PyUnicode_FromFormat(ufunc->op < GA_UFUNC_SPECIAL ? "%U" : "special.%U", ufunc->name);
}

PyDoc_STRVAR(
    reduce_doc,
    "reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=<no value>, "
    "where=True)\n\n"
    "Applies the ufunc along the given axes until one value is left for each remaining position.");
PyDoc_STRVAR(
    accumulate_doc,
    "accumulate(array, axis=0, dtype=None, out=None)\n\nEvery intermediate result of reduce.");
PyDoc_STRVAR(reduceat_doc, "reduceat(array, indices, axis=0, dtype=None, out=None)\n\nReductions "
                           "over slices of one axis.");
PyDoc_STRVAR(
    outer_doc,
    "outer(A, B, /, **kwargs)\n\nThe ufunc of every pair of an element of A and one of B.");
PyDoc_STRVAR(at_doc, "at(a, indices, b=None, /)\n\nThe ufunc in place on the named elements, once "
                     "for each time they are named.");
PyDoc_STRVAR(resolve_doc, "resolve_dtypes(dtypes, *, signature=None, casting=None, "
                          "reduction=False)\n\nDtypes of the loop "
                          "that runs for operands of the given dtypes; NumPy's answer.");

#define FASTCALL(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL | METH_KEYWORDS

PyMethodDef ga_ufunc_methods[] = {
    {"reduce", FASTCALL(reduce_ufunc), reduce_doc},
    {"accumulate", FASTCALL(accumulate_ufunc), accumulate_doc},
    {"reduceat", FASTCALL(reduceat_ufunc), reduceat_doc},
    {"_reduce_slices", (PyCFunction)(void (*)(void))reduce_slices, METH_FASTCALL,
     "_reduce_slices($self, array, starts, /)\n--\n\nreduceat for starts on the array's device that are within it."},
    {"outer", FASTCALL(outer_ufunc), outer_doc},
    {"at", FASTCALL(at_ufunc), at_doc},
    {"resolve_dtypes", FASTCALL(resolve_dtypes_ufunc), resolve_doc},
    {"__reduce__", reduce_to_name, METH_NOARGS, "Its name, for pickle."},
    {NULL, NULL, 0, NULL},
};
