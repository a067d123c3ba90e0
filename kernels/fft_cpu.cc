/* The CPU backend has no Fourier transform: those are NumPy's, made by gpuarray/fft.py on views of the same memory. The
 * pair of fft_calls_cuda.cc and fft_plans_cuda.cc; includes fft.h only. */
#include "fft.h"
#include "slots.h"

int ga_fft_run(const ga_fft_call *, ga_stream *)
{
    return ga_kernel_fail(GA_ERR_UNSUPPORTED, "the CPU backend has no Fourier transform");
}

int ga_fft_keep(int, int64_t, ga_fft_plans *before)
{
    *before = {0, 0, 0, 0};
    return 0;
}
