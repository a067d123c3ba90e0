/* Factorisations of small matrices by kernels of our own, for stacks above all: one launch for all
 * of them. Interface of lapack_small.cu, lapack_small_qr.cu and lapack_jacobi.cu to lapack_cuda.cu
 * | lapack_cpu.cc. */
#ifndef GA_LAPACK_SMALL_H
#define GA_LAPACK_SMALL_H

#include "../csrc/core/call/lapack.h"
#include "runtime.cuh"

#define GA_LAPACK_SMALL 32 /* the greatest number of rows or columns */

/* Whether the kernels have this operation, at this size. */
bool ga_lapack_is_small(const ga_lapack_call *call);
/* *failed, on the device and zero before, becomes 1 where a matrix is singular or not positive definite. */
int ga_lapack_small(const ga_lapack_call *call, int *failed, ga_stream *stream);
/* SVD by rotations (lapack_jacobi.cu), for small matrices and for stacks: the same, with memory for
 * columns x columns elements of the dtype a matrix, where vectors are asked for, and for `columns`
 * numbers a matrix. */
#define GA_LAPACK_JACOBI 512 /* the greatest number of columns */
bool ga_lapack_is_jacobi(const ga_lapack_call *call);
int ga_lapack_jacobi(const ga_lapack_call *call, void *right, int *order, int *failed, ga_stream *stream);
/* The part of it in lapack_small_qr.cu: QR and BASIS. */
int ga_lapack_small_qr(const ga_lapack_call *call, ga_stream *stream);

#endif
