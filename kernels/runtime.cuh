/* What every kernel file may ask of the runtime: errors, the stream's handle, the thread pool.
 * Implemented in runtime_cuda.cu and in the *_cpu.cc files. Includes csrc/core/backend.h only. */
#pragma once
#include "../csrc/core/call/base.h"

/* Records status and sentence for last_error() of this thread; returns -1. */
int ga_kernel_fail(enum ga_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of the CUDA build: the cudaStream_t behind `stream`, whose device becomes current. */
struct CUstream_st *ga_runtime_handle(ga_stream *stream);

/* Of the CUDA build: launches a kernel, which begins with GA_AWAIT(); 0, or -1 after recording why it failed. */
int ga_runtime_launch(const char *name, const void *kernel, int64_t blocks, int threads, ga_stream *stream,
                      const void **parameters);

/* Of the CPU build: calls fn(ctx, b) once for each b in [0, nblocks), on the threads of the pool
 * and the calling one; returns when all are done. Calls do not nest. */
void ga_runtime_parallel(int64_t nblocks, void (*fn)(void *ctx, int64_t block), void *ctx);
