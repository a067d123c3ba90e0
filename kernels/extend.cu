/* Arrays that go on beyond their ends. Owns ga_extend_run. Includes border.cuh, block.cuh,
 * iterate.cuh, slots.h.
 *
 * A thread writes a span of dst, on the GPU one vector, on the CPU many rows: it finds the row that
 * the span begins in, copies what lies in the middle of it, and asks the border's rule elsewhere.
 * */
#include "block.cuh"
#include "border.cuh"
#include "iterate.cuh"
#include "slots.h"

static const int extend_bytes = 16; /* of a vector */

struct extend_item {
    uint64_t low, high;
};

struct extend_plan {
    uint32_t size;
    int32_t ndim, border;
    ga_divider shape[GA_ITER_DIMS]; /* innermost first */
    int64_t inner[GA_ITER_DIMS], before[GA_ITER_DIMS], strides[GA_ITER_DIMS];
    ga_scalar outside;
    const char *src;
    char *dst;
};

/* What a row of dst is made of: the column, and where in src the row begins; NULL where it is all outside. */
struct extend_row {
    const char *src;
    uint32_t column;
};

GA_FN extend_row find_row(const extend_plan &p, uint32_t i)
{
    uint32_t rest = p.ndim > 1 ? ga_divide_by(p.shape[0], i) : 0;
    extend_row row = {p.src, i - rest * p.shape[0].divisor};
    GA_ROLLED
    for (int d = 1; d < p.ndim; d++) {
        uint32_t outer = d + 1 < p.ndim ? ga_divide_by(p.shape[d], rest) : 0;
        int64_t at = settle_index(rest - outer * p.shape[d].divisor - p.before[d], p.inner[d], p.border);
        if (at < 0)
            return {nullptr, row.column};
        row.src += at * p.strides[d];
        rest = outer;
    }
    return row;
}

template <class T> GA_FN T read_item(const char *at)
{
    return *reinterpret_cast<const T *>(at);
}

template <class T> GA_FN T find_outside(const extend_plan &p)
{
    T item;
    memcpy(&item, &p.outside, sizeof item);
    return item;
}

/* `count` elements of a row from its column on. */
template <class T> GA_FN void fill_span(const extend_plan &p, extend_row row, int64_t count, T *to)
{
    const int64_t first = int64_t(row.column) - p.before[0], step = p.strides[0];
    const int64_t begin = first < 0 ? (-first < count ? -first : count) : 0;
    const int64_t most = p.inner[0] - first < count ? p.inner[0] - first : count, end = most > begin ? most : begin;
    const T outside = find_outside<T>(p);
    for (int64_t j = 0; j < count; j++) {
        if (j == begin && row.src && j < end) {
            const char *from = row.src + (first + j) * step;
            if (GA_BLOCK == 1 && step == sizeof(T))
                memcpy(to + j, from, size_t(end - j) * sizeof(T));
            else
                for (int64_t k = j; k < end; k++, from += step)
                    to[k] = read_item<T>(from);
            j = end - 1;
            continue;
        }
        int64_t at = row.src ? settle_index(first + j, p.inner[0], p.border) : -1;
        to[j] = at < 0 ? outside : read_item<T>(row.src + at * step);
        if (at >= 0 && p.border == GA_BORDER_WRAP) /* what follows lies behind it, up to the end */
            while (++at < p.inner[0] && j + 1 < count && j + 1 != begin)
                to[++j] = read_item<T>(row.src + at * step);
    }
}

/* On the GPU: a vector within one row's middle, or element by element. */
template <class T> GA_FN void fill_vector(const extend_plan &p, uint32_t i)
{
    constexpr int V = extend_bytes / sizeof(T);
    const int n = p.size - i < V ? int(p.size - i) : V;
    const T outside = find_outside<T>(p);
    ga_pack<T, V> pack;
    extend_row row = find_row(p, i);
    GA_UNROLL
    for (int j = 0; j < V; j++) {
        if (row.column == p.shape[0].divisor)
            row = find_row(p, i + uint32_t(j));
        int64_t at = row.src && j < n ? settle_index(int64_t(row.column) - p.before[0], p.inner[0], p.border) : -1;
        pack.v[j] = at < 0 ? outside : read_item<T>(row.src + at * p.strides[0]);
        row.column++;
    }
    T *to = reinterpret_cast<T *>(p.dst) + i;
    if (n == V && (uintptr_t)to % extend_bytes == 0)
        *reinterpret_cast<ga_pack<T, V> *>(to) = pack;
    else
        GA_UNROLL
        for (int j = 0; j < V; j++)
            if (j < n)
                to[j] = pack.v[j];
}

template <class T> constexpr int64_t extend_piece = GA_BLOCK == 1 ? 65536 : GA_BLOCK * (extend_bytes / int64_t(sizeof(T)));

template <class T> GA_KERNEL extend_array(GA_PARAM extend_plan p)
{
    GA_AWAIT();
    const int64_t begin = GA_BLOCK_ID * extend_piece<T>;
    const int64_t end = begin + extend_piece<T> < p.size ? begin + extend_piece<T> : p.size;
    if constexpr (GA_BLOCK == 1) {
        for (int64_t i = begin, count; i < end; i += count) {
            extend_row row = find_row(p, uint32_t(i));
            count = int64_t(p.shape[0].divisor) - row.column;
            count = count < end - i ? count : end - i;
            fill_span(p, row, count, reinterpret_cast<T *>(p.dst) + i);
        }
    } else {
        const int64_t i = begin + GA_THREAD * (extend_bytes / int64_t(sizeof(T)));
        if (i < end)
            fill_vector<T>(p, uint32_t(i));
    }
}

template <class T> static int launch_extend(const ga_extend_call *call, ga_stream *stream)
{
    extend_plan p = {uint32_t(call->size), call->ndim, int32_t(call->border)};
    for (int d = 0; d < call->ndim; d++) {
        int from = call->ndim - 1 - d;
        p.shape[d] = ga_divider_make(call->shape[from]);
        p.inner[d] = call->inner[from];
        p.before[d] = call->before[from];
        p.strides[d] = call->strides[from];
    }
    p.outside = call->outside;
    p.src = static_cast<const char *>(call->src);
    p.dst = static_cast<char *>(call->dst);
    return ga_launch(extend_array<T>, (call->size + extend_piece<T> - 1) / extend_piece<T>, stream, p);
}

/* The part of the call whose first `rows` of the outermost axis begin at `start`. */
static int run_part(const ga_extend_call *call, int64_t start, int64_t rows, ga_stream *stream)
{
    ga_extend_call part = *call;
    const int64_t row = call->size / call->shape[0];
    part.shape[0] = rows;
    part.before[0] -= start;
    part.size = rows * row;
    part.dst = static_cast<char *>(call->dst) + start * row * call->itemsize;
    return ga_extend_run(&part, stream);
}

int ga_extend_run(const ga_extend_call *call, ga_stream *stream)
{
    if (call->size >= GA_WALK_LIMIT) {
        const int64_t half = call->shape[0] / 2;
        return run_part(call, 0, half, stream) < 0 ? -1 : run_part(call, half, call->shape[0] - half, stream);
    }
    switch (call->itemsize) {
    case 1:
        return launch_extend<uint8_t>(call, stream);
    case 2:
        return launch_extend<uint16_t>(call, stream);
    case 4:
        return launch_extend<uint32_t>(call, stream);
    case 8:
        return launch_extend<uint64_t>(call, stream);
    default:
        return launch_extend<extend_item>(call, stream);
    }
}
