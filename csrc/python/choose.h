/* The choice between two operands by a condition. Errors are Python exceptions. */
#ifndef GAPY_CHOOSE_H
#define GAPY_CHOOSE_H

#include "array.h"

/* dst[...] = value where the mask (any dtype) is true; value and mask broadcast to dst's shape, value is converted by
 * astype's rules. Overlaps are handled. 0 or -1. */
int ga_choose_into(GaState *state, GaArray *dst, GaArray *value, GaArray *mask);
/* The same with one element in dst's dtype, which travels in the launch. */
int ga_choose_fill(GaState *state, GaArray *dst, const ga_scalar *value, GaArray *mask);

#endif
