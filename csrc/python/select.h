/* Selection by truth: where a mask is true, and the elements that stand there. Both wait for the device once, since the
 * number of selected elements is the shape of the result. Errors are Python exceptions. */
#ifndef GAPY_SELECT_H
#define GAPY_SELECT_H

#include "array.h"

/* The flat C-order positions, int64, at which `mask` (any dtype, any layout) is true. *positions is a new reference on
 * the mask's device. */
int ga_select_flat(GaState *state, GaArray *mask, GaArray **positions);
/* The same as one index an axis: an array of shape (ndim, count). */
int ga_select_nonzero(GaState *state, GaArray *mask, GaArray **indices);
/* The elements of `a` where `mask`, of a's shape and on its device, is true, in C order: a[mask]. */
int ga_select_elements(GaState *state, GaArray *a, GaArray *mask, GaArray **elements);

#endif
