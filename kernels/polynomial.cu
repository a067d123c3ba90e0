/* Polynomials: values of series in six bases, coefficients from roots, division. Owns ga_series_run and
 * ga_coefficients_run.
 *
 * Clenshaw's recurrence with three terms serves every basis: from the last coefficient down,
 *     c0, c1 = c[k] - back * c1, c0 + (shift + slope * x) * c1
 * where back, shift and slope depend on k alone, and the value is c0 + c1 times the polynomial of degree one. The order of
 * operations is NumPy's. Coefficients that each depend on those before are the work of one block, with a barrier a
 * step. Includes math_complex.cuh and slots.h. */
#include "math_complex.cuh"
#include "slots.h"

/* Values a block computes. */
static const int64_t series_piece = 1024;

template <class T> GA_FN T scale(T x, double by)
{
    if constexpr (ga_is_complex<T>::value)
        return {x.re * ga_real<T>(by), x.im * ga_real<T>(by)};
    else
        return x * T(by);
}

template <class T> GA_FN T over(T x, double by)
{
    if constexpr (ga_is_complex<T>::value)
        return {x.re / ga_real<T>(by), x.im / ga_real<T>(by)};
    else
        return x / T(by);
}

template <class T> GA_FN T plus(T x, T y)
{
    if constexpr (std::is_integral<T>::value)
        return T(uint64_t(x) + uint64_t(y));
    else if constexpr (ga_is_complex<T>::value)
        return ga_add(x, y);
    else
        return x + y;
}

template <class T> GA_FN T minus(T x, T y)
{
    if constexpr (ga_is_complex<T>::value)
        return ga_subtract(x, y);
    else
        return x - y;
}

template <class T> GA_FN T times(T x, T y)
{
    if constexpr (std::is_integral<T>::value)
        return T(uint64_t(x) * uint64_t(y));
    else if constexpr (ga_is_complex<T>::value)
        return ga_multiply(x, y);
    else
        return x * y;
}

template <class T> GA_FN T one()
{
    if constexpr (ga_is_complex<T>::value)
        return {1, 0};
    else
        return T(1);
}

/* Horner's rule; c points at the first coefficient, `step` elements apart. */
template <class T> GA_FN T power_value(const T *c, int64_t terms, int64_t step, T x)
{
    T value = plus(c[(terms - 1) * step], times(x, T{}));
    for (int64_t k = terms - 2; k >= 0; k--)
        value = plus(c[k * step], times(value, x));
    return value;
}

/* One step of the recurrence at degree n: c1 in the place of c0 less its part, and c0 with c1 raised by one degree. */
template <class T> GA_FN void lower_degree(enum ga_basis basis, double n, T c, T x, T &c0, T &c1)
{
    T before = c0;
    switch (basis) {
    case GA_BASIS_CHEBYSHEV:
        c0 = minus(c, c1);
        c1 = plus(before, times(c1, scale(x, 2)));
        break;
    case GA_BASIS_LEGENDRE:
        c0 = minus(c, scale(c1, (n - 1) / n));
        c1 = plus(before, scale(times(c1, x), (2 * n - 1) / n));
        break;
    case GA_BASIS_HERMITE:
        c0 = minus(c, scale(c1, 2 * (n - 1)));
        c1 = plus(before, times(c1, scale(x, 2)));
        break;
    case GA_BASIS_HERMITE_E:
        c0 = minus(c, scale(c1, n - 1));
        c1 = plus(before, times(c1, x));
        break;
    default:
        c0 = minus(c, over(scale(c1, n - 1), n));
        c1 = plus(before, over(times(c1, minus(scale(one<T>(), 2 * n - 1), x)), n));
    }
}

/* The polynomial of degree one. */
template <class T> GA_FN T first_degree(enum ga_basis basis, T x)
{
    if (basis == GA_BASIS_HERMITE)
        return scale(x, 2);
    return basis == GA_BASIS_LAGUERRE ? minus(one<T>(), x) : x;
}

template <class T> GA_FN T series_value(enum ga_basis basis, const T *c, int64_t terms, int64_t step, T x)
{
    T c0 = c[(terms > 1 ? terms - 2 : 0) * step], c1 = terms > 1 ? c[(terms - 1) * step] : T{};
    for (int64_t k = terms - 3, n = terms - 1; k >= 0; k--, n--)
        lower_degree(basis, double(n), c[k * step], x, c0, c1);
    return plus(c0, times(c1, first_degree(basis, x)));
}

template <class T> GA_KERNEL series_values(GA_PARAM ga_series_call call)
{
    GA_AWAIT();
    int64_t size = call.paired ? call.points : call.columns * call.points;
    int64_t first = GA_BLOCK_ID * series_piece;
    int64_t last = first + series_piece < size ? first + series_piece : size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        int64_t column = call.paired ? i : call.columns == 1 ? 0 : i / call.points;
        T x = static_cast<const T *>(call.x)[call.paired ? i : i - column * call.points];
        const T *c = static_cast<const T *>(call.coefficients) + column;
        T value;
        if constexpr (std::is_integral<T>::value)
            value = power_value(c, call.terms, call.columns, x);
        else if (call.basis == GA_BASIS_POWER)
            value = power_value(c, call.terms, call.columns, x);
        else
            value = series_value(call.basis, c, call.terms, call.columns, x);
        static_cast<T *>(call.dst)[i] = value;
    }
}

template <class T> static int series_typed(const ga_series_call *call, ga_stream *stream)
{
    int64_t size = call->paired ? call->points : call->columns * call->points;
    return ga_launch(series_values<T>, (size + series_piece - 1) / series_piece, stream, *call);
}

int ga_series_run(const ga_series_call *call, ga_stream *stream)
{
    switch (call->dtype) {
    case GA_i64:
        if (call->basis == GA_BASIS_POWER)
            return series_typed<int64_t>(call, stream);
        break;
    case GA_f32:
        return series_typed<float>(call, stream);
    case GA_f64:
        return series_typed<double>(call, stream);
    case GA_c64:
        return series_typed<ga_c64>(call, stream);
    case GA_c128:
        return series_typed<ga_c128>(call, stream);
    default:
        break;
    }
    return ga_kernel_fail(GA_ERR_TYPE, "series: no kernel for dtype %d", int(call->dtype));
}

/* ---- coefficients ---- */

/* The product so far lies in `from`; the one with another root goes to `to`. */
template <class T> GA_FN void multiply_root(T root, int64_t degree, const T *from, T *to)
{
    T zero = {}, factor = minus(zero, root);
    for (int64_t k = GA_THREAD; k <= degree + 1; k += GA_BLOCK) {
        T kept = k <= degree ? from[k] : zero;
        to[k] = k > 0 ? plus(kept, times(from[k - 1], factor)) : kept;
    }
    GA_SYNC();
}

template <class T> GA_KERNEL expand_roots(GA_PARAM ga_coefficients_call call)
{
    GA_AWAIT();
    const T *roots = static_cast<const T *>(call.a);
    /* The last product must end in dst. */
    T *from = static_cast<T *>(call.na % 2 ? call.rest : call.dst);
    T *to = static_cast<T *>(call.na % 2 ? call.dst : call.rest);
    if (GA_THREAD == 0)
        from[0] = one<T>();
    GA_SYNC();
    for (int64_t i = 0; i < call.na; i++) {
        multiply_root(roots[i], i, from, to);
        T *next = from;
        from = to;
        to = next;
    }
}

template <class T> GA_KERNEL divide_coefficients(GA_PARAM ga_coefficients_call call)
{
    GA_AWAIT();
    const T *divisor = static_cast<const T *>(call.b), *dividend = static_cast<const T *>(call.a);
    T *quotient = static_cast<T *>(call.dst), *rest = static_cast<T *>(call.rest);
    T inverse;
    if constexpr (ga_is_complex<T>::value)
        inverse = ga_divide(one<T>(), divisor[0]);
    else
        inverse = one<T>() / divisor[0];
    for (int64_t k = GA_THREAD; k < call.na; k += GA_BLOCK)
        rest[k] = dividend[k];
    GA_SYNC();
    for (int64_t i = 0; i + call.nb <= call.na; i++) {
        T digit = times(inverse, rest[i]);
        GA_SYNC(); /* all have read rest[i] */
        if (GA_THREAD == 0)
            quotient[i] = digit;
        for (int64_t k = GA_THREAD; k < call.nb; k += GA_BLOCK)
            rest[i + k] = minus(rest[i + k], times(digit, divisor[k]));
        GA_SYNC();
    }
}

template <class T> static int coefficients_typed(const ga_coefficients_call *call, ga_stream *stream)
{
    if (call->b)
        return ga_launch(divide_coefficients<T>, 1, stream, *call);
    return ga_launch(expand_roots<T>, 1, stream, *call);
}

int ga_coefficients_run(const ga_coefficients_call *call, ga_stream *stream)
{
    switch (call->dtype) {
    case GA_f32:
        return coefficients_typed<float>(call, stream);
    case GA_f64:
        return coefficients_typed<double>(call, stream);
    case GA_c64:
        return coefficients_typed<ga_c64>(call, stream);
    case GA_c128:
        return coefficients_typed<ga_c128>(call, stream);
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "coefficients: no kernel for dtype %d", int(call->dtype));
    }
}
