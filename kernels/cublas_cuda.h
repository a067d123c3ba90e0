/* cuBLAS, opened at its first use, for the files that call it: a handle for each device, used under a lock. */
#ifndef GA_CUBLAS_CUDA_H
#define GA_CUBLAS_CUDA_H

#include <cublas_v2.h>

#include "runtime.cuh"

/* Whether there is a cuBLAS. */
bool ga_cublas_use(void);
/* One of its functions; NULL after recording an error. The ones below are those of every call. */
void *ga_cublas_function(const char *name);
/* Takes the lock and gives the handle of the stream's device, set to that stream. After success, and only then, call
 * ga_cublas_end. */
int ga_cublas_begin(ga_stream *stream, cublasHandle_t *out);
void ga_cublas_end(void);
/* 0 for success; otherwise records a sentence that names `what`, returns -1. */
int ga_cublas_check(cublasStatus_t status, const char *what);
/* Version of the library, or why it is not there. */
void ga_cublas_describe(char *buf, size_t nbytes);

#endif
