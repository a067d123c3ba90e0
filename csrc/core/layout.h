/* Arithmetic of shapes and byte strides. Pure functions over caller's arrays of ndim entries; no
 * memory is owned. GA_MAXDIMS bounds ndim. */
#ifndef GA_LAYOUT_H
#define GA_LAYOUT_H

#include "backend.h"

/* Product of the shape; GA_ERR_VALUE if a dimension is negative or size * itemsize overflows
 * int64. */
int ga_layout_size(int ndim, const int64_t *shape, int64_t itemsize, int64_t *size);
/* Contiguous strides in order 'C' or 'F'. */
void ga_layout_strides(int ndim, const int64_t *shape, int64_t itemsize, char order,
                       int64_t *strides);
/* Strides of a new array that keeps the axis order of an existing one (NumPy's order='K'). */
void ga_layout_strides_like(int ndim, const int64_t *shape, const int64_t *model, int64_t itemsize,
                            int64_t *strides);
/* Same for several operands at once, as NumPy's iterator orders the result of an element-wise
 * call: axes sorted by the operands' strides, ties broken by the first operand that decides; C
 * order where none does. operands' strides are broadcast ones. */
void ga_layout_strides_common(int ndim, const int64_t *shape, int nop,
                              const int64_t *const *strides, int64_t itemsize, int64_t *out);
/* The two halves of it: the axes from the one that varies fastest, and contiguous strides for axes in that order. */
void ga_layout_order_common(int ndim, const int64_t *shape, int nop, const int64_t *const *strides,
                            int *inner_first);
void ga_layout_strides_ordered(int ndim, const int64_t *shape, int64_t itemsize, const int *inner_first,
                               int64_t *strides);
bool ga_layout_is_c(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize);
bool ga_layout_is_f(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize);
/* Shape of nop operands broadcast together; GA_ERR_VALUE in NumPy's words "operands could not be
 * broadcast together with shapes (2,3) (4,)". */
int ga_layout_broadcast(int nop, const int *ndims, const int64_t *const *shapes, int *ndim,
                        int64_t *shape);
/* Strides of one operand seen in a broadcast shape (0 where stretched); GA_ERR_VALUE if it does
 * not fit. */
int ga_layout_broadcast_strides(int ndim, const int64_t *shape, int op_ndim,
                                const int64_t *op_shape, const int64_t *op_strides,
                                int64_t *strides);
/* New shape with at most one -1 resolved against `size`; GA_ERR_VALUE "cannot reshape array of
 * size 6 into shape (4,2)". */
int ga_layout_resolve_shape(int64_t size, int ndim, const int64_t *asked, int64_t *shape);
/* Strides of a reshape (to a shape of the same size) without copying, order 'C' or 'F'; returns
 * false if a copy is needed. */
bool ga_layout_reshape(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize,
                       int new_ndim, const int64_t *new_shape, char order, int64_t *new_strides);
/* Lowest and one past the highest byte touched, relative to the first element. Both 0 for an
 * empty array. */
void ga_layout_extent(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize,
                      int64_t *low, int64_t *high);
/* "(2,3)" into buf as NumPy's messages print shapes; always terminated; returns buf. */
char *ga_layout_format(int ndim, const int64_t *shape, char *buf, size_t nbytes);
/* axis + ndim if negative; GA_ERR_INDEX "axis 3 is out of bounds for array of dimension 2". */
int ga_layout_axis(int64_t axis, int ndim, int *out);

#endif
