/* Triangles of matrices on a GPU. Owns ga_triangle_run.
 *
 * Contiguous memory is gone through in whole vectors where its addresses allow. What a triangle drops is not read.
 * Includes iterate.cuh and slots.h. */
#include "iterate.cuh"
#include "slots.h"

static const int vector_bytes = 16;

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
template <class T> struct alignas(vector_bytes) triangle_vector {
    T item[vector_bytes / sizeof(T)];
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
    constexpr int V = vector_bytes / sizeof(T);
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
    constexpr int64_t V = vector_bytes / sizeof(T);
    const int64_t most = GA_WALK_LIMIT / call->columns, rows = call->size / call->columns;
    triangle_part p = {0, ga_divider_make(call->columns), 0, call->rows, call->k, call->lower, false, nullptr, nullptr};
    for (; p.first < rows; p.first += most) {
        int64_t start = p.first * call->columns;
        p.size = uint32_t((rows - p.first < most ? rows - p.first : most) * call->columns);
        p.src = (const char *)(static_cast<const T *>(call->src) + start);
        p.dst = (char *)(static_cast<T *>(call->dst) + start);
        p.whole = ((uintptr_t)p.src | (uintptr_t)p.dst) % vector_bytes == 0;
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
