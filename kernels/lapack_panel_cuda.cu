/* LU with row exchanges of float64 matrices of which a block can hold a panel, in about two thirds
 * of cuSOLVER's time. Owns ga_lapack_has_panels and ga_lapack_factor_panels.
 *
 * For each panel of 32 columns one block factorises it, warps exchange the rows of all other
 * columns and solve for U's part of them, a column each, and cuBLAS multiplies what is left. In the
 * panel's block a thread holds some rows in registers, NB columns at a time. Rows are not moved
 * while columns are eliminated: a row has a place, and exchanges are of places. For each column a
 * warp offers its best row, with what is left of it, and all threads take the best of the offers:
 * one barrier. How large an element is counts in 20 bits, so that size and place fit into one word:
 * a pivot may be smaller than the greatest by 2^-9, by which the factors grow no further than by
 * exact choice in any case that matters.
 *
 * Exchanges of a panel are kept as one permutation of the rows that they touch. Includes
 * lapack_panel_cuda.cuh, cublas_cuda.h. */
#include "lapack_panel_cuda.cuh"

#include "cublas_cuda.h"

static const int most_rows = 6 * GA_BLOCK; /* with 8, and fewer registers for each, cuSOLVER is as fast */

/* ---- the panel's other columns ---- */

/* x[k] of lane k becomes that of L y = x, L the unit lower triangle in `lower`, columns first. */
template <int size, int pitch>
GA_FN double
solve_lower(double x, const double (&lower)[size][pitch])
{
    const int lane = GA_THREAD % 32;
    GA_UNROLL
    for (int k = 0; k < size - 1; k++) {
        double above = __shfl_sync(all_lanes, x, k);
        if (lane > k && lane < size)
            x = fma(-lower[k][lane], above, x);
    }
    return x;
}

/* A warp a column: rows exchanged in those that the NB from `begin` on are not among; those behind become U's. */
template <int NB>
GA_FN void
exchange_inside(const panel_task &task, int begin, panel_memory<NB> &memory)
{
    const int lane = GA_THREAD % 32, warp = GA_THREAD / 32, left = task.columns - begin;
    const int count = left < NB ? left : NB;
    if (warp == 0) {
        lane_exchange e = compose_exchanges(lane < count ? memory.pivots[begin + lane] - begin : lane, count);
        memory.exchanges.top[lane] = e.top;
        memory.exchanges.out[lane] = e.out;
        memory.exchanges.from[lane] = e.from;
    }
    GA_SYNC();
    int top = memory.exchanges.top[lane], out = memory.exchanges.out[lane], from = memory.exchanges.from[lane];
    for (int q = warp; q < task.columns; q += warps) {
        if (q >= begin && q < begin + NB)
            continue;
        double *column = task.a + begin + int64_t(q) * task.n;
        double x = lane < count ? column[top] : 0.0, y = out >= 0 ? column[from] : 0.0;
        __syncwarp();
        if (q >= begin + NB) {
            x = solve_lower(x, memory.lower);
            if (lane < NB)
                memory.upper[lane][q] = x;
        }
        if (lane < count)
            column[lane] = x;
        if (out >= 0)
            column[out] = y;
    }
    GA_SYNC();
}

/* The columns behind the NB, less what those times U is: four at a time, all loads before all stores. */
template <int R, int NB>
GA_FN void
update_rest(const panel_task &task, int begin, const panel_rows<R, NB> &rows, const panel_memory<NB> &memory)
{
    constexpr int some = 4;
    for (int q = begin + NB; q < task.columns; q += some) {
        double rest[R][some];
        GA_UNROLL
        for (int e = 0; e < R * some; e++) {
            const double *element = find_element(task, rows.place[e / some], q + e % some);
            rest[e / some][e % some] = element ? *element : 0.0;
        }
        GA_UNROLL
        for (int k = 0; k < NB; k++) {
            GA_UNROLL
            for (int e = 0; e < R * some; e++)
                rest[e / some][e % some] =
                    fma(-rows.v[e / some][k], memory.upper[k][q + e % some], rest[e / some][e % some]);
        }
        GA_UNROLL
        for (int e = 0; e < R * some; e++) {
            double *element = find_element(task, rows.place[e / some], q + e % some);
            if (element && rows.place[e / some] >= begin + NB)
                *element = rest[e / some][e % some];
        }
    }
    GA_SYNC();
}

/* ---- kernels ---- */

/* What the launches after this one need: pivots, and the exchanges as a permutation. */
template <int NB>
GA_FN void
report_exchanges(const panel_task &task, const panel_memory<NB> &memory)
{
    const int lane = GA_THREAD;
    for (int i = GA_THREAD; task.first == 0 && i < task.n; i += GA_BLOCK)
        task.order[i] = i;
    if (lane >= 32)
        return;
    lane_exchange e = compose_exchanges(lane < task.columns ? memory.pivots[lane] : lane, task.columns);
    task.exchanges->top[lane] = e.top;
    task.exchanges->out[lane] = e.out;
    task.exchanges->from[lane] = e.from;
    if (lane < task.columns)
        task.pivots[lane] = task.first + memory.pivots[lane] + 1;
}

/* One block. */
template <int R, int NB>
GA_KERNEL
factor_panel(GA_PARAM panel_task task)
{
    GA_AWAIT();
    GA_SHARED panel_memory<NB> memory;
    for (int begin = 0; begin < task.columns; begin += NB) {
        panel_rows<R, NB> rows;
        load_rows(task, begin, rows);
        factor_columns<0>(task, begin, rows, memory);
        store_rows(task, begin, rows, memory);
        GA_SYNC();
        if (task.columns > NB) {
            exchange_inside(task, begin, memory);
            update_rest(task, begin, rows, memory);
        }
    }
    report_exchanges(task, memory);
}

/* A warp a column outside the panel, and one for the order. */
GA_KERNEL
exchange_rows(GA_PARAM panel_task task)
{
    GA_AWAIT();
    GA_SHARED double lower[width][width + 1];
    const int lane = GA_THREAD % 32, others = task.n - task.columns, count = task.columns;
    for (int e = GA_THREAD; e < width * width; e += GA_BLOCK) {
        int row = e % width, column = e / width;
        lower[column][row] = row < count && column < count ? task.a[row + int64_t(column) * task.n] : 0.0;
    }
    GA_SYNC();
    int top = task.exchanges->top[lane], out = task.exchanges->out[lane], from = task.exchanges->from[lane];
    for (int64_t q = GA_BLOCK_ID * warps + GA_THREAD / 32; q <= others; q += GA_GRID * warps) {
        if (q == others) {
            int *order = task.order + task.first, x = lane < count ? order[top] : 0, y = out >= 0 ? order[from] : 0;
            __syncwarp();
            if (lane < count)
                order[lane] = x;
            if (out >= 0)
                order[out] = y;
            continue;
        }
        int64_t distance = q < task.first ? q - task.first : q - task.first + count;
        double *column = task.a + distance * task.n;
        double x = lane < count ? column[top] : 0.0, y = out >= 0 ? column[from] : 0.0;
        __syncwarp();
        if (distance > 0)
            x = solve_lower(x, lower);
        if (lane < count)
            column[lane] = x;
        if (out >= 0)
            column[out] = y;
    }
}

/* ---- launches ---- */

static int
launch_panel(const panel_task &task, ga_stream *stream)
{
    int left = task.n - task.first;
    return left <= 2 * GA_BLOCK   ? ga_launch((factor_panel<2, 16>), 1, stream, task)
           : left <= 4 * GA_BLOCK ? ga_launch((factor_panel<4, 16>), 1, stream, task)
                                  : ga_launch((factor_panel<6, 8>), 1, stream, task);
}

struct panel_product {
    decltype(&cublasDgemm) call;
    cublasHandle_t handle;
};

/* What is left, less the panel below its square times U's rows beside it. */
static int
multiply_rest(const panel_task &task, const panel_product &product)
{
    const double one = 1, minus = -1;
    int n = task.n, columns = task.columns, left = n - task.first - columns;
    double *below = task.a + columns, *beside = task.a + int64_t(columns) * n;
    if (left == 0)
        return 0;
    return ga_cublas_check(product.call(product.handle, CUBLAS_OP_N, CUBLAS_OP_N, left, left, columns, &minus, below,
                                        n, beside, n, &one, beside + columns, n),
                           "gemm");
}

static int
factor_matrix(const lapack_job *job, panel_task task, const panel_product &product)
{
    double *a = task.a;
    int64_t *pivots = task.pivots;
    for (; task.first < task.n; task.first += width) {
        int left = task.n - task.first, others;
        task.columns = left < width ? left : width;
        task.a = a + task.first * (int64_t(task.n) + 1);
        task.pivots = pivots + task.first;
        others = task.n - task.columns;
        if (launch_panel(task, job->stream) ||
            ga_launch(exchange_rows, others / warps + 1, job->stream, task) || multiply_rest(task, product))
            return -1;
    }
    return 0;
}

static int
factor_stack(const lapack_job *job, int64_t *pivots, int *order, row_exchanges *exchanges, cublasHandle_t handle)
{
    int n = int(job->call->rows);
    panel_product product = {
        reinterpret_cast<decltype(&cublasDgemm)>(ga_cublas_function("cublasDgemm_v2")), handle};
    int status = product.call ? 0 : -1;
    for (int64_t i = 0; status == 0 && i < job->call->count; i++) {
        panel_task task = {static_cast<double *>(lapack_matrix(job, i)), n, 0, 0, pivots + i * n, job->info + i,
                              order + i * n, exchanges};
        status = factor_matrix(job, task, product);
    }
    return status;
}

bool
ga_lapack_has_panels(const lapack_job *job)
{
    return job->call->dtype == GA_f64 && job->call->rows <= most_rows;
}

int
ga_lapack_factor_panels(const lapack_job *job, int64_t *pivots, int *order)
{
    void *exchanges;
    cublasHandle_t handle;
    if (ga_runtime_alloc(sizeof(row_exchanges), job->stream, &exchanges))
        return -1;
    int status = ga_cublas_begin(job->stream, &handle);
    if (status == 0) {
        auto *own = static_cast<row_exchanges *>(exchanges);
        status = factor_stack(job, pivots, order, own, handle);
        ga_cublas_end();
    }
    return ga_runtime_free(exchanges, job->stream) | status ? -1 : 0;
}
