/* The call of the factorisations of linear algebra. */
#ifndef GA_CALL_LAPACK_H
#define GA_CALL_LAPACK_H

#include "base.h"

#define GA_LAPACK_ROTATED 32 /* rows of matrices whose eigenvalues are found by rotations, where there are several */

enum ga_lapack_op {
    GA_LAPACK_SOLVE,       /* b: right-hand sides, overwritten by x: transpose(a) x = b */
    GA_LAPACK_INVERT,      /* b: the inverse; NaN of a singular matrix */
    GA_LAPACK_DETERMINANT, /* b: one sign a matrix; values: log of the absolute value */
    GA_LAPACK_CHOLESKY,    /* a becomes its triangular factor, zero in the other triangle */
    GA_LAPACK_QR,          /* a becomes reflectors and R as of geqrf; b: min(rows, columns) factors */
    GA_LAPACK_BASIS,       /* a: reflectors in its first columns, becomes Q; b: their factors */
    GA_LAPACK_EIGH,        /* values: ascending; a becomes the eigenvectors. Of stacks of small matrices: see below */
    GA_LAPACK_EIG,         /* values: complex; b: eigenvectors, of real matrices pairs as of geev */
    GA_LAPACK_SVD,         /* rows >= columns; values: descending; b: U; c: V, columns x columns */
    GA_LAPACK_OPS
};

/* Factorisation of each of `count` matrices that lie one after another, columns first (so one that
 * lies in rows is here its transpose): element (i, j) is a[i + j * rows]. dtype is f32, f64, c64 or
 * c128, rows and columns above 0; b and c lie as a does, with `b_columns` columns; values are real,
 * but for GA_LAPACK_EIG. What an operation does not overwrite is left unspecified, but b and c are
 * NULL where no vectors are asked for. EIGH of several matrices of up to GA_LAPACK_ROTATED rows
 * leaves a alone, and b becomes the eigenvectors of the matrices in rows, as columns of matrices in
 * rows. */
typedef struct {
    enum ga_lapack_op op;
    enum ga_dtype dtype;
    int64_t count, rows, columns, b_columns;
    void *a, *b, *c, *values;
    bool upper;   /* CHOLESKY, EIGH: the triangle that is read, columns first */
    bool vectors; /* EIGH, EIG, SVD */
    /* On the host: set where a matrix has no such factors, but not by DETERMINANT, QR and BASIS, which do not wait. */
    bool *failed;
} ga_lapack_call;

#endif
