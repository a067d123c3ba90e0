/* Singular values by cuSOLVER, one matrix after the other: those that do not go to
 * lapack_jacobi.cu.
 *
 * gesvdp (a polar decomposition, then Hermitian eigenvectors) is many times faster than gesvd, but
 * near a zero singular value it moves the matrix by a little and tells by how much. Where that is
 * more than rounding, or it failed, gesvd does it again from a copy. Values alone of few columns gesvd
 * finds sooner. rows >= columns. Includes
 * lapack_cuda.cuh, lapack_number.cuh. */
#include "lapack_cuda.cuh"

#include <float.h>

#include "lapack_number.cuh"

/* So many columns are few: 64 take 0.5 ms by gesvd and 1.6 by gesvdp, 96 the same 3.2, 512 take 27 and 12. */
static const int64_t few_columns = 64;

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
    memory->polar = status == CUSOLVER_STATUS_SUCCESS && (call->vectors || n > few_columns);
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

/* ---- what is not finite ---- */

template <class R>
GA_KERNEL
find_not_finite(const R *parts, int64_t size, int *flag)
{
    GA_AWAIT();
    for (int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; i < size; i += GA_GRID * GA_BLOCK)
        if (!(fabs(parts[i]) < R(INFINITY)))
            *flag = 1;
}

template <class R>
static int
launch_find(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    int64_t size = call->count * call->rows * call->columns * (job->size / job->real_size);
    int64_t blocks = (size + GA_BLOCK - 1) / GA_BLOCK;
    return ga_launch(find_not_finite<R>, blocks < 4096 ? blocks : 4096, job->stream,
                     static_cast<const R *>(call->a), size, job->flag);
}

/* It does not converge, and the library may go on for ever. */
int
ga_lapack_svd(lapack_job *job)
{
    int found = 0;
    if ((job->real_size == 4 ? launch_find<float>(job) : launch_find<double>(job)) ||
        ga_runtime_copy(&found, job->flag, sizeof found, GA_COPY_TO_HOST, job->stream))
        return -1;
    return found ? 0 : run_each(job);
}
