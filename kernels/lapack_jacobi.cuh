/* A matrix whose columns a block makes orthogonal, products of its columns, and the columns of U that it does not give.
 * Included by lapack_jacobi.cu. Includes lapack_small.h, block.cuh, lapack_pairs.cuh. */
#pragma once
#include "block.cuh"
#include "lapack_pairs.cuh"
#include "lapack_small.h"

struct jacobi_task {
    ga_lapack_call call;
    void *right;   /* V under way, a matrix each; NULL where no vectors are asked for */
    int *order;    /* the place of each column among the sorted ones */
    int *failed;
    int lanes;     /* that share a pair of columns, a team: a power of two, at most a warp */
};

/* One matrix: columns of m and n elements. */
template <class T> struct jacobi_matrix {
    T *a, *v, *left, *right; /* left, right: the call's U and V */
    ga_real<T> *values, *square; /* square: of the length of each column, during a sweep */
    int *order;
    int m, n, columns; /* columns: of U */
    int lanes, team;   /* team: this thread's */
};

template <class T>
GA_FN jacobi_matrix<T>
take_jacobi(const jacobi_task &task, int64_t i)
{
    const ga_lapack_call &c = task.call;
    jacobi_matrix<T> p = {static_cast<T *>(c.a) + i * c.rows * c.columns,
                          nullptr,
                          nullptr,
                          nullptr,
                          static_cast<ga_real<T> *>(c.values) + i * c.columns,
                          nullptr,
                          task.order + i * c.columns,
                          int(c.rows),
                          int(c.columns),
                          int(c.b_columns),
                          task.lanes,
                          GA_THREAD / task.lanes};
    if (c.vectors) {
        p.v = static_cast<T *>(task.right) + i * c.columns * c.columns;
        p.left = static_cast<T *>(c.b) + i * c.rows * c.b_columns;
        p.right = static_cast<T *>(c.c) + i * c.columns * c.columns;
    }
    return p;
}

/* The value that the first lane of a team has. */
template <class T>
GA_FN T
from_first(T value, int lanes)
{
    if constexpr (GA_BLOCK > 1)
        return ga_warp_from(value, GA_THREAD % 32 / lanes * lanes);
    else
        return value;
}

/* ---- sums over a team or the block ---- */

template <class R> struct greatest_policy {
    typedef R acc;
    GA_FN acc
    merge(acc x, acc y)
    {
        return y > x || y != y ? y : x; /* NaN stays */
    }
};

template <class T> struct sum_policy {
    typedef T acc;
    GA_FN acc
    merge(acc x, acc y)
    {
        return ga_number<T>::add(x, y);
    }
};

template <class T>
GA_FN ga_real<T>
square(T x)
{
    return ga_number<T>::re(x) * ga_number<T>::re(x) + ga_number<T>::im(x) * ga_number<T>::im(x);
}

/* Valid in the first lane of a team. */
template <class T>
GA_FN T
multiply_columns(const T *p, const T *q, int m, int lanes)
{
    typedef ga_number<T> N;
    T sum = N::of(0);
    for (int i = GA_THREAD % lanes; i < m; i += lanes)
        sum = N::multiply_add(N::conjugate(p[i]), q[i], sum);
    return ga_block_merge<sum_policy<T>>(sum, lanes);
}

/* The square of a column's length, likewise. */
template <class T>
GA_FN ga_real<T>
square_column(const T *p, int m, int lanes)
{
    ga_real<T> sum = 0;
    for (int i = GA_THREAD % lanes; i < m; i += lanes)
        sum += square(p[i]);
    return ga_block_merge<sum_policy<ga_real<T>>>(sum, lanes);
}

/* ---- columns of U that the matrix does not give ---- */

template <class R> struct row_choice {
    struct acc {
        R left;
        int row;
    };
    GA_FN acc
    merge(acc x, acc y)
    {
        return y.left > x.left ? y : x;
    }
};

/* The row whose unit vector lies furthest out of the first `have` columns. */
template <class T>
GA_FN int
find_row(const jacobi_matrix<T> &w, int have)
{
    typedef ga_real<T> R;
    GA_SHARED int chosen;
    typename row_choice<R>::acc best = {-1, 0};
    for (int i = GA_THREAD; i < w.m; i += GA_BLOCK) {
        R left = 1;
        for (int j = 0; j < have; j++)
            left -= square(w.left[int64_t(j) * w.m + i]);
        best = row_choice<R>::merge(best, {left, i});
    }
    best = ga_block_merge<row_choice<R>>(best, GA_BLOCK);
    GA_SYNC();
    if (GA_THREAD == 0)
        chosen = best.row;
    GA_SYNC();
    return chosen;
}

/* Column `have` becomes orthogonal to those before it; by the first warp, twice, since once leaves
 * what rounding adds. */
template <class T>
GA_FN void
project_column(const jacobi_matrix<T> &w, int have)
{
    typedef ga_number<T> N;
    const int lanes = GA_BLOCK > 1 ? 32 : 1;
    T *column = w.left + int64_t(have) * w.m;
    for (int j = 0; GA_THREAD < lanes && j < 2 * have; j++) {
        const T *other = w.left + int64_t(j % have) * w.m;
        T inner = from_first(multiply_columns(other, static_cast<const T *>(column), w.m, lanes), lanes);
        for (int i = GA_THREAD; i < w.m; i += lanes)
            column[i] = N::subtract(column[i], N::multiply(other[i], inner));
    }
    if (GA_THREAD < lanes) {
        ga_real<T> length = sqrt(from_first(square_column(column, w.m, lanes), lanes));
        for (int i = GA_THREAD; i < w.m; i += lanes)
            column[i] = N::scale(column[i], 1 / length);
    }
    GA_SYNC();
}

/* Columns of length zero are the last ones. */
template <class T>
GA_FN void
complete_basis(const jacobi_matrix<T> &w)
{
    int have = w.n;
    while (have > 0 && !(w.values[have - 1] > 0))
        have--;
    for (; have < w.columns; have++) {
        int row = find_row(w, have);
        for (int i = GA_THREAD; i < w.m; i += GA_BLOCK)
            w.left[int64_t(have) * w.m + i] = ga_number<T>::of(i == row);
        GA_SYNC();
        project_column(w, have);
    }
}
