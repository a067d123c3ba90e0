/* LU and what stands on it: systems, inverses, determinants. One matrix after the other, by our own
 * panels or by cuSOLVER, or a stack at once by cuBLAS; lapack_triangle_cuda.cu goes on from the
 * factors. What is factorised is the transpose of the matrix in rows: systems are solved
 * transposed, and the transpose's inverse is the inverse's transpose. Includes lapack_cuda.cuh,
 * cublas_cuda.h, block.cuh, lapack_number.cuh. */
#include "lapack_cuda.cuh"

#include "block.cuh"
#include "cublas_cuda.h"
#include "lapack_number.cuh"

/* Columns from which on two triangular solves beat getrs. */
static const int64_t least_ordered = 64;

/* ---- kernels ---- */

/* Unit matrices, `count` of them, into cleared memory. */
template <class T>
GA_KERNEL
fill_diagonals(T *b, int64_t n, int64_t count)
{
    GA_AWAIT();
    for (int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; i < n * count; i += GA_GRID * GA_BLOCK)
        b[i / n * n * n + i % n * (n + 1)] = ga_number<T>::of(1);
}

/* NaN for the inverses of singular matrices. */
template <class T>
GA_KERNEL
spoil_singular(const int *info, T *b, int64_t size, int64_t count)
{
    GA_AWAIT();
    for (int64_t matrix = GA_BLOCK_ID; matrix < count; matrix += GA_GRID)
        for (int64_t i = GA_THREAD; info[matrix] && i < size; i += GA_BLOCK)
            b[matrix * size + i] = ga_number<T>::of(ga_real<T>(NAN));
}

/* Sign, or complex unit, and logarithm of the absolute value of a product. */
template <class T> struct determinant_part {
    struct acc {
        T sign;
        ga_real<T> logarithm;
    };
    GA_FN acc
    merge(acc x, acc y)
    {
        return {ga_number<T>::multiply(x.sign, y.sign), x.logarithm + y.logarithm};
    }
};

template <class T>
GA_FN typename determinant_part<T>::acc
take_diagonal(T element, bool swapped)
{
    typedef ga_number<T> N;
    ga_real<T> length = N::absolute(element);
    if (length == 0)
        return {N::of(0), -ga_real<T>(INFINITY)};
    return {N::divide(element, N::of(swapped ? -length : length)), log(length)};
}

/* From factors: the product of the diagonal, with a change of sign for each row that was swapped for another. */
template <class T, class P>
GA_KERNEL
multiply_diagonals(const T *a, const P *pivots, int64_t n, int64_t count, T *signs,
                   ga_real<T> *logarithms)
{
    GA_AWAIT();
    typedef determinant_part<T> part;
    for (int64_t matrix = GA_BLOCK_ID; matrix < count; matrix += GA_GRID) {
        typename part::acc product = {ga_number<T>::of(1), 0};
        for (int64_t i = GA_THREAD; i < n; i += GA_BLOCK)
            product = part::merge(product, take_diagonal(a[matrix * n * n + i * (n + 1)],
                                                         pivots[matrix * n + i] != i + 1));
        product = ga_block_merge<part>(product, GA_BLOCK);
        if (GA_THREAD == 0) {
            signs[matrix] = product.sign;
            logarithms[matrix] = product.logarithm;
        }
    }
}

static int64_t
limit_blocks(int64_t blocks)
{
    return blocks < 65536 ? blocks : 65536;
}

template <class T>
static int
start_inverse(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    int64_t n = call->rows, elements = n * call->count;
    if (ga_cuda_check(
            cudaMemsetAsync(call->b, 0, size_t(elements * n) * sizeof(T), job->stream->handle),
            "clearing memory"))
        return -1;
    return ga_launch(fill_diagonals<T>, limit_blocks((elements + GA_BLOCK - 1) / GA_BLOCK),
                     job->stream, static_cast<T *>(call->b), n, call->count);
}

template <class T>
static int
finish_inverse(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    return ga_launch(spoil_singular<T>, limit_blocks(call->count), job->stream, job->info,
                     static_cast<T *>(call->b), call->rows * call->rows, call->count);
}

template <class T, class P>
static int
finish_determinant(const lapack_job *job, const P *pivots)
{
    const ga_lapack_call *call = job->call;
    return ga_launch((multiply_diagonals<T, P>), limit_blocks(call->count), job->stream,
                     static_cast<const T *>(call->a), pivots, call->rows, call->count,
                     static_cast<T *>(call->b), static_cast<ga_real<T> *>(call->values));
}

/* ---- factors ---- */

static int
factor_each(lapack_job *job, int64_t *pivots)
{
    const ga_lapack_call *call = job->call;
    const ga_solver *solver = job->solver;
    GA_CUSOLVER(measure, cusolverDnXgetrf_bufferSize);
    GA_CUSOLVER(factor, cusolverDnXgetrf);
    int64_t n = call->rows;
    size_t device = 0, host = 0;
    if (!measure || !factor ||
        ga_cusolver_check(measure(solver->handle, solver->params, n, n, job->type, call->a, n,
                                  job->type, &device, &host),
                          "measuring getrf") ||
        ga_lapack_workspace(job, device, host))
        return -1;
    return lapack_for_each(job, "getrf", [&](int64_t i) {
        return factor(solver->handle, solver->params, n, n, job->type, lapack_matrix(job, i), n,
                      pivots + i * n, job->type, job->work.device, device, job->work.host, host,
                      job->info + i);
    });
}

/* cuBLAS's functions of four dtypes as one. */
typedef cublasStatus_t (*factor_function)(cublasHandle_t, int n, void *const a[], int lda,
                                          int *pivots, int *info, int count);

static int
factor_pointed(const lapack_job *job, void **matrices, int *pivots)
{
    const ga_lapack_call *call = job->call;
    int n = int(call->rows);
    auto factor =
        reinterpret_cast<factor_function>(ga_lapack_blas_function(job, "cublas%cgetrfBatched"));
    cublasHandle_t handle;
    if (!factor || ga_cublas_begin(job->stream, &handle))
        return -1;
    int status = ga_cublas_check(
        factor(handle, n, matrices, n, pivots, job->info, int(call->count)), "getrf");
    ga_cublas_end();
    return status;
}

static int
factor_stack(const lapack_job *job, int *pivots)
{
    void **matrices = nullptr;
    int status =
        ga_lapack_pointers(job, job->call->a, job->call->rows * job->call->rows * job->size, &matrices);
    status = status ? status : factor_pointed(job, matrices, pivots);
    return ga_runtime_free(matrices, job->stream) | status ? -1 : 0;
}

/* ---- b by the factors ---- */

/* cuSOLVER's own way, of `columns` columns a matrix: best for few of them, and for any number of rows. */
static int
substitute_each(const lapack_job *job, const int64_t *pivots, cublasOperation_t operation,
                int64_t columns)
{
    const ga_lapack_call *call = job->call;
    GA_CUSOLVER(substitute, cusolverDnXgetrs);
    int64_t n = call->rows;
    if (!substitute)
        return -1;
    return lapack_for_each(job, "getrs", [&](int64_t i) {
        return substitute(job->solver->handle, job->solver->params, operation, n, columns,
                          job->type, lapack_matrix(job, i), n, pivots + i * n, job->type,
                          lapack_at(call->b, i * n * columns * job->size), n, job->spare + i);
    });
}

/* Whether the triangular solves of cuBLAS are taken, which gain by many columns. */
static bool
has_order(const ga_lapack_call *call, bool stacked)
{
    bool many = call->op == GA_LAPACK_INVERT || call->b_columns >= least_ordered;
    return call->rows <= GA_LAPACK_ORDERED && (stacked || many);
}

template <class T>
static int
substitute_plainly(const lapack_job *job, const int64_t *pivots)
{
    const ga_lapack_call *call = job->call;
    if (call->op == GA_LAPACK_SOLVE)
        return substitute_each(job, pivots, CUBLAS_OP_T, call->b_columns);
    return start_inverse<T>(job) || substitute_each(job, pivots, CUBLAS_OP_N, call->rows) ? -1 : 0;
}

static int
substitute_ordered(const lapack_job *job, bool stacked, const int *order)
{
    return job->call->op == GA_LAPACK_SOLVE ? ga_lapack_solve_triangles(job, stacked, order)
                                            : ga_lapack_invert_triangles(job, stacked, order);
}

/* ---- one after the other ---- */

/* Factors, and where they are gone on from by triangular solves the order of the rows. */
static int
factor_with_order(lapack_job *job, int64_t *pivots, int *order)
{
    if (ga_lapack_has_panels(job))
        return ga_lapack_factor_panels(job, pivots, order);
    if (factor_each(job, pivots))
        return -1;
    return has_order(job->call, false) && job->call->op != GA_LAPACK_DETERMINANT
               ? ga_lapack_order(job, nullptr, pivots, order)
               : 0;
}

/* A single column goes through the triangles where the order costs nothing. */
template <class T>
static int
run_each(lapack_job *job, int64_t *pivots, int *order)
{
    const ga_lapack_call *call = job->call;
    if (factor_with_order(job, pivots, order))
        return -1;
    if (call->op == GA_LAPACK_DETERMINANT)
        return finish_determinant<T>(job, pivots);
    bool alone = call->op == GA_LAPACK_SOLVE && call->b_columns == 1 && ga_lapack_has_panels(job);
    int status = alone || has_order(call, false) ? substitute_ordered(job, false, order)
                                                 : substitute_plainly<T>(job, pivots);
    return status || call->op == GA_LAPACK_SOLVE ? status : finish_inverse<T>(job);
}

/* ---- a stack at once ---- */

template <class T>
static int
run_stack(lapack_job *job, int *pivots, int *order)
{
    if (factor_stack(job, pivots))
        return -1;
    if (job->call->op == GA_LAPACK_DETERMINANT)
        return finish_determinant<T>(job, pivots);
    int status = ga_lapack_order(job, pivots, nullptr, order) || substitute_ordered(job, true, order) ? -1 : 0;
    return status || job->call->op == GA_LAPACK_SOLVE ? status : finish_inverse<T>(job);
}

/* ---- by dtype ---- */

template <class T>
static int
run_lu(lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    bool stacked = lapack_is_batch(call) && has_order(call, true);
    int64_t rows = call->rows * call->count;
    void *memory; /* pivots, then the order */
    if (ga_runtime_alloc(size_t(rows) * (sizeof(int64_t) + sizeof(int)), job->stream, &memory))
        return -1;
    int *order = reinterpret_cast<int *>(static_cast<int64_t *>(memory) + rows);
    int status = stacked ? run_stack<T>(job, static_cast<int *>(memory), order)
                         : run_each<T>(job, static_cast<int64_t *>(memory), order);
    return ga_runtime_free(memory, job->stream) | status ? -1 : 0;
}

int
ga_lapack_lu(lapack_job *job)
{
    bool solved = false;
    if (ga_lapack_may_be_positive(job) && ga_lapack_solve_positive(job, &solved))
        return -1;
    return solved ? 0 : GA_BY_NUMBER(job->call->dtype, run_lu, job);
}
