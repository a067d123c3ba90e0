/* Products that leave one number of each pair of vectors, on a GPU: matmul_dot_cuda.cu. */
#ifndef GA_MATMUL_DOT_H
#define GA_MATMUL_DOT_H

#include "../csrc/core/call/matmul.h"

/* Whether ga_matmul_dot takes this product: of real floats, vectors by vectors. */
bool ga_matmul_is_dot(const ga_matmul_call *call);
int ga_matmul_dot(const ga_matmul_call *call, ga_stream *stream);

#endif
