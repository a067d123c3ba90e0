/* QR of matrices of at most 32 rows and columns by reflections, stored as LAPACK's geqrf stores
 * them, and the product of the reflections. A lane owns a column. Includes lapack_small.cuh. */
#include "lapack_small.cuh"

/* Columns stand an odd number of elements apart in shared memory: lanes that walk along theirs meet in no bank. */
template <class T> struct small_columns : small_place<T> {
    int rows, columns, step;
    GA_METHOD T *
    column(int c) const
    {
        return this->a + c * step;
    }
};

template <class T>
GA_FN small_columns<T>
take_columns(const small_task &task, T *store, int64_t first)
{
    small_columns<T> p;
    static_cast<small_place<T> &>(p) = take_place(task, store, first);
    p.rows = int(task.call.rows);
    p.columns = int(task.call.columns);
    p.step = p.rows | 1;
    return p;
}

/* Between matrices in global memory and the store, columns from `offset` elements on. */
template <class T, bool loads>
GA_FN void
move_columns(const small_task &task, T *store, int64_t first, int offset)
{
    const int rows = int(task.call.rows), columns = int(task.call.columns), size = rows * columns;
    const int all = count_matrices(task, first) * size;
    T *global = static_cast<T *>(task.call.a) + first * size;
    for (int e = GA_THREAD; e < all; e += GA_BLOCK) {
        int c = e % size / rows;
        T *held = &store[e / size * task.pitch + offset + c * (rows | 1) + e % rows];
        if constexpr (loads)
            *held = global[e];
        else
            global[e] = *held;
    }
    GA_SYNC();
}

/* The reflection that takes x, of `length` elements, to a multiple of the first unit vector: that multiple, the factor
 * tau, and what to multiply the other elements by. */
template <class T> struct reflection {
    T top, tau, scale;
};

template <class T>
GA_FN reflection<T>
find_reflection(const T *x, int length)
{
    typedef ga_number<T> N;
    typedef ga_real<T> R;
    R largest = 0, sum = 0;
    for (int i = 1; i < length; i++)
        largest = fmax(largest, N::absolute(x[i]));
    T first = x[0];
    if (largest == 0 && N::im(first) == 0)
        return {first, N::of(0), N::of(0)};
    largest = fmax(largest, N::absolute(first));
    for (int i = 0; i < length; i++) {
        R part = N::absolute(x[i]) / largest;
        sum += part * part;
    }
    R top = largest * sqrt(sum);
    if (!(N::re(first) < 0))
        top = -top;
    T tau = N::scale(N::subtract(N::of(top), first), R(1) / top);
    return {N::of(top), tau, N::divide(N::of(1), N::subtract(first, N::of(top)))};
}

/* x -= factor v (v^H x) from row j on, where v[j] is 1 and not stored. */
template <class T>
GA_FN void
reflect(const T *v, T factor, T *x, int j, int rows)
{
    typedef ga_number<T> N;
    T sum = x[j];
    for (int i = j + 1; i < rows; i++)
        sum = N::add(sum, N::multiply(N::conjugate(v[i]), x[i]));
    sum = N::multiply(sum, factor);
    x[j] = N::subtract(x[j], sum);
    for (int i = j + 1; i < rows; i++)
        x[i] = N::subtract(x[i], N::multiply(v[i], sum));
}

template <class T>
GA_FN void
factor_columns(const small_columns<T> &p, T *tau)
{
    typedef ga_number<T> N;
    const int steps = p.rows < p.columns ? p.rows : p.columns;
    for (int j = 0; j < steps; j++) {
        T *v = p.column(j);
        reflection<T> r = {N::of(0), N::of(0), N::of(0)};
        if (p.active)
            r = find_reflection(v + j, p.rows - j);
        GA_SYNC();
        for (int i = j + p.lane; p.active && i < p.rows; i += p.lanes)
            v[i] = i == j ? r.top : N::multiply(v[i], r.scale);
        if (p.active && p.lane == 0)
            tau[p.matrix * steps + j] = r.tau;
        GA_SYNC();
        for (int c = j + 1 + p.lane; p.active && c < p.columns; c += p.lanes)
            reflect(v, N::conjugate(r.tau), p.column(c), j, p.rows);
        GA_SYNC();
    }
}

template <class T>
GA_KERNEL
small_factor_qr(GA_PARAM small_task task)
{
    GA_AWAIT();
    GA_SHARED T store[GA_SMALL_BYTES / sizeof(T)];
    for (int64_t first = GA_BLOCK_ID * task.groups; first < task.call.count;
         first += GA_GRID * task.groups) {
        move_columns<T, true>(task, store, first, 0);
        factor_columns(take_columns(task, store, first), static_cast<T *>(task.call.b));
        move_columns<T, false>(task, store, first, 0);
    }
}

/* Each column of Q: the reflections, last one first, of a unit vector. */
template <class T>
GA_FN void
reflect_units(const small_columns<T> &p, const T *tau, int steps, T *q)
{
    typedef ga_number<T> N;
    for (int c = p.lane; p.active && c < p.columns; c += p.lanes) {
        T *x = q + c * p.step;
        for (int i = 0; i < p.rows; i++)
            x[i] = N::of(i == c ? 1 : 0);
        for (int j = steps - 1; j >= 0; j--)
            reflect(p.column(j), tau[j], x, j, p.rows);
    }
    GA_SYNC();
}

template <class T>
GA_KERNEL
small_form_basis(GA_PARAM small_task task)
{
    GA_AWAIT();
    GA_SHARED T store[GA_SMALL_BYTES / sizeof(T)];
    const int half = task.pitch / 2, steps = int(task.call.b_columns);
    for (int64_t first = GA_BLOCK_ID * task.groups; first < task.call.count;
         first += GA_GRID * task.groups) {
        move_columns<T, true>(task, store, first, 0);
        small_columns<T> p = take_columns(task, store, first);
        const T *tau = static_cast<const T *>(task.call.b) + (p.active ? p.matrix * steps : 0);
        reflect_units(p, tau, steps, p.a + half);
        move_columns<T, false>(task, store, first, half);
    }
}

template <class T>
static int
launch_qr(const ga_lapack_call *call, ga_stream *stream)
{
    small_task task = {*call, 0, 0, 0, nullptr};
    int64_t elements = (call->rows | 1) * call->columns;
    if (call->op == GA_LAPACK_QR)
        return ga_launch(small_factor_qr<T>,
                         deal_matrices(&task, call->columns, elements, sizeof(T)), stream, task);
    return ga_launch(small_form_basis<T>,
                     deal_matrices(&task, call->columns, 2 * elements, sizeof(T)), stream, task);
}

int
ga_lapack_small_qr(const ga_lapack_call *call, ga_stream *stream)
{
    return GA_BY_NUMBER(call->dtype, launch_qr, call, stream);
}
