/* Truth values as bits. Owns ga_pack_run.
 *
 * Contiguous memory is gone through in whole vectors where its addresses allow. Includes port.cuh and slots.h. */
#include "port.cuh"
#include "slots.h"

static const int vector_bytes = 16;
static const int pack_bytes = 4; /* that a thread writes */
static const int64_t pack_piece = GA_BLOCK == 1 ? 4096 : 1024;

/* The bits of eight truth values, read as one number. */
GA_FN uint8_t
pack_eight(uint64_t values, bool little)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t ones = ((((values & low) + low) | values) & ~low) >> 7; /* a byte that is not zero becomes 1 */
    /* The top byte of the product has them as bits, and nothing carries into it: the 64 products fall on 64 places. */
    return uint8_t(ones * (little ? 0x0102040810204080u : 0x8040201008040201u) >> 56);
}

/* Byte `at` of line after line, whose last values may be fewer than eight. */
GA_FN uint8_t
pack_byte(const ga_pack_call &call, int64_t at)
{
    const int64_t width = (call.length + 7) / 8, line = at / width, first = (at - line * width) * 8;
    uint64_t values = 0;
    for (int j = 0; j < 8 && first + j < call.length; j++)
        values |= uint64_t(call.src[line * call.length + first + j] != 0) << 8 * j;
    return pack_eight(values, call.little);
}

/* whole: lines end with a byte, and both sides are aligned. */
GA_KERNEL
pack_bits(GA_PARAM ga_pack_call call, int64_t size, bool whole)
{
    GA_AWAIT();
    const int64_t begin = GA_BLOCK_ID * pack_piece, end = begin + pack_piece < size ? begin + pack_piece : size;
    for (int64_t i = begin + GA_THREAD * pack_bytes; i < end; i += GA_BLOCK * pack_bytes) {
        if (whole && i + pack_bytes <= end) {
            uint64_t values[pack_bytes];
            uint32_t packed = 0;
            memcpy(values, __builtin_assume_aligned(call.src + 8 * i, vector_bytes), sizeof values);
            GA_UNROLL
            for (int j = 0; j < pack_bytes; j++)
                packed |= uint32_t(pack_eight(values[j], call.little)) << 8 * j;
            memcpy(__builtin_assume_aligned(call.dst + i, pack_bytes), &packed, sizeof packed);
            continue;
        }
        for (int64_t j = i; j < i + pack_bytes && j < end; j++)
            call.dst[j] = pack_byte(call, j);
    }
}

int
ga_pack_run(const ga_pack_call *call, ga_stream *stream)
{
    int64_t size = call->lines * ((call->length + 7) / 8);
    bool whole = call->length % 8 == 0 && (uintptr_t)call->src % vector_bytes == 0 && (uintptr_t)call->dst % pack_bytes == 0;
    return ga_launch(pack_bits, (size + pack_piece - 1) / pack_piece, stream, *call, size, whole);
}
