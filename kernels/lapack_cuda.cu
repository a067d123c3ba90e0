/* Linear algebra on CUDA: small matrices go to our own kernels, the others to cuSOLVER and cuBLAS.
 * Owns ga_lapack_run, the memory of a call, and the reading of what went wrong. The pair of
 * lapack_cpu.cc.
 *
 * The libraries write a word for each matrix to the device. Where NumPy raises an error, one kernel
 * folds those words, and the singular values that are NaN, into a flag, and the call waits for
 * that (of one matrix, for its word); the other operations do not wait. */
#include "lapack_cuda.cuh"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cublas_cuda.h"
#include "lapack_small.h"
#include "port.cuh"

/* ---- memory ---- */

static int
free_workspace(lapack_job *job)
{
    int status = 0;
    if (job->work.host) { /* the library may still read it */
        status =
            ga_cuda_check(cudaStreamSynchronize(job->stream->handle), "waiting for the device");
        free(job->work.host);
    }
    void *device = job->work.device;
    job->work = {};
    return ga_runtime_free(device, job->stream) | status ? -1 : 0;
}

int
ga_lapack_workspace(lapack_job *job, size_t device_bytes, size_t host_bytes)
{
    lapack_workspace *work = &job->work;
    if (free_workspace(job) || ga_runtime_alloc(device_bytes, job->stream, &work->device))
        return -1;
    work->device_bytes = device_bytes;
    work->host_bytes = host_bytes;
    work->host = host_bytes ? malloc(host_bytes) : nullptr;
    return host_bytes && !work->host
               ? ga_kernel_fail(GA_ERR_MEMORY, "linalg: no memory for a host workspace")
               : 0;
}

/* info and spare for each matrix, then the flag: all zero. */
static int
make_info(lapack_job *job)
{
    size_t nbytes = size_t(2 * job->call->count + 1) * sizeof(int);
    void *memory;
    if (ga_runtime_alloc(nbytes, job->stream, &memory))
        return -1;
    job->info = static_cast<int *>(memory);
    job->spare = job->info + job->call->count;
    job->flag = job->spare + job->call->count;
    return ga_cuda_check(cudaMemsetAsync(memory, 0, nbytes, job->stream->handle),
                         "clearing memory");
}

GA_KERNEL
fill_pointers(char *base, int64_t step, int64_t count, void **out)
{
    GA_AWAIT();
    for (int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; i < count; i += GA_GRID * GA_BLOCK)
        out[i] = base + i * step;
}

int
ga_lapack_pointers(const lapack_job *job, void *base, int64_t step, void ***out)
{
    int64_t count = job->call->count, blocks = (count + GA_BLOCK - 1) / GA_BLOCK;
    void *memory;
    if (ga_runtime_alloc(size_t(count) * sizeof(void *), job->stream, &memory))
        return -1;
    *out = static_cast<void **>(memory);
    return ga_launch(fill_pointers, blocks < 4096 ? blocks : 4096, job->stream,
                     static_cast<char *>(base), step, count, *out);
}

/* ---- names ---- */

static const char *
name_function(const lapack_job *job, const char *format, char *name, size_t nbytes)
{
    const char letters[] = {'S', 'D', 'C', 'Z'};
    snprintf(name, nbytes, format,
             letters[(job->size > job->real_size ? 2 : 0) + (job->real_size == 8)]);
    return name;
}

void *
ga_lapack_blas_function(const lapack_job *job, const char *format)
{
    char name[64];
    return ga_cublas_function(name_function(job, format, name, sizeof name));
}

void *
ga_lapack_solver_function(const lapack_job *job, const char *format)
{
    char name[64];
    return ga_cusolver_function(name_function(job, format, name, sizeof name));
}

static void
fill_types(lapack_job *job)
{
    switch (job->call->dtype) {
    case GA_f32:
        job->type = CUDA_R_32F, job->size = 4;
        break;
    case GA_f64:
        job->type = CUDA_R_64F, job->size = 8;
        break;
    case GA_c64:
        job->type = CUDA_C_32F, job->size = 8;
        break;
    default:
        job->type = CUDA_C_64F, job->size = 16;
    }
    bool single = job->call->dtype == GA_f32 || job->call->dtype == GA_c64;
    job->real_type = single ? CUDA_R_32F : CUDA_R_64F;
    job->real_size = single ? 4 : 8;
}

/* ---- what went wrong ---- */

/* values: singular ones, `length` of them, of which NaN says that they did not converge; or NULL. */
template <class R>
GA_KERNEL
fold_info(const int *info, int64_t count, const R *values, int64_t length, int *flag)
{
    GA_AWAIT();
    for (int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; i < count || i < length;
         i += GA_GRID * GA_BLOCK)
        if ((i < count && info[i]) || (i < length && values[i] != values[i]))
            *flag = 1;
}

template <class R>
static int
launch_fold(const lapack_job *job, int64_t length)
{
    int64_t count = job->call->count, most = count > length ? count : length,
            blocks = (most + GA_BLOCK - 1) / GA_BLOCK;
    return ga_launch(fold_info<R>, blocks < 1024 ? blocks : 1024, job->stream, job->info, count,
                     static_cast<const R *>(job->call->values), length, job->flag);
}

static int
fold_words(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    int64_t length = call->op == GA_LAPACK_SVD ? call->count * call->columns : 0;
    return job->real_size == 4 ? launch_fold<float>(job, length) : launch_fold<double>(job, length);
}

/* Of one matrix the library's word is the flag, unless there are values to look at. */
static int
settle_words(lapack_job *job)
{
    if (job->call->count > 1 || job->call->op == GA_LAPACK_SVD)
        return fold_words(job);
    job->flag = job->info;
    return 0;
}

static int
read_flag(const lapack_job *job)
{
    int flag = 0;
    if (ga_runtime_copy(&flag, job->flag, sizeof flag, GA_COPY_TO_HOST, job->stream))
        return -1;
    *job->call->failed = flag != 0;
    return 0;
}

static bool
may_fail(enum ga_lapack_op op)
{
    return op != GA_LAPACK_DETERMINANT && op != GA_LAPACK_QR && op != GA_LAPACK_BASIS;
}

/* ---- calls ---- */

static int
run_operation(lapack_job *job)
{
    switch (job->call->op) {
    case GA_LAPACK_SOLVE:
    case GA_LAPACK_INVERT:
    case GA_LAPACK_DETERMINANT:
        return ga_lapack_lu(job);
    case GA_LAPACK_CHOLESKY:
        return ga_lapack_cholesky(job);
    case GA_LAPACK_QR:
        return ga_lapack_qr(job);
    case GA_LAPACK_BASIS:
        return ga_lapack_basis(job);
    case GA_LAPACK_EIGH:
        return ga_lapack_eigh(job);
    case GA_LAPACK_EIG:
        return ga_lapack_eig(job);
    default:
        return ga_lapack_svd(job);
    }
}

static int
run_in_library(lapack_job *job)
{
    if (ga_cusolver_begin(job->stream, &job->solver))
        return -1;
    int status = run_operation(job);
    if (status == 0 && may_fail(job->call->op))
        status = settle_words(job);
    ga_cusolver_end();
    return free_workspace(job) | status ? -1 : 0;
}

/* By rotations, with memory for V under way and the order of the columns. */
static int
run_rotations(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    size_t columns = size_t(call->columns * call->count);
    void *right = nullptr, *order = nullptr;
    int status = ga_runtime_alloc(call->vectors ? columns * size_t(call->columns * job->size) : 0, job->stream,
                                  &right) ||
                         ga_runtime_alloc(columns * sizeof(int), job->stream, &order) ||
                         ga_lapack_jacobi(call, right, static_cast<int *>(order), job->flag, job->stream)
                     ? -1
                     : 0;
    return ga_runtime_free(right, job->stream) | ga_runtime_free(order, job->stream) | status ? -1 : 0;
}

static int
run_anywhere(lapack_job *job)
{
    if (ga_lapack_is_small(job->call))
        return ga_lapack_small(job->call, job->flag, job->stream);
    if (ga_lapack_is_rotated(job->call))
        return ga_lapack_rotate(job->call, job->flag, job->stream);
    return ga_lapack_is_jacobi(job->call) ? run_rotations(job) : run_in_library(job);
}

static int
check_sizes(const ga_lapack_call *call)
{
    bool fits = call->count <= INT_MAX && call->rows <= INT_MAX && call->columns <= INT_MAX &&
                call->b_columns <= INT_MAX;
    return fits ? 0
                : ga_kernel_fail(GA_ERR_VALUE,
                                 "linalg: the matrices, or the stack of them, are too large");
}

int
ga_lapack_run(const ga_lapack_call *call, ga_stream *stream)
{
    lapack_job job;
    memset(&job, 0, sizeof job);
    job.call = call;
    job.stream = stream;
    *call->failed = false;
    fill_types(&job);
    if (check_sizes(call) || ga_cuda_enter(stream->device) || make_info(&job))
        return -1;
    int status = run_anywhere(&job);
    if (status == 0 && may_fail(call->op))
        status = read_flag(&job);
    return ga_runtime_free(job.info, stream) | status ? -1 : 0;
}
