/* Where a slice of a reduced axis lies, for the kernels of reduceat. Includes reduce_item.cuh, scan_stage.h. */
#pragma once
#include "reduce_item.cuh"
#include "scan_stage.h"

/* Moves an output's item to slice `slice` of the axis. */
GA_FN void locate_slice(const ga_segments_stage &s, int64_t slice, ga_reduce_item &item)
{
    const ga_reduce_dim &axis = s.walk.dim[s.walk.nkeep];
    int64_t first = s.starts[slice], last = slice + 1 < s.segments ? s.starts[slice + 1] : axis.size;
    item.count = last > first ? last - first : 1;
    item.src += first * axis.src;
    item.dst += slice * axis.dst;
}
