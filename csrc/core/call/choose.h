/* The call of the choice between two operands, element by element. */
#ifndef GA_CALL_CHOOSE_H
#define GA_CALL_CHOOSE_H

#include "base.h"

enum { GA_CHOOSE_X, GA_CHOOSE_Y, GA_CHOOSE_DST, GA_CHOOSE_CONDITION, GA_CHOOSE_ARGS };

/* dst[i] = condition[i] ? x[i] : y[i]. Items move as they are; the condition is one byte an
 * element, true where it is not zero. shape is collapsed, outermost first; ndim 0 is one element.
 * Only dst must have data. dst may be exactly x or y (same data and strides): of dst as y, elements
 * where the condition is false need not be touched. Other overlaps the core has removed, and each
 * operand is aligned to its items. */
typedef struct {
    int32_t itemsize; /* 1, 2, 4, 8 or 16 */
    int32_t ndim;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    ga_operand args[GA_CHOOSE_ARGS];
} ga_choose_call;

#endif
