/* Sums and extrema over boxes of several axes on a GPU: window_tiles_cuda.cu. */
#ifndef GA_WINDOW_TILES_H
#define GA_WINDOW_TILES_H

#include "../csrc/core/call/window.h"
#include "runtime.cuh"

/* Takes sums and extrema of real numbers, of boxes that fit into a block's shared memory, unless ga_window_lines brings
 * less into it; false, with nothing done, for other calls. */
bool ga_window_tiles(const ga_window_call *call, ga_stream *stream, int *status);

#endif
