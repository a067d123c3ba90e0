/* Powers of float32 on the CPU. Owned by ufunc_power_cpu.cc. Includes csrc/core/call/elementwise.h. */
#pragma once
#include "../csrc/core/call/elementwise.h"

/* Runs power of two operands of float32: false if the call is another; else one launch has taken it, with 0 or -1 in
 * *result. */
bool ga_power_run(const ga_ufunc_call *call, ga_stream *stream, int *result);
