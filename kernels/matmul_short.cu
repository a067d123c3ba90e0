/* A matrix with many short rows times a vector, in the floating dtypes, which vendors' libraries
 * give a block a row: as many threads share a row as its vectors of 16 bytes, each with its part of
 * the vector in registers for several rows. GPU only; on the CPU device it takes nothing. The order
 * of adding is fixed. Includes matmul_short.h, matmul_product.cuh, block.cuh. */
#include "matmul_short.h"

#include "block.cuh"
#include "matmul_product.cuh"

#define LEAST_ROWS 2048
#define MOST_LANES 16 /* threads of a row */
#define ROWS 4        /* that a thread has under way */

struct short_task {
    ga_matmul_call call;
    int lanes;
    bool vectors; /* every part of a row is whole and aligned */
};

template <class M> constexpr int short_pack = 16 / sizeof(M);

template <class M> struct short_sum {
    typedef typename product_of<M>::acc acc;
    GA_FN acc merge(acc x, acc y) { return product_of<M>::add(x, y); }
};

/* Elements `first` and on of a line of k; zeros beyond. */
template <class M, int N> GA_FN ga_pack<M, N> read_part(const char *line, int64_t stride, int64_t first, int64_t k)
{
    ga_pack<M, N> part = {};
    GA_UNROLL
    for (int i = 0; i < N; i++)
        if (first + i < k)
            part.v[i] = *reinterpret_cast<const M *>(line + (first + i) * stride);
    return part;
}

template <class M, int N> GA_FN typename product_of<M>::acc add_part(const ga_pack<M, N> &a, const ga_pack<M, N> &b)
{
    typedef product_of<M> P;
    typename P::acc sum = typename P::acc();
    GA_UNROLL
    for (int i = 0; i < N; i++)
        sum = P::multiply_add(sum, P::lift(a.v[i]), P::lift(b.v[i]));
    return sum;
}

template <class M> GA_KERNEL matmul_short(GA_PARAM short_task task)
{
    GA_AWAIT();
    constexpr int N = short_pack<M>;
    const ga_matmul_call &call = task.call;
    const int64_t step = GA_BLOCK / task.lanes, first = GA_BLOCK_ID * ROWS * step + GA_THREAD / task.lanes;
    const int64_t at = GA_THREAD % task.lanes * N;
    ga_pack<M, N> a[ROWS], b = read_part<M, N>(static_cast<const char *>(call.b), call.b_strides[0], at, call.k);
    GA_UNROLL
    for (int u = 0; u < ROWS; u++) { /* the last row again beyond the end */
        int64_t row = first + u * step < call.m ? first + u * step : call.m - 1;
        const char *line = static_cast<const char *>(call.a) + row * call.a_strides[0];
        a[u] = task.vectors ? ga_pack_load<M, N>(reinterpret_cast<const M *>(line) + at)
                            : read_part<M, N>(line, sizeof(M), at, call.k);
    }
    GA_UNROLL
    for (int u = 0; u < ROWS; u++) {
        auto sum = ga_block_merge<short_sum<M>>(add_part(a[u], b), task.lanes);
        int64_t row = first + u * step;
        if (GA_THREAD % task.lanes == 0 && row < call.m)
            *reinterpret_cast<M *>(static_cast<char *>(call.c) + row * call.c_strides[0]) = product_of<M>::narrow(sum);
    }
}

static int count_lanes(const ga_matmul_call *call, int64_t size)
{
    int lanes = 1;
    while (lanes <= MOST_LANES && lanes * (16 / size) < call->k)
        lanes *= 2;
    return lanes;
}

static int64_t find_size(enum ga_dtype dtype)
{
    switch (dtype) {
    case GA_f16:
        return 2;
    case GA_f32:
        return 4;
    case GA_f64:
    case GA_c64:
        return 8;
    case GA_c128:
        return 16;
    default:
        return 0;
    }
}

bool ga_matmul_is_short(const ga_matmul_call *call)
{
    const int64_t size = find_size(call->dtype);
    return GA_BLOCK > 1 && size && call->out == call->dtype && call->n == 1 && call->nbatch == 0 && call->m >= LEAST_ROWS
           && call->k > 0 && call->a_strides[1] == size && count_lanes(call, size) <= MOST_LANES;
}

template <class M> static int launch_rows(const ga_matmul_call *call, ga_stream *stream)
{
    constexpr int64_t N = short_pack<M>, size = sizeof(M);
    short_task task = {*call, count_lanes(call, size), false};
    bool aligned = (reinterpret_cast<uintptr_t>(call->a) | uintptr_t(call->a_strides[0])) % 16 == 0;
    task.vectors = aligned && call->k == task.lanes * N;
    int64_t rows = GA_BLOCK / task.lanes * ROWS;
    return ga_launch(matmul_short<M>, (call->m + rows - 1) / rows, stream, task);
}

int ga_matmul_short(const ga_matmul_call *call, ga_stream *stream)
{
    switch (call->dtype) {
    case GA_f16:
        return launch_rows<ga_half>(call, stream);
    case GA_f32:
        return launch_rows<float>(call, stream);
    case GA_f64:
        return launch_rows<double>(call, stream);
    case GA_c64:
        return launch_rows<ga_c64>(call, stream);
    default:
        return launch_rows<ga_c128>(call, stream);
    }
}
