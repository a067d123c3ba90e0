/* Cholesky by cuSOLVER, of a stack at once or one matrix after the other. Includes lapack_cuda.cuh,
 * lapack_number.cuh. */
#include "lapack_cuda.cuh"

#include "lapack_number.cuh"

/* Zeroes the triangle that holds no factor; columns first. */
template <class T>
GA_KERNEL
clear_triangle(T *a, int64_t n, int64_t count, bool upper)
{
    GA_AWAIT();
    for (int64_t e = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; e < n * n * count;
         e += GA_GRID * GA_BLOCK) {
        int64_t i = e % n, j = e / n % n;
        if (upper ? i > j : i < j)
            a[e] = ga_number<T>::of(0);
    }
}

template <class T>
static int
launch_clear(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    int64_t blocks = (call->rows * call->rows * call->count + GA_BLOCK - 1) / GA_BLOCK;
    return ga_launch(clear_triangle<T>, blocks < 65536 ? blocks : 65536, job->stream,
                     static_cast<T *>(call->a), call->rows, call->count, call->upper);
}

static int
clear_other(const lapack_job *job)
{
    return GA_BY_NUMBER(job->call->dtype, launch_clear, job);
}

/* cuSOLVER's functions of four dtypes as one. */
typedef cusolverStatus_t (*positive_function)(cusolverDnHandle_t, cublasFillMode_t, int n,
                                              void *a[], int lda, int *info, int count);

static int
factor_positive_stack(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    int n = int(call->rows);
    auto factor = reinterpret_cast<positive_function>(
        ga_lapack_solver_function(job, "cusolverDn%cpotrfBatched"));
    void **pointers = nullptr;
    if (!factor)
        return -1;
    int status = ga_lapack_pointers(job, call->a, call->rows * call->rows * job->size, &pointers);
    if (status == 0)
        status = ga_cusolver_check(factor(job->solver->handle, lapack_triangle(call), n, pointers,
                                          n, job->info, int(call->count)),
                                   "potrf");
    return ga_runtime_free(pointers, job->stream) | status ? -1 : 0;
}

int
ga_lapack_factor_positive(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    const ga_solver *solver = job->solver;
    GA_CUSOLVER(measure, cusolverDnXpotrf_bufferSize);
    GA_CUSOLVER(factor, cusolverDnXpotrf);
    cublasFillMode_t triangle = lapack_triangle(call);
    int64_t n = call->rows;
    size_t device = 0, host = 0;
    if (!measure || !factor ||
        ga_cusolver_check(measure(solver->handle, solver->params, triangle, n, job->type, call->a,
                                  n, job->type, &device, &host),
                          "measuring potrf") ||
        ga_lapack_workspace(job, device, host))
        return -1;
    return lapack_for_each(job, "potrf", [&](int64_t i) {
        return factor(solver->handle, solver->params, triangle, n, job->type, lapack_matrix(job, i),
                      n, job->type, job->work.device, device, job->work.host, host, job->info + i);
    });
}

int
ga_lapack_cholesky(lapack_job *job)
{
    int status =
        lapack_is_batch(job->call) ? factor_positive_stack(job) : ga_lapack_factor_positive(job);
    return status ? status : clear_other(job);
}
