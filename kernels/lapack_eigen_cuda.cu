/* Eigenvalues by cuSOLVER: of Hermitian matrices at once or one after the other, of general ones
 * one after the other. Includes lapack_cuda.cuh. */
#include "lapack_cuda.cuh"

/* Elements of matrices in one call for many: their sizes are counted in 32 bits somewhere in the library. */
static const int64_t most_elements = int64_t(1) << 30;

static void *
values_of(const lapack_job *job, int64_t i, int64_t size)
{
    return lapack_at(job->call->values, i * job->call->rows * size);
}

/* ---- Hermitian ---- */

static int
decompose_each(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    const ga_solver *solver = job->solver;
    GA_CUSOLVER(measure, cusolverDnXsyevd_bufferSize);
    GA_CUSOLVER(decompose, cusolverDnXsyevd);
    int64_t n = call->rows;
    size_t device = 0, host = 0;
    if (!measure || !decompose ||
        ga_cusolver_check(measure(solver->handle, solver->params, lapack_mode(call),
                                  lapack_triangle(call), n, job->type, call->a, n, job->real_type,
                                  call->values, job->type, &device, &host),
                          "measuring syevd") ||
        ga_lapack_workspace(job, device, host))
        return -1;
    return lapack_for_each(job, "syevd", [&](int64_t i) {
        return decompose(solver->handle, solver->params, lapack_mode(call), lapack_triangle(call),
                         n, job->type, lapack_matrix(job, i), n, job->real_type,
                         values_of(job, i, job->real_size), job->type, job->work.device, device,
                         job->work.host, host, job->info + i);
    });
}

/* Matrices of a stack that one call takes. */
static int64_t
piece_of(const ga_lapack_call *call)
{
    int64_t most = most_elements / (call->rows * call->rows);
    most = most > 0 ? most : 1;
    return call->count < most ? call->count : most;
}

/* Pieces of the stack, so that none is too large for one call; the workspace is that of the first one. */
static int
decompose_stack(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    const ga_solver *solver = job->solver;
    GA_CUSOLVER(measure, cusolverDnXsyevBatched_bufferSize);
    GA_CUSOLVER(decompose, cusolverDnXsyevBatched);
    int64_t n = call->rows, piece = piece_of(call);
    size_t device = 0, host = 0;
    if (!measure || !decompose ||
        ga_cusolver_check(measure(solver->handle, solver->params, lapack_mode(call),
                                  lapack_triangle(call), n, job->type, call->a, n, job->real_type,
                                  call->values, job->type, &device, &host, piece),
                          "measuring syevBatched") ||
        ga_lapack_workspace(job, device, host))
        return -1;
    for (int64_t i = 0; i < call->count; i += piece) {
        int64_t count = call->count - i < piece ? call->count - i : piece;
        cusolverStatus_t status = decompose(
            solver->handle, solver->params, lapack_mode(call), lapack_triangle(call), n, job->type,
            lapack_matrix(job, i), n, job->real_type, values_of(job, i, job->real_size), job->type,
            job->work.device, device, job->work.host, host, job->info + i, count);
        if (ga_cusolver_check(status, "syevBatched"))
            return -1;
    }
    return 0;
}

int
ga_lapack_eigh(lapack_job *job)
{
    return lapack_is_batch(job->call) ? decompose_stack(job) : decompose_each(job);
}

/* ---- general ---- */

/* Values are complex, vectors of the matrix's own type: geev's form for real matrices in which both
 * eigenvalues of a pair are there, and their vectors as real and imaginary part. */
int
ga_lapack_eig(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    const ga_solver *solver = job->solver;
    GA_CUSOLVER(measure, cusolverDnXgeev_bufferSize);
    GA_CUSOLVER(decompose, cusolverDnXgeev);
    cudaDataType_t complex_type = job->real_size == 4 ? CUDA_C_32F : CUDA_C_64F;
    const cusolverEigMode_t none = CUSOLVER_EIG_MODE_NOVECTOR;
    int64_t n = call->rows;
    size_t device = 0, host = 0;
    if (!measure || !decompose ||
        ga_cusolver_check(measure(solver->handle, solver->params, none, lapack_mode(call), n,
                                  job->type, call->a, n, complex_type, call->values, job->type,
                                  nullptr, n, job->type, call->b, n, job->type, &device, &host),
                          "measuring geev") ||
        ga_lapack_workspace(job, device, host))
        return -1;
    return lapack_for_each(job, "geev", [&](int64_t i) {
        void *vectors = lapack_at(call->b, i * n * n * job->size);
        return decompose(solver->handle, solver->params, none, lapack_mode(call), n, job->type,
                         lapack_matrix(job, i), n, complex_type,
                         values_of(job, i, 2 * job->real_size), job->type, nullptr, n, job->type,
                         vectors, n, job->type, job->work.device, device, job->work.host, host,
                         job->info + i);
    });
}
