/* Rows of 64-bit keys. Owns ga_sort_width_64 and ga_sort_elements_64. Includes sort_width_cuda.cuh. */
#include "sort_width_cuda.cuh"

#include "sort_widths_cuda.h"

int
ga_sort_width_64(ga_sort_job *job, ga_stream *stream)
{
    return sort_width<uint64_t>(job, stream);
}

int
ga_sort_elements_64(const ga_sort_call *call, ga_stream *stream)
{
    return sort_elements<uint64_t>(call, stream);
}
