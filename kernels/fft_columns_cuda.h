/* Transforms of columns by a kernel of our own: what fft_calls_cuda.cc asks of fft_columns_cuda.cu. */
#ifndef GA_FFT_COLUMNS_CUDA_H
#define GA_FFT_COLUMNS_CUDA_H

#include "fft.h"

/* Complex columns that lie side by side, in each of a stack of matrices: element (row, column) of matrix k at
 * row * step + column * itemsize + k * stack, in bytes. src and dst are the same elements or apart. */
struct ga_fft_columns {
    enum ga_dtype dtype;
    const void *src;
    void *dst;
    int64_t rows, columns, count;
    int64_t src_step, dst_step, src_stack, dst_stack;
    bool inverse;
    double scale;
    int32_t real_column; /* beside column 0, one whose imaginary part is to be zero; -1: no column's is */
};

/* Whether a transform of one axis is one of complex columns, 256 to 4096 rows by powers of two, that lie side by
 * side in both arrays, in a stack of at most one further axis, on a card that has the kernel, and where that is
 * faster than the library. */
bool ga_fft_describe_columns(const ga_fft_call *call, const ga_stream *stream, ga_fft_columns *out);
int ga_fft_run_columns(const ga_fft_columns *task, ga_stream *stream);

#endif
