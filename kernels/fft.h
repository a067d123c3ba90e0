/* Fourier transforms by a vendor's library: one interface, fft_cpu.cc | fft_calls_cuda.cc with fft_cuda.cc and
 * fft_plans_cuda.cc. */
#ifndef GA_FFT_H
#define GA_FFT_H

#include "../csrc/core/call/fft.h"
#include "runtime.cuh"

/* Version of the library, or why it is not there. */
void ga_fft_describe(char *buf, size_t nbytes);
/* Gives back what the plans of a device hold of its memory. */
void ga_fft_forget(int device);

#endif
