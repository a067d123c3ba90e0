/* Evenly spaced values: dst[i] = start + i * delta, computed in the dtype itself (float16 in float32, integers
 * wrapping), as NumPy's arange fills. Owns ga_sequence_run. Includes types.cuh and slots.h. */
#include "slots.h"
#include "types.cuh"

/* Elements a block writes: a few vectors a thread on the GPU, a piece worth a thread's while on the CPU. */
static const int64_t sequence_piece = GA_BLOCK == 1 ? 32768 : 2048;

template <class T> GA_FN T sequence_at(T start, T delta, int64_t i)
{
    if constexpr (ga_is_complex<T>::value) {
        typedef ga_real<T> R;
        return {start.re + R(i) * delta.re, start.im + R(i) * delta.im};
    } else if constexpr (ga_is_time<T>::value) {
        return {int64_t(uint64_t(start.v) + uint64_t(i) * uint64_t(delta.v))};
    } else if constexpr (std::is_integral<T>::value) {
        typedef ga_unsigned<T> U;
        return T(U(start) + U(i) * U(delta));
    } else {
        typedef ga_compute<T> C;
        return ga_narrow<T>(ga_widen(start) + C(i) * ga_widen(delta));
    }
}

template <class T> GA_KERNEL sequence_fill(T *dst, int64_t size, T start, T delta, bool ends, T end)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * sequence_piece;
    int64_t last = first + sequence_piece < size ? first + sequence_piece : size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        dst[i] = ends && i == size - 1 ? end : sequence_at(start, delta, i);
}

template <class T> static int fill_typed(const ga_sequence_call *call, ga_stream *stream)
{
    T start, delta, end;
    memcpy(&start, &call->start, sizeof start);
    memcpy(&delta, &call->delta, sizeof delta);
    memcpy(&end, &call->end, sizeof end);
    int64_t blocks = (call->size + sequence_piece - 1) / sequence_piece;
    return ga_launch(sequence_fill<T>, blocks, stream, static_cast<T *>(call->dst), call->size, start, delta,
                     call->ends, end);
}

int ga_sequence_run(const ga_sequence_call *call, ga_stream *stream)
{
    switch (call->dtype) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id:                \
        return fill_typed<ctype>(call, stream);
#include "../csrc/tables/dtypes.def"
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "sequence: unknown dtype %d", int(call->dtype));
    }
}
