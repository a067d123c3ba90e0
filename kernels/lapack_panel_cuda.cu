/* LU with row exchanges of float64 matrices of which a block can hold a panel, in about two thirds of cuSOLVER's time. Owns
 * ga_lapack_has_panels and ga_lapack_factor_panels.
 *
 * For each panel of 32 columns one block factorises it, warps exchange the rows of all other columns and solve for U's part of
 * them, a column each, and cuBLAS multiplies what is left. In the panel's block a thread holds some rows in registers, NB columns at a
 * time. Rows are not moved while columns are eliminated: a row has a place, and exchanges are of places. For each column a
 * warp offers its best row, with what is left of it, and all threads take the best of the offers: one barrier. How large
 * an element is counts in 20 bits, so that size and place fit into one word: a pivot may be smaller than
 * the greatest by 2^-9, by which the factors grow no further than by exact choice in any case that matters.
 *
 * Exchanges of a panel are kept as one permutation of the rows that they touch. Includes lapack_cuda.cuh, cublas_cuda.h, port.cuh. */
#include "lapack_cuda.cuh"

#include "cublas_cuda.h"
#include "port.cuh"

static const int width = 32;          /* columns of a panel; a warp has a lane for each */
static const int warps = GA_BLOCK / 32;
static const int most_rows = 6 * GA_BLOCK; /* with 8, and fewer registers for each, cuSOLVER is as fast */
static const unsigned all_lanes = 0xffffffffu;

/* Row i of the panel gets row top[i]; row out[i], below the panel's square, gets row from[i], or out[i] is -1. From the
 * panel's first row on. */
struct row_exchanges {
    int top[width], out[width], from[width];
};

struct panel_task {
    double *a; /* the panel's first element; columns are n elements apart */
    int n, first, columns;
    int64_t *pivots; /* as LAPACK's, counted from 1 */
    int *info;       /* the first column without a pivot, counted from 1, or 0 */
    int *order;      /* which row of the matrix stands where: made by the first panel */
    row_exchanges *exchanges;
};

/* ---- one warp: exchanges as a permutation ---- */

struct lane_exchange {
    int top, out, from;
};

/* Of rows (k, p of lane k) for k below `count`, one after the other. */
GA_FN lane_exchange
compose_exchanges(int p, int count)
{
    const int lane = GA_THREAD % 32;
    p = lane < count ? p : lane;
    int holder = __ffs(int(__match_any_sync(all_lanes, p))) - 1; /* the lane that stands for row p */
    int inside = lane, outside = p;
    for (int k = 0; k < count; k++) {
        int other = __shfl_sync(all_lanes, p, k), lane_of = __shfl_sync(all_lanes, holder, k);
        int mine = __shfl_sync(all_lanes, inside, k), near = __shfl_sync(all_lanes, inside, other & 31),
            far = __shfl_sync(all_lanes, outside, lane_of);
        bool in_square = other < count;
        if (lane == k)
            inside = in_square ? near : far;
        if (in_square && lane == other)
            inside = mine;
        if (!in_square && lane == lane_of)
            outside = mine;
    }
    return {inside, lane < count && p >= count && holder == lane ? p : -1, outside};
}

/* ---- the rows of a thread ---- */

template <int R, int NB> struct panel_rows {
    double v[R][NB];
    int place[R];
};

template <int NB> struct panel_memory {
    double offer[2][warps][NB]; /* of each warp's best row, what is not eliminated yet */
    uint32_t rank[2][warps];
    double lower[NB][NB], upper[NB][width];
    int pivots[width];
    row_exchanges exchanges;
};

/* Memory of row `place`, column `column` of the panel; NULL where there is none. */
GA_FN double *
find_element(const panel_task &task, int place, int column)
{
    bool there = place < task.n - task.first && column < task.columns;
    return there ? task.a + place + int64_t(column) * task.n : nullptr;
}

template <int R, int NB>
GA_FN void
load_rows(const panel_task &task, int begin, panel_rows<R, NB> &rows)
{
    GA_UNROLL
    for (int i = 0; i < R; i++) {
        rows.place[i] = GA_THREAD + i * GA_BLOCK;
        GA_UNROLL
        for (int k = 0; k < NB; k++) {
            const double *element = find_element(task, rows.place[i], begin + k);
            rows.v[i][k] = element ? *element : 0.0;
        }
    }
}

template <int R, int NB>
GA_FN void
store_rows(const panel_task &task, int begin, const panel_rows<R, NB> &rows, panel_memory<NB> &memory)
{
    GA_UNROLL
    for (int i = 0; i < R; i++) {
        int square = rows.place[i] - begin;
        GA_UNROLL
        for (int k = 0; k < NB; k++) {
            if (double *element = find_element(task, rows.place[i], begin + k))
                *element = rows.v[i][k];
            if (square >= 0 && square < NB)
                memory.lower[k][square] = rows.v[i][k];
        }
    }
}

/* ---- one column ---- */

/* Size above place, the first place winning; what is not 0 is above 0. */
GA_FN uint32_t
rank_element(double x, int place)
{
    uint32_t size = uint32_t(uint64_t(__double_as_longlong(fabs(x))) >> 43);
    return (size | (size == 0 && x != 0)) << 12 | uint32_t(4095 - place);
}

GA_FN int
place_of(uint32_t rank)
{
    return 4095 - int(rank & 4095);
}

/* The warp's best row from place `at` on, for column c of the NB. */
template <int c, int R, int NB>
GA_FN void
offer_row(const panel_task &task, int at, const panel_rows<R, NB> &rows, panel_memory<NB> &memory)
{
    const int warp = GA_THREAD / 32, last = task.n - task.first;
    uint32_t mine = 0;
    GA_UNROLL
    for (int i = 0; i < R; i++)
        if (rows.place[i] >= at && rows.place[i] < last)
            mine = max(mine, rank_element(rows.v[i][c], rows.place[i]));
    uint32_t best = __reduce_max_sync(all_lanes, mine);
    if (GA_THREAD % 32 == 0)
        memory.rank[c % 2][warp] = best;
    if (best == 0 || mine != best)
        return;
    GA_UNROLL
    for (int i = 0; i < R; i++)
        if (rows.place[i] == place_of(best)) {
            GA_UNROLL
            for (int k = c; k < NB; k++)
                memory.offer[c % 2][warp][k] = rows.v[i][k];
        }
}

GA_FN double
find_reciprocal(double x)
{
    if (!(fabs(x) > 0x1p-1000 && fabs(x) < 0x1p1000))
        return 1 / x;
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    r = fma(r, fma(-x, r, 1.0), r);
    return fma(r, fma(-x, r, 1.0), r);
}

/* The best offer's row becomes row `at`, and is taken from the rows below. */
template <int c, int R, int NB>
GA_FN void
eliminate_column(const panel_task &task, int at, panel_rows<R, NB> &rows, panel_memory<NB> &memory)
{
    uint32_t theirs = memory.rank[c % 2][GA_THREAD % warps], best = __reduce_max_sync(all_lanes, theirs);
    int from = __ffs(int(__ballot_sync(all_lanes, theirs == best))) - 1, chosen = place_of(best);
    const double *u = memory.offer[c % 2][from];
    bool none = u[c] == 0.0;
    double inverse = none ? 0.0 : find_reciprocal(u[c]);
    if (GA_THREAD == 0) {
        memory.pivots[at] = chosen;
        if (none && *task.info == 0)
            *task.info = task.first + at + 1;
    }
    GA_UNROLL
    for (int i = 0; i < R; i++) {
        int place = rows.place[i];
        rows.place[i] = place == chosen ? at : place == at ? chosen : place;
        double factor = rows.place[i] > at ? rows.v[i][c] * inverse : 0.0;
        rows.v[i][c] = rows.place[i] > at ? factor : rows.v[i][c];
        GA_UNROLL
        for (int k = c + 1; k < NB; k++)
            rows.v[i][k] = fma(-factor, u[k], rows.v[i][k]);
    }
}

template <int c, int R, int NB>
GA_FN void
factor_columns(const panel_task &task, int begin, panel_rows<R, NB> &rows, panel_memory<NB> &memory)
{
    if constexpr (c < NB) {
        if (begin + c < task.columns) {
            offer_row<c>(task, begin + c, rows, memory);
            GA_SYNC();
            eliminate_column<c>(task, begin + c, rows, memory);
        }
        factor_columns<c + 1>(task, begin, rows, memory);
    }
}

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
