/* The ufunc objects and the calls behind operators, methods and functions. */
#ifndef GAPY_UFUNC_H
#define GAPY_UFUNC_H

#include "array.h"

typedef struct {
    PyObject_HEAD
    enum ga_ufunc op;
    const ga_ufunc_info *info; /* static */
    PyObject *numpy_ufunc;     /* owned; the ufunc whose resolve_dtypes we ask, or a stand-in */
    char *types;               /* owned; memory of the stand-in, or NULL */
    PyObject *name, *doc;
    struct ga_resolve_cache *cache; /* owned; ufunc_resolve.c */
    vectorcallfunc vectorcall;
} GaUfunc;

/* Fast paths of the operators: both operands as they came, no keywords. `out` NULL or the array an
 * in-place operator writes. New reference, or Py_NotImplemented where the other operand should have
 * its turn. */
PyObject *ga_ufunc_unary(GaState *state, enum ga_ufunc op, PyObject *x);
PyObject *ga_ufunc_binary(GaState *state, enum ga_ufunc op, PyObject *x, PyObject *y, GaArray *out);

/* Reduction with NumPy's arguments; NULL or Py_None where not given. `where` an array or NULL,
 * keepdims. */
enum ga_reduce_form { GA_REDUCE_WHOLE, GA_REDUCE_SUM_PRESENT, GA_REDUCE_MEAN_PRESENT, GA_REDUCE_NONZERO };
typedef struct {
    PyObject *axis, *dtype, *out, *initial, *where;
    enum ga_reduce_form form; /* of add: all elements, those that are no NaN, or their number */
    int64_t divisor;          /* of add of float32 and float64: by what sums are divided; 0: by nothing */
    bool keepdims;
    bool axis_given; /* ufunc.reduce defaults to axis 0, sum and friends to None */
} ga_reduce_args;
PyObject *ga_ufunc_reduce(GaState *state, enum ga_ufunc op, PyObject *x,
                          const ga_reduce_args *args);
/* This one, mean and dot: NotImplemented where no device holds an operand's data. */
PyObject *ga_ufunc_argreduce(GaState *state, bool maximum, PyObject *x, PyObject *axis,
                             PyObject *out, bool keepdims);
/* Arithmetic mean; args->initial is not looked at. */
PyObject *ga_ufunc_mean(GaState *state, PyObject *x, const ga_reduce_args *args);

/* scan.c: the methods accumulate and reduceat; of args axis, dtype and out count; `known` indices are
 * int64 on the device and within the axis. *result stays NULL and the
 * answer is false, without an exception, where the host has to do it. */
bool ga_ufunc_accumulate(GaState *state, GaUfunc *ufunc, PyObject *x, const ga_reduce_args *args,
                         PyObject **result);
bool ga_ufunc_reduceat(GaState *state, GaUfunc *ufunc, PyObject *x, PyObject *indices,
                       const ga_reduce_args *args, bool known, PyObject **result);

/* matmul.c; `out` NULL or Py_None for a new array. */
PyObject *ga_dot(GaState *state, PyObject *x, PyObject *y, PyObject *out);
PyObject *ga_matmul(GaState *state, PyObject *x, PyObject *y, PyObject *out);

#endif
