/* Systems of one large matrix that turns out to be Hermitian and positive definite, by Cholesky's factors in half
 * of LU's work.
 *
 * One pass looks whether the matrix equals its conjugate transpose to the last bit and has a positive diagonal;
 * nearly every other matrix differs at once. If so, one triangle is factorised. Where that fails, or where the
 * factor's diagonal says that the matrix may be singular, the triangle is restored from the other one and LU
 * decides, with its pivots and its errors. So what is singular to LU stays so. Owns ga_lapack_may_be_positive and
 * ga_lapack_solve_positive. Includes lapack_cuda.cuh, block.cuh, lapack_number.cuh. */
#include "lapack_cuda.cuh"

#include <limits>

#include "block.cuh"
#include "lapack_number.cuh"

static const int64_t least_rows = 512; /* below, LU is as fast, and exact for more matrices of integers */

static const int side = 32; /* of a tile */

/* ---- kernels ---- */

/* *differs becomes 1 unless a is Hermitian with a positive diagonal, which is kept. Tiles against those across the
 * diagonal. */
template <class T>
GA_KERNEL
compare_halves(const T *a, int64_t n, ga_real<T> *diagonal, int *differs)
{
    GA_AWAIT();
    typedef ga_number<T> N;
    GA_SHARED T across[side][side + 1];
    const int64_t tiles = (n + side - 1) / side, row = GA_BLOCK_ID / tiles, column = GA_BLOCK_ID % tiles;
    const int x = GA_THREAD % side, first = GA_THREAD / side;
    if (column > row)
        return;
    for (int y = first; y < side; y += GA_BLOCK / side)
        if (column * side + x < n && row * side + y < n)
            across[y][x] = a[(row * side + y) * n + column * side + x];
    GA_SYNC();
    for (int y = first; y < side; y += GA_BLOCK / side) {
        int64_t i = row * side + x, j = column * side + y;
        if (i >= n || j >= n)
            continue;
        T own = a[j * n + i], other = N::conjugate(across[x][y]);
        bool same = N::re(own) == N::re(other) && N::im(own) == N::im(other);
        if (!same || (i == j && !(N::re(own) > 0)))
            *differs = 1;
        if (i == j)
            diagonal[i] = N::re(own);
    }
}

template <class R> struct greatest_of {
    typedef R acc;
    GA_FN R
    merge(R x, R y)
    {
        return x > y ? x : y;
    }
};

/* One block. *differs becomes 1 where there are no factors, or where they are those of a matrix that is singular
 * but for rounding: the squares of the factor's diagonal are the pivots. */
template <class T>
GA_KERNEL
judge_factor(const T *a, int64_t n, const int *info, ga_real<T> ratio, int *differs)
{
    GA_AWAIT();
    typedef ga_real<T> R;
    GA_SHARED R greatest;
    R mine = 0;
    for (int64_t i = GA_THREAD; i < n; i += GA_BLOCK)
        mine = fmax(mine, ga_number<T>::re(a[i * (n + 1)]));
    mine = ga_block_merge<greatest_of<R>>(mine, GA_BLOCK);
    if (GA_THREAD == 0)
        greatest = mine;
    GA_SYNC();
    R least = greatest < R(INFINITY) ? greatest * ratio : R(INFINITY);
    for (int64_t i = GA_THREAD; i < n; i += GA_BLOCK)
        if (!(ga_number<T>::re(a[i * (n + 1)]) > least) || *info)
            *differs = 1;
}

/* The lower triangle from the upper one, columns first, and the diagonal as it was. */
template <class T>
GA_KERNEL
restore_half(T *a, int64_t n, const ga_real<T> *diagonal)
{
    GA_AWAIT();
    typedef ga_number<T> N;
    for (int64_t e = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; e < n * n; e += GA_GRID * GA_BLOCK) {
        int64_t i = e % n, j = e / n;
        if (i > j)
            a[e] = N::conjugate(a[i * n + j]);
        else if (i == j)
            a[e] = N::of(diagonal[i]);
    }
}

template <class T>
GA_KERNEL
conjugate_all(T *b, int64_t size)
{
    GA_AWAIT();
    for (int64_t e = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; e < size; e += GA_GRID * GA_BLOCK)
        b[e] = ga_number<T>::conjugate(b[e]);
}

/* ---- steps ---- */

static int64_t
count_blocks(int64_t elements)
{
    int64_t blocks = (elements + GA_BLOCK - 1) / GA_BLOCK;
    return blocks < 65536 ? blocks : 65536;
}

/* What the device has said of the matrix; waits. */
static int
read_word(const lapack_job *job, const int *word, bool *out)
{
    int value = 0;
    if (ga_runtime_copy(&value, word, sizeof value, GA_COPY_TO_HOST, job->stream))
        return -1;
    *out = value != 0;
    return 0;
}

template <class T>
static int
look_at_matrix(const lapack_job *job, ga_real<T> *diagonal, int *word, bool *differs)
{
    int64_t n = job->call->rows, tiles = (n + side - 1) / side;
    if (ga_cuda_check(cudaMemsetAsync(word, 0, sizeof *word, job->stream->handle), "clearing memory") ||
        ga_launch(compare_halves<T>, tiles * tiles, job->stream, static_cast<const T *>(job->call->a), n, diagonal,
                  word))
        return -1;
    return read_word(job, word, differs);
}

template <class T>
static int
factor_half(lapack_job *job, int *word, bool *differs)
{
    int64_t n = job->call->rows;
    double eps = std::numeric_limits<ga_real<T>>::epsilon();
    if (ga_lapack_factor_positive(job) ||
        ga_launch(judge_factor<T>, 1, job->stream, static_cast<const T *>(job->call->a), n, job->info,
                  ga_real<T>(sqrt(double(n) * eps)), word))
        return -1;
    return read_word(job, word, differs);
}

/* All as before the factorisation. */
template <class T>
static int
restore_matrix(const lapack_job *job, const ga_real<T> *diagonal)
{
    int64_t n = job->call->rows;
    if (ga_cuda_check(cudaMemsetAsync(job->info, 0, sizeof *job->info, job->stream->handle), "clearing memory"))
        return -1;
    return ga_launch(restore_half<T>, count_blocks(n * n), job->stream, static_cast<T *>(job->call->a), n, diagonal);
}

template <class T>
static int
conjugate_sides(const lapack_job *job)
{
    int64_t size = job->call->rows * job->call->b_columns;
    if (!ga_is_complex<T>::value)
        return 0;
    return ga_launch(conjugate_all<T>, count_blocks(size), job->stream, static_cast<T *>(job->call->b), size);
}

/* The matrix in rows is the conjugate of the one that was factorised: so are sides and solutions. */
template <class T>
static int
solve_sides(const lapack_job *job)
{
    return conjugate_sides<T>(job) || ga_lapack_solve_factored(job) || conjugate_sides<T>(job) ? -1 : 0;
}

template <class T>
static int
try_factors(lapack_job *job, ga_real<T> *diagonal, int *word, bool *solved)
{
    bool differs;
    *solved = false;
    if (look_at_matrix<T>(job, diagonal, word, &differs))
        return -1;
    if (differs)
        return 0;
    if (factor_half<T>(job, word, &differs))
        return -1;
    *solved = !differs;
    return differs ? restore_matrix<T>(job, diagonal) : solve_sides<T>(job);
}

template <class T>
static int
solve_positive(lapack_job *job, bool *solved)
{
    size_t nbytes = size_t(job->call->rows) * sizeof(ga_real<T>);
    void *memory; /* the diagonal, then the word */
    if (ga_runtime_alloc(nbytes + sizeof(int), job->stream, &memory))
        return -1;
    int *word = reinterpret_cast<int *>(static_cast<char *>(memory) + nbytes);
    int status = try_factors<T>(job, static_cast<ga_real<T> *>(memory), word, solved);
    return ga_runtime_free(memory, job->stream) | status ? -1 : 0;
}

/* ---- calls ---- */

bool
ga_lapack_may_be_positive(const lapack_job *job)
{
    const ga_lapack_call *call = job->call;
    return call->op == GA_LAPACK_SOLVE && call->count == 1 && call->rows >= least_rows;
}

int
ga_lapack_solve_positive(lapack_job *job, bool *solved)
{
    return GA_BY_NUMBER(job->call->dtype, solve_positive, job, solved);
}
