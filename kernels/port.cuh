/* The whole difference between a GPU and the CPU: on the CPU a block has one thread.
 *
 * Owns the words in which kernels are written (GA_FN, GA_KERNEL, GA_KERNEL_BESIDE, GA_BLOCK, GA_THREAD, GA_BLOCK_ID,
 * GA_GRID, GA_SHARED, GA_SYNC, GA_PARAM, GA_AWAIT) and the launch. A kernel assumes nothing of the block
 * size, so it walks block-strided:
 *
 *     for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) ...
 *
 * On a GPU from compute capability 9.0 on, a kernel's blocks may be started before the kernel in front of it has ended, so the first
 * statement of every kernel is GA_AWAIT(), which waits for that (tools/check_kernels.py).
 *
 * Barriers are nothing on the CPU, shared memory is a local, and a launch is a loop over blocks
 * that the standing thread pool shares. Includes runtime.cuh only. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime.cuh"

#ifdef __CUDACC__

#define GA_FN static __device__ __forceinline__   /* small device function; also a static member */
#define GA_FN_CALL static __device__ __noinline__ /* large: a call costs less than its copies */
#define GA_METHOD __device__ __forceinline__      /* member function of a device object */
#define GA_MEMBER __host__ __device__
#define GA_BLOCK 256
#define GA_KERNEL static __global__ void __launch_bounds__(GA_BLOCK)
#define GA_KERNEL_BESIDE(blocks) static __global__ void __launch_bounds__(GA_BLOCK, (blocks)) /* fit a multiprocessor; 0: as come */
#define GA_PARAM const __grid_constant__ /* struct parameter, indexed in the constant bank */
#define GA_SHARED __shared__
#define GA_SYNC() __syncthreads()
#define GA_THREAD ((int)threadIdx.x)
#define GA_BLOCK_ID ((int64_t)blockIdx.x)
#define GA_GRID ((int64_t)gridDim.x)
#define GA_UNROLL _Pragma("unroll")
#define GA_ROLLED _Pragma("unroll 1") /* copies of this loop's body would only cost compile time */
#define GA_INDEPENDENT

GA_FN void
GA_AWAIT()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* The arguments become what the kernel declares. */
template <class T> struct ga_port_parameter {
    typedef T type;
};

template <class... P>
static int
ga_port_launch(const char *name, void (*kernel)(P...), int64_t grid, ga_stream *stream,
               const typename ga_port_parameter<P>::type &...args)
{
    const void *parameters[] = {&args...};
    return ga_runtime_launch(name, (const void *)kernel, grid, GA_BLOCK, stream, parameters);
}

#else

#define GA_FN static inline
#define GA_FN_CALL static inline
#define GA_METHOD inline
#define GA_MEMBER
#define GA_BLOCK 1
#define GA_KERNEL static void
#define GA_KERNEL_BESIDE(blocks) static void
#define GA_PARAM const
#define GA_SHARED
#define GA_SYNC() ((void)0)
#define GA_AWAIT() ((void)0)
#define GA_THREAD 0
#define GA_BLOCK_ID ga_port_block
#define GA_GRID ga_port_grid
#define GA_UNROLL
#define GA_ROLLED
#ifdef __clang__
#define GA_INDEPENDENT
#else
#define GA_INDEPENDENT _Pragma("GCC ivdep") /* no iteration reads what another one writes */
#endif

static thread_local int64_t ga_port_block, ga_port_grid;

/* Makes block `block` of a launch current for this thread while `call` runs the kernel. */
template <class Call>
static void
ga_port_run_block(void *ctx, int64_t block)
{
    Call &call = *static_cast<Call *>(ctx);
    ga_port_block = block;
    ga_port_grid = call.grid;
    call.body();
}

template <class Body> struct ga_port_call {
    int64_t grid;
    Body body;
};

template <class... P, class... A>
static int
ga_port_launch(const char *, void (*kernel)(P...), int64_t grid, ga_stream *, const A &...args)
{
    auto body = [&] { kernel(args...); };
    ga_port_call<decltype(body)> call = {grid, body};
    if (grid == 1)
        ga_port_run_block<decltype(call)>(&call, 0);
    else if (grid > 1)
        ga_runtime_parallel(grid, ga_port_run_block<decltype(call)>, &call);
    return 0;
}

#endif

/* ga_launch((kernel<A, B>), blocks, stream, args...) returns 0, or -1 with the error recorded. A
 * kernel with template arguments stands in parentheses. Zero blocks launch nothing. */
#define ga_launch(kernel, grid, stream, ...) \
    ((grid) > 0 ? ga_port_launch(#kernel, kernel, (grid), (stream), __VA_ARGS__) : 0)
