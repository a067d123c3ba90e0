/* Sorting rows of unsigned keys on the GPU, by their width. Owns ga_sort_keys of the CUDA build.
 * Includes sort_widths_cuda.h. */
#include "sort_widths_cuda.h"

int
ga_sort_keys(ga_sort_job *job, ga_stream *stream)
{
    return job->width == 4 ? ga_sort_width_32(job, stream) : ga_sort_width_64(job, stream);
}
