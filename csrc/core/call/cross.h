/* The call of cross products. */
#ifndef GA_CALL_CROSS_H
#define GA_CALL_CROSS_H

#include "base.h"

enum { GA_CROSS_A, GA_CROSS_B, GA_CROSS_DST, GA_CROSS_ARGS };

/* dst[i] = a[i] x b[i], vectors of three components, which lie `step` bytes apart. Of any dtype
 * that subtracts but times; products and differences are rounded to it one by one. shape counts
 * vectors, collapsed, outermost first, fewer than 2^31 in all. All operands have data and dst
 * overlaps the others nowhere. */
typedef struct {
    enum ga_dtype dtype;
    int32_t ndim;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    ga_operand args[GA_CROSS_ARGS];
    int64_t step[GA_CROSS_ARGS];
} ga_cross_call;

#endif
