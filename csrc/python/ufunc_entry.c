/* Where a ufunc object is called: operators' fast path where there is nothing but operands, the
 * whole call otherwise, and NumPy on the host for data that no device holds. */
#include "ufunc_call.h"

static PyObject *
pack_keywords(PyObject *const *values, PyObject *kwnames)
{
    PyObject *keywords = PyDict_New();
    for (Py_ssize_t i = 0; keywords != NULL && kwnames != NULL && i < PyTuple_GET_SIZE(kwnames);
         i++) {
        if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(kwnames, i), values[i]) < 0)
            Py_CLEAR(keywords);
    }
    return keywords;
}

/* The name of the Python function that takes a call which no device can make. */
static const char *
name_taker(GaState *state, PyObject *const *args, Py_ssize_t nargs)
{
    for (Py_ssize_t i = 0; i < nargs; i++) {
        if (ga_operand_symbolic(state, args[i]))
            return "ufunc_traced";
    }
    return "ufunc_host";
}

PyObject *
ga_ufunc_on_host(GaState *state, GaUfunc *ufunc, const char *method, PyObject *const *args,
                 Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *result = NULL, *positional = NULL, *keywords = NULL;
    const char *taker = name_taker(state, args, nargs);
    if (ufunc->op >= GA_UFUNC_SPECIAL && taker[6] == 'h') /* NumPy has none that could be called */
        return PyErr_Format(PyExc_TypeError,
                            "ufunc '%s' not supported for the input types, and the inputs could not be "
                            "safely coerced to any supported types according to the casting rule ''safe''",
                            ufunc->info->name);
    PyObject *function = PyDict_GetItemString(state->python_functions, taker);
    if (function == NULL)
        return PyErr_Format(PyExc_TypeError, "%s(): no device holds the dtype of these operands",
                            ufunc->info->name);
    positional = PyTuple_New(nargs);
    keywords = pack_keywords(args + nargs, kwnames);
    if (positional == NULL || keywords == NULL)
        goto done;
    for (Py_ssize_t i = 0; i < nargs; i++)
        PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
    result = PyObject_CallFunction(function, "OsOO", ufunc, method, positional, keywords);
done:
    Py_XDECREF(keywords);
    Py_XDECREF(positional);
    return result;
}

/* Nothing but the operands: there is nothing to parse. */
static enum ga_call_status
call_plain(GaState *state, GaUfunc *ufunc, PyObject *const *args, PyObject **result)
{
    *result = ufunc->info->nin == 1 ? ga_ufunc_unary(state, ufunc->op, args[0])
                                    : ga_ufunc_binary(state, ufunc->op, args[0], args[1], NULL);
    if (*result != Py_NotImplemented)
        return *result != NULL ? GA_CALL_OK : GA_CALL_ERROR;
    Py_CLEAR(*result);
    return GA_CALL_FOREIGN;
}

static enum ga_call_status
call_with_options(GaState *state, GaUfunc *ufunc, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames, PyObject **result)
{
    ga_ufunc_options options;
    enum ga_call_status status = ga_ufunc_parse(ufunc, args, nargs, kwnames, &options);
    if (status == GA_CALL_OK)
        status = ga_call_run(state, ufunc, args, &options, result);
    ga_ufunc_options_clear(&options);
    return status;
}

static PyObject *
call_ufunc(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    GaUfunc *ufunc = (GaUfunc *)self;
    GaState *state = ga_state(Py_TYPE(self));
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    PyObject *result = NULL;
    bool plain = kwnames == NULL && nargs == ufunc->info->nin;
    enum ga_call_status status =
        plain ? call_plain(state, ufunc, args, &result)
              : call_with_options(state, ufunc, args, nargs, kwnames, &result);
    if (status == GA_CALL_FOREIGN)
        return ga_ufunc_on_host(state, ufunc, "__call__", args, nargs, kwnames);
    return result;
}

vectorcallfunc const ga_ufunc_vectorcall = call_ufunc;
