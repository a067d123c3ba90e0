/* Small products and stacks of them in the floating dtypes, on a GPU: matmul_small.cu. */
#ifndef GA_MATMUL_SMALL_H
#define GA_MATMUL_SMALL_H

#include "../csrc/core/call/matmul.h"
#include "runtime.cuh"

/* Whether ga_matmul_small takes this product of so many matrices, none of them empty. */
bool ga_matmul_is_small(const ga_matmul_call *call, int64_t batches);
int ga_matmul_small(const ga_matmul_call *call, int64_t batches, ga_stream *stream);

#endif
