/* The moves an assignment is made of; for transfer.c only. Operands do not overlap unless they are
 * the same memory, and are aligned where nothing else is said. All return 0, or -1 with an
 * exception. */
#ifndef GAPY_TRANSFER_MOVE_H
#define GAPY_TRANSFER_MOVE_H

#include "transfer.h"

/* Element by element with conversion; src_strides are src's seen in dst's shape. TypeError for
 * units no factor relates. */
int ga_transfer_move_cast(GaArray *dst, GaArray *src, const int64_t *src_strides);
/* Every element set to a value in dst's dtype. */
int ga_transfer_move_value(GaArray *dst, const ga_scalar *value);
/* Elements as rows of bytes: arrays of one dtype and shape, either of which may be misaligned. */
int ga_transfer_move_bytewise(GaArray *dst, GaArray *src);
/* One block: dense arrays of one dtype, shape and strides. */
int ga_transfer_move_linear(GaArray *dst, GaArray *src);
/* The same between two devices. */
int ga_transfer_move_across(GaArray *dst, GaArray *src);

#endif
