/* Sorting rows of unsigned keys on the GPU, by their width. Owns ga_sort_keys and ga_sort_short of the CUDA
 * build. Includes kinds.h, sort_widths_cuda.h. */
#include "kinds.h"
#include "sort_widths_cuda.h"

int
ga_sort_keys(ga_sort_job *job, ga_stream *stream)
{
    return job->width == 4 ? ga_sort_width_32(job, stream) : ga_sort_width_64(job, stream);
}

/* A block has 4096 slots (sort_tile_cuda.cuh). */
bool
ga_sort_short(const ga_sort_call *call, ga_stream *stream, int *status)
{
    const bool stored = (GA_TYPES_K >> call->dtype & 1) != 0;
    if (call->length > 4096 || stored || ga_dtype_kinds[call->dtype].kind == 'c')
        return false;
    *status = ga_dtype_kinds[call->dtype].size == 8 ? ga_sort_elements_64(call, stream) : ga_sort_elements_32(call, stream);
    return true;
}
