/* Rows of 32-bit keys. Owns ga_sort_width_32 and ga_sort_elements_32. Includes sort_width_cuda.cuh. */
#include "sort_width_cuda.cuh"

#include "sort_widths_cuda.h"

int
ga_sort_width_32(ga_sort_job *job, ga_stream *stream)
{
    return sort_width<uint32_t>(job, stream);
}

int
ga_sort_elements_32(const ga_sort_call *call, ga_stream *stream)
{
    return sort_elements<uint32_t>(call, stream);
}
