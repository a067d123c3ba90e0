/* The call of the Fourier transform, and the state of the plans that a backend keeps for it. */
#ifndef GA_CALL_FFT_H
#define GA_CALL_FFT_H

#include "base.h"

#define GA_FFT_RANK 3 /* axes transformed together */

/* Transforms over `rank` axes for each point of the batch axes. Of dtypes one is complex: both for
 * a complex transform, dst for one of real signals, src for one to real signals; both are single or
 * both double. `shape` is that of the signals; where the dtypes differ, the complex side has shape
 * / 2 + 1 elements along the last axis. `inverse` chooses the sign of a complex transform's
 * exponent; real signals give e^(-i), and come of e^(+i). A complex src is overwritten by a
 * transform to real signals. src and dst overlap nowhere, or are the same elements of one dtype.
 * Axes have a length of at least one, and nbatch + rank is no more than GA_ITER_DIMS; strides are
 * any, the backend copies where its library cannot take them. `scaled` says whether the result has
 * been multiplied with `scale`, and `ended` whether of a batch axis of signals / 2 + 1 elements the
 * first, and of even signals the last, has lost its imaginary parts: both are done where they cost
 * no pass of their own, the latter where signals is not 0. A call that fails with GA_ERR_MEMORY has
 * written nothing. */
typedef struct {
    enum ga_dtype src_dtype, dst_dtype;
    bool inverse;
    int32_t rank, nbatch;
    int64_t shape[GA_FFT_RANK], batch_shape[GA_ITER_DIMS];
    void *src, *dst;
    int64_t src_strides[GA_FFT_RANK], dst_strides[GA_FFT_RANK];
    int64_t src_batch[GA_ITER_DIMS], dst_batch[GA_ITER_DIMS];
    double scale;
    int64_t signals;
    bool *scaled, *ended; /* on the host */
} ga_fft_call;

/* Plans kept for a device: how many, how many at most, how often a call found its plan and how often not. */
typedef struct {
    int64_t plans, limit, hits, misses;
} ga_fft_plans;

#endif
