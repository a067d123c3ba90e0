/* Copies and conversions of whole arrays: within a device, between devices, and with the host.
 * Errors are Python exceptions. */
#ifndef GAPY_TRANSFER_H
#define GAPY_TRANSFER_H

#include "array.h"

/* dst[...] = src with broadcasting, conversion by astype's rules (no casting check), overlap
 * handled, across devices. */
int ga_transfer_assign(GaState *state, GaArray *dst, GaArray *src);
/* Fills every element with a value given in dst's dtype. */
int ga_transfer_fill(GaState *state, GaArray *dst, const ga_scalar *value);
/* New array; descr NULL keeps the dtype; device NULL keeps the device; order 'C' 'F' 'A' 'K'. Never
 * returns `a` itself. */
GaArray *ga_transfer_copy(GaState *state, GaArray *a, PyArray_Descr *descr, ga_device *device,
                          char order);
/* Owned reference to `a` itself when it already fits, else a copy. */
GaArray *ga_transfer_cast(GaState *state, GaArray *a, PyArray_Descr *descr);
/* Owned reference: `a`, or for bfloat16 and float8, of which most families have no kernel, its float32 copy. */
GaArray *ga_transfer_widen(GaState *state, GaArray *a);
/* A numpy.ndarray with a copy of the data, in the same axis order. On the CPU device with share:
 * memory shared with `a`. */
PyArrayObject *ga_transfer_to_numpy(GaState *state, GaArray *a, bool share);
/* The same copy without a look at what earlier kernels met (ga_raise_fault): for text of arrays. */
PyArrayObject *ga_transfer_peek(GaState *state, GaArray *a);
/* New array on `device` from a numpy.ndarray (any strides and byte order); descr as in copy. On a
 * dtype no device holds: TypeError naming it. */
GaArray *ga_transfer_from_numpy(GaState *state, PyArrayObject *source, PyArray_Descr *descr,
                                ga_device *device, char order);
/* NumPy's ComplexWarning where a conversion drops imaginary parts; -1 where it is an error. */
int ga_transfer_warn_complex(GaState *state, const PyArray_Descr *from, const PyArray_Descr *to);
/* TypeError saying that no device holds the dtype; returns -1. */
int ga_transfer_refuse_dtype(PyArray_Descr *descr);
/* One element brought to the host (waits). a->size must be 1, or index is the flat C-order index.
 */
int ga_transfer_item(GaArray *a, int64_t index, ga_scalar *out);
/* Whether address and strides suit the dtype's alignment, as kernels need. */
bool ga_transfer_aligned(const GaArray *a);
/* Whether the elements fill one block from the first element on, in some order of the axes. */
bool ga_transfer_dense(const GaArray *a);
/* Strides of a dense array of a's shape in order 'C' 'F' 'A' 'K'. */
void ga_transfer_strides(const GaArray *a, int64_t itemsize, char order, int64_t *strides);

#endif
