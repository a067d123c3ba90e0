/* Plans of cuFFT, kept for each device: what fft_cuda.cc asks of fft_plans_cuda.cc. */
#ifndef GA_FFT_PLANS_CUDA_H
#define GA_FFT_PLANS_CUDA_H

#include "fft.h"

#define GA_FFT_RUNS 8 /* executions of one plan in a call */

/* Where elements lie, in elements: index (b, i, j, k) at b * dist + ((i * embed[1] + j) * embed[2] + k) * stride. */
struct ga_fft_layout {
    long long embed[GA_FFT_RANK], stride, dist;
};

/* All that a plan is made of; compared as bytes, so it has no gaps and unused entries are zero. */
struct ga_fft_key {
    int64_t in_type, out_type; /* cudaDataType */
    int64_t rank, batch;
    long long shape[GA_FFT_RANK];
    ga_fft_layout in, out;
};

/* First elements of each execution. */
struct ga_fft_places {
    int count;
    void *in[GA_FFT_RUNS], *out[GA_FFT_RUNS];
};

/* 0 when cuFFT is there, else -1 with an error that names its wheel. */
int ga_fft_open(void);
/* Executes the plan of a key, made now if it is not kept, at every place. */
int ga_fft_execute(const ga_fft_key *key, bool inverse, const ga_fft_places *places, ga_stream *stream);

#endif
