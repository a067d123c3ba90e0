/* Selection by truth: where a mask is true, and the elements that stand there. Both wait for the device once, since the
 * number of selected elements is the shape of the result. Errors are Python exceptions. */
#ifndef GAPY_SELECT_H
#define GAPY_SELECT_H

#include "array.h"

/* The places at which `mask` (any dtype, any layout) is true, in C order, as one int64 index an axis: *indices is a new
 * reference to an array of shape (ndim, count) on the mask's device. */
int ga_select_nonzero(GaState *state, GaArray *mask, GaArray **indices);
/* The elements of `a` where `mask`, of a's shape and on its device, is true, in C order: a[mask]. */
int ga_select_elements(GaState *state, GaArray *a, GaArray *mask, GaArray **elements);

#endif
