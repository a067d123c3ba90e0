/* Matrix products by cuBLAS, which is opened at the first of them. The pair of blas_cpu.cc.
 *
 * cuBLAS counts columns first, so c = a b in rows is computed as c^T = b^T a^T in columns, and a
 * row-major operand is there without a transposition. What it can take goes as it lies: unit stride
 * one way, a leading dimension the other way. The rest is copied to memory of the stream's pool.
 * Batch axes that lie evenly make one call; the others are looped over. Dot products are
 * matmul_dot_cuda.cu's. float32 is IEEE unless the call allows TF32, float16 and bfloat16
 * accumulate in float32. */
#include "blas.h"

#include <string.h>

#include "cublas_cuda.h"
#include "matmul_dot.h"
#include "runtime_cuda.cuh"

/* ---- operands ---- */

/* One operand for one call: `count` matrices of rows x columns, in bytes. */
struct matrix {
    char *data;
    int64_t rows, columns, strides[2], count, step;
    bool transposed; /* as cuBLAS sees it: its columns are ours */
    int64_t leading; /* elements */
    void *temporary;
};

struct number_types {
    cudaDataType_t data;
    cublasComputeType_t compute;
    int64_t size;
};

static number_types types_of(enum ga_dtype dtype)
{
    switch (dtype) {
    case GA_f16:
        return {CUDA_R_16F, CUBLAS_COMPUTE_32F, 2};
    case GA_bf16:
        return {CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2};
    case GA_f32:
        return {CUDA_R_32F, CUBLAS_COMPUTE_32F, 4};
    case GA_f64:
        return {CUDA_R_64F, CUBLAS_COMPUTE_64F, 8};
    case GA_c64:
        return {CUDA_C_32F, CUBLAS_COMPUTE_32F, 8};
    default:
        return {CUDA_C_64F, CUBLAS_COMPUTE_64F, 16};
    }
}

/* Whether lines of `length` elements lie whole, `stride` bytes apart; sets the leading dimension. */
static bool has_lines(int64_t length, int64_t unit, int64_t lines, int64_t stride, int64_t size, int64_t *leading)
{
    if (length > 1 && unit != size)
        return false;
    *leading = lines > 1 ? stride / size : length;
    return lines <= 1 || (stride % size == 0 && stride >= length * size);
}

static bool fits_cublas(matrix *x, int64_t size)
{
    if (x->step % size != 0 || x->step < 0)
        return false;
    x->transposed = false;
    if (has_lines(x->columns, x->strides[1], x->rows, x->strides[0], size, &x->leading))
        return true;
    x->transposed = true;
    return has_lines(x->rows, x->strides[0], x->columns, x->strides[1], size, &x->leading);
}

/* Copies between two places of the same dtype and shape. */
static int copy_matrix(const matrix *from, const matrix *to, enum ga_dtype dtype, ga_stream *stream)
{
    ga_cast_call call;
    memset(&call, 0, sizeof call);
    call.in = call.out = dtype;
    call.ndim = 3;
    call.num = call.den = 1;
    const int64_t shape[] = {to->count, to->rows, to->columns};
    const int64_t source[] = {from->step, from->strides[0], from->strides[1]};
    const int64_t target[] = {to->step, to->strides[0], to->strides[1]};
    memcpy(call.shape, shape, sizeof shape);
    memcpy(call.src.strides, source, sizeof source);
    memcpy(call.dst.strides, target, sizeof target);
    call.size = to->count * to->rows * to->columns;
    call.src.data = from->data;
    call.dst.data = to->data;
    return ga_cast_run(&call, stream);
}

/* A row-major matrix (one for all the batch where `x` repeats) in new memory. */
static int make_temporary(const matrix *x, int64_t size, ga_stream *stream, matrix *out)
{
    *out = *x;
    out->count = x->step == 0 ? 1 : x->count;
    out->strides[0] = x->columns * size;
    out->strides[1] = size;
    out->step = x->step == 0 ? 0 : x->rows * x->columns * size;
    if (ga_runtime_alloc(size_t(out->count * x->rows * x->columns * size), stream, &out->temporary))
        return -1;
    out->data = static_cast<char *>(out->temporary);
    return fits_cublas(out, size) ? 0 : ga_kernel_fail(GA_ERR_DEVICE, "matmul: a temporary has an odd layout");
}

static int prepare_input(matrix *x, enum ga_dtype dtype, ga_stream *stream)
{
    matrix copy;
    int64_t size = types_of(dtype).size;
    if (fits_cublas(x, size))
        return 0;
    if (make_temporary(x, size, stream, &copy))
        return -1;
    x->temporary = copy.temporary;
    if (copy_matrix(x, &copy, dtype, stream))
        return -1;
    *x = copy;
    return 0;
}

/* ---- calls ---- */

static cublasComputeType_t compute_type(const ga_matmul_call *call)
{
    bool narrows = call->tf32 && (call->dtype == GA_f32 || call->dtype == GA_c64);
    return narrows ? CUBLAS_COMPUTE_32F_FAST_TF32 : types_of(call->dtype).compute;
}

static int multiply(const matrix *a, const matrix *b, const matrix *c, const ga_matmul_call *call, ga_stream *stream)
{
    number_types types = types_of(call->dtype), result = types_of(call->out);
    double one_wide[2] = {1, 0}, zero_wide[2] = {0, 0};
    float one[2] = {1, 0}, zero[2] = {0, 0};
    bool wide = types.compute == CUBLAS_COMPUTE_64F;
    const void *alpha = wide ? static_cast<void *>(one_wide) : one, *beta = wide ? static_cast<void *>(zero_wide) : zero;
    static const auto product = reinterpret_cast<decltype(&cublasGemmStridedBatchedEx_64)>(
        ga_cublas_function("cublasGemmStridedBatchedEx_64"));
    cublasHandle_t handle;
    if (!product)
        return ga_kernel_fail(GA_ERR_DEVICE, "cuBLAS: there is no cublasGemmStridedBatchedEx_64; a newer one is needed");
    if (ga_cublas_begin(stream, &handle))
        return -1;
    int status = ga_cublas_check(
        product(handle, b->transposed ? CUBLAS_OP_T : CUBLAS_OP_N, a->transposed ? CUBLAS_OP_T : CUBLAS_OP_N, c->columns,
                c->rows, a->columns, alpha, b->data, types.data, b->leading, b->step / types.size, a->data, types.data,
                a->leading, a->step / types.size, beta, c->data, result.data, c->leading, c->step / result.size, c->count,
                compute_type(call), CUBLAS_GEMM_DEFAULT),
        "matrix product");
    ga_cublas_end();
    return status;
}

static matrix transpose(matrix x)
{
    matrix t = x;
    t.rows = x.columns;
    t.columns = x.rows;
    t.strides[0] = x.strides[1];
    t.strides[1] = x.strides[0];
    return t;
}

static bool is_row_major(matrix *c, int64_t size)
{
    return fits_cublas(c, size) && !c->transposed && (c->count == 1 || c->step > 0);
}

static int multiply_into(matrix *a, matrix *b, const matrix *c, const ga_matmul_call *call, ga_stream *stream)
{
    if (prepare_input(a, call->dtype, stream) || prepare_input(b, call->dtype, stream))
        return -1;
    return multiply(a, b, c, call, stream);
}

static int free_temporary(const matrix *x, ga_stream *stream)
{
    return x->temporary ? ga_runtime_free(x->temporary, stream) : 0;
}

/* The batch of one call, c wherever it lies: in rows, in columns (then the product is transposed),
 * or through a copy. */
static int multiply_batch(matrix a, matrix b, matrix c, const ga_matmul_call *call, ga_stream *stream)
{
    int64_t size = types_of(call->out).size;
    matrix turned = transpose(c), copy;
    int status;
    if (is_row_major(&c, size)) {
        status = multiply_into(&a, &b, &c, call, stream);
    } else if (is_row_major(&turned, size)) {
        matrix left = transpose(b), right = transpose(a);
        status = multiply_into(&left, &right, &turned, call, stream);
        a = right, b = left;
    } else {
        status = make_temporary(&c, size, stream, &copy);
        status = status ? status : multiply_into(&a, &b, &copy, call, stream);
        status = status ? status : copy_matrix(&copy, &c, call->out, stream);
        c.temporary = copy.temporary;
    }
    return free_temporary(&a, stream) | free_temporary(&b, stream) | free_temporary(&c, stream) | status ? -1 : 0;
}

/* ---- batches ---- */

static bool continues(const ga_matmul_call *call, int d)
{
    int64_t inner = call->batch_shape[d + 1];
    return call->a_batch[d] == call->a_batch[d + 1] * inner && call->b_batch[d] == call->b_batch[d + 1] * inner
           && call->c_batch[d] == call->c_batch[d + 1] * inner;
}

/* The first of the axes at the end that lie evenly in all three operands: one call takes them together. */
static int find_even_axes(const ga_matmul_call *call)
{
    int first = call->nbatch - 1;
    while (first > 0 && continues(call, first - 1))
        first--;
    return first < 0 ? 0 : first;
}

static int multiply_from(const ga_matmul_call *call, int even, const int64_t *index, ga_stream *stream)
{
    int64_t offset[3] = {0, 0, 0}, count = 1;
    for (int d = 0; d < even; d++) {
        offset[0] += index[d] * call->a_batch[d];
        offset[1] += index[d] * call->b_batch[d];
        offset[2] += index[d] * call->c_batch[d];
    }
    for (int d = even; d < call->nbatch; d++)
        count *= call->batch_shape[d];
    int last = call->nbatch - 1;
    bool one = count == 1;
    char *a_data = const_cast<char *>(static_cast<const char *>(call->a)) + offset[0];
    char *b_data = const_cast<char *>(static_cast<const char *>(call->b)) + offset[1];
    matrix a = {a_data, call->m, call->k, {call->a_strides[0], call->a_strides[1]}, count, one ? 0 : call->a_batch[last],
                false, 0, nullptr};
    matrix b = {b_data, call->k, call->n, {call->b_strides[0], call->b_strides[1]}, count, one ? 0 : call->b_batch[last],
                false, 0, nullptr};
    matrix c = {static_cast<char *>(call->c) + offset[2], call->m, call->n, {call->c_strides[0], call->c_strides[1]},
                count, one ? 0 : call->c_batch[last], false, 0, nullptr};
    return multiply_batch(a, b, c, call, stream);
}

int ga_blas_matmul(const ga_matmul_call *call, ga_stream *stream)
{
    int64_t index[GA_ITER_DIMS] = {0};
    if (ga_cuda_enter(stream->device))
        return -1;
    if (ga_matmul_is_dot(call))
        return ga_matmul_dot(call, stream);
    if (!ga_cublas_use())
        return 1;
    int even = find_even_axes(call);
    for (;;) {
        if (multiply_from(call, even, index, stream))
            return -1;
        int d = even - 1;
        for (; d >= 0 && ++index[d] == call->batch_shape[d]; d--)
            index[d] = 0;
        if (d < 0)
            return 0;
    }
}
