/* The call of expressions: element-wise steps one after the other in one pass, what would else be a
 * chain of ufuncs, each through memory. A step is a row of ufuncs.def, or one of the few that have
 * no row. */
#ifndef GA_CALL_EXPRESSION_H
#define GA_CALL_EXPRESSION_H

#include "base.h"

#define GA_EXPRESSION_STEPS 64
#define GA_EXPRESSION_PLACES 8  /* numbers of an element that are held at once */
#define GA_EXPRESSION_ARGS 8     /* arrays, read and written */
#define GA_EXPRESSION_NUMBERS 16

/* Rows for every dtype, and those for floats alone; with one operand and with two. */
#define GA_STEPS_ONE(X) X(negative) X(absolute) X(logical_not)
#define GA_STEPS_ONE_REAL(X) X(floor) X(ceil) X(rint) X(sqrt) X(cos) X(exp) X(isnan)
#define GA_STEPS_TWO(X)                                                                                      \
    X(add) X(subtract) X(multiply) X(floor_divide) X(remainder) X(maximum) X(minimum) X(less) X(less_equal)  \
    X(greater) X(greater_equal) X(equal) X(not_equal) X(logical_and) X(logical_or)
#define GA_STEPS_TWO_REAL(X) X(divide)
#define GA_STEPS(X) GA_STEPS_ONE(X) GA_STEPS_ONE_REAL(X) GA_STEPS_TWO(X) GA_STEPS_TWO_REAL(X)

enum ga_step {
    GA_STEP_load,   /* place `to` = element of array x */
    GA_STEP_number, /* place `to` = number x */
    GA_STEP_store,  /* element of array `to` = place x */
    GA_STEP_single, /* place `to` = place x rounded to f32 */
    GA_STEP_select, /* place `to` = place x is not 0 ? place y : place z */
#define GA_STEP_OF(name) GA_STEP_##name,
    GA_STEPS(GA_STEP_OF)
#undef GA_STEP_OF
    GA_STEP_COUNT
};

typedef struct {
    uint8_t what, to, x, y, z; /* enum ga_step; places but where it says another thing */
} ga_expression_step;

/* Each step is rounded to `dtype` (f16, f32, f64 or i64); truths are 0 and 1. Arrays are of that
 * dtype, bool, i64, f32 or f64, and aligned; those written share no memory with others. Numbers are
 * in `dtype`. Shape and strides are collapsed. */
typedef struct {
    enum ga_dtype dtype;
    int32_t ndim, count, arrays;
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    ga_expression_step steps[GA_EXPRESSION_STEPS];
    ga_scalar numbers[GA_EXPRESSION_NUMBERS];
    enum ga_dtype dtypes[GA_EXPRESSION_ARGS];
    ga_operand args[GA_EXPRESSION_ARGS];
} ga_expression_call;

#endif
