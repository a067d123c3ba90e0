/* cuSOLVER, opened at its first use, for the files that call it: what it keeps for each device, used under a lock. */
#ifndef GA_CUSOLVER_CUDA_H
#define GA_CUSOLVER_CUDA_H

#include <cusolverDn.h>

#include "runtime.cuh"

/* Of one device, made at its first use; set to a stream by ga_cusolver_begin. */
struct ga_solver {
    cusolverDnHandle_t handle;
    cusolverDnParams_t params; /* the defaults */
};

/* Takes the lock and gives the solver of the stream's device. After success, and only then, call ga_cusolver_end. A
 * missing library is an error that says what to install. */
int ga_cusolver_begin(ga_stream *stream, const ga_solver **out);
void ga_cusolver_end(void);
/* A function of the library; NULL after recording an error. */
void *ga_cusolver_function(const char *name);
/* 0 for success; otherwise records a sentence that names `what`, returns -1. */
int ga_cusolver_check(cusolverStatus_t status, const char *what);
/* Version of the library, or why it is not there. */
void ga_cusolver_describe(char *buf, size_t nbytes);

/* A pointer named `variable` to the library's function `name`. */
#define GA_CUSOLVER(variable, name) \
    auto variable = reinterpret_cast<decltype(&name)>(ga_cusolver_function(#name))

#endif
