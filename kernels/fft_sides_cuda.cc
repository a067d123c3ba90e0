/* The operands of a Fourier transform: the axes in the order in which the source lies, and what of them and of the
 * batch axes a plan of cuFFT can be told. Owns ga_fft_make_side and the questions asked of a side. */
#include "fft_sides_cuda.h"

#include <string.h>

static bool is_double(enum ga_dtype dtype)
{
    return dtype == GA_f64 || dtype == GA_c128;
}

cudaDataType_t ga_fft_type_of(enum ga_dtype dtype)
{
    if (ga_fft_is_complex(dtype))
        return is_double(dtype) ? CUDA_C_64F : CUDA_C_32F;
    return is_double(dtype) ? CUDA_R_64F : CUDA_R_32F;
}

static int64_t alignment_of(enum ga_dtype dtype)
{
    return is_double(dtype) ? 16 : 8;
}

int64_t ga_fft_count_batch(const ga_fft_call *call)
{
    int64_t count = 1;
    for (int d = 0; d < call->nbatch; d++)
        count *= call->batch_shape[d];
    return count;
}

/* Places in the call of the axes, in the order in which src lies; the halved one, if there is one, stays last. */
static void order_axes(const ga_fft_call *call, int *order)
{
    int sorted = call->src_dtype == call->dst_dtype ? call->rank : call->rank - 1;
    for (int i = 0; i < call->rank; i++) {
        int at = i;
        int64_t here = ga_fft_magnitude(call->src_strides[i]);
        for (; i < sorted && at > 0 && ga_fft_magnitude(call->src_strides[order[at - 1]]) < here; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

ga_fft_side ga_fft_make_side(const ga_fft_call *call, bool source)
{
    ga_fft_side side = {source ? call->src_dtype : call->dst_dtype, static_cast<char *>(source ? call->src : call->dst),
                     0, {0}, {0}, {0}, nullptr};
    int order[GA_FFT_RANK];
    order_axes(call, order);
    side.size = (ga_fft_is_complex(side.dtype) ? 2 : 1) * (is_double(side.dtype) ? 8 : 4);
    for (int i = 0; i < call->rank; i++) {
        side.shape[i] = call->shape[order[i]];
        side.strides[i] = (source ? call->src_strides : call->dst_strides)[order[i]];
    }
    if (call->src_dtype != call->dst_dtype && ga_fft_is_complex(side.dtype))
        side.shape[call->rank - 1] = side.shape[call->rank - 1] / 2 + 1;
    memcpy(side.batch, source ? call->src_batch : call->dst_batch, sizeof side.batch);
    return side;
}

bool ga_fft_embed_axes(const ga_fft_side *side, int rank, ga_fft_layout *out)
{
    int64_t step = side->size;
    if (side->shape[rank - 1] > 1)
        step = side->strides[rank - 1];
    if (step <= 0 || step % side->size)
        return false;
    out->stride = step / side->size;
    for (int i = rank - 1; i > 0; i--) {
        int64_t stride = side->shape[i - 1] > 1 ? side->strides[i - 1] : side->shape[i] * step;
        if (stride <= 0 || stride % step || stride / step < side->shape[i])
            return false;
        out->embed[i] = stride / step;
        step = stride;
    }
    out->embed[0] = side->shape[0];
    return true;
}

bool ga_fft_set_batch(const ga_fft_side *side, int64_t count, int64_t stride, ga_fft_layout *out)
{
    if (count > 1 && (stride <= 0 || stride % side->size))
        return false;
    out->dist = count > 1 ? stride / side->size : side->shape[0] * out->embed[0];
    return true;
}

bool ga_fft_is_aligned(const ga_fft_side *side, int nbatch, int taken)
{
    int64_t to = alignment_of(side->dtype);
    bool aligned = reinterpret_cast<uintptr_t>(side->data) % uint64_t(to) == 0;
    for (int d = 0; d < nbatch; d++)
        aligned = aligned && (d == taken || side->batch[d] % to == 0);
    return aligned;
}
