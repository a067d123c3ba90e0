/* Singular values and vectors of many matrices by one-sided Jacobi rotations, a block a matrix.
 *
 * Hestenes (1958): pairs of columns are rotated until all are orthogonal; their lengths are the
 * singular values then, and the product of the rotations is V. Each step of a sweep takes disjoint
 * pairs, as a tournament pairs its players; some lanes share a pair. Columns of length zero, and
 * those that a whole U has beyond A's, are completed to a basis by projecting unit vectors. Lengths
 * below eps squared times the greatest part count as zero, or rounding would be rotated without
 * end. On a GPU small matrices and their V lie in shared memory meanwhile, the steps of a sweep wait for
 * their elements; larger ones stay in global memory, which the caches hold. The matrix is scaled by a power
 * of two, so that no square overflows. One source for both devices. Includes lapack_jacobi.cuh. */
#include "lapack_jacobi.cuh"

static const int most_sweeps = 40;
static const int staged_bytes = GA_BLOCK > 1 ? 32768 : 16; /* of shared memory: seven blocks a multiprocessor */

/* ---- rotations ---- */

/* The square of a length that counts as zero, where the matrix has a part of at least 1: that of eps squared. */
template <class R> constexpr R negligible = sizeof(R) == 4 ? R(0x1p-92) : R(0x1p-208);

/* p' = c p - s q, q' = s p + c q, where q was turned by `phase` first; written with half = s / (1 +
 * c), so that small angles do not lose 1 - c, which over many rotations would show (Rutishauser
 * 1966). */
template <class T>
GA_FN void
rotate_columns(T *p, T *q, int m, int lanes, ga_real<T> s, ga_real<T> half, T phase)
{
    typedef ga_number<T> N;
    for (int i = GA_THREAD % lanes; i < m; i += lanes) {
        T x = p[i], y = N::multiply(q[i], phase);
        p[i] = N::subtract(x, N::scale(N::add(y, N::scale(x, half)), s));
        q[i] = N::add(y, N::scale(N::subtract(x, N::scale(y, half)), s));
    }
}

/* Makes two columns orthogonal; false where they are, and where there are none: all teams of a warp call together. */
template <class T>
GA_FN bool
rotate_pair(const jacobi_matrix<T> &w, int j, int k, ga_real<T> tolerance)
{
    typedef ga_number<T> N;
    typedef ga_real<T> R;
    bool there = j < w.n && k < w.n;
    T *p = w.a + int64_t(j) * w.m, *q = w.a + int64_t(k) * w.m;
    typename product_policy<T>::acc product = multiply_columns(p, q, there ? w.m : 0, w.lanes);
    R size = N::absolute(product.inner);
    R least = product.first < product.second ? product.first : product.second;
    if (!(size > tolerance * sqrt(product.first) * sqrt(product.second)) || least < negligible<R>)
        return false;
    R zeta = (product.second - product.first) / (2 * size);
    R t = fabs(zeta) > R(0x1p30) ? 1 / (2 * zeta) /* whose square may be too large */
                                : (zeta < 0 ? R(-1) : R(1)) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    R c = 1 / sqrt(1 + t * t), s = c * t, half = s / (1 + c);
    T phase = N::scale(N::conjugate(product.inner), 1 / size);
    rotate_columns(p, q, w.m, w.lanes, s, half, phase);
    if (w.v)
        rotate_columns(w.v + int64_t(j) * w.n, w.v + int64_t(k) * w.n, w.n, w.lanes, s, half, phase);
    return true;
}

/* One sweep: each pair of columns once. Whether any was rotated. */
template <class T>
GA_FN bool
sweep_columns(const jacobi_matrix<T> &w, ga_real<T> tolerance)
{
    GA_SHARED int moved;
    const int players = w.n + w.n % 2, teams = GA_BLOCK / w.lanes;
    GA_SYNC();
    if (GA_THREAD == 0)
        moved = 0;
    GA_SYNC();
    for (int step = 0; step < players - 1; step++) {
        for (int first = 0; first < players / 2; first += teams) {
            int i = first + w.team, none = w.n;
            int j = i == 0 ? players - 1 : (step + i) % (players - 1);
            int k = i == 0 ? step : (step - i + players - 1) % (players - 1);
            if (rotate_pair(w, i < players / 2 ? j < k ? j : k : none, j < k ? k : j, tolerance))
                moved = 1;
        }
        GA_SYNC();
    }
    return moved;
}

/* ---- before and after ---- */

/* The power of two that brings `greatest` to [1, 2): its exponent. */
template <class R>
GA_FN int
find_exponent(R greatest)
{
    const int least = sizeof(R) == 4 ? -120 : -1000;
    int exponent = 1;
    if (greatest > 0)
        frexp(greatest, &exponent);
    return exponent - 1 > least ? exponent - 1 : least;
}

/* Moves what is worked on to `stage` if it fits; each thread scales the elements that it moved. */
template <class T>
GA_FN void
stage_matrix(jacobi_matrix<T> *w, char *stage)
{
    const int64_t size = int64_t(w->m) * w->n, all = size + (w->v ? int64_t(w->n) * w->n : 0);
    if (GA_BLOCK == 1 || all * int64_t(sizeof(T)) > staged_bytes)
        return;
    T *own = reinterpret_cast<T *>(stage);
    for (int64_t e = GA_THREAD; e < size; e += GA_BLOCK)
        own[e] = w->a[e];
    w->a = own;
    w->v = w->v ? own + size : nullptr;
}

/* Scales by a power of two, of which it returns the reciprocal; 0 where something is not finite. */
template <class T>
GA_FN ga_real<T>
scale_matrix(const jacobi_matrix<T> &w)
{
    typedef ga_number<T> N;
    typedef ga_real<T> R;
    GA_SHARED R factors[2];
    R greatest = 0;
    for (int64_t e = GA_THREAD; e < int64_t(w.m) * w.n; e += GA_BLOCK)
        greatest = greatest_policy<R>::merge(
            greatest, greatest_policy<R>::merge(fabs(N::re(w.a[e])), fabs(N::im(w.a[e]))));
    greatest = ga_block_merge<greatest_policy<R>>(greatest, GA_BLOCK);
    if (GA_THREAD == 0) {
        bool finite = greatest < R(INFINITY);
        int exponent = finite ? find_exponent(greatest) : 0;
        factors[0] = ldexp(R(1), -exponent);
        factors[1] = finite ? ldexp(R(1), exponent) : R(0);
    }
    GA_SYNC();
    R by = factors[0], back = factors[1];
    for (int64_t e = GA_THREAD; e < int64_t(w.m) * w.n; e += GA_BLOCK)
        w.a[e] = N::scale(w.a[e], by);
    GA_SYNC();
    return back;
}

template <class T>
GA_FN void
start_right(const jacobi_matrix<T> &w)
{
    for (int64_t e = GA_THREAD; w.v && e < int64_t(w.n) * w.n; e += GA_BLOCK)
        w.v[e] = ga_number<T>::of(e / w.n == e % w.n);
}

/* Lengths of the columns, and their places in descending order. */
template <class T>
GA_FN void
sort_columns(const jacobi_matrix<T> &w, ga_real<T> unscale, ga_real<T> *length)
{
    for (int first = 0; first < w.n; first += GA_BLOCK / w.lanes) {
        int j = first + w.team;
        const T *column = w.a + int64_t(j) * w.m;
        ga_real<T> squares = multiply_columns(column, column, j < w.n ? w.m : 0, w.lanes).first;
        if (j < w.n)
            length[j] = squares < negligible<ga_real<T>> ? 0 : sqrt(squares);
    }
    GA_SYNC();
    for (int j = GA_THREAD; j < w.n; j += GA_BLOCK) {
        int place = 0;
        for (int i = 0; i < w.n; i++)
            place += length[i] > length[j] || (length[i] == length[j] && i < j);
        w.order[j] = place;
        w.values[place] = length[j] * unscale;
    }
    GA_SYNC();
}

template <class T>
GA_FN void
store_vectors(const jacobi_matrix<T> &w, const ga_real<T> *length)
{
    typedef ga_number<T> N;
    for (int j = w.team; j < w.n; j += GA_BLOCK / w.lanes) {
        const T *from = w.a + int64_t(j) * w.m;
        T *to = w.left + int64_t(w.order[j]) * w.m, *right = w.right + int64_t(w.order[j]) * w.n;
        ga_real<T> by = length[j] > 0 ? 1 / length[j] : 0;
        for (int i = GA_THREAD % w.lanes; i < w.m; i += w.lanes)
            to[i] = N::scale(from[i], by);
        for (int i = GA_THREAD % w.lanes; i < w.n; i += w.lanes)
            right[i] = w.v[int64_t(j) * w.n + i];
    }
    GA_SYNC();
}

/* ---- kernel ---- */

template <class T>
GA_FN bool
make_orthogonal(const jacobi_matrix<T> &w)
{
    typedef ga_real<T> R;
    const R eps = sizeof(R) == 4 ? R(0x1p-23) : R(0x1p-52), tolerance = eps * (1 + sqrt(R(w.m)));
    for (int sweep = 0; sweep < most_sweeps; sweep++)
        if (!sweep_columns(w, tolerance))
            return true;
    return false;
}

template <class T>
GA_KERNEL
decompose_jacobi(GA_PARAM jacobi_task task)
{
    GA_AWAIT();
    typedef ga_real<T> R;
    GA_SHARED R length[GA_LAPACK_JACOBI];
    alignas(16) GA_SHARED char stage[staged_bytes];
    for (int64_t i = GA_BLOCK_ID; i < task.call.count; i += GA_GRID) {
        jacobi_matrix<T> w = take_jacobi<T>(task, i);
        stage_matrix(&w, stage);
        R unscale = scale_matrix(w);
        start_right(w);
        if ((unscale == 0 || !make_orthogonal(w)) && GA_THREAD == 0)
            *task.failed = 1;
        sort_columns(w, unscale, length);
        if (w.v && unscale != 0) {
            store_vectors(w, length);
            complete_basis(w);
        }
        GA_SYNC();
    }
}

/* So few that all pairs of a step go at once, if they can, and that none is idle: what each lane computes alike is
 * most of the work of short columns. */
static int
choose_lanes(const ga_lapack_call *call)
{
    int64_t lanes = 4;
    if (GA_BLOCK == 1)
        return 1;
    while (lanes < 32 && 4 * lanes <= call->rows && lanes * call->columns <= GA_BLOCK)
        lanes *= 2;
    return int(lanes);
}

template <class T>
static int
launch_jacobi(const ga_lapack_call *call, void *right, int *order, int *failed, ga_stream *stream)
{
    jacobi_task task = {*call, right, order, failed, choose_lanes(call)};
    return ga_launch(decompose_jacobi<T>, call->count < 65536 ? call->count : 65536, stream, task);
}

bool
ga_lapack_is_jacobi(const ga_lapack_call *call)
{
    bool many = call->rows <= GA_LAPACK_SMALL || call->rows <= 32 * call->count;
    return call->op == GA_LAPACK_SVD && call->columns <= GA_LAPACK_JACOBI && many;
}

int
ga_lapack_jacobi(const ga_lapack_call *call, void *right, int *order, int *failed, ga_stream *stream)
{
    return GA_BY_NUMBER(call->dtype, launch_jacobi, call, right, order, failed, stream);
}
