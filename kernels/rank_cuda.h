/* Order statistics as partitions on a GPU need them: what partition_cuda.cu asks of rank_cuda.cu. */
#ifndef GA_RANK_CUDA_H
#define GA_RANK_CUDA_H

#include "rank.h"

/* An order statistic of a row: its key, how many keys of the row come before it, and how many are like it. */
struct ga_rank_pivot {
    uint64_t key;
    int64_t before, alike;
};

/* What ga_rank_select does; with `pivots`, one a row, for a call with one place and without dst. */
int ga_rank_find(const ga_rank_call *call, ga_rank_job job, ga_rank_pivot *pivots, ga_stream *stream);

#endif
