/* Fused functions: what is known of one before it is called, and a call. gpuarray/_fusion.py traces and keeps them. */
#ifndef GAPY_FUSED_H
#define GAPY_FUSED_H

#include "array.h"

#define GA_FUSED_OPERANDS 3 /* arrays that one operation of a function takes, at most */

/* A number of the launch: argument `index` of each call, or the value known before where index is -1. */
typedef struct {
    int index;
    PyArray_Descr *descr; /* owned */
    enum ga_dtype dtype;
    ga_scalar value;
} ga_fused_number;

/* One operation, as far as shapes and memory order go: its array operands, each an input or, from
 * the number of inputs on, an earlier step. `keeps` is of astype, which keeps its operand's order
 * by a rule of its own. */
typedef struct {
    bool keeps;
    uint32_t depends; /* bit i: on input i */
    int count;
    int operands[GA_FUSED_OPERANDS];
} ga_fused_step;

/* A new array in the layout of `layout` (an input or a step), or what is written to argument
 * `target` where that is not -1. */
typedef struct {
    int layout, target;
    PyArray_Descr *descr; /* owned */
} ga_fused_output;

typedef struct {
    PyObject *program; /* owned: a capsule over the ga_program */
    PyObject *name;    /* owned: of the kernel */
    int lanes, ninputs, noutputs, nnumbers, nsteps, nwhole;
    int whole[GA_FUSED_ARRAYS]; /* operands that must have the shape of all, since an operation in place has them for its result */
    int inputs[GA_FUSED_ARRAYS]; /* arguments, by their place in the call */
    ga_fused_output outputs[GA_FUSED_ARRAYS];
    ga_fused_number numbers[GA_FUSED_NUMBERS];
    ga_fused_step *steps; /* owned */
} ga_fused_function;

/* Shape and memory order of an input or a step. */
typedef struct {
    int ndim;
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
} ga_fused_layout;

/* fused_layout.c: fills an entry for each input, then each step, whose strides are those of items
 * of one byte. -1 where shapes do not fit together, which the function will say in its own words.
 * */
int ga_fused_lay_out(const ga_fused_function *function, GaArray *const *inputs, ga_fused_layout *layouts);

/* fused_run.c: the results as a tuple; None where the function has to run as it is (shapes that do
 * not fit, one of the results smaller than the others, numbers out of range...): nothing has
 * happened then. */
PyObject *ga_fused_call_function(GaState *state, const ga_fused_function *function, PyObject *values);

#endif
