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
        p[i] = N::scale_add(N::scale_add(x, half, y), -s, x);
        q[i] = N::scale_add(N::scale_add(y, -half, x), s, y);
    }
}

/* Of the columns of a pair: squares of their lengths, and their product. */
template <class T> struct column_pair {
    ga_real<T> first, second;
    T inner;
};

/* An angle: c, s, s / (1 + c) and s / c. */
template <class R> struct jacobi_angle {
    R c, s, half, tangent;
};

template <class R>
GA_FN R
inverse_root(R x)
{
    if constexpr (GA_BLOCK > 1)
        return rsqrt(x);
    else
        return 1 / sqrt(x);
}

/* That makes columns orthogonal whose product is `size`. Squares of short lengths fit into float64 only. */
template <class R>
GA_FN jacobi_angle<R>
choose_angle(R first, R second, R size)
{
    const R by = sizeof(R) == 8 ? R(1) : 1 / (first > second ? first : second);
    R apart = (second - first) * by, twice = 2 * size * by;
    R inverse = inverse_root(apart * apart + twice * twice);
    R square = R(0.5) + R(0.5) * fabs(apart) * inverse, root = inverse_root(square);
    R c = square * root, s = R(0.5) * twice * inverse * root;
    s = apart < 0 ? -s : s;
    return {c, s, s / (1 + c), s * root};
}

/* Whether a product is more than `share` of that of the lengths. */
template <class R>
GA_FN bool
is_skew(R size, R share, R first, R second)
{
    if constexpr (sizeof(R) == 8)
        return size * size > share * share * first * second;
    else
        return size > share * sqrt(first) * sqrt(second);
}

/* What makes the product of a column with another times it a positive number. */
template <class T>
GA_FN T
phase_of(T inner, ga_real<T> size)
{
    typedef ga_number<T> N;
    if constexpr (ga_is_complex<T>::value)
        return N::scale(N::conjugate(inner), 1 / size);
    else
        return inner < 0 ? T(-1) : T(1);
}

/* Makes two columns orthogonal. Whether others that are nearly so may be less than before: a rotation adds to the product
 * of a column with a third one the product of the other, by the sine. All teams of a warp call together; there
 * may be no columns. */
template <class T>
GA_FN bool
rotate_pair(const jacobi_matrix<T> &w, int j, int k, ga_real<T> tolerance, ga_real<T> slight)
{
    typedef ga_number<T> N;
    typedef ga_real<T> R;
    bool there = j < w.n && k < w.n;
    T *p = w.a + int64_t(j) * w.m, *q = w.a + int64_t(k) * w.m;
    T inner = multiply_columns<T>(p, q, there ? w.m : 0, w.lanes);
    column_pair<T> pair = {there ? w.square[j] : R(0), there ? w.square[k] : R(0), inner};
    pair = from_first(pair, w.lanes); /* who has read the squares before he writes them */
    R size = N::absolute(pair.inner), least = pair.first < pair.second ? pair.first : pair.second;
    if (!is_skew(size, tolerance, pair.first, pair.second) || least < negligible<R>)
        return false;
    jacobi_angle<R> angle = choose_angle(pair.first, pair.second, size);
    T phase = phase_of(pair.inner, size);
    rotate_columns(p, q, w.m, w.lanes, angle.s, angle.half, phase);
    if (w.v)
        rotate_columns(w.v + int64_t(j) * w.n, w.v + int64_t(k) * w.n, w.n, w.lanes, angle.s, angle.half, phase);
    if (GA_THREAD % w.lanes == 0) {
        w.square[j] = pair.first - angle.tangent * size;
        w.square[k] = pair.second + angle.tangent * size;
    }
    return fabs(angle.s) > slight || is_skew(size, slight, pair.first, pair.second);
}

template <class T>
GA_FN void
square_columns(const jacobi_matrix<T> &w)
{
    for (int first = 0; first < w.n; first += GA_BLOCK / w.lanes) {
        int j = first + w.team;
        ga_real<T> square = square_column(w.a + int64_t(j) * w.m, j < w.n ? w.m : 0, w.lanes);
        if (j < w.n && GA_THREAD % w.lanes == 0)
            w.square[j] = square;
    }
    GA_SYNC();
}

/* One sweep: each pair of columns once. Whether columns may be skew after it. */
template <class T>
GA_FN bool
sweep_columns(const jacobi_matrix<T> &w, ga_real<T> tolerance, ga_real<T> slight)
{
    GA_SHARED int moved;
    const int players = w.n + w.n % 2, teams = GA_BLOCK / w.lanes;
    GA_SYNC();
    if (GA_THREAD == 0)
        moved = 0;
    square_columns(w);
    for (int step = 0; step < players - 1; step++) {
        for (int first = 0; first < players / 2; first += teams) {
            int i = first + w.team, j, k, none = w.n;
            jacobi_pair(players, step, i, &j, &k);
            if (rotate_pair(w, i < players / 2 ? j < k ? j : k : none, j < k ? k : j, tolerance, slight))
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
        ga_real<T> square = square_column(column, j < w.n ? w.m : 0, w.lanes);
        if (j < w.n && GA_THREAD % w.lanes == 0)
            length[j] = square < negligible<ga_real<T>> ? 0 : sqrt(square);
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
    const R slight = sqrt(eps / R(w.n)) / 4; /* 4 n slight^2, what a sweep of such rotations adds to a cosine, is rounding */
    for (int sweep = 0; sweep < most_sweeps; sweep++)
        if (!sweep_columns(w, tolerance, slight))
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
        w.square = length;
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
