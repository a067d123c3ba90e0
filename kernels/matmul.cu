/* Matrix products: hands floats and complex numbers to the BLAS of the build, does the rest itself. Owns ga_matmul_run.
 *
 * Our own kernel computes a tile of TILE x TILE of c per block, going through k in steps that are staged in shared
 * memory; any strides. Integers wrap, bool is OR of ANDs, float16 accumulates in float. Floats add up at most 128
 * products before the sum joins the total. On the GPU a thread has 4 x 4 elements of the tile, on the CPU the only
 * thread has them all and goes along rows; so a tall narrow product is done transposed. Includes blas.h, slots.h,
 * matmul_short.h, matmul_small.h, matmul_thin.h, matmul_product.cuh. */
#include "blas.h"
#include "matmul_product.cuh"
#include "matmul_short.h"
#include "matmul_small.h"
#include "matmul_thin.h"
#include "slots.h"

#define TILE 64
#define STEP 16
#define SIDE (GA_BLOCK == 1 ? 1 : 16)   /* threads along a side of the tile */
#define MICRO (TILE / SIDE)             /* elements of a thread along a side */
#define FOLD_STEPS 8                    /* steps that a partial sum takes: 128 products */

/* ---- kernel ---- */

struct matmul_task {
    ga_matmul_call call;
    int64_t tiles_m, tiles_n;
};

struct matmul_place {
    const char *a, *b;
    char *c;
    int64_t row, column; /* of the tile's first element */
};

GA_FN matmul_place locate_tile(const matmul_task &task, int64_t block)
{
    const ga_matmul_call &call = task.call;
    matmul_place at = {static_cast<const char *>(call.a), static_cast<const char *>(call.b),
                       static_cast<char *>(call.c), 0, 0};
    at.column = block % task.tiles_n * TILE;
    block /= task.tiles_n;
    at.row = block % task.tiles_m * TILE;
    block /= task.tiles_m;
    for (int d = call.nbatch - 1; d >= 0; d--) {
        int64_t index = block % call.batch_shape[d];
        block /= call.batch_shape[d];
        at.a += index * call.a_batch[d];
        at.b += index * call.b_batch[d];
        at.c += index * call.c_batch[d];
    }
    return at;
}

/* What the CPU does of stage_operand: only elements that there are. */
template <class M>
GA_FN void stage_inside(const char *p, int64_t line_stride, int64_t step_stride, int lines, int depth, bool steps_first,
                        typename product_of<M>::acc (&stage)[STEP][TILE])
{
    if (steps_first) {
        for (int line = 0; line < lines; line++)
            for (int step = 0; step < depth; step++)
                stage[step][line] = product_of<M>::lift(
                    ga_load(reinterpret_cast<const M *>(p + line * line_stride + step * step_stride)));
        return;
    }
    for (int step = 0; step < depth; step++)
        for (int line = 0; line < lines; line++)
            stage[step][line] = product_of<M>::lift(
                ga_load(reinterpret_cast<const M *>(p + line * line_stride + step * step_stride)));
}

/* Brings `lines` x `depth` elements into stage[step][line], zeros beyond (on the CPU nothing). Neighbouring threads go along the smaller stride. */
template <class M>
GA_FN void stage_operand(const char *p, int64_t line_stride, int64_t step_stride, int64_t lines, int64_t depth,
                         typename product_of<M>::acc (&stage)[STEP][TILE])
{
    int64_t line_size = line_stride < 0 ? -line_stride : line_stride;
    int64_t step_size = step_stride < 0 ? -step_stride : step_stride;
    bool steps_first = step_size < line_size;
    if constexpr (GA_BLOCK == 1) {
        stage_inside<M>(p, line_stride, step_stride, int(lines < TILE ? lines : TILE), int(depth < STEP ? depth : STEP),
                        steps_first, stage);
        return;
    }
    for (int i = GA_THREAD; i < TILE * STEP; i += GA_BLOCK) {
        int step = steps_first ? i % STEP : i / TILE, line = steps_first ? i / STEP : i % TILE;
        bool inside = line < lines && step < depth;
        const M *element = reinterpret_cast<const M *>(p + (inside ? line * line_stride + step * step_stride : 0));
        stage[step][line] = inside ? product_of<M>::lift(ga_load(element)) : typename product_of<M>::acc();
    }
}

/* What the CPU does of multiply_stage; in line, since whole tiles have a number of columns that is known. */
template <class M>
GA_FN void multiply_rows(const typename product_of<M>::acc (&a)[STEP][TILE], const typename product_of<M>::acc (&b)[STEP][TILE],
                         int rows, int columns, int depth, typename product_of<M>::acc (&part)[MICRO][MICRO])
{
    for (int i = 0; i < rows; i++)
        for (int step = 0; step < depth; step++)
            GA_INDEPENDENT
            for (int j = 0; j < columns; j++)
                part[i][j] = product_of<M>::multiply_add(part[i][j], a[step][i], b[step][j]);
}

/* part += a^T b for the staged step. */
template <class M>
GA_FN void multiply_stage(const typename product_of<M>::acc (&a)[STEP][TILE],
                          const typename product_of<M>::acc (&b)[STEP][TILE], [[maybe_unused]] int rows, [[maybe_unused]] int columns,
                          [[maybe_unused]] int depth, typename product_of<M>::acc (&part)[MICRO][MICRO])
{
    typedef product_of<M> P;
    if constexpr (GA_BLOCK == 1) {
        if (columns == MICRO)
            multiply_rows<M>(a, b, rows, MICRO, depth, part);
        else
            multiply_rows<M>(a, b, rows, columns, depth, part);
        return;
    }
    const int x = GA_THREAD % SIDE, y = GA_THREAD / SIDE;
    GA_UNROLL
    for (int step = 0; step < STEP; step++)
        GA_UNROLL
        for (int i = 0; i < MICRO; i++)
            GA_UNROLL
            for (int j = 0; j < MICRO; j++)
                part[i][j] = P::multiply_add(part[i][j], a[step][y + i * SIDE], b[step][x + j * SIDE]);
}

/* Rows or columns of a thread's elements that are in use: on the GPU all are kept, so that indices are constants. */
GA_FN int used_lines([[maybe_unused]] int64_t lines)
{
    return GA_BLOCK > 1 || lines > MICRO ? MICRO : int(lines);
}

template <class A> GA_FN void clear_micro(A (&micro)[MICRO][MICRO], int64_t rows, int64_t columns)
{
    GA_UNROLL
    for (int i = 0; i < used_lines(rows); i++)
        GA_UNROLL
        for (int j = 0; j < used_lines(columns); j++)
            micro[i][j] = A();
}

template <class M>
GA_FN void store_tile(const matmul_task &task, const matmul_place &at, typename product_of<M>::acc (&total)[MICRO][MICRO])
{
    const int64_t *strides = task.call.c_strides;
    GA_UNROLL
    for (int i = 0; i < used_lines(task.call.m - at.row); i++)
        GA_UNROLL
        for (int j = 0; j < used_lines(task.call.n - at.column); j++) {
            int64_t row = at.row + GA_THREAD / SIDE + i * SIDE, column = at.column + GA_THREAD % SIDE + j * SIDE;
            if (row < task.call.m && column < task.call.n)
                *reinterpret_cast<M *>(at.c + row * strides[0] + column * strides[1]) =
                    product_of<M>::narrow(total[i][j]);
        }
}

template <class M> GA_KERNEL matmul_tiles(GA_PARAM matmul_task task)
{
    GA_AWAIT();
    typedef product_of<M> P;
    typedef typename P::acc A;
    GA_SHARED A a[STEP][TILE], b[STEP][TILE];
    A part[MICRO][MICRO], total[MICRO][MICRO];
    const ga_matmul_call &call = task.call;
    matmul_place at = locate_tile(task, GA_BLOCK_ID);
    int64_t rows = call.m - at.row, columns = call.n - at.column;
    clear_micro(total, rows, columns);
    for (int64_t k = 0; k < call.k;) {
        clear_micro(part, rows, columns);
        for (int folds = 0; folds < FOLD_STEPS && k < call.k; folds++, k += STEP) {
            int64_t depth = call.k - k;
            stage_operand<M>(at.a + at.row * call.a_strides[0] + k * call.a_strides[1], call.a_strides[0],
                             call.a_strides[1], rows, depth, a);
            stage_operand<M>(at.b + at.column * call.b_strides[1] + k * call.b_strides[0], call.b_strides[1],
                             call.b_strides[0], columns, depth, b);
            GA_SYNC();
            multiply_stage<M>(a, b, used_lines(rows), used_lines(columns), int(depth < STEP ? depth : STEP), part);
            GA_SYNC();
        }
        GA_UNROLL
        for (int i = 0; i < used_lines(rows); i++)
            GA_UNROLL
            for (int j = 0; j < used_lines(columns); j++)
                total[i][j] = P::add(total[i][j], part[i][j]);
    }
    store_tile<M>(task, at, total);
}

/* ---- launch ---- */

template <class M> static int launch_tiles(const matmul_task &task, int64_t blocks, ga_stream *stream)
{
    return ga_launch(matmul_tiles<M>, blocks, stream, task);
}

static int64_t count_batches(const ga_matmul_call *call)
{
    int64_t batches = 1;
    for (int d = 0; d < call->nbatch; d++)
        batches *= call->batch_shape[d];
    return batches;
}

/* c^T = b^T a^T: the same product with rows and columns in each other's place. */
static ga_matmul_call transpose_call(const ga_matmul_call *call)
{
    ga_matmul_call t = *call;
    t.m = call->n;
    t.n = call->m;
    t.a = call->b;
    t.b = call->a;
    for (int i = 0; i < 2; i++) {
        t.a_strides[i] = call->b_strides[1 - i];
        t.b_strides[i] = call->a_strides[1 - i];
        t.c_strides[i] = call->c_strides[1 - i];
    }
    memcpy(t.a_batch, call->b_batch, sizeof t.a_batch);
    memcpy(t.b_batch, call->a_batch, sizeof t.b_batch);
    return t;
}

/* Signed integers wrap as unsigned ones do, so they share kernels. */
static int multiply_tiles(const ga_matmul_call *call, int64_t batches, ga_stream *stream)
{
    bool tall = call->n < TILE && call->n < call->m;
    matmul_task task = {tall ? transpose_call(call) : *call, 0, 0};
    task.tiles_m = (task.call.m + TILE - 1) / TILE;
    task.tiles_n = (task.call.n + TILE - 1) / TILE;
    int64_t blocks = batches * task.tiles_m * task.tiles_n;
    switch (call->dtype) {
    case GA_b1:
        return launch_tiles<bool>(task, blocks, stream);
    case GA_i8:
    case GA_u8:
        return launch_tiles<uint8_t>(task, blocks, stream);
    case GA_i16:
    case GA_u16:
        return launch_tiles<uint16_t>(task, blocks, stream);
    case GA_i32:
    case GA_u32:
        return launch_tiles<uint32_t>(task, blocks, stream);
    case GA_i64:
    case GA_u64:
        return launch_tiles<uint64_t>(task, blocks, stream);
    case GA_f16:
        return launch_tiles<ga_half>(task, blocks, stream);
    case GA_f32:
        return launch_tiles<float>(task, blocks, stream);
    case GA_f64:
        return launch_tiles<double>(task, blocks, stream);
    case GA_c64:
        return launch_tiles<ga_c64>(task, blocks, stream);
    case GA_c128:
        return launch_tiles<ga_c128>(task, blocks, stream);
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "matmul has no loop for datetime64 and timedelta64");
    }
}

/* A batch that multiplies many a with one b is one product with more rows. */
static ga_matmul_call join_rows(const ga_matmul_call *call)
{
    ga_matmul_call joined = *call;
    for (int last = call->nbatch - 1; last >= 0; last = joined.nbatch - 1) {
        const int64_t a_step = joined.a_batch[last], c_step = joined.c_batch[last];
        const bool single = joined.m == 1, even = a_step == joined.m * joined.a_strides[0]
                                                  && c_step == joined.m * joined.c_strides[0];
        if (joined.b_batch[last] != 0 || !(single || even))
            break;
        joined.a_strides[0] = single ? a_step : joined.a_strides[0];
        joined.c_strides[0] = single ? c_step : joined.c_strides[0];
        joined.m *= joined.batch_shape[last];
        joined.nbatch = last;
    }
    return joined;
}

static int run_joined(const ga_matmul_call *call, ga_stream *stream)
{
    int64_t batches = count_batches(call);
    if (ga_matmul_is_thin(call))
        return ga_matmul_thin(call, batches, stream);
    const ga_matmul_call upright = call->m == 1 ? transpose_call(call) : *call;
    if (ga_matmul_is_short(&upright, batches))
        return ga_matmul_short(&upright, batches, stream);
    if (ga_matmul_is_small(call, batches))
        return ga_matmul_small(call, batches, stream);
    bool by_library = (GA_TYPES_FCE >> call->dtype & 1) && call->k > 0;
    int status = by_library ? ga_blas_matmul(call, stream) : 1;
    if (status == 1 && (call->out != call->dtype || call->dtype == GA_bf16))
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "matmul of bfloat16 and float8 on a GPU needs cuBLAS");
    return status == 1 ? multiply_tiles(call, batches, stream) : status;
}

int ga_matmul_run(const ga_matmul_call *call, ga_stream *stream)
{
    const bool empty = count_batches(call) == 0 || call->m == 0 || call->n == 0;
    const ga_matmul_call joined = join_rows(call);
    return empty ? 0 : run_joined(&joined, stream);
}
