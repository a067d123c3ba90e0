/* What the arguments of a reduction mean. */
#ifndef GAPY_REDUCE_PARSE_H
#define GAPY_REDUCE_PARSE_H

#include "ufunc.h"

/* values: axis, dtype, out, keepdims, initial, where. NumPy's "no value" marker and None count as
 * not given. */
int ga_reduce_take(PyObject *const *values, ga_reduce_args *out);

#endif
