/* Products of integers or bools in which one operand is a vector: matmul_thin.cu. */
#ifndef GA_MATMUL_THIN_H
#define GA_MATMUL_THIN_H

#include "../csrc/core/call/matmul.h"

/* Whether ga_matmul_thin takes this product: exact in any order, and each result a walk along lines of memory. */
bool ga_matmul_is_thin(const ga_matmul_call *call);
int ga_matmul_thin(const ga_matmul_call *call, int64_t batches, ga_stream *stream);

#endif
