/* Matrix times vector, vector times matrix and dot products of integers and bools, without tiles: a
 * block adds up its results one after the other with all its threads, short ones with a thread
 * each. Integers wrap, so the order is free. A matrix whose lines along k lie apart is left to the
 * tiles of matmul.cu, which read it across. Includes matmul_thin.h, matmul_product.cuh, block.cuh.
 * */
#include "matmul_thin.h"

#include "block.cuh"
#include "matmul_product.cuh"

#define CPU_PRODUCTS 32768      /* of a block: less work is not worth another thread */
#define SHORT 64                /* products of a result that a thread adds up alone */
#define SHORT_RESULTS 16        /* of such a thread */
#define MOST_BLOCKS (1LL << 30) /* a grid holds 2^31 - 1 */

struct thin_task {
    ga_matmul_call call;
    int64_t results, results_per_block;
    int together; /* threads that add up one result: one, or the block */
};

template <class M> struct thin_sum {
    typedef typename product_of<M>::acc acc;
    GA_FN acc merge(acc x, acc y) { return product_of<M>::add(x, y); }
};

/* Sum of this thread's products. Strides that the compiler knows make vectors of them on the CPU. */
template <class M>
GA_FN typename product_of<M>::acc
add_products(const char *a, int64_t a_stride, const char *b, int64_t b_stride, int64_t k, int together)
{
    typedef product_of<M> P;
    typename P::acc sum = typename P::acc();
    for (int64_t i = GA_THREAD % together; i < k; i += together)
        sum = P::multiply_add(sum, P::lift(ga_load(reinterpret_cast<const M *>(a + i * a_stride))),
                              P::lift(ga_load(reinterpret_cast<const M *>(b + i * b_stride))));
    return sum;
}

template <class M> GA_KERNEL matmul_lines(GA_PARAM thin_task task)
{
    GA_AWAIT();
    const ga_matmul_call &call = task.call;
    const int64_t unit = sizeof(M), a_stride = call.a_strides[1], b_stride = call.b_strides[0];
    const int together = GA_BLOCK == 1 ? 1 : task.together;
    int64_t first = GA_BLOCK_ID * task.results_per_block, last = first + task.results_per_block;
    last = last < task.results ? last : task.results;
    for (int64_t result = first + GA_THREAD / together; result < last; result += GA_BLOCK / together) {
        product_place at = locate_product(call, result);
        auto sum = a_stride == unit && b_stride == unit ? add_products<M>(at.a, unit, at.b, unit, call.k, together)
                                                        : add_products<M>(at.a, a_stride, at.b, b_stride, call.k, together);
        if (together == GA_BLOCK)
            sum = ga_block_merge<thin_sum<M>>(sum, GA_BLOCK);
        if (GA_THREAD % together == 0)
            *reinterpret_cast<M *>(at.c) = product_of<M>::narrow(sum);
    }
}

/* ---- launch ---- */

static bool runs_along(int64_t step, int64_t line)
{
    return (step < 0 ? -step : step) <= (line < 0 ? -line : line);
}

bool ga_matmul_is_thin(const ga_matmul_call *call)
{
    if (!(GA_TYPES_BI >> call->dtype & 1) || (call->m > 1 && call->n > 1))
        return false;
    return (call->m == 1 || runs_along(call->a_strides[1], call->a_strides[0]))
           && (call->n == 1 || runs_along(call->b_strides[0], call->b_strides[1]));
}

static int64_t count_results_per_block(const thin_task &task)
{
    if (GA_BLOCK == 1)
        return CPU_PRODUCTS / (task.call.k + 1) + 1;
    return task.together == 1 ? SHORT_RESULTS * GA_BLOCK : task.results / MOST_BLOCKS + 1;
}

template <class M> static int launch_lines(const ga_matmul_call *call, int64_t batches, ga_stream *stream)
{
    thin_task task = {*call, batches * call->m * call->n, 0, call->k < SHORT ? 1 : GA_BLOCK};
    task.results_per_block = count_results_per_block(task);
    int64_t blocks = (task.results + task.results_per_block - 1) / task.results_per_block;
    return ga_launch(matmul_lines<M>, blocks, stream, task);
}

int ga_matmul_thin(const ga_matmul_call *call, int64_t batches, ga_stream *stream)
{
    switch (call->dtype) {
    case GA_b1:
        return launch_lines<bool>(call, batches, stream);
    case GA_i8:
    case GA_u8:
        return launch_lines<uint8_t>(call, batches, stream);
    case GA_i16:
    case GA_u16:
        return launch_lines<uint16_t>(call, batches, stream);
    case GA_i32:
    case GA_u32:
        return launch_lines<uint32_t>(call, batches, stream);
    default:
        return launch_lines<uint64_t>(call, batches, stream);
    }
}
