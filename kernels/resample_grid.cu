/* Interpolation at the points of a grid, as zoom and shift make it: what an axis contributes is found out once for a row
 * and once for a column. Owns ga_resample_grid_fits and ga_resample_grid_run.
 *
 * A row is a place along all axes of the result but the last. A block takes a tile of rows and columns. It first makes
 * tables in shared memory: for each column the taps along the last axis, an offset in src and a weight each, for each
 * row the combinations of the taps along the other axes. Then an element is the sum over both. Rows and columns also
 * say whether taps lie outside of the array, or the coordinate itself does, in which case the result is the constant.
 * Includes resample.cuh, resample_grid.h. */
#include "resample.cuh"
#include "resample_grid.h"

static const int most_columns = 64, tile_elements = 2048;
static const int most_combinations = 512; /* of the rows of a tile, all together */
static const int64_t nowhere = INT64_MIN; /* the offset of a tap outside */

enum grid_state { GRID_INSIDE, GRID_PARTLY, GRID_OUTSIDE };

struct grid_plan {
    ga_interpolate_call call;
    int64_t rows, width, across;        /* of the result; tiles side by side */
    int32_t columns, tall, combinations; /* of a tile: columns, a power of two, and rows; of a row */
};

struct grid_tap {
    double weight;
    int64_t offset;
};

struct grid_tables {
    grid_tap column[(GA_RESAMPLE_ORDER + 1) * most_columns]; /* tap by tap */
    grid_tap row[most_combinations];                         /* row by row */
    int32_t column_state[most_columns], row_state[most_combinations];
};

/* The taps along an axis for a place of the result. */
GA_FN enum grid_state settle_place(const ga_interpolate_call &call, int d, int64_t place, axis_taps *taps)
{
    double c = call.offset[d] + double(place) * call.matrix[d * call.ndim + d] + double(call.pad);
    if (!settle_coordinate(&c, call.shape[d], call.mode))
        return GRID_OUTSIDE;
    take_axis(call, d, c, taps);
    return GRID_INSIDE;
}

GA_FN void fill_columns(const grid_plan &plan, int64_t first, grid_tables &tables)
{
    const ga_interpolate_call &call = plan.call;
    int last = call.ndim - 1;
    for (int i = GA_THREAD; i < plan.columns && first + i < plan.width; i += GA_BLOCK) {
        axis_taps taps;
        enum grid_state state = settle_place(call, last, first + i, &taps);
        for (int k = 0; state != GRID_OUTSIDE && k <= call.order; k++) {
            bool inside = taps.index[k] >= 0;
            tables.column[k * plan.columns + i] = {taps.weight[k],
                                                   inside ? taps.index[k] * call.strides[last] : nowhere};
            state = inside ? state : GRID_PARTLY;
        }
        tables.column_state[i] = state;
    }
}

/* Combination `number` of a row's taps: the order's digits are the axes' taps, the last axis' first. */
GA_FN enum grid_state combine_taps(const ga_interpolate_call &call, int64_t row, int number, grid_tap *result)
{
    enum grid_state state = GRID_INSIDE;
    *result = {1, 0};
    for (int d = call.ndim - 2; d >= 0; d--) {
        axis_taps taps;
        int64_t above = d == 0 ? 0 : divide(row, call.dst_shape[d]);
        int digit = number % (call.order + 1);
        if (settle_place(call, d, row - above * call.dst_shape[d], &taps) == GRID_OUTSIDE)
            return GRID_OUTSIDE;
        state = taps.index[digit] < 0 ? GRID_PARTLY : state;
        result->weight *= taps.weight[digit];
        result->offset += taps.index[digit] * call.strides[d];
        number /= call.order + 1;
        row = above;
    }
    if (state == GRID_PARTLY)
        result->offset = nowhere;
    return state;
}

/* States are begun before a barrier; of the combinations of a row those that write a state write the same. */
GA_FN void fill_rows(const grid_plan &plan, int64_t first, int rows, grid_tables &tables)
{
    for (int i = GA_THREAD; i < rows * plan.combinations; i += GA_BLOCK) {
        int row = i / plan.combinations;
        enum grid_state state = combine_taps(plan.call, first + row, i - row * plan.combinations, &tables.row[i]);
        if (state != GRID_INSIDE)
            tables.row_state[row] = state;
    }
}

/* ---- sums ---- */

/* Taps of a kernel for order O; that for the highest order takes any. */
template <int O> GA_FN bool has_tap(const ga_interpolate_call &call, int k)
{
    return O < GA_RESAMPLE_ORDER || k <= call.order;
}

/* The sum over G combinations, whose elements are all loaded first. */
template <int O, int G, class S>
GA_FN double add_rows(const ga_interpolate_call &call, const grid_tap *rows, const grid_tap *column)
{
    double x[G][O + 1], sum = 0;
    GA_UNROLL
    for (int g = 0; g < G; g++) {
        const char *p = static_cast<const char *>(call.src) + rows[g].offset;
        GA_UNROLL
        for (int k = 0; k <= O; k++)
            if (has_tap<O>(call, k))
                x[g][k] = *reinterpret_cast<const S *>(p + column[k].offset);
    }
    GA_UNROLL
    for (int g = 0; g < G; g++) {
        double line = 0;
        GA_UNROLL
        for (int k = 0; k <= O; k++)
            if (has_tap<O>(call, k))
                line += column[k].weight * x[g][k];
        sum += rows[g].weight * line;
    }
    return sum;
}

template <int O, int G> GA_FN double add_inside_taps(const grid_plan &plan, const grid_tap *rows, const grid_tap *column)
{
    double sum = 0;
    GA_ROLLED
    for (int m = 0; m < plan.combinations; m += G)
        sum += plan.call.short_src ? add_rows<O, G, float>(plan.call, rows + m, column)
                                   : add_rows<O, G, double>(plan.call, rows + m, column);
    return sum;
}

/* The sum where some taps are the constant. */
GA_FN_CALL double add_partly(const grid_plan &plan, const grid_tap *rows, const grid_tap *column)
{
    const ga_interpolate_call &call = plan.call;
    double sum = 0;
    for (int m = 0; m < plan.combinations; m++)
        for (int k = 0; k <= call.order; k++) {
            const grid_tap &tap = column[k * plan.columns];
            bool inside = rows[m].offset != nowhere && tap.offset != nowhere;
            const char *p = static_cast<const char *>(call.src);
            double x = inside ? load_real(p + rows[m].offset + tap.offset, call.short_src) : call.outside;
            sum += rows[m].weight * tap.weight * x;
        }
    return sum;
}

/* Column i of a tile; thread `lane` of those that share it. */
template <int O, int G>
GA_FN void write_column(const grid_plan &plan, const grid_tables &tables, int i, int64_t first_row, int64_t at, int rows)
{
    grid_tap column[O + 1];
    GA_UNROLL
    for (int k = 0; k <= O; k++)
        if (has_tap<O>(plan.call, k))
            column[k] = tables.column[k * plan.columns + i];
    int step = GA_BLOCK > plan.columns ? GA_BLOCK / plan.columns : 1;
    GA_ROLLED
    for (int row = GA_THREAD / plan.columns; row < rows; row += step) {
        const grid_tap *combined = tables.row + row * plan.combinations;
        int state = tables.row_state[row] > tables.column_state[i] ? tables.row_state[row] : tables.column_state[i];
        double value = plan.call.outside;
        if (state == GRID_INSIDE)
            value = add_inside_taps<O, G>(plan, combined, column);
        else if (state == GRID_PARTLY)
            value = add_partly(plan, combined, tables.column + i);
        store_value(plan.call, (first_row + row) * plan.width + at, value);
    }
}

template <int O, int G> GA_KERNEL interpolate_grid(GA_PARAM grid_plan plan)
{
    GA_AWAIT();
    GA_SHARED grid_tables tables;
    int64_t down = divide(GA_BLOCK_ID, plan.across), first_row = down * plan.tall;
    int64_t first_column = (GA_BLOCK_ID - down * plan.across) * plan.columns;
    int rows = int(plan.rows - first_row < plan.tall ? plan.rows - first_row : plan.tall);
    for (int i = GA_THREAD; i < rows; i += GA_BLOCK)
        tables.row_state[i] = GRID_INSIDE;
    fill_columns(plan, first_column, tables);
    GA_SYNC();
    fill_rows(plan, first_row, rows, tables);
    GA_SYNC();
    for (int i = GA_THREAD % plan.columns; i < plan.columns; i += GA_BLOCK)
        if (first_column + i < plan.width)
            write_column<O, G>(plan, tables, i, first_row, first_column + i, rows);
}

/* ---- launches ---- */

bool ga_resample_grid_fits(const ga_interpolate_call *call)
{
    if (call->coordinates || call->ndim != call->dst_ndim)
        return false;
    for (int d = 0; d < call->ndim; d++)
        for (int e = 0; e < call->ndim; e++)
            if (call->carry[d] || (d != e && call->matrix[d * call->ndim + e] != 0))
                return false;
    return true;
}

/* Tiles of few columns where rows are short, and of fewer rows where there would be few tiles. */
static void plan_tiles(const ga_interpolate_call *call, grid_plan *plan)
{
    plan->call = *call;
    plan->width = call->dst_shape[call->ndim - 1];
    plan->rows = call->size / plan->width;
    plan->combinations = 1;
    for (int d = 0; d + 1 < call->ndim; d++)
        plan->combinations *= call->order + 1;
    plan->columns = most_columns;
    while (plan->columns > 1 && plan->columns / 2 >= plan->width)
        plan->columns /= 2;
    plan->tall = tile_elements / plan->columns;
    while (plan->tall > 1
           && (plan->tall * plan->combinations > most_combinations
               || (plan->tall * plan->columns > 256 && call->size < int64_t(plan->tall * plan->columns) * 512)))
        plan->tall /= 2;
    plan->across = (plan->width + plan->columns - 1) / plan->columns;
}

int ga_resample_grid_run(const ga_interpolate_call *call, ga_stream *stream)
{
    grid_plan plan;
    memset(&plan, 0, sizeof plan);
    plan_tiles(call, &plan);
    int64_t blocks = plan.across * ((plan.rows + plan.tall - 1) / plan.tall);
    if (call->order == 1 && call->ndim > 1)
        return ga_launch((interpolate_grid<1, 2>), blocks, stream, plan);
    if (call->order == 3 && call->ndim > 1)
        return ga_launch((interpolate_grid<3, 4>), blocks, stream, plan);
    return ga_launch((interpolate_grid<GA_RESAMPLE_ORDER, 1>), blocks, stream, plan);
}
