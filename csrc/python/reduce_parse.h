/* What the arguments of a reduction mean. */
#ifndef GAPY_REDUCE_PARSE_H
#define GAPY_REDUCE_PARSE_H

#include "ufunc.h"

/* values: axis, dtype, out, keepdims, initial, where. NumPy's "no value" marker and None count as
 * not given, but None for `initial`, which stays: no identity is to be started from. */
int ga_reduce_take(PyObject *const *values, ga_reduce_args *out);

#endif
