/* Filters along one axis on a GPU: window_lines_cuda.cu. */
#ifndef GA_WINDOW_LINES_H
#define GA_WINDOW_LINES_H

#include "../csrc/core/call/window.h"

/* Whether ga_window_lines takes this call: sums in double precision and extrema of real numbers,
 * boxes along one axis, which fit into a block's shared memory. */
bool ga_window_has_lines(const ga_window_call *call);
int ga_window_lines(const ga_window_call *call, ga_stream *stream);

#endif
