/* Calls of the family of polynomials: values of series, and the arithmetic of coefficients that goes step by step. */
#ifndef GA_CALL_POLYNOMIAL_H
#define GA_CALL_POLYNOMIAL_H

#include "base.h"

enum ga_basis {
    GA_BASIS_POWER,
    GA_BASIS_CHEBYSHEV,
    GA_BASIS_LEGENDRE,
    GA_BASIS_HERMITE,   /* of physicists */
    GA_BASIS_HERMITE_E, /* of probabilists */
    GA_BASIS_LAGUERRE
};

/* Values of `columns` series at `points` points, by Clenshaw's recurrence from the last term.
 * coefficients is (terms, columns), lowest term first, with at least one term; dst is (columns,
 * points), or with `paired` one value for each column at its own point (columns == points). All
 * contiguous and of one dtype: f32, f64, c64, c128, and i64 (which wraps) in the power basis. */
typedef struct {
    enum ga_basis basis;
    enum ga_dtype dtype;
    bool paired;
    int64_t terms, columns, points;
    const void *coefficients, *x;
    void *dst;
} ga_series_call;

/* Coefficients, highest first, in f32, f64, c64 or c128; all contiguous.
 * Without b: dst (na + 1) becomes those of the product of (x - a[i]); `rest` (na + 1) is workspace.
 * With b: dst (na - nb + 1) becomes the quotient of a and b, `rest` (na) what is left of a; na >= nb >= 1. */
typedef struct {
    enum ga_dtype dtype;
    int64_t na, nb;
    const void *a, *b;
    void *dst, *rest;
} ga_coefficients_call;

#endif
