/* The element of a rank among few neighbours, on a GPU: window_ranks_cuda.cu. */
#ifndef GA_WINDOW_RANKS_H
#define GA_WINDOW_RANKS_H

#include "../csrc/core/call/window.h"
#include "runtime.cuh"

/* Takes ranks of real numbers in boxes of few places, of which the mask may hide some; false, with nothing done, for
 * other calls. */
bool ga_window_ranks(const ga_window_call *call, ga_stream *stream, int *status);

#endif
