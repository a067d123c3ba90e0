/* A matrix with many short rows times a vector, and stacks of such products, in the floating dtypes,
 * which vendors' libraries give a block a row: as many threads share a row as its vectors of 16
 * bytes, each with several rows under way; of one matrix, its part of the vector is read once. GPU
 * only; on the CPU device it takes nothing. The order of adding is fixed. Includes matmul_short.h,
 * matmul_product.cuh, block.cuh. */
#include "matmul_short.h"

#include "block.cuh"
#include "matmul_product.cuh"

#define LEAST_ROWS 2048
#define MOST_LANES 16         /* threads of a row */
#define MOST_LANES_OF_STACK 32 /* measured: vendors' libraries take a half longer up to there */
#define ROWS 4                /* that a thread has under way */

struct short_task {
    ga_matmul_call call;
    int64_t rows; /* of all matrices */
    int lanes;
    bool even; /* matrices of a, and of c, follow one another as their rows do */
    bool vectors; /* every part of a row of a, and of b, is whole and aligned */
};

template <class M> constexpr int short_pack = 16 / sizeof(M);

template <class M> struct short_sum {
    typedef typename product_of<M>::acc acc;
    GA_FN acc merge(acc x, acc y) { return product_of<M>::add(x, y); }
};

/* Elements `first` and on of a line of k; zeros beyond. */
template <class M, int N, bool vectors> GA_FN ga_pack<M, N> read_part(const char *line, int64_t stride, int64_t first, int64_t k)
{
    ga_pack<M, N> part = {};
    if constexpr (vectors)
        return first < k ? ga_pack_load<M, N>(reinterpret_cast<const M *>(line) + first) : part;
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

/* A row of a, its b and its result. */
template <bool stack> GA_FN product_place find_row(const short_task &task, int64_t row)
{
    const ga_matmul_call &call = task.call;
    if (stack && !task.even)
        return locate_product(call, uint32_t(row));
    const int64_t matrix = stack ? uint32_t(row) / uint32_t(call.m) : 0;
    return {static_cast<const char *>(call.a) + row * call.a_strides[0],
            static_cast<const char *>(call.b) + matrix * call.b_batch[0],
            static_cast<char *>(call.c) + row * call.c_strides[0]};
}

/* The parts of some rows and of their b; of one matrix, all rows meet the same part of b. */
template <class M, int N, bool stack, bool vectors>
GA_FN void read_rows(const short_task &task, const product_place (&line)[ROWS], ga_pack<M, N> (&a)[ROWS], ga_pack<M, N> (&b)[ROWS])
{
    const int64_t at = GA_THREAD % task.lanes * N, k = task.call.k;
    GA_UNROLL
    for (int u = 0; u < ROWS; u++) {
        a[u] = read_part<M, N, vectors>(line[u].a, sizeof(M), at, k);
        b[u] = u > 0 && !stack ? b[0] : read_part<M, N, vectors>(line[u].b, task.call.b_strides[0], at, k);
    }
}

/* All rows are found before the first is read: branches between the reads would keep them from being under way together. */
template <class M, bool stack> GA_KERNEL matmul_short(GA_PARAM short_task task)
{
    GA_AWAIT();
    constexpr int N = short_pack<M>;
    const int64_t step = GA_BLOCK / task.lanes, first = GA_BLOCK_ID * ROWS * step + GA_THREAD / task.lanes;
    product_place line[ROWS];
    ga_pack<M, N> a[ROWS], b[ROWS];
    GA_UNROLL
    for (int u = 0; u < ROWS; u++) { /* the last row again beyond the end */
        const int64_t row = first + u * step;
        line[u] = find_row<stack>(task, row < task.rows ? row : task.rows - 1);
    }
    if (task.vectors)
        read_rows<M, N, stack, true>(task, line, a, b);
    else
        read_rows<M, N, stack, false>(task, line, a, b);
    GA_UNROLL
    for (int u = 0; u < ROWS; u++) {
        auto sum = ga_block_merge<short_sum<M>>(add_part(a[u], b[u]), task.lanes);
        if (GA_THREAD % task.lanes == 0 && first + u * step < task.rows)
            *reinterpret_cast<M *>(line[u].c) = product_of<M>::narrow(sum);
    }
}

static int count_lanes(const ga_matmul_call *call, int64_t size)
{
    int lanes = 1;
    while (lanes <= MOST_LANES_OF_STACK && lanes * (16 / size) < call->k)
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

bool ga_matmul_is_short(const ga_matmul_call *call, int64_t batches)
{
    const int64_t size = find_size(call->dtype), rows = batches * call->m;
    const int most = call->nbatch == 0 ? MOST_LANES : MOST_LANES_OF_STACK;
    return GA_BLOCK > 1 && size && call->out == call->dtype && call->n == 1 && rows >= LEAST_ROWS && rows <= INT32_MAX
           && call->k > 0 && call->a_strides[1] == size && count_lanes(call, size) <= most;
}

/* Whether lines of k begin at multiples of 16 bytes and are made of as many. */
static bool holds_vectors(const void *data, int64_t line_stride, const int64_t *batch, const ga_matmul_call *call, int64_t size)
{
    int64_t bits = int64_t(reinterpret_cast<uintptr_t>(data)) | line_stride | call->k * size;
    for (int d = 0; d < call->nbatch; d++)
        bits |= batch[d];
    return bits % 16 == 0;
}

static bool is_even(const ga_matmul_call *call)
{
    return call->nbatch == 1 && call->a_batch[0] == call->m * call->a_strides[0] && call->c_batch[0] == call->m * call->c_strides[0];
}

template <class M> static int launch_rows(const ga_matmul_call *call, int64_t batches, ga_stream *stream)
{
    constexpr int64_t size = sizeof(M);
    const short_task task = {*call, batches * call->m, count_lanes(call, size), is_even(call),
                             holds_vectors(call->a, call->a_strides[0], call->a_batch, call, size)
                                 && call->b_strides[0] == size && holds_vectors(call->b, 0, call->b_batch, call, size)};
    const int64_t rows = GA_BLOCK / task.lanes * ROWS;
    const int64_t blocks = (task.rows + rows - 1) / rows;
    return call->nbatch > 0 ? ga_launch((matmul_short<M, true>), blocks, stream, task)
                            : ga_launch((matmul_short<M, false>), blocks, stream, task);
}

int ga_matmul_short(const ga_matmul_call *call, int64_t batches, ga_stream *stream)
{
    switch (call->dtype) {
    case GA_f16:
        return launch_rows<ga_half>(call, batches, stream);
    case GA_f32:
        return launch_rows<float>(call, batches, stream);
    case GA_f64:
        return launch_rows<double>(call, batches, stream);
    case GA_c64:
        return launch_rows<ga_c64>(call, batches, stream);
    default:
        return launch_rows<ga_c128>(call, batches, stream);
    }
}
