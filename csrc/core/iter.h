/* From a broadcast shape and operands' strides to launches: drops axes of length one, orders axes
 * so that the operands together step least over the innermost (the last operand breaks ties), flips
 * axes that all operands walk backwards, merges axes that are contiguous in every operand, and when
 * more than GA_ITER_DIMS remain loops over the outermost on the host.
 *
 *     ga_iter it;
 *     ga_iter_begin(&it, ndim, shape, nop, strides, reorder);
 *     do {
 *         ... it.ndim, it.shape, it.strides[op], it.offsets[op] describe one launch ...
 *     } while (ga_iter_next(&it));
 */
#ifndef GA_ITER_H
#define GA_ITER_H

#include "backend.h"

#define GA_ITER_OPS 12

typedef struct {
    /* One launch. */
    int ndim;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    int64_t strides[GA_ITER_OPS][GA_ITER_DIMS];
    int64_t offsets[GA_ITER_OPS]; /* bytes to add to each operand's first element */
    /* The loop around it. */
    int nop, outer_ndim;
    int64_t outer_shape[GA_MAXDIMS], outer_index[GA_MAXDIMS];
    int64_t outer_strides[GA_ITER_OPS][GA_MAXDIMS];
} ga_iter;

/* reorder false keeps the axes' order (needed where element order matters, as in ordered
 * reductions and arg-reductions); merging still happens, flipping does not. A size of zero gives
 * one launch with size 0. */
void ga_iter_begin(ga_iter *it, int ndim, const int64_t *shape, int nop,
                   const int64_t *const *strides, bool reorder);
bool ga_iter_next(ga_iter *it);

#endif
