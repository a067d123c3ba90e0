/* The arrays that calls on contiguous elements ask for. */
#ifndef GAPY_DENSE_H
#define GAPY_DENSE_H

#include "array.h"

/* One of our arrays, C-contiguous and aligned; borrowed. NULL with a TypeError or ValueError that names `function`. */
GaArray *ga_dense_take(GaState *state, const char *function, PyObject *object);
/* The same, of a dtype that is asked for. */
GaArray *ga_dense_take_as(GaState *state, const char *function, PyObject *object, enum ga_dtype dtype);

#endif
