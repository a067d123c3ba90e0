/* The two widths of key that the CUDA build sorts, each in a file of its own. */
#ifndef GA_SORT_WIDTHS_CUDA_H
#define GA_SORT_WIDTHS_CUDA_H

#include "sort_keys.h"

int ga_sort_width_32(ga_sort_job *job, ga_stream *stream);
int ga_sort_width_64(ga_sort_job *job, ga_stream *stream);
/* Rows of at most 4096 elements of at most that width. */
int ga_sort_elements_32(const ga_sort_call *call, ga_stream *stream);
int ga_sort_elements_64(const ga_sort_call *call, ga_stream *stream);

#endif
