/* What the CUDA-only files share: streams as they are stored, the state kept for a device, and the checks that stand
 * at the door of every slot. Included by *_cuda.cu and *_cuda.cc only. */
#ifndef GA_RUNTIME_CUDA_CUH
#define GA_RUNTIME_CUDA_CUH

#include <cuda_runtime.h>
#include <pthread.h>

#include "runtime.cuh"
#include "slots.h"

struct ga_stream {
    cudaStream_t handle; /* 0 is CUDA's legacy stream */
    int device;
    bool owned; /* made by us and destroyed by us */
    uint32_t *counters; /* of ga_stream_counters; NULL until they are asked for */
};

/* 0 for cudaSuccess; otherwise clears CUDA's error, records a sentence that begins with `what`, returns -1. */
int ga_cuda_check(cudaError_t error, const char *what);
/* Makes `device` current in this thread. Fails in a process that was forked after CUDA had started, and for a device
 * whose architecture is not among those built. */
int ga_cuda_enter(int device);
/* The architecture that a device's code was built for, 90 for compute capability 9.0. */
int ga_cuda_built(int device);
/* ga_runtime_launch of blocks in clusters of so many, each with `shared` bytes of shared memory
 * beside what its kernel declares. */
struct ga_cuda_grid {
    int64_t blocks;
    int threads, cluster;
    size_t shared;
};
int ga_cuda_launch(const char *name, const void *kernel, const ga_cuda_grid *grid, ga_stream *stream,
                   const void **parameters);
/* The device's own memory pool, made at its first use. */
int ga_cuda_pool(int device, cudaMemPool_t *out);

#endif
