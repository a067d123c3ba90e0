/* Interpolation at the points of a grid: resample_grid.cu's, called by resample.cu. */
#pragma once
#include "../csrc/core/call/resample.h"

/* Whether the places along each axis of the result decide about the coordinate along the same axis of src alone. */
bool ga_resample_grid_fits(const ga_interpolate_call *call);
int ga_resample_grid_run(const ga_interpolate_call *call, ga_stream *stream);
