/* Binds the arguments of a METH_FASTCALL | METH_KEYWORDS call to parameter names. No allocation,
 * all references borrowed. */
#ifndef GAPY_ARGUMENTS_H
#define GAPY_ARGUMENTS_H

#include "gapy.h"

#define GA_ARGUMENTS_MAX 12

/* A signature as data: names end with NULL; the first `positional` may be given by position, the
 * first `required` must be given at all. Names that begin with a space cannot be given by keyword.
 */
typedef struct {
    const char *function;
    int required, positional;
    const char *names[GA_ARGUMENTS_MAX];
} ga_signature;

/* values has an entry a name; NULL where the argument was not given. 0, or -1 with Python's usual
 * TypeErrors. */
int ga_arguments_bind(const ga_signature *signature, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames, PyObject **values);
/* Whether a call got from `least` to `most` arguments; false with a TypeError. Of functions that
 * only our Python calls. */
bool ga_arguments_count(const char *function, Py_ssize_t nargs, Py_ssize_t least, Py_ssize_t most);
/* The value, or NULL where it is NULL or None. */
static inline PyObject *
ga_arguments_given(PyObject *value)
{
    return value == Py_None ? NULL : value;
}

#endif
