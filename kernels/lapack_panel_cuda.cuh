/* One panel of an LU factorisation, in the registers of a block: rows, pivots, elimination.
 * Included by lapack_panel_cuda.cu, which says how; warp operations stand here as in block.cuh.
 * Includes lapack_cuda.cuh, port.cuh. */
#ifndef GA_LAPACK_PANEL_CUDA_CUH
#define GA_LAPACK_PANEL_CUDA_CUH

#include "lapack_cuda.cuh"
#include "port.cuh"

static const int width = 32;          /* columns of a panel; a warp has a lane for each */
static const int warps = GA_BLOCK / 32;
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

#endif
