/* Integers divided by one number, for whose quotient a multiplication stands. Owned by ufunc_divide.cu. Includes
 * csrc/core/call/elementwise.h. */
#pragma once
#include "../csrc/core/call/elementwise.h"

/* Runs floor_divide or remainder by a number other than 0, 1 and -1: of int64 and int32, on the CPU of all integers, of
 * which it also shifts bytes to the right. False if the call is another; else one launch has taken it, with 0 or -1 in
 * *result. */
bool ga_divide_run(const ga_ufunc_call *call, ga_stream *stream, int *result);
