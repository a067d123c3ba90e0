/* Tiles for filters over boxes, on a GPU: a block has a part of the array in its shared memory, with the neighbours
 * that boxes reach, borders settled. Owns tile_plan, how it is made, and what all threads of a block do with it.
 *
 * A tile has three axes, outermost first: those along which boxes are longer than one place, and others, innermost
 * first, as far as there is room; along the rest blocks lie one after the other. Staged items lie in C order. A thread
 * of a filter makes `run` places in a row or, for a run of one, any. Includes border.cuh and iterate.cuh. */
#pragma once
#include "../csrc/core/call/window.h"
#include "border.cuh"
#include "iterate.cuh"

static const int64_t tile_most_bytes = 49152; /* of shared memory, without asking for more */
static const int tile_least = 32; /* runs of a tile: a warp has work */

struct tile_axis {
    int64_t src_stride, dst_stride, src_size, start;
    int32_t size, window;
    int32_t places; /* of dst that a tile makes */
    int32_t reach;  /* of src that they see */
    ga_divider tiles, by_places, by_reach;
};

struct tile_plan {
    tile_axis axes[GA_WINDOW_AXES];
    ga_walk<2> others;
    int64_t blocks;
    int32_t border;
    ga_scalar outside;
    const char *src;
    char *dst;
};

/* What a filter asks of its tiles: places in a row of a thread, how often a tile has them at most, bytes of an item. */
struct tile_form {
    int run, most, item;
};

/* ---- plans ---- */

static inline int64_t tile_items(const tile_plan *plan)
{
    return int64_t(plan->axes[0].reach) * plan->axes[1].reach * plan->axes[2].reach;
}

/* Of where rows and columns lie, and of staged items, of which a thread may read one more. */
static inline int64_t tile_bytes(const tile_plan *plan, const tile_form *form)
{
    int64_t rows = int64_t(plan->axes[0].reach) * plan->axes[1].reach + plan->axes[2].reach;
    int64_t made = int64_t(plan->axes[0].places) * plan->axes[1].places;
    return int64_t(sizeof(int64_t)) * (rows + 2 * made) + form->item * (tile_items(plan) + 1);
}

/* As few tiles as hold `most` parts of the axis each, of even size. */
static inline void cut_tiles(tile_axis *axis, int64_t most, int run)
{
    int64_t parts = (axis->size + run - 1) / run;
    int64_t count = (parts + most - 1) / most;
    axis->places = int32_t((parts + count - 1) / count * run);
    axis->reach = axis->places + axis->window - 1;
}

/* Cuts the axes into tiles of so many rows, where there are as many, and of `most` runs of places. */
static inline void cut_rows(tile_plan *plan, int rows, int most, int run)
{
    tile_axis *axes = plan->axes;
    cut_tiles(&axes[0], axes[0].window > 1 ? (rows + 3) / 4 : 1, 1);
    cut_tiles(&axes[1], rows / axes[0].places, 1);
    cut_tiles(&axes[2], most / (axes[0].places * axes[1].places), run);
    cut_tiles(&axes[1], most / (axes[0].places * (axes[2].places / run)), 1);
}

/* Staged items and results of all tiles, those that nobody needs too. */
static inline double count_work(const tile_plan *plan, const tile_form *form)
{
    double work = double(tile_items(plan)) + double(form->most) * form->run;
    for (const tile_axis &axis : plan->axes)
        work *= double((axis.size + axis.places - 1) / axis.places);
    return work;
}

/* Cuts axes into tiles of `most` runs so that there is least to do; false if no shape fits. Threads of narrow tiles meet
 * in the banks of shared memory: they pay for high boxes only. */
static inline bool shape_tiles(tile_plan *plan, const tile_form *form, int most, int64_t limit)
{
    double least = 0;
    int best = 0;
    for (int rows = plan->axes[1].window > 8 ? 32 : 16; rows > 0; rows /= 2) {
        cut_rows(plan, rows, most, form->run);
        double work = count_work(plan, form);
        if (tile_bytes(plan, form) > limit || (best && work >= least))
            continue;
        least = work;
        best = rows;
    }
    if (best)
        cut_rows(plan, best, most, form->run);
    return best > 0;
}

/* The greatest tiles that fit; false if none do. */
static inline bool size_tiles(tile_plan *plan, const tile_form *form, int64_t limit)
{
    for (int most = form->most; most >= tile_least; most /= 2)
        if (shape_tiles(plan, form, most, limit))
            return true;
    return false;
}

static inline void set_tile_axis(const ga_window_axis *given, tile_axis *axis)
{
    axis->src_stride = given->src_stride;
    axis->dst_stride = given->dst_stride;
    axis->src_size = given->src_size;
    axis->start = given->start;
    axis->size = int32_t(given->size);
    axis->window = int32_t(given->window);
}

/* Which axes a tile has; false if boxes have more. */
static inline bool find_tile_axes(const ga_window_call *call, tile_plan *plan)
{
    static const ga_window_axis none = {1, 1, 0, 0, 1, 0};
    int free = GA_WINDOW_AXES, slot = GA_WINDOW_AXES;
    for (int d = 0; d < call->ndim; d++)
        free -= !ga_window_is_plain(&call->axes[d]);
    if (free < 0)
        return false;
    for (int d = call->ndim - 1; d >= 0; d--) {
        const ga_window_axis &axis = call->axes[d];
        if (axis.src_size >= GA_WALK_LIMIT || axis.window >= tile_most_bytes)
            return false;
        if (!ga_window_is_plain(&axis) || free-- > 0) {
            set_tile_axis(&axis, &plan->axes[--slot]);
            continue;
        }
        int at = plan->others.ndim++;
        plan->others.shape[at] = ga_divider_make(axis.size);
        plan->others.strides[at][0] = axis.src_stride;
        plan->others.strides[at][1] = axis.dst_stride;
        plan->blocks *= axis.size;
    }
    while (slot > 0)
        set_tile_axis(&none, &plan->axes[--slot]);
    return true;
}

/* The tiles of a call, in at most `limit` bytes of shared memory; false if they do not fit. */
static inline bool tile_plan_make(const ga_window_call *call, const tile_form *form, int64_t limit, tile_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->blocks = 1;
    bool counts = call->size < GA_WALK_LIMIT - tile_most_bytes; /* places behind the last one too */
    if (!counts || !find_tile_axes(call, plan) || !size_tiles(plan, form, limit))
        return false;
    for (tile_axis &axis : plan->axes) {
        int64_t tiles = (axis.size + axis.places - 1) / axis.places;
        axis.tiles = ga_divider_make(tiles);
        axis.by_places = ga_divider_make(axis.places);
        axis.by_reach = ga_divider_make(axis.reach);
        plan->blocks *= tiles;
    }
    plan->border = call->border;
    plan->outside = call->outside;
    plan->src = static_cast<const char *>(call->src);
    plan->dst = static_cast<char *>(call->dst);
    return true;
}

/* ---- a block's tile ---- */

static const int64_t no_place = INT64_MIN;

struct window_tile {
    const char *src;
    char *dst;
    int64_t *rows, *columns; /* of staged rows and columns, where they lie in src, or no_place: bytes */
    int64_t *made;           /* of rows that it makes, where they lie in dst, or no_place */
    int64_t *corners;        /* of the same, which staged item has the corner of the first box */
    int32_t first;           /* column of dst */
};

/* How far from a box's corner a place lies among staged items. */
GA_FN int find_item(const tile_plan &plan, int i, int j, int k)
{
    return (i * plan.axes[1].reach + j) * plan.axes[2].reach + k;
}

/* Where the n-th place that a tile reaches lies along an axis of src, settled by the border; no_place outside, and
 * where no box of an element reaches. */
GA_FN int64_t settle_place(const tile_axis &axis, int border, int first, int n)
{
    int64_t place = int64_t(first) + n, i = place + axis.start;
    if (place >= int64_t(axis.size) + axis.window - 1)
        return no_place;
    if (i < 0 || i >= axis.src_size)
        i = settle_outside(i, axis.src_size, border);
    return i < 0 ? no_place : i * axis.src_stride;
}

GA_FN void list_staged(const tile_plan &plan, const window_tile &tile, const int (&first)[GA_WINDOW_AXES])
{
    for (int n = GA_THREAD; n < plan.axes[0].reach * plan.axes[1].reach; n += GA_BLOCK) {
        int outer = int(ga_divide_by(plan.axes[1].by_reach, uint32_t(n))), inner = n - outer * plan.axes[1].reach;
        int64_t plane = settle_place(plan.axes[0], plan.border, first[0], outer);
        int64_t row = settle_place(plan.axes[1], plan.border, first[1], inner);
        tile.rows[n] = plane == no_place || row == no_place ? no_place : plane + row;
    }
    for (int n = GA_THREAD; n < plan.axes[2].reach; n += GA_BLOCK)
        tile.columns[n] = settle_place(plan.axes[2], plan.border, first[2], n);
}

GA_FN void list_made(const tile_plan &plan, const window_tile &tile, const int (&first)[GA_WINDOW_AXES])
{
    for (int n = GA_THREAD; n < plan.axes[0].places * plan.axes[1].places; n += GA_BLOCK) {
        int outer = int(ga_divide_by(plan.axes[1].by_places, uint32_t(n))), inner = n - outer * plan.axes[1].places;
        bool within = first[0] + outer < plan.axes[0].size && first[1] + inner < plan.axes[1].size;
        int64_t to = (first[0] + outer) * plan.axes[0].dst_stride + (first[1] + inner) * plan.axes[1].dst_stride;
        tile.made[n] = within ? to : no_place;
        tile.corners[n] = find_item(plan, outer, inner, 0);
    }
}

/* The block's tile, which has its lists from `memory` on; staged items may begin at *items. All threads call; they wait
 * before they read lists. */
template <class K> GA_FN window_tile locate_tile(const tile_plan &plan, void *memory, K **items)
{
    int first[GA_WINDOW_AXES];
    uint32_t rest = uint32_t(GA_BLOCK_ID);
    GA_UNROLL
    for (int a = GA_WINDOW_AXES - 1; a >= 0; a--) {
        uint32_t outer = ga_divide_by(plan.axes[a].tiles, rest);
        first[a] = int(rest - outer * plan.axes[a].tiles.divisor) * plan.axes[a].places;
        rest = outer;
    }
    ga_cursor<2> cursor;
    cursor.seek(plan.others, rest);
    int64_t *lists = static_cast<int64_t *>(memory);
    window_tile tile = {plan.src + cursor.offset[0], plan.dst + cursor.offset[1], lists};
    tile.columns = tile.rows + plan.axes[0].reach * plan.axes[1].reach;
    tile.made = tile.columns + plan.axes[2].reach;
    tile.corners = tile.made + plan.axes[0].places * plan.axes[1].places;
    tile.first = first[2];
    *items = reinterpret_cast<K *>(tile.corners + plan.axes[0].places * plan.axes[1].places);
    list_staged(plan, tile, first);
    list_made(plan, tile, first);
    return tile;
}

static const int tile_fetched = 4; /* elements of a thread that are on their way at once */

/* items[n] = make(element), in the order of memory. */
template <class T, class K, class Make>
GA_FN void stage_tile(const tile_plan &plan, const window_tile &tile, const Make &make, K *items)
{
    const int total = plan.axes[0].reach * plan.axes[1].reach * plan.axes[2].reach;
    const T outside = *reinterpret_cast<const T *>(plan.outside.bytes);
    GA_ROLLED
    for (int i = GA_THREAD; i < total; i += tile_fetched * GA_BLOCK) {
        T x[tile_fetched];
        GA_UNROLL
        for (int n = 0; n < tile_fetched; n++) {
            int here = i + n * GA_BLOCK < total ? i + n * GA_BLOCK : i;
            int at = int(ga_divide_by(plan.axes[2].by_reach, uint32_t(here)));
            int64_t row = tile.rows[at], column = tile.columns[here - at * plan.axes[2].reach];
            bool inside = row != no_place && column != no_place;
            x[n] = inside ? *reinterpret_cast<const T *>(tile.src + row + column) : outside;
        }
        GA_UNROLL
        for (int n = 0; n < tile_fetched; n++)
            if (i + n * GA_BLOCK < total)
                items[i + n * GA_BLOCK] = make(x[n]);
    }
}

/* store(item, address) for all places of dst that the tile has, in the order of memory; item: at the corner of the box. */
template <class Store>
GA_FN void visit_places(const tile_plan &plan, const window_tile &tile, const Store &store)
{
    const int total = plan.axes[0].places * plan.axes[1].places * plan.axes[2].places;
    GA_ROLLED
    for (int i = GA_THREAD; i < total; i += GA_BLOCK) {
        int row = int(ga_divide_by(plan.axes[2].by_places, uint32_t(i))), column = i - row * plan.axes[2].places;
        int64_t to = tile.made[row];
        if (to != no_place && tile.first + column < plan.axes[2].size)
            store(int(tile.corners[row]) + column, tile.dst + to + (tile.first + column) * plan.axes[2].dst_stride);
    }
}
