/* Element-wise calls with an operand that is consecutive along another dimension than the outputs, such as M + M.T.
 * Owned by ufunc_turned.cu. Includes csrc/core/call/elementwise.h. */
#pragma once
#include "../csrc/core/call/elementwise.h"

/* Launches a call that one launch takes. */
typedef int (*ga_turned_launch)(const ga_ufunc_call *call, ga_stream *stream);

/* Whether turning the operand first is worth it. */
bool ga_turned_fits(const ga_ufunc_call *call);
/* Runs the call in pieces: each turned operand is copied for the piece, in the order of the
 * outputs, then `launch` runs it. */
int ga_turned_run(const ga_ufunc_call *call, ga_turned_launch launch, ga_stream *stream);
