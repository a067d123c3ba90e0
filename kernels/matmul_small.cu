/* Small products and stacks of them in the floating dtypes: one launch, a thread for each element
 * of the result, which adds up along k in order, rounding once a product. A vendor's library takes
 * its host two to three times as long for such a call as a launch takes, and a multiprocessor a
 * matrix. GPU only; on the CPU device it takes nothing. Includes matmul_small.h,
 * matmul_product.cuh. */
#include "matmul_small.h"

#include "matmul_product.cuh"

/* Measured: from here on reading each operand as often as it is used costs more than the library's call. */
#define MOST_PRODUCTS (1 << 24) /* multiplications in all */
#define MOST_DEPTH 64           /* of one result, one after the other */
#define MOST_DEPTH_OF_DOUBLE 32 /* which half as many units multiply */
#define UNDER_WAY 8 /* elements of either operand that are read together */

struct small_task {
    ga_matmul_call call;
    uint32_t results;
};

GA_FN float fuse(float sum, float x, float y)
{
    return fmaf(x, y, sum);
}
GA_FN double fuse(double sum, double x, double y)
{
    return fma(x, y, sum);
}
template <class R> GA_FN ga_complex<R> fuse(ga_complex<R> sum, ga_complex<R> x, ga_complex<R> y)
{
    return {fuse(fuse(sum.re, x.re, y.re), -x.im, y.im), fuse(fuse(sum.im, x.re, y.im), x.im, y.re)};
}

/* N products from element i on; what they read is under way together. */
template <class M, int N>
GA_FN typename product_of<M>::acc
add_products(const small_task &task, const product_place &at, int64_t i, typename product_of<M>::acc sum)
{
    typedef product_of<M> P;
    GA_UNROLL
    for (int u = 0; u < N; u++)
        sum = fuse(sum, P::lift(*reinterpret_cast<const M *>(at.a + (i + u) * task.call.a_strides[1])),
                   P::lift(*reinterpret_cast<const M *>(at.b + (i + u) * task.call.b_strides[0])));
    return sum;
}

template <class M> GA_KERNEL matmul_small(GA_PARAM small_task task)
{
    GA_AWAIT();
    typedef product_of<M> P;
    const uint32_t result = uint32_t(GA_BLOCK_ID) * GA_BLOCK + GA_THREAD;
    if (result >= task.results)
        return;
    const product_place at = locate_product(task.call, result);
    const int k = int(task.call.k);
    typename P::acc sum = typename P::acc();
    int i = 0;
    for (; i + UNDER_WAY <= k; i += UNDER_WAY)
        sum = add_products<M, UNDER_WAY>(task, at, i, sum);
    for (; i < k; i++)
        sum = add_products<M, 1>(task, at, i, sum);
    *reinterpret_cast<M *>(at.c) = P::narrow(sum);
}

bool ga_matmul_is_small(const ga_matmul_call *call, int64_t batches)
{
    const bool held = (GA_TYPES_FC >> call->dtype & 1) && call->out == call->dtype;
    const bool is_double = call->dtype == GA_f64;
    const int64_t depth = is_double ? MOST_DEPTH_OF_DOUBLE : MOST_DEPTH, most = is_double ? MOST_PRODUCTS / 2 : MOST_PRODUCTS;
    if (GA_BLOCK == 1 || !held || call->k == 0 || call->k > depth)
        return false;
    return call->m <= most && call->n <= most / call->m && batches <= most / (call->m * call->n * call->k);
}

template <class M> static int launch_small(const ga_matmul_call *call, int64_t batches, ga_stream *stream)
{
    const int64_t results = batches * call->m * call->n;
    return ga_launch(matmul_small<M>, (results + GA_BLOCK - 1) / GA_BLOCK, stream, small_task{*call, uint32_t(results)});
}

int ga_matmul_small(const ga_matmul_call *call, int64_t batches, ga_stream *stream)
{
    switch (call->dtype) {
    case GA_f16:
        return launch_small<ga_half>(call, batches, stream);
    case GA_f32:
        return launch_small<float>(call, batches, stream);
    case GA_f64:
        return launch_small<double>(call, batches, stream);
    case GA_c64:
        return launch_small<ga_c64>(call, batches, stream);
    default:
        return launch_small<ga_c128>(call, batches, stream);
    }
}
