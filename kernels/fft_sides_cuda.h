/* The operands of a Fourier transform as cuFFT sees them: what fft_cuda.cc and fft_calls_cuda.cc ask of
 * fft_sides_cuda.cc. */
#ifndef GA_FFT_SIDES_CUDA_H
#define GA_FFT_SIDES_CUDA_H

#include "fft_plans_cuda.h"
#include "runtime_cuda.cuh"

/* One operand: its elements over the transformed axes, outermost first, and over the batch axes. */
struct ga_fft_side {
    enum ga_dtype dtype;
    char *data;
    int64_t size; /* bytes of an element */
    int64_t shape[GA_FFT_RANK], strides[GA_FFT_RANK], batch[GA_ITER_DIMS];
    void *temporary;
};

static inline bool ga_fft_is_complex(enum ga_dtype dtype)
{
    return dtype == GA_c64 || dtype == GA_c128;
}

static inline int64_t ga_fft_magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

cudaDataType_t ga_fft_type_of(enum ga_dtype dtype);
/* Transforms of a call. */
int64_t ga_fft_count_batch(const ga_fft_call *call);
ga_fft_side ga_fft_make_side(const ga_fft_call *call, bool source);
/* Whether the axes lie in one another; fills what the plan is told of them. */
bool ga_fft_embed_axes(const ga_fft_side *side, int rank, ga_fft_layout *out);
/* Whether a batch axis can be the plan's. */
bool ga_fft_set_batch(const ga_fft_side *side, int64_t count, int64_t stride, ga_fft_layout *out);
/* Whether every execution begins at an aligned element; the batch axis `taken` is the plan's. */
bool ga_fft_is_aligned(const ga_fft_side *side, int nbatch, int taken);
/* A call by cuFFT alone (fft_cuda.cc). */
int ga_fft_run_library(const ga_fft_call *call, ga_stream *stream);

#endif
