/* The call of element-wise formulas with parameters: what would else be a chain of ufuncs, each through memory. */
#ifndef GA_CALL_FORMULA_H
#define GA_CALL_FORMULA_H

#include "elementwise.h"

enum ga_formula {
    GA_FORMULA_CLOSE,  /* x, y to bool: |x - y| <= p[1] + p[0] * |y| with y finite, or x == y; with `nan` two NaN too */
    GA_FORMULA_CLIP,   /* x: min(max(x, p[0]), p[1]), NaN passed on; neither p is NaN */
    GA_FORMULA_PRESENT, /* x, or p[0] where x is NaN */
    GA_FORMULA_FINITE, /* x, or p[0] where it is NaN, p[1] where it is infinity, p[2] where it is minus infinity */
    GA_FORMULA_SINC,   /* sin(y) / y of y = p[0] * x, with p[1] in place of x = 0: p is pi and a small number */
    GA_FORMULA_ROUND   /* rint(x * p[0]) / p[0]; with `inverse` rint(x / p[0]) * p[0] */
};

/* `operands` as for a ufunc call (op does not count, there is no mask); each step is rounded to the
 * dtype of the inputs, in which the parameters are. Close, finite, sinc, round: f16, f32, f64.
 * Clip: those and integers. Present: those and complex numbers. */
typedef struct {
    enum ga_formula formula;
    bool nan, inverse;
    ga_scalar p[3];
    ga_ufunc_call operands;
} ga_formula_call;

#endif
