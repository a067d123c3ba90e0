/* QR by cuSOLVER, one matrix after the other, or of a stack at once by cuBLAS and a kernel of our
 * own: 512 matrices of 64 rows take a sixtieth of the time. Stacks of smaller matrices are
 * lapack_small_qr.cu's. Includes lapack_cuda.cuh, cublas_cuda.h, lapack_number.cuh. */
#include "lapack_cuda.cuh"

#include "cublas_cuda.h"
#include "lapack_number.cuh"

/* Above, geqrfBatched takes as long as one after the other. */
static const int64_t most_stacked = 128;
static const int lanes = 32, rows_a_lane = int(most_stacked) / lanes;

/* Whether there are matrices enough, whose number the time of a stack hardly depends on. */
static bool
is_stack(const ga_lapack_call *call)
{
    int64_t longer = call->rows > call->columns ? call->rows : call->columns;
    return longer <= most_stacked && call->count * 4 >= longer;
}

/* ---- one after the other ---- */


static int
factor_each(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    const ga_solver *solver = job->solver;
    GA_CUSOLVER(measure, cusolverDnXgeqrf_bufferSize);
    GA_CUSOLVER(factor, cusolverDnXgeqrf);
    int64_t m = call->rows, n = call->columns, factors = m < n ? m : n;
    size_t device = 0, host = 0;
    if (!measure || !factor ||
        ga_cusolver_check(measure(solver->handle, solver->params, m, n, job->type, call->a, m,
                                  job->type, call->b, job->type, &device, &host),
                          "measuring geqrf") ||
        ga_lapack_workspace(job, device, host))
        return -1;
    return lapack_for_each(job, "geqrf", [&](int64_t i) {
        void *tau = lapack_at(call->b, i * factors * job->size);
        return factor(solver->handle, solver->params, m, n, job->type, lapack_matrix(job, i), m,
                      job->type, tau, job->type, job->work.device, device, job->work.host, host,
                      job->info + i);
    });
}

/* cuSOLVER's functions of four dtypes as one; those of complex numbers have another name. */
typedef cusolverStatus_t (*measure_basis_function)(cusolverDnHandle_t, int m, int n, int k,
                                                   const void *a, int lda, const void *tau,
                                                   int *elements);
typedef cusolverStatus_t (*form_basis_function)(cusolverDnHandle_t, int m, int n, int k, void *a,
                                                int lda, const void *tau, void *work, int elements,
                                                int *info);

static int
form_each(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    bool is_complex = job->size != job->real_size;
    auto measure = reinterpret_cast<measure_basis_function>(ga_lapack_solver_function(
        job, is_complex ? "cusolverDn%cungqr_bufferSize" : "cusolverDn%corgqr_bufferSize"));
    auto form = reinterpret_cast<form_basis_function>(
        ga_lapack_solver_function(job, is_complex ? "cusolverDn%cungqr" : "cusolverDn%corgqr"));
    int m = int(call->rows), n = int(call->columns), k = int(call->b_columns), elements = 0;
    if (!measure || !form ||
        ga_cusolver_check(measure(job->solver->handle, m, n, k, call->a, m, call->b, &elements),
                          "measuring orgqr") ||
        ga_lapack_workspace(job, size_t(elements) * size_t(job->size), 0))
        return -1;
    return lapack_for_each(job, "orgqr", [&](int64_t i) {
        const void *tau = lapack_at(call->b, i * k * job->size);
        return form(job->solver->handle, m, n, k, lapack_matrix(job, i), m, tau, job->work.device,
                    elements, job->info + i);
    });
}

/* ---- a stack at once ---- */

/* cuBLAS's functions of four dtypes as one. */
typedef cublasStatus_t (*factor_function)(cublasHandle_t, int m, int n, void *const a[], int lda,
                                          void *const tau[], int *host_info, int count);

static int
factor_pointed(const lapack_job *job, void **matrices, void **factors)
{
    const ga_lapack_call *call = job->call;
    int m = int(call->rows), n = int(call->columns), host_info = 0;
    auto factor =
        reinterpret_cast<factor_function>(ga_lapack_blas_function(job, "cublas%cgeqrfBatched"));
    cublasHandle_t handle;
    if (!factor || ga_cublas_begin(job->stream, &handle))
        return -1;
    int status = ga_cublas_check(
        factor(handle, m, n, matrices, m, factors, &host_info, int(call->count)), "geqrf");
    ga_cublas_end();
    return status;
}

static int
factor_stack(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    int64_t steps = call->rows < call->columns ? call->rows : call->columns;
    void **matrices = nullptr, **factors = nullptr;
    int status = ga_lapack_pointers(job, call->a, call->rows * call->columns * job->size, &matrices) ||
                         ga_lapack_pointers(job, call->b, steps * job->size, &factors)
                     ? -1
                     : 0;
    status = status ? status : factor_pointed(job, matrices, factors);
    return ga_runtime_free(matrices, job->stream) | ga_runtime_free(factors, job->stream) | status
               ? -1
               : 0;
}

/* Sum over the lanes of a warp, in each of them. */
template <class T>
GA_FN T
add_lanes(T x)
{
    typedef ga_number<T> N;
    for (int apart = lanes / 2; apart > 0; apart /= 2) {
        ga_real<T> re = __shfl_xor_sync(0xffffffffu, N::re(x), apart), im = 0;
        if constexpr (ga_is_complex<T>::value)
            im = __shfl_xor_sync(0xffffffffu, x.im, apart);
        if constexpr (ga_is_complex<T>::value)
            x = N::add(x, T{re, im});
        else
            x = x + re;
    }
    return x;
}

/* x -= tau v (v^H x), where v is 1 in row j, not stored, and 0 above; the lane has every 32nd row. */
template <class T>
GA_FN void
reflect_lanes(const T *v, T tau, int j, int rows, int lane, T (&x)[rows_a_lane])
{
    typedef ga_number<T> N;
    T part[rows_a_lane], sum = N::of(0);
    GA_UNROLL
    for (int i = 0; i < rows_a_lane; i++) {
        int row = i * lanes + lane;
        part[i] = row > j && row < rows ? v[row] : N::of(row == j ? 1 : 0);
        sum = N::add(sum, N::multiply(N::conjugate(part[i]), x[i]));
    }
    sum = N::multiply(tau, add_lanes(sum));
    GA_UNROLL
    for (int i = 0; i < rows_a_lane; i++)
        x[i] = N::subtract(x[i], N::multiply(part[i], sum));
}

/* Columns of Q, a warp each: the reflections, last one first, of a unit vector, which those of rows
 * below its own leave alone. A block has a matrix. */
template <class T>
GA_KERNEL
form_columns(const T *reflectors, const T *factors, int rows, int columns, int steps, int64_t count,
             T *q)
{
    GA_AWAIT();
    const int lane = GA_THREAD % lanes;
    for (int64_t matrix = GA_BLOCK_ID; matrix < count; matrix += GA_GRID) {
        const T *v = reflectors + matrix * rows * columns, *tau = factors + matrix * steps;
        for (int c = GA_THREAD / lanes; c < columns; c += GA_BLOCK / lanes) {
            T x[rows_a_lane];
            for (int i = 0; i < rows_a_lane; i++)
                x[i] = ga_number<T>::of(i * lanes + lane == c ? 1 : 0);
            for (int j = c < steps ? c : steps - 1; j >= 0; j--)
                reflect_lanes(v + j * rows, tau[j], j, rows, lane, x);
            T *column = q + (matrix * columns + c) * rows;
            for (int i = 0; i < rows_a_lane; i++)
                if (i * lanes + lane < rows)
                    column[i * lanes + lane] = x[i];
        }
    }
}

template <class T>
static int
launch_columns(const lapack_job *job, const void *reflectors)
{
    const ga_lapack_call *call = job->call;
    return ga_launch(form_columns<T>, call->count < 65536 ? call->count : 65536, job->stream,
                     static_cast<const T *>(reflectors), static_cast<const T *>(call->b),
                     int(call->rows), int(call->columns), int(call->b_columns), call->count,
                     static_cast<T *>(call->a));
}

/* From a copy of the reflectors, since Q takes their place. */
static int
form_stack(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    size_t nbytes = size_t(call->rows * call->columns * call->count * job->size);
    void *copy;
    if (ga_runtime_alloc(nbytes, job->stream, &copy))
        return -1;
    int status = ga_runtime_copy(copy, call->a, nbytes, GA_COPY_ON_DEVICE, job->stream);
    if (status == 0)
        status = GA_BY_NUMBER(call->dtype, launch_columns, job, copy);
    return ga_runtime_free(copy, job->stream) | status ? -1 : 0;
}

int
ga_lapack_qr(lapack_job *job)
{
    return is_stack(job->call) ? factor_stack(job) : factor_each(job);
}

int
ga_lapack_basis(lapack_job *job)
{
    return is_stack(job->call) ? form_stack(job) : form_each(job);
}
