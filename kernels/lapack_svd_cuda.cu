/* Singular values by cuSOLVER: small matrices at once by Jacobi's method, larger ones one after the other.
 *
 * gesvdp (a polar decomposition, then Hermitian eigenvectors) is many times faster than gesvd, but near a zero singular
 * value it moves the matrix by a little and tells by how much. Where that is more than rounding, or it failed, gesvd does it
 * again from a copy. rows >= columns. Includes lapack_cuda.cuh, lapack_number.cuh. */
#include "lapack_cuda.cuh"

#include <float.h>

#include "lapack_number.cuh"

static const int64_t most_jacobi = 32; /* rows that gesvdjBatched takes */

/* ---- Jacobi ---- */

/* cuSOLVER's functions of four dtypes as one. */
typedef cusolverStatus_t (*measure_jacobi_function)(cusolverDnHandle_t, cusolverEigMode_t, int m,
                                                    int n, const void *a, int lda, const void *s,
                                                    const void *u, int ldu, const void *v, int ldv,
                                                    int *elements, gesvdjInfo_t, int count);
typedef cusolverStatus_t (*jacobi_function)(cusolverDnHandle_t, cusolverEigMode_t, int m, int n,
                                            void *a, int lda, void *s, void *u, int ldu, void *v,
                                            int ldv, void *work, int elements, int *info,
                                            gesvdjInfo_t, int count);

/* u has all rows x rows of each matrix, v columns x columns. */
static int
decompose_small(lapack_job *job, void *u, void *v)
{
    const ga_lapack_call *call = job->call;
    auto measure = reinterpret_cast<measure_jacobi_function>(
        ga_lapack_solver_function(job, "cusolverDn%cgesvdjBatched_bufferSize"));
    auto decompose = reinterpret_cast<jacobi_function>(
        ga_lapack_solver_function(job, "cusolverDn%cgesvdjBatched"));
    int m = int(call->rows), n = int(call->columns), count = int(call->count), elements = 0;
    if (!measure || !decompose ||
        ga_cusolver_check(measure(job->solver->handle, lapack_mode(call), m, n, call->a, m,
                                  call->values, u, m, v, n, &elements, job->solver->jacobi, count),
                          "measuring gesvdj") ||
        ga_lapack_workspace(job, size_t(elements) * size_t(job->size), 0))
        return -1;
    return ga_cusolver_check(decompose(job->solver->handle, lapack_mode(call), m, n, call->a, m,
                                       call->values, u, m, v, n, job->work.device, elements,
                                       job->info, job->solver->jacobi, count),
                             "gesvdj");
}

/* The first columns of each U are what was asked for. */
static int
keep_columns(const lapack_job *job, const void *u)
{
    const ga_lapack_call *call = job->call;
    size_t kept = size_t(call->rows * call->b_columns * job->size),
           all = size_t(call->rows * call->rows * job->size);
    return ga_cuda_check(cudaMemcpy2DAsync(call->b, kept, u, all, kept, size_t(call->count),
                                           cudaMemcpyDeviceToDevice, job->stream->handle),
                         "copying on the device");
}

/* gesvdjBatched writes to u and v even where no vectors are asked for. */
static int
run_small_values(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    int64_t left = call->count * call->rows * call->rows * job->size,
            right = call->count * call->columns * call->columns * job->size;
    void *unused;
    if (ga_runtime_alloc(size_t(left + right), job->stream, &unused))
        return -1;
    int status = decompose_small(job, unused, lapack_at(unused, left));
    return ga_runtime_free(unused, job->stream) | status ? -1 : 0;
}

static int
run_small(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    void *whole = nullptr;
    if (!call->vectors)
        return run_small_values(job);
    if (call->b_columns == call->rows)
        return decompose_small(job, call->b, call->c);
    if (ga_runtime_alloc(size_t(call->count * call->rows * call->rows * job->size), job->stream,
                         &whole))
        return -1;
    int status = decompose_small(job, whole, call->c);
    status = status ? status : keep_columns(job, whole);
    return ga_runtime_free(whole, job->stream) | status ? -1 : 0;
}

/* ---- one after the other ---- */

/* One matrix and where its parts go. */
struct svd_part {
    void *a, *u, *v, *values;
    int *info;
};

struct svd_memory {
    void *copy;    /* of one matrix */
    void *adjoint; /* of one V */
    void *left;    /* of one U that nobody asked for: gesvdp writes it anyway */
    bool polar;    /* gesvdp takes matrices of this shape */
    size_t polar_device, polar_host, iteration_device, iteration_host;
};

static svd_part
take_part(const lapack_job *job, int64_t i, const svd_memory *memory)
{
    const ga_lapack_call *call = job->call;
    int64_t m = call->rows, n = call->columns;
    void *u = lapack_at(call->b, i * m * call->b_columns * job->size),
         *v = lapack_at(call->c, i * n * n * job->size);
    return {lapack_matrix(job, i), call->vectors ? u : memory->left,
            call->vectors ? v : memory->adjoint,
            lapack_at(call->values, i * n * job->real_size), job->info + i};
}

/* Whether U has as many columns as V: so where nobody asked for either. */
static bool
is_economic(const ga_lapack_call *call)
{
    return !call->vectors || call->b_columns < call->rows;
}

static int
measure_polar(const lapack_job *job, const svd_part *p, svd_memory *memory)
{
    const ga_lapack_call *call = job->call;
    GA_CUSOLVER(measure, cusolverDnXgesvdp_bufferSize);
    int64_t m = call->rows, n = call->columns;
    if (!measure)
        return -1;
    cusolverStatus_t status =
        measure(job->solver->handle, job->solver->params, lapack_mode(call), is_economic(call), m,
                n, job->type, p->a, m, job->real_type, p->values, job->type, p->u, m, job->type,
                p->v, n, job->type, &memory->polar_device, &memory->polar_host);
    memory->polar = status == CUSOLVER_STATUS_SUCCESS;
    return 0;
}

/* How gesvd is told what to give of U. */
static signed char
left_job(const ga_lapack_call *call)
{
    return !call->vectors ? 'N' : call->b_columns < call->rows ? 'S' : 'A';
}

static int
measure_iteration(const lapack_job *job, const svd_part *p, svd_memory *memory)
{
    const ga_lapack_call *call = job->call;
    GA_CUSOLVER(measure, cusolverDnXgesvd_bufferSize);
    int64_t m = call->rows, n = call->columns;
    if (!measure)
        return -1;
    return ga_cusolver_check(
        measure(job->solver->handle, job->solver->params, left_job(call), call->vectors ? 'A' : 'N',
                m, n, job->type, p->a, m, job->real_type, p->values, job->type, p->u, m, job->type,
                p->v, n, job->type, &memory->iteration_device, &memory->iteration_host),
        "measuring gesvd");
}

static int
make_memory(lapack_job *job, svd_memory *memory)
{
    const ga_lapack_call *call = job->call;
    size_t matrix = size_t(call->rows * call->columns * job->size),
           square = size_t(call->columns * call->columns * job->size);
    if (ga_runtime_alloc(matrix, job->stream, &memory->copy) ||
        ga_runtime_alloc(square, job->stream, &memory->adjoint) ||
        ga_runtime_alloc(call->vectors ? 0 : matrix, job->stream, &memory->left))
        return -1;
    svd_part first = take_part(job, 0, memory);
    if (measure_polar(job, &first, memory) || measure_iteration(job, &first, memory))
        return -1;
    size_t device = memory->iteration_device, host = memory->iteration_host;
    if (memory->polar) {
        device = memory->polar_device > device ? memory->polar_device : device;
        host = memory->polar_host > host ? memory->polar_host : host;
    }
    return ga_lapack_workspace(job, device, host);
}

/* What gesvdp gave, when it is done: its word, and whether it moved the matrix by more than rounding does. */
static int
judge_polar(const lapack_job *job, const svd_part *p, double moved, bool *good)
{
    bool single = job->real_size == 4;
    int info = 0;
    ga_scalar largest = {{0}};
    if (ga_runtime_copy(&info, p->info, sizeof info, GA_COPY_TO_HOST, job->stream) ||
        ga_runtime_copy(&largest, p->values, size_t(job->real_size), GA_COPY_TO_HOST, job->stream))
        return -1;
    double rounding = single
                          ? double(FLT_EPSILON)
                          : DBL_EPSILON; /* more could lift a zero over matrix_rank's tolerance */
    *good = info == 0 && moved <= rounding * (single ? double(largest.f) : largest.d);
    return 0;
}

static int
run_polar(const lapack_job *job, const svd_part *p, const svd_memory *memory, bool *good)
{
    const ga_lapack_call *call = job->call;
    GA_CUSOLVER(decompose, cusolverDnXgesvdp);
    int64_t m = call->rows, n = call->columns;
    double moved = 0;
    if (!decompose)
        return -1;
    cusolverStatus_t status =
        decompose(job->solver->handle, job->solver->params, lapack_mode(call), is_economic(call),
                  m, n, job->type, p->a, m, job->real_type, p->values, job->type, p->u, m,
                  job->type, p->v, n, job->type, job->work.device, memory->polar_device,
                  job->work.host, memory->polar_host, p->info, &moved);
    return status == CUSOLVER_STATUS_SUCCESS ? judge_polar(job, p, moved, good) : 0;
}

/* v = conj(transpose(vt)), n x n. */
template <class T>
GA_KERNEL
turn_adjoint(const T *vt, T *v, int64_t n)
{
    GA_AWAIT();
    for (int64_t e = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; e < n * n; e += GA_GRID * GA_BLOCK)
        v[e] = ga_number<T>::conjugate(vt[e % n * n + e / n]);
}

template <class T>
static int
launch_turn(const lapack_job *job, const void *vt, void *v)
{
    int64_t n = job->call->columns, blocks = (n * n + GA_BLOCK - 1) / GA_BLOCK;
    return ga_launch(turn_adjoint<T>, blocks < 65536 ? blocks : 65536, job->stream,
                     static_cast<const T *>(vt), static_cast<T *>(v), n);
}

static int
turn_right(const lapack_job *job, const void *vt, void *v)
{
    return GA_BY_NUMBER(job->call->dtype, launch_turn, job, vt, v);
}

static int
run_iteration(const lapack_job *job, const svd_part *p, const svd_memory *memory)
{
    const ga_lapack_call *call = job->call;
    GA_CUSOLVER(decompose, cusolverDnXgesvd);
    int64_t m = call->rows, n = call->columns;
    if (!decompose ||
        ga_cusolver_check(decompose(job->solver->handle, job->solver->params, left_job(call),
                                    call->vectors ? 'A' : 'N', m, n, job->type, memory->copy, m,
                                    job->real_type, p->values, job->type, p->u, m, job->type,
                                    memory->adjoint, n, job->type, job->work.device,
                                    memory->iteration_device, job->work.host,
                                    memory->iteration_host, p->info),
                          "gesvd"))
        return -1;
    return call->vectors ? turn_right(job, memory->adjoint, p->v) : 0;
}

static int
decompose_one(const lapack_job *job, const svd_part *p, const svd_memory *memory)
{
    const ga_lapack_call *call = job->call;
    size_t nbytes = size_t(call->rows * call->columns * job->size);
    bool good = false;
    if (ga_runtime_copy(memory->copy, p->a, nbytes, GA_COPY_ON_DEVICE, job->stream) ||
        (memory->polar && run_polar(job, p, memory, &good)))
        return -1;
    return good ? 0 : run_iteration(job, p, memory);
}

static int
run_each(lapack_job *job)
{
    svd_memory memory = {nullptr, nullptr, nullptr, false, 0, 0, 0, 0};
    int status = make_memory(job, &memory);
    for (int64_t i = 0; status == 0 && i < job->call->count; i++) {
        svd_part part = take_part(job, i, &memory);
        status = decompose_one(job, &part, &memory);
    }
    return ga_runtime_free(memory.copy, job->stream) |
                   ga_runtime_free(memory.adjoint, job->stream) |
                   ga_runtime_free(memory.left, job->stream) | status
               ? -1
               : 0;
}

int
ga_lapack_svd(lapack_job *job)
{
    return job->call->rows <= most_jacobi ? run_small(job) : run_each(job);
}
