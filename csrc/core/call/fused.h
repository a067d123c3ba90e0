/* Launches of fused kernels: programs that gpuarray writes for a function of the user's, an element a thread's lane. */
#ifndef GA_CALL_FUSED_H
#define GA_CALL_FUSED_H

#include "program.h"

#define GA_FUSED_ARRAYS 12  /* inputs and outputs of one kernel */
#define GA_FUSED_NUMBERS 32 /* numbers that travel in the launch */

/* The kernel `name` of the program is one of kernels/fused.cuh: it takes packs of `lanes` elements.
 * Arrays are its inputs, then its outputs, with their items' sizes; inputs may be outputs only
 * where they are walked alike. The shape is collapsed, outermost first; ndim 0 is one element. */
typedef struct {
    ga_program *program;
    const char *name;
    int32_t narrays, nnumbers, ndim, lanes;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    int32_t itemsize[GA_FUSED_ARRAYS];
    void *data[GA_FUSED_ARRAYS];
    int64_t strides[GA_FUSED_ARRAYS][GA_ITER_DIMS];
    ga_scalar numbers[GA_FUSED_NUMBERS];
} ga_fused_call;

#endif
