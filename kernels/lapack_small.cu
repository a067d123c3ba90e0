/* LU with partial pivoting and Cholesky of matrices of at most 32 rows: solve, invert, determinant,
 * cholesky.
 *
 * Matrices are read as rows, so what the contract calls transposed (call/lapack.h) is a itself
 * here. A lane owns a column while rows are eliminated, a row while columns are divided; between
 * the two stands a barrier. A pivot of zero is not divided by: the matrix is singular, and its
 * column is zero below. Includes lapack_small.cuh. */
#include "lapack_small.cuh"

/* ---- pivots ---- */

template <class R> struct pivot_choice {
    struct acc {
        R size;
        int row;
    };
    GA_FN acc
    merge(acc x, acc y)
    {
        return y.size > x.size || (y.size == x.size && y.row < x.row) ? y : x;
    }
};

template <class T> struct small_lu : small_place<T> {
    int n;
    T *column;  /* n elements behind the matrix */
    int *pivot; /* the row that came to each place */
    bool singular;
};

template <class T>
GA_FN void
swap_values(T *x, T *y)
{
    T value = *x;
    *x = *y;
    *y = value;
}

/* Brings the row with the largest element of column j, at or below the diagonal, to row j. */
template <class T>
GA_FN void
bring_pivot(small_lu<T> &p, int j)
{
    typedef pivot_choice<ga_real<T>> P;
    typename P::acc best = {ga_real<T>(-1), j};
    for (int i = j + p.lane; p.active && i < p.n; i += p.lanes)
        best = P::merge(best, {ga_number<T>::size(p.a[i * p.n + j]), i});
    best = ga_block_merge<P>(best, p.lanes);
    if (p.active && p.lane == 0)
        p.pivot[j] = best.row;
    GA_SYNC();
    int row = p.active ? p.pivot[j] : j;
    for (int c = p.lane; row != j && c < p.n; c += p.lanes)
        swap_values(&p.a[row * p.n + c], &p.a[j * p.n + c]);
    GA_SYNC();
    p.singular |= p.active && ga_number<T>::is_zero(p.a[j * p.n + j]);
}

/* ---- LU ---- */

template <class T>
GA_FN void
eliminate_below(const small_lu<T> &p, int j)
{
    typedef ga_number<T> N;
    const int n = p.n;
    for (int i = j + 1 + p.lane; p.active && i < n; i += p.lanes) {
        T pivot = p.a[j * n + j];
        p.column[i] = p.a[i * n + j] =
            N::is_zero(pivot) ? N::of(0) : N::divide(p.a[i * n + j], pivot);
    }
    GA_SYNC();
    for (int c = j + 1 + p.lane; p.active && c < n; c += p.lanes) {
        T top = p.a[j * n + c];
        for (int i = j + 1; i < n; i++)
            p.a[i * n + c] = N::subtract(p.a[i * n + c], N::multiply(p.column[i], top));
    }
    GA_SYNC();
}

template <class T>
GA_FN void
factor_lu(small_lu<T> &p)
{
    for (int j = 0; j < p.n; j++) {
        bring_pivot(p, j);
        eliminate_below(p, j);
    }
}

/* ---- solve ---- */

/* b -= a[:, j] x[j] for the rows from `first` to `last`; b has `k` columns of n. */
template <class T>
GA_FN void
substitute(const small_lu<T> &p, T *b, int64_t k, int j, int first, int last)
{
    typedef ga_number<T> N;
    for (int i = first + p.lane; p.active && i < last; i += p.lanes)
        for (int64_t c = 0; c < k; c++)
            b[c * p.n + i] =
                N::subtract(b[c * p.n + i], N::multiply(p.a[i * p.n + j], b[c * p.n + j]));
    GA_SYNC();
}

template <class T>
GA_FN void
solve_sides(small_lu<T> &p, T *b, int64_t k)
{
    const int n = p.n;
    for (int64_t c = p.lane; p.active && c < k; c += p.lanes)
        for (int j = 0; j < n; j++)
            swap_values(&b[c * n + j], &b[c * n + p.pivot[j]]);
    GA_SYNC();
    for (int j = 0; j < n; j++)
        substitute(p, b, k, j, j + 1, n);
    for (int j = n - 1; j >= 0; j--) {
        for (int64_t c = p.lane; p.active && c < k; c += p.lanes)
            b[c * n + j] = ga_number<T>::divide(b[c * n + j], p.a[j * n + j]);
        GA_SYNC();
        substitute(p, b, k, j, 0, j);
    }
}

/* ---- invert, by Gauss and Jordan in place ---- */

template <class T>
GA_FN void
clear_column(const small_lu<T> &p, int j)
{
    typedef ga_number<T> N;
    const int n = p.n;
    T pivot = p.active ? p.a[j * n + j] : N::of(1);
    for (int i = p.lane; p.active && i < n; i += p.lanes)
        p.column[i] = p.a[i * n + j];
    GA_SYNC();
    for (int c = p.lane; p.active && c < n; c += p.lanes) {
        T top = N::divide(c == j ? N::of(1) : p.a[j * n + c], pivot);
        for (int i = 0; i < n; i++) {
            T below =
                N::subtract(c == j ? N::of(0) : p.a[i * n + c], N::multiply(p.column[i], top));
            p.a[i * n + c] = i == j ? top : below;
        }
    }
    GA_SYNC();
}

/* The rows were permuted, so the inverse's columns are. */
template <class T>
GA_FN void
restore_columns(const small_lu<T> &p)
{
    for (int i = p.lane; p.active && i < p.n; i += p.lanes)
        for (int j = p.n - 1; j >= 0; j--)
            swap_values(&p.a[i * p.n + j], &p.a[i * p.n + p.pivot[j]]);
    GA_SYNC();
}

template <class T>
GA_FN void
invert_matrix(small_lu<T> &p)
{
    for (int j = 0; j < p.n; j++) {
        bring_pivot(p, j);
        clear_column(p, j);
    }
    restore_columns(p);
    for (int e = p.lane; p.singular && e < p.n * p.n; e += p.lanes)
        p.a[e] = ga_number<T>::of(ga_real<T>(NAN));
    GA_SYNC();
}

/* ---- determinant ---- */

template <class T>
GA_FN void
multiply_diagonal(const small_lu<T> &p, T *sign, ga_real<T> *logarithm)
{
    typedef ga_number<T> N;
    T product = N::of(1);
    ga_real<T> sum = 0;
    for (int j = 0; j < p.n; j++) {
        T element = p.a[j * p.n + j];
        ga_real<T> length = N::absolute(element);
        if (p.pivot[j] != j)
            product = N::scale(product, ga_real<T>(-1));
        product = N::multiply(product, p.singular ? N::of(0) : N::divide(element, N::of(length)));
        sum += log(length);
    }
    sign[p.matrix] = product;
    logarithm[p.matrix] = p.singular ? -ga_real<T>(INFINITY) : sum;
}

/* ---- kernels ---- */

template <class T>
GA_FN small_lu<T>
take_matrix(const small_task &task, T *store, int *pivots, int64_t first)
{
    small_lu<T> p;
    static_cast<small_place<T> &>(p) = take_place(task, store, first);
    p.n = int(task.call.rows);
    p.column = p.a + p.n * p.n;
    p.pivot = pivots + (p.active ? p.group * p.n : 0);
    p.singular = false;
    return p;
}

/* Between the matrices from `first` on in global memory, which lie one after another, and the block's store. */
template <class T, bool loads>
GA_FN void
move_matrices(const small_task &task, T *global, T *store, int64_t first)
{
    const int size = int(task.call.rows * task.call.rows), all = count_matrices(task, first) * size;
    global += first * size;
    for (int e = GA_THREAD; e < all; e += GA_BLOCK) {
        T *held = &store[e / size * task.pitch + e % size];
        if constexpr (loads)
            *held = global[e];
        else
            global[e] = *held;
    }
    GA_SYNC();
}

template <class T>
GA_FN void
run_lu(const small_task &task, small_lu<T> &p)
{
    const ga_lapack_call &call = task.call;
    if (call.op == GA_LAPACK_INVERT) {
        invert_matrix(p);
        return;
    }
    factor_lu(p);
    if (call.op == GA_LAPACK_SOLVE)
        solve_sides(p, static_cast<T *>(call.b) + (p.active ? p.matrix * call.b_columns * p.n : 0),
                    call.b_columns);
    else if (p.active && p.lane == 0)
        multiply_diagonal(p, static_cast<T *>(call.b), static_cast<ga_real<T> *>(call.values));
}

template <class T>
GA_KERNEL
small_factor_lu(GA_PARAM small_task task)
{
    GA_AWAIT();
    GA_SHARED T store[GA_SMALL_BYTES / sizeof(T)];
    GA_SHARED int pivots[GA_BLOCK > 1 ? GA_BLOCK : GA_LAPACK_SMALL];
    const ga_lapack_call &call = task.call;
    for (int64_t first = GA_BLOCK_ID * task.groups; first < call.count;
         first += GA_GRID * task.groups) {
        move_matrices<T, true>(task, static_cast<T *>(call.a), store, first);
        small_lu<T> p = take_matrix(task, store, pivots, first);
        run_lu(task, p);
        if (p.singular && p.lane == 0)
            *task.failed = 1;
        if (call.op == GA_LAPACK_INVERT)
            move_matrices<T, false>(task, static_cast<T *>(call.b), store, first);
        GA_SYNC();
    }
}

/* ---- Cholesky ---- */

/* Element (i, j) of the triangle that is read, as a lower one; of an upper one that is its conjugate transpose. */
template <class T>
GA_FN T *
find_element(const small_task &task, const small_place<T> &p, int i, int j)
{
    const int n = int(task.call.rows);
    return &p.a[task.call.upper ? i * n + j : j * n + i];
}

/* Column j of the factor; false where the diagonal is not positive. */
template <class T>
GA_FN bool
divide_column(const small_task &task, const small_place<T> &p, T *column, int j)
{
    typedef ga_number<T> N;
    const int n = int(task.call.rows);
    ga_real<T> square = p.active ? N::re(*find_element(task, p, j, j)) : 1;
    ga_real<T> root = sqrt(square);
    GA_SYNC();
    for (int i = j + p.lane; p.active && i < n; i += p.lanes) {
        T *element = find_element(task, p, i, j);
        column[i] = *element = i == j ? N::of(root) : N::divide(*element, N::of(root));
    }
    GA_SYNC();
    return !(square <= 0);
}

template <class T>
GA_FN bool
factor_positive(const small_task &task, const small_place<T> &p)
{
    typedef ga_number<T> N;
    const int n = int(task.call.rows);
    T *column = p.a + n * n;
    bool positive = true;
    for (int j = 0; j < n; j++) {
        positive &= divide_column(task, p, column, j);
        for (int i = j + 1 + p.lane; p.active && i < n; i += p.lanes)
            for (int c = j + 1; c <= i; c++) {
                T *element = find_element(task, p, i, c);
                *element = N::subtract(*element, N::multiply(column[i], N::conjugate(column[c])));
            }
        GA_SYNC();
    }
    for (int i = p.lane; p.active && i < n; i += p.lanes)
        for (int c = i + 1; c < n; c++)
            *find_element(task, p, i, c) = N::of(0);
    GA_SYNC();
    return positive;
}

template <class T>
GA_KERNEL
small_factor_positive(GA_PARAM small_task task)
{
    GA_AWAIT();
    GA_SHARED T store[GA_SMALL_BYTES / sizeof(T)];
    T *a = static_cast<T *>(task.call.a);
    for (int64_t first = GA_BLOCK_ID * task.groups; first < task.call.count;
         first += GA_GRID * task.groups) {
        move_matrices<T, true>(task, a, store, first);
        small_place<T> p = take_place(task, store, first);
        if (!factor_positive(task, p) && p.lane == 0)
            *task.failed = 1;
        move_matrices<T, false>(task, a, store, first);
    }
}

/* ---- launch ---- */

template <class T>
static int
launch_small(const ga_lapack_call *call, int *failed, ga_stream *stream)
{
    small_task task = {*call, 0, 0, 0, failed};
    int64_t n = call->rows, blocks = deal_matrices(&task, n, n * n + n, sizeof(T));
    if (call->op == GA_LAPACK_CHOLESKY)
        return ga_launch(small_factor_positive<T>, blocks, stream, task);
    return ga_launch(small_factor_lu<T>, blocks, stream, task);
}

bool
ga_lapack_is_small(const ga_lapack_call *call)
{
    bool ours = call->op <= GA_LAPACK_BASIS;
    return ours && call->rows <= GA_LAPACK_SMALL && call->columns <= GA_LAPACK_SMALL;
}

int
ga_lapack_small(const ga_lapack_call *call, int *failed, ga_stream *stream)
{
    if (call->op == GA_LAPACK_QR || call->op == GA_LAPACK_BASIS)
        return ga_lapack_small_qr(call, stream);
    return GA_BY_NUMBER(call->dtype, launch_small, call, failed, stream);
}
