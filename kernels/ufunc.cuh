/* Between ufunc.cu, which plans a call, and ufunc_groups.cu, which has the loops by dtype.
 * Includes iterate.cuh, ufunc_kin.h. */
#pragma once
#include "iterate.cuh"
#include "ufunc_kin.h"

/* Identifies a loop: operation and dtypes of the inputs (a unary operation repeats its own;
 * GA_DTYPE_COUNT stands for none). */
constexpr uint32_t
ga_ufunc_key(enum ga_ufunc op, unsigned in, unsigned in2)
{
    return ((uint32_t)op * (GA_DTYPE_COUNT + 1) + in) * (GA_DTYPE_COUNT + 1) + in2;
}

/* Runs loop `key`, whose first dtype is the function's: GA_OK (with 0 or -1 in *result), or
 * GA_ERR_UNSUPPORTED if there is none. One function a dtype. */
#define GA_DTYPE(id, ...) \
    enum ga_status ga_ufunc_loops_##id(uint32_t key, const ga_map_plan *plan, ga_stream *stream, \
                                       int *result);
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
