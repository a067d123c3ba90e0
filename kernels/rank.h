/* Selection on real numbers and times: what rank.cu asks of rank_cuda.cu and partition_cuda.cu, or of rank_cpu.cc. */
#ifndef GA_RANK_H
#define GA_RANK_H

#include "../csrc/core/call/rank.h"
#include "rank_key.cuh"

/* An element's bytes, and how their bits are ordered. */
struct ga_rank_job {
    int32_t width; /* 1, 2, 4, 8 */
    ga_rank_order order;
};

/* Rows up to this long are sorted instead. */
static const int64_t ga_rank_short = GA_BLOCK == 1 ? 16 : 512;

/* The slots' contracts, for at most GA_RANK_PLACES places and rows of at most UINT32_MAX elements. */
int ga_rank_select(const ga_rank_call *call, ga_rank_job job, ga_stream *stream);
int ga_rank_partition(const ga_partition_call *call, ga_rank_job job, ga_stream *stream);

#endif
