/* Integers divided by one number, for whose quotient a multiplication stands. Owned by ufunc_divide.cu. Includes
 * csrc/core/call/elementwise.h. */
#pragma once
#include "../csrc/core/call/elementwise.h"

/* Whether the call is floor_divide or remainder of int64, on a GPU also int32, by a number of the host other than
 * 0, 1 and -1. */
bool ga_divide_fits(const ga_ufunc_call *call);
/* Runs such a call, which one launch takes. */
int ga_divide_run(const ga_ufunc_call *call, ga_stream *stream);
