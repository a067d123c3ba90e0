/* Interpolation at the points of a grid, as zoom and shift make it: what an axis contributes is found out once for a row
 * and once for a column. Owns ga_resample_grid_fits and ga_resample_grid_run.
 *
 * A row is a place along all axes of the result but the last. A block takes a tile of rows and columns. It first makes
 * tables in shared memory: for each column the taps along the last axis, an offset in src and a weight each, for each
 * row the combinations of the taps along the other axes. A thread goes down a column: the sum along the last axis at one
 * combination is a line, and where rows share lines, as they do along one other axis, it keeps them. Rows and columns
 * also say whether taps lie outside of the array, or the coordinate itself does, in which case the result is the
 * constant. Includes resample.cuh, resample_grid.h. */
#include "resample.cuh"
#include "resample_grid.h"

static const int most_columns = 64;
static const int few_taps = 8192, many_taps = 4096; /* elements of a tile */
static const int most_combinations = 512; /* of the rows of a tile, all together */
static const int64_t nowhere = INT64_MIN; /* the offset of a tap outside */

enum grid_state { GRID_INSIDE, GRID_PARTLY, GRID_OUTSIDE };

struct grid_plan {
    ga_interpolate_call call;
    int64_t rows, width, across;         /* of the result; tiles side by side */
    int32_t columns, tall, combinations; /* of a tile: columns, a power of two, and rows; of a row */
};

struct grid_tap {
    double weight;
    int64_t offset;
};

struct grid_tables {
    grid_tap column[(GA_RESAMPLE_ORDER + 1) * most_columns]; /* tap by tap */
    grid_tap axis[most_combinations];                        /* row by row, axis by axis */
    grid_tap row[most_combinations];                         /* row by row */
    int32_t column_state[most_columns], axis_state[most_combinations];
    int32_t row_state[most_combinations], fresh[most_combinations]; /* lines that the row before has not */
};

/* ---- tables ---- */

/* The taps along an axis for a place of the result, `apart` from each other in the table. */
template <int O>
GA_FN enum grid_state fill_taps(const ga_interpolate_call &call, int d, int64_t place, int apart, grid_tap *table)
{
    axis_taps<O> taps;
    enum grid_state state = GRID_INSIDE;
    double c = call.offset[d] + double(place) * call.matrix[d * call.ndim + d] + double(call.pad);
    if (!settle_coordinate(&c, call.shape[d], call.mode))
        return GRID_OUTSIDE;
    take_axis(call, d, c, &taps);
    GA_UNROLL
    for (int k = 0; k <= order_of<O>(call); k++) {
        bool inside = taps.index[k] >= 0;
        table[k * apart] = {taps.weight[k], inside ? taps.index[k] * call.strides[d] : nowhere};
        state = inside ? state : GRID_PARTLY;
    }
    return state;
}

template <int O> GA_FN void fill_columns(const grid_plan &plan, int64_t first, grid_tables &tables)
{
    for (int i = GA_THREAD; i < plan.columns && first + i < plan.width; i += GA_BLOCK)
        tables.column_state[i] =
            fill_taps<O>(plan.call, plan.call.ndim - 1, first + i, plan.columns, tables.column + i);
}

template <int O> GA_FN void fill_axes(const grid_plan &plan, int64_t first, int rows, grid_tables &tables)
{
    const ga_interpolate_call &call = plan.call;
    int axes = call.ndim - 1;
    for (int i = GA_BLOCK - 1 - GA_THREAD; i < rows * axes; i += GA_BLOCK) { /* the first threads have columns */
        int row = i / axes, axis = i - row * axes;
        int64_t place = first + row;
        for (int d = axes - 1; d > axis; d--)
            place = divide(place, call.dst_shape[d]);
        if (axis > 0)
            place -= divide(place, call.dst_shape[axis]) * call.dst_shape[axis];
        tables.axis_state[i] =
            fill_taps<O>(call, axis, place, 1, tables.axis + i * (order_of<O>(call) + 1));
    }
}

/* How many of a row's lines the row before has not: their axis but the last one before the columns' agree, and along
 * that one taps are the same, or one further. */
GA_FN int count_fresh(const ga_interpolate_call &call, const grid_tap *now, const grid_tap *before)
{
    int taps = call.order + 1, same = (call.ndim - 2) * taps;
    bool stays = true, moves = true;
    for (int k = 0; k < same; k++)
        stays = stays && now[k].offset == before[k].offset;
    moves = stays;
    for (int k = 0; k < taps; k++) {
        stays = stays && now[same + k].offset == before[same + k].offset;
        moves = moves && (k + 1 == taps || now[same + k].offset == before[same + k + 1].offset);
    }
    return stays ? 0 : moves ? 1 : taps;
}

/* Combination `number` of a row: the order's digits are the axes' taps, the last axis' first. */
GA_FN grid_tap combine_taps(const ga_interpolate_call &call, int number, const grid_tap *axes)
{
    grid_tap result = {1, 0};
    int taps = call.order + 1;
    for (int d = call.ndim - 2; d >= 0; d--) {
        int above = number / taps;
        const grid_tap &tap = axes[d * taps + number - above * taps];
        result.weight *= tap.weight;
        result.offset = result.offset == nowhere || tap.offset == nowhere ? nowhere : result.offset + tap.offset;
        number = above;
    }
    return result;
}

GA_FN void fill_rows(const grid_plan &plan, int rows, grid_tables &tables)
{
    const ga_interpolate_call &call = plan.call;
    int axes = call.ndim - 1, taps = axes * (call.order + 1);
    for (int i = GA_THREAD; i < rows * plan.combinations; i += GA_BLOCK) {
        int row = i / plan.combinations, number = i - row * plan.combinations, state = GRID_INSIDE;
        for (int d = 0; d < axes; d++)
            state = tables.axis_state[row * axes + d] > state ? tables.axis_state[row * axes + d] : state;
        if (state != GRID_OUTSIDE)
            tables.row[i] = combine_taps(call, number, tables.axis + row * taps);
        if (number > 0)
            continue;
        tables.row_state[row] = state;
        const grid_tap *now = tables.axis + row * taps;
        tables.fresh[row] = row > 0 && axes > 0 ? count_fresh(call, now, now - taps) : call.order + 1;
    }
}

/* ---- sums ---- */

template <int O> GA_FN bool has_tap(const ga_interpolate_call &call, int k)
{
    return O < GA_RESAMPLE_ORDER || k <= call.order;
}

/* The sum along the last axis. */
template <int O, class S>
GA_FN double add_line(const ga_interpolate_call &call, int64_t offset, const grid_tap *column)
{
    const char *p = static_cast<const char *>(call.src) + offset;
    double x[O + 1];
    GA_UNROLL
    for (int k = 0; k <= O; k++)
        if (has_tap<O>(call, k))
            x[k] = *reinterpret_cast<const S *>(p + column[k].offset);
    double sum = column[0].weight * x[0];
    GA_UNROLL
    for (int k = 1; k <= O; k++)
        if (has_tap<O>(call, k))
            sum += column[k].weight * x[k];
    return sum;
}

/* The sum over all combinations of a row, as many at once as an axis has taps; of any order one at a time. */
template <int O, class S>
GA_FN double add_row(const grid_plan &plan, const grid_tap *row, const grid_tap *column)
{
    const int side = O < GA_RESAMPLE_ORDER ? O + 1 : 1;
    double sum = 0;
    GA_ROLLED
    for (int m = 0; m < plan.combinations; m += side) {
        double line[side];
        GA_UNROLL
        for (int k = 0; k < side; k++)
            line[k] = add_line<O, S>(plan.call, row[m + k].offset, column);
        GA_UNROLL
        for (int k = 0; k < side; k++)
            sum += row[m + k].weight * line[k];
    }
    return sum;
}

/* The sum where a row's combinations are the taps of one axis, whose lines are kept from row to row. */
template <int O, class S>
GA_FN double add_kept(const grid_plan &plan, const grid_tap *row, const grid_tap *column, int fresh, double *line)
{
    if (fresh == 1) {
        GA_UNROLL
        for (int k = 0; k < O; k++)
            line[k] = line[k + 1];
        line[O] = add_line<O, S>(plan.call, row[O].offset, column);
    } else if (fresh > 1) {
        GA_UNROLL
        for (int k = 0; k <= O; k++)
            line[k] = add_line<O, S>(plan.call, row[k].offset, column);
    }
    double sum = row[0].weight * line[0];
    GA_UNROLL
    for (int k = 1; k <= O; k++)
        sum += row[k].weight * line[k];
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
            double x = inside ? load_real(p + rows[m].offset + tap.offset, 0, call.short_src) : call.outside;
            sum += rows[m].weight * tap.weight * x;
        }
    return sum;
}

/* Rows [row, end) of column i of a tile, which is column `at` of the result. */
template <int O, class S>
GA_FN void walk_column(const grid_plan &plan, const grid_tables &tables, int i, int row, int end, int64_t at)
{
    grid_tap column[O + 1];
    double line[O + 1], value;
    bool kept = false, keeps = O < GA_RESAMPLE_ORDER && plan.combinations == O + 1;
    GA_UNROLL
    for (int k = 0; k <= O; k++)
        if (has_tap<O>(plan.call, k))
            column[k] = tables.column[k * plan.columns + i];
    GA_ROLLED
    for (; row < end; row++, at += plan.width) {
        const grid_tap *combined = tables.row + row * plan.combinations;
        int state = tables.row_state[row] > tables.column_state[i] ? tables.row_state[row] : tables.column_state[i];
        if (state == GRID_INSIDE && keeps)
            value = add_kept<O, S>(plan, combined, column, kept ? tables.fresh[row] : O + 1, line);
        else if (state == GRID_INSIDE)
            value = add_row<O, S>(plan, combined, column);
        else
            value = state == GRID_PARTLY ? add_partly(plan, combined, tables.column + i) : plan.call.outside;
        kept = state == GRID_INSIDE;
        store_value(plan.call, at, value);
    }
}

/* Threads that share a column take parts of its rows. */
template <int O>
GA_FN void walk_tile(const grid_plan &plan, const grid_tables &tables, int64_t first_row, int64_t first_column, int rows)
{
    int shared_by = GA_BLOCK > plan.columns ? GA_BLOCK / plan.columns : 1, part = (rows + shared_by - 1) / shared_by;
    int row = GA_THREAD / plan.columns * part, end = row + part < rows ? row + part : rows;
    for (int i = GA_THREAD % plan.columns; i < plan.columns && first_column + i < plan.width; i += GA_BLOCK) {
        int64_t at = (first_row + row) * plan.width + first_column + i;
        if (O != 3 && plan.call.short_src)
            walk_column<O, float>(plan, tables, i, row, end, at);
        else
            walk_column<O, double>(plan, tables, i, row, end, at);
    }
}

template <int O> GA_KERNEL interpolate_grid(GA_PARAM grid_plan plan)
{
    GA_AWAIT();
    GA_SHARED grid_tables tables;
    int64_t down = divide(GA_BLOCK_ID, plan.across), first_row = down * plan.tall;
    int64_t first_column = (GA_BLOCK_ID - down * plan.across) * plan.columns;
    int rows = int(plan.rows - first_row < plan.tall ? plan.rows - first_row : plan.tall);
    fill_columns<O>(plan, first_column, tables);
    fill_axes<O>(plan, first_row, rows, tables);
    GA_SYNC();
    fill_rows(plan, rows, tables);
    GA_SYNC();
    walk_tile<O>(plan, tables, first_row, first_column, rows);
}

/* ---- launches ---- */

bool ga_resample_grid_fits(const ga_interpolate_call *call)
{
    if (call->coordinates || call->ndim != call->dst_ndim || call->size / call->dst_shape[call->ndim - 1] < 4
        || call->dst_shape[call->ndim - 1] < 4)
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
    plan->tall = (call->order < 2 ? few_taps : many_taps) / plan->columns;
    int entries = call->ndim > 1 ? (call->ndim - 1) * (call->order + 1) : 1; /* of a row, in the larger table */
    entries = entries > plan->combinations ? entries : plan->combinations;
    while (plan->tall > 1
           && (plan->tall * entries > most_combinations
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
    switch (call->ndim > 1 && (call->order < 2 || !call->short_src) ? call->order : GA_RESAMPLE_ORDER) {
    case 0:
        return ga_launch(interpolate_grid<0>, blocks, stream, plan);
    case 1:
        return ga_launch(interpolate_grid<1>, blocks, stream, plan);
    case 3:
        return ga_launch(interpolate_grid<3>, blocks, stream, plan);
    default:
        return ga_launch(interpolate_grid<GA_RESAMPLE_ORDER>, blocks, stream, plan);
    }
}
