/* Calls of the families that go through their operands element by element: ufunc, cast, sequence. */
#ifndef GA_CALL_ELEMENTWISE_H
#define GA_CALL_ELEMENTWISE_H

#include "base.h"

/* Element-wise operation. args: inputs, outputs, then the mask (bool) if has_where. Operands are in
 * the loop's dtypes, or if `converts` the inputs in memory are of the dtypes `source`, each the
 * loop's own or one of its GA_WIDENS_<id> (widen.h). shape is collapsed, outermost first; ndim 0 is
 * one element. Outputs never carry data == NULL. An output may be exactly an input (same data and
 * strides); other overlaps the core has removed. */
typedef struct {
    enum ga_ufunc op;
    int32_t nin, nout;
    enum ga_dtype in[2], out[2], source[2];
    int32_t ndim;
    bool has_where, converts;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    ga_operand args[GA_MAXARGS];
} ga_ufunc_call;

/* Copy with conversion by NumPy's `astype` rules: dst[i] = (out)src[i]. For two times, the value is
 * multiplied by `num` and divided by `den` (floor), NaT kept; num and den are 1 otherwise. src.data
 * may be NULL (fill with value, in dtype `in`). */
typedef struct {
    enum ga_dtype in, out;
    int32_t ndim;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    int64_t num, den;
    ga_operand src, dst;
} ga_cast_call;

/* dst[i] = start + i * delta for a contiguous vector, computed in the dtype itself as NumPy's arange does. With `ends`
 * the last element is `end`. */
typedef struct {
    enum ga_dtype dtype;
    bool ends;
    int64_t size;
    void *dst;
    ga_scalar start, delta, end;
} ga_sequence_call;

#endif
