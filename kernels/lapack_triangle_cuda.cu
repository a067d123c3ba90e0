/* Systems and inverses from LU factors, by cuBLAS's triangular solves of a whole stack or of one
 * matrix after the other. cuBLAS's getrs of a stack and cuSOLVER's of one matrix do the same at up
 * to fourteen times and twice the time.
 *
 * In a are the factors of P A' = L U, where A' is the transpose of the matrix in rows, and `order`
 * says which row of A' is row i of P A'. A system is A x = U' L' P x = b, an inverse (A')^-1 = U^-1
 * L^-1 P, which in rows is A^-1. Owns ga_lapack_order, ga_lapack_solve_triangles,
 * ga_lapack_invert_triangles and, from Cholesky's factors, ga_lapack_solve_factored. Includes
 * lapack_cuda.cuh, cublas_cuda.h, lapack_number.cuh. */
#include "lapack_cuda.cuh"

#include "cublas_cuda.h"
#include "lapack_number.cuh"

/* ---- kernels ---- */

/* Some pivots are loaded at a time: each alone would be waited for. */
template <class P>
GA_FN void
swap_rows(const P *pivots, int n, int *rows)
{
    constexpr int some = 16;
    for (int begin = 0; begin < n; begin += some) {
        int next[some];
        GA_UNROLL
        for (int k = 0; k < some; k++)
            next[k] = begin + k < n ? int(pivots[begin + k]) - 1 : 0;
        for (int k = 0; k < some && begin + k < n; k++) {
            int i = begin + k, other = next[k] < i || next[k] >= n ? i : next[k]; /* what a pivot of NaN is, nobody says */
            int row = rows[i];
            rows[i] = rows[other];
            rows[other] = row;
        }
    }
}

/* Swaps, one after the other, as one permutation for each matrix. */
template <class P>
GA_KERNEL
compose_swaps(const P *pivots, int n, int64_t count, int *order)
{
    GA_AWAIT();
    GA_SHARED int rows[GA_LAPACK_ORDERED];
    for (int64_t matrix = GA_BLOCK_ID; matrix < count; matrix += GA_GRID) {
        for (int i = GA_THREAD; i < n; i += GA_BLOCK)
            rows[i] = i;
        GA_SYNC();
        if (GA_THREAD == 0)
            swap_rows(pivots + matrix * n, n, rows);
        GA_SYNC();
        for (int i = GA_THREAD; i < n; i += GA_BLOCK)
            order[matrix * n + i] = rows[i];
        GA_SYNC();
    }
}

/* Row i of `from` to row order[i] of `to`: matrices of n rows, columns first. */
template <class T>
GA_KERNEL
scatter_rows(const T *from, const int *order, int64_t n, int64_t columns, int64_t count, T *to)
{
    GA_AWAIT();
    for (int64_t e = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; e < n * columns * count;
         e += GA_GRID * GA_BLOCK) {
        int64_t column = e / n;
        to[column * n + order[column / columns * n + (e - column * n)]] = from[e];
    }
}

/* P, into cleared memory. */
template <class T>
GA_KERNEL
fill_permutations(const int *order, int64_t n, int64_t count, T *b)
{
    GA_AWAIT();
    for (int64_t e = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; e < n * count; e += GA_GRID * GA_BLOCK)
        b[e / n * n * n + order[e] * n + e % n] = ga_number<T>::of(1);
}

static int64_t
count_blocks(int64_t elements)
{
    int64_t blocks = (elements + GA_BLOCK - 1) / GA_BLOCK;
    return blocks < 65536 ? blocks : 65536;
}

template <class P>
static int
launch_order(const lapack_job *job, const P *pivots, int *order)
{
    const ga_lapack_call *call = job->call;
    return ga_launch(compose_swaps<P>, call->count < 65536 ? call->count : 65536, job->stream, pivots,
                     int(call->rows), call->count, order);
}

int
ga_lapack_order(const lapack_job *job, const int *pivots, const int64_t *long_pivots, int *order)
{
    return pivots ? launch_order(job, pivots, order) : launch_order(job, long_pivots, order);
}

/* ---- triangular solves ---- */

/* cuBLAS's functions of four dtypes as one. */
typedef cublasStatus_t (*triangle_function)(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,
                                            cublasOperation_t, cublasDiagType_t, int n, int columns,
                                            const void *alpha, const void *a, int lda, void *b,
                                            int ldb);
typedef cublasStatus_t (*triangles_function)(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,
                                             cublasOperation_t, cublasDiagType_t, int n, int columns,
                                             const void *alpha, const void *const a[], int lda,
                                             void *const b[], int ldb, int count);

/* Right-hand sides under way. */
struct triangle_sides {
    cublasHandle_t handle;
    cublasOperation_t operation;
    int columns;
    void *b;
    void **a_pointers, **b_pointers; /* of a stack, on the device; NULL for one after the other */
};

static const void *
one_of(const lapack_job *job)
{
    static const float single[2] = {1, 0};
    static const double real[2] = {1, 0};
    return job->real_size == 4 ? static_cast<const void *>(single) : real;
}

static int
solve_stack(const lapack_job *job, const triangle_sides *s, cublasFillMode_t half,
            cublasDiagType_t diagonal)
{
    const ga_lapack_call *call = job->call;
    auto solve =
        reinterpret_cast<triangles_function>(ga_lapack_blas_function(job, "cublas%ctrsmBatched"));
    int n = int(call->rows);
    if (!solve)
        return -1;
    return ga_cublas_check(solve(s->handle, CUBLAS_SIDE_LEFT, half, s->operation, diagonal, n,
                                 s->columns, one_of(job), s->a_pointers, n, s->b_pointers, n,
                                 int(call->count)),
                           "trsmBatched");
}

typedef cublasStatus_t (*vector_function)(cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                                          int n, const void *a, int lda, void *x, int step);

/* Each with a single right-hand side. */
static int
solve_vectors(const lapack_job *job, const triangle_sides *s, cublasFillMode_t half, cublasDiagType_t diagonal)
{
    auto solve = reinterpret_cast<vector_function>(ga_lapack_blas_function(job, "cublas%ctrsv_v2"));
    int n = int(job->call->rows);
    if (!solve)
        return -1;
    for (int64_t i = 0; i < job->call->count; i++) {
        void *x = lapack_at(s->b, i * n * job->size);
        if (ga_cublas_check(solve(s->handle, half, s->operation, diagonal, n, lapack_matrix(job, i), n, x, 1), "trsv"))
            return -1;
    }
    return 0;
}

static int
solve_each(const lapack_job *job, const triangle_sides *s, cublasFillMode_t half,
           cublasDiagType_t diagonal)
{
    if (s->columns == 1)
        return solve_vectors(job, s, half, diagonal);
    auto solve =
        reinterpret_cast<triangle_function>(ga_lapack_blas_function(job, "cublas%ctrsm_v2"));
    int n = int(job->call->rows);
    if (!solve)
        return -1;
    for (int64_t i = 0; i < job->call->count; i++) {
        void *b = lapack_at(s->b, i * n * s->columns * job->size);
        if (ga_cublas_check(solve(s->handle, CUBLAS_SIDE_LEFT, half, s->operation, diagonal, n,
                                  s->columns, one_of(job), lapack_matrix(job, i), n, b, n),
                            "trsm"))
            return -1;
    }
    return 0;
}

static int
solve_half(const lapack_job *job, const triangle_sides *s, bool upper)
{
    cublasFillMode_t half = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    cublasDiagType_t diagonal = upper ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT;
    return s->a_pointers ? solve_stack(job, s, half, diagonal) : solve_each(job, s, half, diagonal);
}

/* Both factors, the one first that stands at the left: U' L' of a system, L U of an inverse. */
static int
solve_both(const lapack_job *job, triangle_sides *s)
{
    if (ga_cublas_begin(job->stream, &s->handle))
        return -1;
    bool system = s->operation == CUBLAS_OP_T;
    int status = solve_half(job, s, system) || solve_half(job, s, !system) ? -1 : 0;
    ga_cublas_end();
    return status;
}

static int
solve_sides(const lapack_job *job, bool stacked, triangle_sides *s)
{
    int64_t n = job->call->rows, step = n * s->columns * job->size;
    int status = 0;
    if (stacked)
        status = ga_lapack_pointers(job, job->call->a, n * n * job->size, &s->a_pointers) ||
                         ga_lapack_pointers(job, s->b, step, &s->b_pointers)
                     ? -1
                     : 0;
    status = status ? status : solve_both(job, s);
    return ga_runtime_free(s->a_pointers, job->stream) |
                   ga_runtime_free(s->b_pointers, job->stream) | status
               ? -1
               : 0;
}

/* ---- systems ---- */

template <class T>
static int
launch_scatter(const lapack_job *job, const void *from, const int *order)
{
    const ga_lapack_call *call = job->call;
    return ga_launch(scatter_rows<T>, count_blocks(call->rows * call->b_columns * call->count),
                     job->stream, static_cast<const T *>(from), order, call->rows, call->b_columns,
                     call->count, static_cast<T *>(call->b));
}

static int
solve_in(const lapack_job *job, bool stacked, const int *order, void *work, size_t nbytes)
{
    const ga_lapack_call *call = job->call;
    triangle_sides sides = {nullptr, CUBLAS_OP_T, int(call->b_columns), work, nullptr, nullptr};
    if (ga_runtime_copy(work, call->b, nbytes, GA_COPY_ON_DEVICE, job->stream) ||
        solve_sides(job, stacked, &sides))
        return -1;
    return GA_BY_NUMBER(call->dtype, launch_scatter, job, work, order);
}

int
ga_lapack_solve_triangles(const lapack_job *job, bool stacked, const int *order)
{
    const ga_lapack_call *call = job->call;
    size_t nbytes = size_t(call->rows * call->b_columns * call->count * job->size);
    void *work;
    if (ga_runtime_alloc(nbytes, job->stream, &work))
        return -1;
    int status = solve_in(job, stacked, order, work, nbytes);
    return ga_runtime_free(work, job->stream) | status ? -1 : 0;
}

int
ga_lapack_solve_factored(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    const cublasFillMode_t half = CUBLAS_FILL_MODE_LOWER;
    triangle_sides sides = {nullptr, CUBLAS_OP_N, int(call->b_columns), call->b, nullptr, nullptr};
    if (ga_cublas_begin(job->stream, &sides.handle))
        return -1;
    int status = solve_each(job, &sides, half, CUBLAS_DIAG_NON_UNIT);
    sides.operation = CUBLAS_OP_C;
    status = status ? status : solve_each(job, &sides, half, CUBLAS_DIAG_NON_UNIT);
    ga_cublas_end();
    return status;
}

/* ---- inverses ---- */

template <class T>
static int
launch_permutations(const lapack_job *job, const int *order)
{
    const ga_lapack_call *call = job->call;
    size_t nbytes = size_t(call->rows * call->rows * call->count) * sizeof(T);
    if (ga_cuda_check(cudaMemsetAsync(call->b, 0, nbytes, job->stream->handle), "clearing memory"))
        return -1;
    return ga_launch(fill_permutations<T>, count_blocks(call->rows * call->count), job->stream, order,
                     call->rows, call->count, static_cast<T *>(call->b));
}

int
ga_lapack_invert_triangles(const lapack_job *job, bool stacked, const int *order)
{
    const ga_lapack_call *call = job->call;
    triangle_sides sides = {nullptr, CUBLAS_OP_N, int(call->rows), call->b, nullptr, nullptr};
    if (GA_BY_NUMBER(call->dtype, launch_permutations, job, order))
        return -1;
    return solve_sides(job, stacked, &sides);
}
