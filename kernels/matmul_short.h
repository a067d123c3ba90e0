/* Products of matrices with short rows and vectors, on a GPU: matmul_short.cu. */
#ifndef GA_MATMUL_SHORT_H
#define GA_MATMUL_SHORT_H

#include "../csrc/core/call/matmul.h"
#include "runtime.cuh"

/* Whether ga_matmul_short takes this product, whose n is 1: one with many rows that a few threads read at once. */
bool ga_matmul_is_short(const ga_matmul_call *call, int64_t batches);
int ga_matmul_short(const ga_matmul_call *call, int64_t batches, ga_stream *stream);

#endif
