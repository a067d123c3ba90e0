/* Fourier transforms on a GPU: which are cuFFT's and which end with our own kernel for columns. The pair of fft_cpu.cc.
 * Owns ga_fft_run. Includes fft_columns_cuda.h, fft_sides_cuda.h. */
#include <string.h>

#include "fft_columns_cuda.h"
#include "fft_sides_cuda.h"

/* With all that would cost a pass of its own after them. */
static int run_columns(const ga_fft_call *call, ga_fft_columns *columns, ga_stream *stream)
{
    *call->scaled = true;
    *call->ended = call->signals > 0 && columns->columns == call->signals / 2 + 1;
    if (*call->ended)
        columns->real_column = call->signals % 2 ? 0 : int32_t(call->signals / 2);
    return ga_fft_run_columns(columns, stream);
}

static void move_to_batch(ga_fft_call *call, int axis, int64_t length)
{
    call->batch_shape[call->nbatch] = length;
    call->src_batch[call->nbatch] = call->src_strides[axis];
    call->dst_batch[call->nbatch++] = call->dst_strides[axis];
}

/* The call without an axis, and the transform of that axis alone of what comes out. */
static void split_call(const ga_fft_call *call, int axis, ga_fft_call *others, ga_fft_call *alone)
{
    *others = *alone = *call;
    others->rank = 0;
    others->scale = 1;
    alone->rank = 1;
    alone->inverse = call->inverse && call->src_dtype == call->dst_dtype;
    alone->src = call->dst;
    alone->src_dtype = call->dst_dtype;
    memcpy(alone->src_strides, call->dst_strides, sizeof call->dst_strides);
    memcpy(alone->src_batch, call->dst_batch, sizeof call->dst_batch);
    for (int i = 0; i < call->rank; i++) {
        if (i == axis)
            continue;
        bool halved = i == call->rank - 1 && call->src_dtype != call->dst_dtype;
        move_to_batch(alone, i, halved ? call->shape[i] / 2 + 1 : call->shape[i]);
        others->shape[others->rank] = call->shape[i];
        others->src_strides[others->rank] = call->src_strides[i];
        others->dst_strides[others->rank++] = call->dst_strides[i];
    }
    alone->shape[0] = call->shape[axis];
    alone->src_strides[0] = alone->dst_strides[0] = call->dst_strides[axis];
    others->src_batch[others->nbatch] = call->src_strides[axis];
    others->dst_batch[others->nbatch] = call->dst_strides[axis];
    others->batch_shape[others->nbatch++] = call->shape[axis];
}

/* Whether a call over two axes ends with columns; the other comes before it. Three axes are better left to cuFFT. */
static bool find_columns(const ga_fft_call *call, const ga_stream *stream, ga_fft_call *others,
                         ga_fft_columns *columns)
{
    int whole = call->src_dtype == call->dst_dtype ? call->rank : call->rank - 1;
    for (int axis = 0; axis < whole && call->rank == 2 && ga_fft_is_complex(call->dst_dtype); axis++) {
        ga_fft_call alone;
        split_call(call, axis, others, &alone);
        if (ga_fft_describe_columns(&alone, stream, columns))
            return true;
    }
    return false;
}

static int run_call(const ga_fft_call *call, ga_stream *stream)
{
    ga_fft_call others;
    ga_fft_columns columns;
    if (call->rank == 1 && ga_fft_describe_columns(call, stream, &columns))
        return run_columns(call, &columns, stream);
    if (find_columns(call, stream, &others, &columns))
        return run_call(&others, stream) || run_columns(call, &columns, stream) ? -1 : 0;
    return ga_fft_run_library(call, stream);
}

int ga_fft_run(const ga_fft_call *call, ga_stream *stream)
{
    if (ga_cuda_enter(stream->device) || ga_fft_open())
        return -1;
    return ga_fft_count_batch(call) == 0 ? 0 : run_call(call, stream);
}
