/* gather on a GPU where the index array picks along lines that are short enough for shared memory,
 * as in a[:, index].
 *
 * A block reads a line as it lies, and picks from there: picks that lie far apart cost a line of
 * the cache each elsewhere. Where the result has the picks in its outer dimensions, which is
 * NumPy's order of it, the lines go to a buffer, which is then turned. Functions with the parameter
 * `block` are compiled where it is more than one thread. Includes index_plan.cuh, slots.h. */
#pragma once
#include "index_plan.cuh"
#include "slots.h"

static const int64_t index_stage = 32768; /* bytes of a line that a block keeps in shared memory */

template <class T>
GA_FN void
stage_line(T *line, const char *from, int64_t length, int64_t step)
{
    constexpr int D = index_depth<1>;
    for (int64_t i = GA_THREAD; i < length; i += D * GA_BLOCK) {
        T items[D];
        GA_UNROLL
        for (int u = 0; u < D; u++)
            items[u] = *reinterpret_cast<const T *>(from + (i + u * GA_BLOCK < length ? i + u * GA_BLOCK : i) * step);
        GA_UNROLL
        for (int u = 0; u < D; u++)
            if (i + u * GA_BLOCK < length)
                line[i + u * GA_BLOCK] = items[u];
    }
    GA_SYNC();
}

/* Where in the selection a block of gather_lines works. */
struct index_lines {
    ga_divider chunks; /* of a line */
    uint32_t chunk;    /* picks of one */
};

template <class T>
GA_KERNEL
gather_lines(GA_PARAM index_plan<1> p, index_lines lines)
{
    GA_AWAIT();
    GA_SHARED T line[index_stage / sizeof(T)];
    constexpr int D = index_depth<1>;
    const uint32_t row = ga_divide_by(lines.chunks, uint32_t(GA_BLOCK_ID)), columns = p.walk.shape[0].divisor;
    const uint32_t first = (uint32_t(GA_BLOCK_ID) - row * lines.chunks.divisor) * lines.chunk;
    const uint32_t last = columns - first < lines.chunk ? columns : first + lines.chunk;
    ga_cursor<INDEX_FIRST + 1> at;
    at.seek(p.walk, row * columns);
    const char *picks = p.index[0] + at.offset[INDEX_FIRST];
    char *to = p.other + at.offset[INDEX_OTHER];
    const int64_t pick_step = p.walk.strides[0][INDEX_FIRST], to_step = p.walk.strides[0][INDEX_OTHER];
    stage_line(line, p.array + at.offset[INDEX_ARRAY], p.length[0], p.step[0]);
    for (uint32_t c = first + GA_THREAD; c < last; c += D * GA_BLOCK) {
        int64_t index[D];
        T items[D];
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            uint32_t column = c + u * GA_BLOCK;
            index[u] = *reinterpret_cast<const int64_t *>(picks + (column < last ? column : last - 1) * pick_step);
        }
        GA_UNROLL
        for (int u = 0; u < D; u++)
            items[u] = line[resolve_index(p, 0, index[u])];
        GA_UNROLL
        for (int u = 0; u < D; u++)
            if (c + u * GA_BLOCK < last)
                *reinterpret_cast<T *>(to + (c + u * GA_BLOCK) * to_step) = items[u];
    }
}

/* Whether dimension d picks from lines that a block can keep, and enough of them to be worth reading a line. */
static bool
picks_along(const ga_index_call *call, int d)
{
    const ga_index_array *index = &call->index[0];
    return call->narrays == 1 && call->itemsize <= 8 && call->shape[d] >= GA_BLOCK && call->shape[d] < call->size &&
           call->array.strides[d] == 0 && index->strides[d] != 0 && index->length * call->itemsize <= index_stage &&
           4 * call->shape[d] >= index->length && find_alignment(call) >= call->itemsize;
}

static bool
picks_along_lines(const ga_index_call *call)
{
    return call->ndim > 0 && picks_along(call, call->ndim - 1);
}

template <int block>
static int
gather_along_lines(const ga_index_call *call, const index_pass *pass, ga_stream *stream)
{
    int64_t columns = call->shape[call->ndim - 1], rows = call->size / columns;
    index_lines lines = {};
    lines.chunk = uint32_t(8 * index_piece);
    int64_t chunks = (columns + lines.chunk - 1) / lines.chunk;
    lines.chunks = ga_divider_make(chunks);
    index_plan<1> p = make_plan<1>(call, pass, 0);
    switch (call->itemsize) {
    case 1:
        return ga_launch(gather_lines<uint8_t>, rows * chunks, stream, p, lines);
    case 2:
        return ga_launch(gather_lines<uint16_t>, rows * chunks, stream, p, lines);
    case 4:
        return ga_launch(gather_lines<uint32_t>, rows * chunks, stream, p, lines);
    default:
        return ga_launch(gather_lines<uint64_t>, rows * chunks, stream, p, lines);
    }
}

/* ---- results with the picks in outer dimensions ---- */

static const int64_t index_turned_bytes = int64_t(256) << 20; /* of the buffer */

/* The dimension of the picks where the result is consecutive along another one, which the array
 * walks from line to line; or -1. */
static int
find_turned_picks(const ga_index_call *call)
{
    int last = call->ndim - 1;
    if (last < 1 || call->shape[last] < 32 || call->other.strides[last] != call->itemsize ||
        call->index[0].strides[last] != 0 || call->index[0].step != call->itemsize ||
        llabs(call->array.strides[last]) < 32)
        return -1;
    for (int d = 0; d < last; d++)
        if (picks_along(call, d))
            return d;
    return -1;
}

/* The call with dimension `picks` innermost, into a contiguous buffer; `turned` has the buffer's
 * strides by the call's dimensions. */
static ga_index_call
put_picks_last(const ga_index_call *call, int picks, char *buffer, ga_operand *turned)
{
    ga_index_call straight = *call;
    int64_t stride = call->itemsize;
    straight.other.data = turned->data = buffer;
    for (int to = call->ndim - 1; to >= 0; to--) {
        int from = to == call->ndim - 1 ? picks : to < picks ? to : to + 1;
        straight.shape[to] = call->shape[from];
        straight.array.strides[to] = call->array.strides[from];
        straight.index[0].strides[to] = call->index[0].strides[from];
        straight.other.strides[to] = turned->strides[from] = stride;
        stride *= call->shape[from];
    }
    return straight;
}

template <int block>
static int
gather_turned_piece(const ga_index_call *call, int picks, char *buffer, const index_pass *pass, ga_stream *stream)
{
    ga_cast_call copy = {};
    ga_index_call straight = put_picks_last(call, picks, buffer, &copy.src);
    copy.in = copy.out = call->itemsize == 1 ? GA_u8 : call->itemsize == 2 ? GA_u16 : call->itemsize == 4 ? GA_u32 : GA_u64;
    copy.ndim = call->ndim;
    copy.size = call->size;
    copy.num = copy.den = 1;
    copy.dst = call->other;
    memcpy(copy.shape, call->shape, sizeof copy.shape);
    return gather_along_lines<block>(&straight, pass, stream) < 0 ? -1 : ga_cast_run(&copy, stream);
}

template <int block>
static int
gather_turned_pieces(const ga_index_call *call, int picks, char *buffer, const index_pass *pass, ga_stream *stream)
{
    if (call->size * call->itemsize <= index_turned_bytes)
        return gather_turned_piece<block>(call, picks, buffer, pass, stream);
    ga_index_call half[2];
    halve_call(call, half);
    return gather_turned_pieces<block>(&half[0], picks, buffer, pass, stream) < 0
               ? -1
               : gather_turned_pieces<block>(&half[1], picks, buffer, pass, stream);
}

template <int block>
static int
gather_turned(const ga_index_call *call, int picks, const index_pass *pass, ga_stream *stream)
{
    int64_t bytes = call->size * call->itemsize;
    void *buffer;
    if (ga_runtime_alloc(size_t(bytes < index_turned_bytes ? bytes : index_turned_bytes), stream, &buffer))
        return -1;
    int status = gather_turned_pieces<block>(call, picks, static_cast<char *>(buffer), pass, stream);
    return ga_runtime_free(buffer, stream) ? -1 : status;
}
