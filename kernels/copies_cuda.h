/* Ways of copying between host and device that are faster than CUDA's own where they can be had;
 * the plain way is in memory_cuda.cc. Each returns 0 when the bytes are there (or, upwards, when
 * the host memory may be touched again), -1 with an error recorded, and 1 when nothing was done and
 * the plain way is to be taken. The device is current. */
#ifndef GA_COPIES_CUDA_H
#define GA_COPIES_CUDA_H

#include "runtime_cuda.cuh"

#define GA_PEEK_BYTES 16 /* at most */

/* A few bytes, brought to the host behind all work of the stream: peek_cuda.cu. */
int ga_cuda_peek(void *dst, const void *src, size_t nbytes, ga_stream *stream);
/* Large blocks from and to pageable memory, by several threads: transfer_cuda.cc. */
int ga_cuda_transfer(void *dst, const void *src, size_t nbytes, enum ga_copy_kind kind, ga_stream *stream);

#endif
