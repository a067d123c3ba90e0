/* The call of sums and means that pass over NaN, and of counts of what is not zero. */
#ifndef GA_CALL_PRESENT_H
#define GA_CALL_PRESENT_H

#include "reduce.h"

/* Sum of the elements that are no NaN, or with `mean` (and then no initial value) that sum,
 * rounded, divided in double by their number, over the `red` axes of a reduction whose op is add
 * and whose dtype is f16, f32 or f64. With dtype i64 the number of elements that are not zero, of
 * f32, f64 or integers of 32 and 64 bits, with neither mask nor initial value. */
typedef struct {
    ga_reduce_call reduce;
    bool mean;
} ga_present_call;

#endif
