/* What window.cu hands to the kernels of a dtype, which window_groups.cu makes. */
#ifndef GA_WINDOW_STAGE_H
#define GA_WINDOW_STAGE_H

#include "../csrc/core/call/window.h"
#include "runtime.cuh"

struct window_plan;

typedef int (*ga_window_launch)(const struct window_plan *plan, ga_stream *stream);

/* The launches of one dtype; NULL for what it has not. */
struct ga_window_kit {
    ga_window_launch sum, wide_sum, extremum, rank;
};

#define GA_DTYPE(id, ...) const struct ga_window_kit *ga_window_kit_##id(void);
#include "../csrc/tables/dtypes.def"

#endif
