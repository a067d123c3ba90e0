/* Between cast.cu, which plans a conversion, and cast_loops.cu, which has the loops from one dtype.
 * Includes iterate.cuh. */
#pragma once
#include "iterate.cuh"

/* Unit change of a time: times num, divided by den (floor). */
struct ga_cast_scale {
    int64_t num, den;
};

/* Converts to dtype `to`: 0, or -1 with the error recorded. One function a source dtype. */
#define GA_DTYPE(id, ...) \
    int ga_cast_loops_##id(enum ga_dtype to, ga_cast_scale scale, const ga_map_plan *plan, \
                           ga_stream *stream);
#include "../csrc/tables/dtypes.def"
#undef GA_DTYPE

/* transpose.cu: copies whose source is consecutive along another dimension than the target. */
bool ga_transpose_fits(const ga_ufunc_call *call);
int ga_transpose_run(const ga_ufunc_call *call, ga_stream *stream);
