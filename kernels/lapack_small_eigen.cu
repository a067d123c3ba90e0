/* Eigenvalues and eigenvectors of stacks of Hermitian matrices of at most 32 rows by Jacobi's rotations, a block a matrix.
 *
 * Each step of a sweep rotates disjoint pairs of rows and columns, as a tournament pairs its players, so that what
 * two pairs have in common, two by two elements, is nobody else's: after the angles there is one pass and one barrier.
 * Matrix and vectors are in shared memory. Includes lapack_small.h, block.cuh, lapack_number.cuh. */
#include "block.cuh"
#include "lapack_number.cuh"
#include "lapack_small.h"

static const int most_sweeps = 40;
static const int most_pairs = GA_LAPACK_SMALL / 2;

struct eigen_task {
    ga_lapack_call call;
    int *failed;
};

/* Columns (p, q) M = (c p - s q~, s p + c q~), where q~ is q times `phase`. */
template <class T> struct eigen_rotation {
    int p, q; /* p out of the matrix: no pair */
    ga_real<T> c, s;
    T phase;
};

/* A matrix under way; element (i, j) is a[i + j * n]. */
template <class T> struct eigen_store {
    T a[GA_LAPACK_SMALL * GA_LAPACK_SMALL], v[GA_LAPACK_SMALL * GA_LAPACK_SMALL];
    eigen_rotation<T> rotations[most_pairs];
    int place[GA_LAPACK_SMALL];
    ga_real<T> tolerance, scale, unscale;
    int moved;
};

template <class R> struct eigen_greatest {
    typedef R acc;
    GA_FN acc
    merge(acc x, acc y)
    {
        return y > x ? y : x;
    }
};

/* From the greatest element: a power of two for all, so that no square vanishes, and what counts as zero beside it. */
template <class T>
GA_FN void
choose_scale(eigen_store<T> &w, ga_real<T> greatest)
{
    typedef ga_real<T> R;
    int exponent = greatest < R(INFINITY) ? ga_find_exponent(greatest) : 0;
    w.scale = ldexp(R(1), -exponent);
    w.unscale = ldexp(R(1), exponent);
    w.tolerance = greatest * w.scale * (sizeof(R) == 4 ? R(0x1p-25) : R(0x1p-54));
}

/* From the triangle that is to be read, with real numbers on the diagonal. */
template <class T>
GA_FN void
load_hermitian(const eigen_task &task, int64_t matrix, eigen_store<T> &w)
{
    typedef ga_number<T> N;
    typedef ga_real<T> R;
    const int n = int(task.call.rows);
    const T *from = static_cast<const T *>(task.call.a) + matrix * n * n;
    R greatest = 0;
    for (int e = GA_THREAD; e < n * n; e += GA_BLOCK) {
        int i = e % n, j = e / n;
        bool read = i == j || (i < j) == task.call.upper;
        T x = read ? from[e] : N::conjugate(from[j + i * n]);
        w.a[e] = i == j ? N::of(N::re(x)) : x;
        w.v[e] = N::of(i == j);
        greatest = eigen_greatest<R>::merge(greatest, N::size(w.a[e]));
    }
    greatest = ga_block_merge<eigen_greatest<R>>(greatest, GA_BLOCK);
    if (GA_THREAD == 0)
        choose_scale(w, greatest);
    GA_SYNC();
    for (int e = GA_THREAD; e < n * n; e += GA_BLOCK)
        w.a[e] = N::scale(w.a[e], w.scale);
    GA_SYNC();
}

/* ---- one step ---- */

template <class T>
GA_FN eigen_rotation<T>
find_rotation(eigen_store<T> &w, int n, int p, int q)
{
    typedef ga_number<T> N;
    typedef ga_real<T> R;
    T inner = w.a[p + q * n];
    R size = N::absolute(inner);
    if (!(size > w.tolerance))
        return {p, q, 1, 0, N::of(1)};
    w.moved = 1;
    R tau = (N::re(w.a[q + q * n]) - N::re(w.a[p + p * n])) / (2 * size);
    R t = fabs(tau) > R(0x1p30) ? 1 / (2 * tau) /* whose square may be too large */
                                : (tau < 0 ? R(-1) : R(1)) / (fabs(tau) + sqrt(1 + tau * tau));
    R c = 1 / sqrt(1 + t * t);
    return {p, q, c, c * t, N::scale(N::conjugate(inner), 1 / size)};
}

template <class T>
GA_FN void
find_rotations(eigen_store<T> &w, int n, int step)
{
    const int players = n + n % 2;
    for (int i = GA_THREAD; i < players / 2; i += GA_BLOCK) {
        int j = i == 0 ? players - 1 : (step + i) % (players - 1);
        int k = i == 0 ? step : (step - i + players - 1) % (players - 1);
        int p = j < k ? j : k, q = j < k ? k : j;
        w.rotations[i] = q < n ? find_rotation(w, n, p, q) : eigen_rotation<T>{p, p, 1, 0, ga_number<T>::of(1)};
    }
    GA_SYNC();
}

/* Elements of columns p and q, in one row. */
template <class T>
GA_FN void
rotate_two(const eigen_rotation<T> &r, T *p, T *q)
{
    typedef ga_number<T> N;
    T x = *p, y = N::multiply(*q, r.phase);
    *p = N::subtract(N::scale(x, r.c), N::scale(y, r.s));
    *q = N::add(N::scale(x, r.s), N::scale(y, r.c));
}

/* What two pairs have in common: columns by the one, rows by the other, conjugated. A player without a partner is its own. */
template <class T>
GA_FN void
rotate_square(eigen_store<T> &w, int n, const eigen_rotation<T> &rows, const eigen_rotation<T> &columns)
{
    eigen_rotation<T> conjugated = rows;
    conjugated.phase = ga_number<T>::conjugate(rows.phase);
    T *first = w.a + columns.p * n, *second = w.a + columns.q * n;
    if (columns.p != columns.q) {
        rotate_two(columns, &first[rows.p], &second[rows.p]);
        if (rows.p != rows.q)
            rotate_two(columns, &first[rows.q], &second[rows.q]);
    }
    if (rows.p != rows.q) {
        rotate_two(conjugated, &first[rows.p], &first[rows.q]);
        if (columns.p != columns.q)
            rotate_two(conjugated, &second[rows.p], &second[rows.q]);
    }
    if (rows.p == columns.p && rows.p != rows.q && rows.s != 0) { /* of rounding nothing is left */
        first[rows.q] = second[rows.p] = ga_number<T>::of(0);
        first[rows.p] = ga_number<T>::of(ga_number<T>::re(first[rows.p]));
        second[rows.q] = ga_number<T>::of(ga_number<T>::re(second[rows.q]));
    }
}

template <class T>
GA_FN void
apply_rotations(eigen_store<T> &w, int n, bool vectors)
{
    const int pairs = (n + 1) / 2, squares = pairs * pairs, all = squares + (vectors ? pairs * n : 0);
    for (int e = GA_THREAD; e < all; e += GA_BLOCK) {
        if (e < squares) {
            rotate_square(w, n, w.rotations[e / pairs], w.rotations[e % pairs]);
            continue;
        }
        const eigen_rotation<T> &r = w.rotations[(e - squares) / n];
        int row = (e - squares) % n;
        if (r.p != r.q)
            rotate_two(r, &w.v[row + r.p * n], &w.v[row + r.q * n]);
    }
    GA_SYNC();
}

/* Whether the matrix is diagonal in the end. */
template <class T>
GA_FN bool
make_diagonal(eigen_store<T> &w, int n, bool vectors)
{
    for (int sweep = 0; sweep < most_sweeps; sweep++) {
        GA_SYNC();
        if (GA_THREAD == 0)
            w.moved = 0;
        GA_SYNC();
        for (int step = 0; step < n - 1 + n % 2; step++) {
            find_rotations(w, n, step);
            apply_rotations(w, n, vectors);
        }
        if (!w.moved)
            return true;
    }
    return false;
}

/* ---- results ---- */

template <class T>
GA_FN void
store_sorted(const eigen_task &task, int64_t matrix, eigen_store<T> &w)
{
    typedef ga_number<T> N;
    const int n = int(task.call.rows);
    ga_real<T> *values = static_cast<ga_real<T> *>(task.call.values) + matrix * n;
    T *to = static_cast<T *>(task.call.a) + matrix * n * n;
    for (int j = GA_THREAD; j < n; j += GA_BLOCK) {
        ga_real<T> mine = N::re(w.a[j + j * n]);
        int place = 0;
        for (int i = 0; i < n; i++) {
            ga_real<T> other = N::re(w.a[i + i * n]);
            place += other < mine || (!(other > mine) && i < j); /* some place for NaN, too */
        }
        w.place[j] = place;
        values[place] = mine * w.unscale;
    }
    GA_SYNC();
    for (int e = GA_THREAD; task.call.vectors && e < n * n; e += GA_BLOCK)
        to[e % n + w.place[e / n] * n] = w.v[e];
    GA_SYNC();
}

template <class T>
GA_KERNEL
decompose_hermitian(GA_PARAM eigen_task task)
{
    GA_AWAIT();
    GA_SHARED eigen_store<T> store;
    for (int64_t i = GA_BLOCK_ID; i < task.call.count; i += GA_GRID) {
        load_hermitian(task, i, store);
        if (!make_diagonal(store, int(task.call.rows), task.call.vectors) && GA_THREAD == 0)
            *task.failed = 1;
        store_sorted(task, i, store);
    }
}

template <class T>
static int
launch_eigen(const ga_lapack_call *call, int *failed, ga_stream *stream)
{
    eigen_task task = {*call, failed};
    return ga_launch(decompose_hermitian<T>, call->count < 65536 ? call->count : 65536, stream, task);
}

int
ga_lapack_small_eigen(const ga_lapack_call *call, int *failed, ga_stream *stream)
{
    return GA_BY_NUMBER(call->dtype, launch_eigen, call, failed, stream);
}
