/* Triangles of matrices, and truth values as bits. Owns ga_triangle_run and ga_pack_run.
 *
 * Both go through contiguous memory in whole vectors where its addresses allow. What a triangle drops is not read.
 * Includes iterate.cuh and slots.h. */
#include "iterate.cuh"
#include "slots.h"

/* ---- triangles ---- */

static const int mask_bytes = 16; /* of a vector */

/* A part of the call that 31 bits count: whole rows, of which the first is number `first` of its stack. */
struct triangle_part {
    uint32_t size;
    ga_divider columns;
    int64_t first, rows, k;
    bool lower, whole; /* whole: vectors are aligned on both sides */
    const char *src;
    char *dst;
};

struct triangle_item {
    uint64_t low, high;
};
template <class T> struct alignas(mask_bytes) triangle_vector {
    T item[mask_bytes / sizeof(T)];
};

/* The column of a row's element on the diagonal. */
GA_FN int64_t
find_diagonal(const triangle_part &p, uint32_t row)
{
    int64_t at = p.first + row;
    return (at < p.rows ? at : at % p.rows) + p.k; /* a division of 64 bits, for stacks alone */
}

/* Bit j is set if element first + j is kept. */
template <int V>
GA_FN uint32_t
find_kept(const triangle_part &p, uint32_t first, int n)
{
    uint32_t kept = 0, row = ga_divide_by(p.columns, first), column = first - row * p.columns.divisor;
    int64_t diagonal = find_diagonal(p, row);
    GA_UNROLL
    for (int j = 0; j < V; j++) {
        kept |= uint32_t(j < n && (p.lower ? column <= diagonal : column >= diagonal)) << j;
        if (++column == p.columns.divisor) {
            column = 0;
            diagonal = find_diagonal(p, ++row);
        }
    }
    return kept;
}

template <class T>
GA_KERNEL
keep_triangle(GA_PARAM triangle_part p)
{
    GA_AWAIT();
    constexpr int V = mask_bytes / sizeof(T);
    uint32_t first = uint32_t((GA_BLOCK_ID * GA_BLOCK + GA_THREAD) * V);
    if (first >= p.size)
        return;
    const int n = p.size - first < V ? int(p.size - first) : V;
    const T *from = reinterpret_cast<const T *>(p.src) + first;
    T *to = reinterpret_cast<T *>(p.dst) + first;
    const uint32_t kept = find_kept<V>(p, first, n);
    const bool whole = p.whole && n == V;
    triangle_vector<T> v = {};
    if (whole && kept)
        v = *reinterpret_cast<const triangle_vector<T> *>(from);
    GA_UNROLL
    for (int j = 0; j < V; j++)
        if (!(kept >> j & 1))
            v.item[j] = T{};
        else if (!whole)
            v.item[j] = from[j];
    if (whole)
        *reinterpret_cast<triangle_vector<T> *>(to) = v;
    GA_UNROLL
    for (int j = 0; j < V; j++)
        if (!whole && j < n)
            to[j] = v.item[j];
}

template <class T>
static int
run_triangle(const ga_triangle_call *call, ga_stream *stream)
{
    constexpr int64_t V = mask_bytes / sizeof(T);
    const int64_t most = GA_WALK_LIMIT / call->columns, rows = call->size / call->columns;
    triangle_part p = {0, ga_divider_make(call->columns), 0, call->rows, call->k, call->lower, false, nullptr, nullptr};
    for (; p.first < rows; p.first += most) {
        int64_t start = p.first * call->columns;
        p.size = uint32_t((rows - p.first < most ? rows - p.first : most) * call->columns);
        p.src = (const char *)(static_cast<const T *>(call->src) + start);
        p.dst = (char *)(static_cast<T *>(call->dst) + start);
        p.whole = ((uintptr_t)p.src | (uintptr_t)p.dst) % mask_bytes == 0;
        int64_t vectors = (p.size + V - 1) / V;
        if (ga_launch(keep_triangle<T>, (vectors + GA_BLOCK - 1) / GA_BLOCK, stream, p))
            return -1;
    }
    return 0;
}

int
ga_triangle_run(const ga_triangle_call *call, ga_stream *stream)
{
    if (call->size == 0)
        return 0;
    switch (call->itemsize) {
    case 1:
        return run_triangle<uint8_t>(call, stream);
    case 2:
        return run_triangle<uint16_t>(call, stream);
    case 4:
        return run_triangle<uint32_t>(call, stream);
    case 8:
        return run_triangle<uint64_t>(call, stream);
    default:
        return run_triangle<triangle_item>(call, stream);
    }
}

/* ---- bits ---- */

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
            memcpy(values, __builtin_assume_aligned(call.src + 8 * i, mask_bytes), sizeof values);
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
    bool whole = call->length % 8 == 0 && (uintptr_t)call->src % mask_bytes == 0 && (uintptr_t)call->dst % pack_bytes == 0;
    return ga_launch(pack_bits, (size + pack_piece - 1) / pack_piece, stream, *call, size, whole);
}
