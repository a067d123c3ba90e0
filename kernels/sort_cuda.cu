/* Sorting rows of unsigned keys on the GPU, by their width. Owns ga_sort_keys and ga_sort_short of the CUDA
 * build. Both widths are one object: reading CUB's headers takes as long as compiling its sorts of one width.
 * Includes kinds.h, sort_width_cuda.cuh. */
#include "kinds.h"
#include "sort_width_cuda.cuh"

int
ga_sort_keys(ga_sort_job *job, ga_stream *stream)
{
    return job->width == 4 ? sort_width<uint32_t>(job, stream) : sort_width<uint64_t>(job, stream);
}

bool
ga_sort_short(const ga_sort_call *call, ga_stream *stream, int *status)
{
    const bool stored = (GA_TYPES_K >> call->dtype & 1) != 0;
    if (call->length > tile_slots || stored || ga_dtype_kinds[call->dtype].kind == 'c')
        return false;
    *status = ga_dtype_kinds[call->dtype].size == 8 ? sort_elements<uint64_t>(call, stream) : sort_elements<uint32_t>(call, stream);
    return true;
}
