/* The element of a rank among few neighbours, on a GPU: window_ranks_cuda.cu. */
#ifndef GA_WINDOW_RANKS_H
#define GA_WINDOW_RANKS_H

#include "window_stage.h"

/* The launch for boxes of so many places, of which the mask may hide some; NULL if they are too many or of another
 * dtype. */
ga_window_launch ga_window_ranks(enum ga_dtype dtype, int64_t places);

#endif
