/* Binds the arguments of a fast call to parameter names. Owns nothing; the error messages are
 * Python's own wording. */
#include "arguments.h"

#include <string.h>

static int
count_names(const ga_signature *signature)
{
    int count = 0;
    while (count < GA_ARGUMENTS_MAX && signature->names[count] != NULL)
        count++;
    return count;
}

static int
bind_keyword(const ga_signature *signature, int count, PyObject *name, PyObject *value,
             PyObject **values)
{
    for (int i = 0; i < count; i++) {
        if (PyUnicode_CompareWithASCIIString(name, signature->names[i]) != 0)
            continue;
        if (values[i] != NULL) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'",
                         signature->function, name);
            return -1;
        }
        values[i] = value;
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'",
                 signature->function, name);
    return -1;
}

static int
check_required(const ga_signature *signature, PyObject **values)
{
    for (int i = 0; i < signature->required; i++) {
        if (values[i] == NULL) {
            const char *name = signature->names[i] + (signature->names[i][0] == ' ');
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)",
                         signature->function, name, i + 1);
            return -1;
        }
    }
    return 0;
}

int
ga_arguments_bind(const ga_signature *signature, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames, PyObject **values)
{
    int count = count_names(signature);
    nargs = PyVectorcall_NARGS((size_t)nargs);
    memset(values, 0, (size_t)count * sizeof *values);
    if (nargs > signature->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional argument%s (%zd given)",
                     signature->function, signature->positional,
                     signature->positional == 1 ? "" : "s", nargs);
        return -1;
    }
    for (Py_ssize_t i = 0; i < nargs; i++)
        values[i] = args[i];
    Py_ssize_t nkeywords = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t i = 0; i < nkeywords; i++) {
        if (bind_keyword(signature, count, PyTuple_GET_ITEM(kwnames, i), args[nargs + i], values) <
            0)
            return -1;
    }
    return check_required(signature, values);
}

bool
ga_arguments_count(const char *function, Py_ssize_t nargs, Py_ssize_t least, Py_ssize_t most)
{
    if (nargs >= least && nargs <= most)
        return true;
    PyErr_Format(PyExc_TypeError, "%s expected %zd to %zd arguments, got %zd", function, least, most, nargs);
    return false;
}
