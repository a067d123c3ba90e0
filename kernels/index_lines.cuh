/* gather on a GPU where the index array picks along the innermost dimension of the selection, as in a[:, index] or a[index].
 *
 * A block takes one line, or a chunk of it: where it lies is found once for all its points. A line that is short enough is read
 * into shared memory as it lies, and picked from there: picks that lie far apart cost a line of the cache each elsewhere.
 * Functions with the parameter `block` are compiled where it is more than one thread. Includes index_plan.cuh. */
#pragma once
#include "index_plan.cuh"

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
    uint32_t chunk;    /* columns of one */
    bool staged;       /* the lines are short enough for shared memory, and enough of them is picked */
};

/* A block takes one line, or a chunk of it: where it lies is found once, and picks are read from shared memory if it fits. */
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
    const char *from = p.array + at.offset[INDEX_ARRAY], *picks = p.index[0] + at.offset[INDEX_FIRST];
    char *to = p.other + at.offset[INDEX_OTHER];
    const int64_t pick_step = p.walk.strides[0][INDEX_FIRST], to_step = p.walk.strides[0][INDEX_OTHER];
    if (lines.staged)
        stage_line(line, from, p.length[0], p.step[0]);
    for (uint32_t c = first + GA_THREAD; c < last; c += D * GA_BLOCK) {
        int64_t index[D];
        T items[D];
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            uint32_t column = c + u * GA_BLOCK;
            index[u] = *reinterpret_cast<const int64_t *>(picks + (column < last ? column : last - 1) * pick_step);
        }
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            int64_t i = resolve_index(p, 0, index[u]);
            items[u] = lines.staged ? line[i] : *reinterpret_cast<const T *>(from + i * p.step[0]);
        }
        GA_UNROLL
        for (int u = 0; u < D; u++)
            if (c + u * GA_BLOCK < last)
                *reinterpret_cast<T *>(to + (c + u * GA_BLOCK) * to_step) = items[u];
    }
}

/* Whether the index array picks along the innermost dimension, of items that a block can keep. */
static bool
picks_along_lines(const ga_index_call *call)
{
    int last = call->ndim - 1;
    return call->narrays == 1 && last >= 0 && call->itemsize <= 8 && call->shape[last] >= GA_BLOCK &&
           call->array.strides[last] == 0 && call->index[0].strides[last] != 0 &&
           find_alignment(call) >= call->itemsize;
}

/* A line in shared memory costs reading it all: a quarter of it has to be picked. */
template <int block>
static int
gather_along_lines(const ga_index_call *call, const index_pass *pass, ga_stream *stream)
{
    int64_t columns = call->shape[call->ndim - 1], length = call->index[0].length, rows = call->size / columns;
    index_lines lines = {};
    lines.staged = rows > 1 && length * call->itemsize <= index_stage && 4 * columns >= length;
    lines.chunk = uint32_t(lines.staged ? 8 * index_piece : index_piece);
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
