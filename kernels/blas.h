/* Matrix products by a vendor's library: one interface, blas_cpu.cc | blas_cuda.cc. */
#ifndef GA_BLAS_H
#define GA_BLAS_H

#include "../csrc/core/call/matmul.h"
#include "runtime.cuh"

/* For f16, f32, f64, c64 and c128 with m, n and k above 0. Returns 0 when done, -1 on an error, 1 when there is no
 * library for this dtype and our own kernel shall do it. */
int ga_blas_matmul(const ga_matmul_call *call, ga_stream *stream);

#endif
