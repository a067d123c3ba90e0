/* The layout of a reduction: an array's axes split into those kept and those reduced, and the
 * launches over them. Shared by the reduce files. */
#ifndef GAPY_REDUCE_PLAN_H
#define GAPY_REDUCE_PLAN_H

#include "ufunc_call.h"

typedef struct {
    int nkeep, nred;
    int64_t keep_shape[GA_MAXDIMS], red_shape[GA_MAXDIMS];
    int64_t src_keep[GA_MAXDIMS], src_red[GA_MAXDIMS];
    int64_t mask_keep[GA_MAXDIMS], mask_red[GA_MAXDIMS];
    int64_t dst_keep[GA_MAXDIMS];
} ga_reduce_plan;

/* Of a variance: what to take off the number of elements, and whether to take the root. */
typedef struct {
    double ddof;
    bool root;
} ga_moments;

/* A ufunc.reduce call: reduce.c fills it, reduce_launch.c runs it. accumulate and reduceat (scan.c)
 * and variances (moments.c) are made of the same stages. */
typedef struct {
    GaState *state;
    GaUfunc *ufunc;
    const ga_ufunc_info *info;
    const ga_reduce_args *args;
    GaArray *x, *mask;    /* owned */
    GaArray *result;      /* owned: what the caller gets */
    GaArray *temp;        /* owned: where the loop writes, if not into result */
    GaArray *out;         /* borrowed: out=, or NULL */
    PyArray_Descr *dtype; /* owned: dtype=, or NULL */
    const ga_resolution *loop;
    ga_resolution wide;    /* what loop points to where bfloat16 or float8 is reduced as float32 */
    PyArray_Descr *narrow; /* borrowed: the dtype that such a result is rounded to; else NULL */
    uint64_t axes;
    const char *method;        /* "reduce" */
    const ga_moments *moments; /* NULL but for variances */
    bool has_initial;
    bool slices; /* reduceat */
    ga_scalar initial;
    ga_reduce_plan plan;
} ga_reduction;

/* Splits the axes of `a` by the bit mask of those to reduce; mask NULL for none. */
int ga_reduce_plan_split(const GaArray *a, const GaArray *mask, uint64_t axes, ga_reduce_plan *out);
/* Shape of the result; returns its ndim. */
int ga_reduce_plan_shape(const GaArray *a, uint64_t axes, bool keepdims, int64_t *shape);
/* Takes the destination's strides over the kept axes. */
void ga_reduce_plan_target(const GaArray *a, const GaArray *target, uint64_t axes, bool keepdims,
                           ga_reduce_plan *out);
/* Checks a given `out`: shape; returns 0, or -1 with ValueError naming `function`. */
int ga_reduce_plan_check_out(const char *function, const GaArray *out, int ndim,
                             const int64_t *shape);
/* Kept axes of `a` first, then the reduced ones, copied into C order, so that either group
 * collapses to one axis. */
GaArray *ga_reduce_plan_compact(GaState *state, GaArray *a, uint64_t axes);
/* The mask of the reduced axes in what compact made. */
uint64_t ga_reduce_plan_last(const ga_reduce_plan *plan);
/* Collapses the reduced axes; false where more than GA_ITER_DIMS are left (compact first). nop is
 * 1, or 2 with a mask. */
bool ga_reduce_plan_collapse(const ga_reduce_plan *plan, bool masked, bool reorder, ga_iter *red);
/* out= as one of our writable arrays, or NULL (borrowed). */
int ga_reduce_plan_out(GaState *state, const char *function, PyObject *object, GaArray **out);

/* reduce_operand.c: stages of a call, in this order; r->args, ufunc, info and method are set. */
enum ga_call_status ga_reduce_check_ufunc(const ga_reduction *r);
enum ga_call_status ga_reduce_take_operands(ga_reduction *r, PyObject *x);
enum ga_call_status ga_reduce_resolve(ga_reduction *r);
/* Copies x where kernels cannot read it. */
enum ga_call_status ga_reduce_prepare_source(ga_reduction *r);
/* result of this shape, and temp where the loop cannot write into out= itself. */
int ga_reduce_make_result(ga_reduction *r, int ndim, const int64_t *shape);
/* After the launches: rounds what was reduced in float32, and puts temp into result. */
enum ga_call_status ga_reduce_store(ga_reduction *r);
void ga_reduce_clear(ga_reduction *r);

/* ufunc_exponent.c: refuses negative exponents of integers in power.reduce and power.accumulate,
 * where `mask` is NULL or what counts, and in power.reduceat, whose int64 `starts` are inside the
 * axis. After axes and resolve. */
enum ga_call_status ga_exponent_check_reduction(const ga_reduction *r, GaArray *mask);
enum ga_call_status ga_exponent_check_slices(const ga_reduction *r, PyArrayObject *starts);

/* reduce.c: everything once operands, axes and loop are known. */
enum ga_call_status ga_reduce_run_planned(ga_reduction *r);

/* Computes into temp or result; may replace x and the mask by copies. */
int ga_reduce_launch_all(ga_reduction *r);

/* reduce_fast.c: a reduction of a whole contiguous array without any argument, or NULL without an
 * exception where that is not what is asked. */
PyObject *ga_reduce_fast(GaState *state, GaUfunc *ufunc, PyObject *x, const ga_reduce_args *args);

#endif
