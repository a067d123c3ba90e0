/* The parts of a matrix product: matmul.c (stages), matmul_launch.c (who computes it), dot.c. */
#ifndef GAPY_MATMUL_H
#define GAPY_MATMUL_H

#include "ufunc_call.h"

typedef struct {
    PyObject *out, *dtype, *casting; /* borrowed; NULL where not given */
    char order;                      /* of a new result: 'C' or 'F' */
    bool keeps; /* a GPU may write a product of bfloat16 as bfloat16, where NumPy's matmul has float32 */
} ga_matmul_options;

/* A product seen as (batch, m, k) @ (batch, k, n); operands are in the loop's dtype. */
typedef struct {
    GaState *state;
    GaArray *x, *y;       /* owned */
    GaArray *result;      /* owned: what the caller gets */
    GaArray *temp;        /* owned: where the product is written, if not into result */
    PyArray_Descr *descr; /* owned: the loop's dtype */
    bool x_vector, y_vector;
    int64_t m, n, k;
    int nbatch;
    int64_t batch_shape[GA_MAXDIMS];
} ga_product;

/* NotImplemented where no device holds an operand's data. */
PyObject *ga_matmul_run(GaState *state, PyObject *x, PyObject *y, const ga_matmul_options *options);
/* Computes into temp or result: NumPy's BLAS on the CPU device, the backend elsewhere. */
int ga_matmul_launch(ga_product *p);

#endif
