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

/* Of staged items and settled indices; a thread may read one item more. */
static inline int64_t tile_bytes(const tile_plan *plan, const tile_form *form)
{
    int64_t indices = 1 + int64_t(plan->axes[0].reach) + plan->axes[1].reach + plan->axes[2].reach;
    return form->item * tile_items(plan) + int64_t(sizeof(int32_t)) * indices;
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
    if (call->size >= GA_WALK_LIMIT || !find_tile_axes(call, plan) || !size_tiles(plan, form, limit))
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

struct window_tile {
    int32_t first[GA_WINDOW_AXES]; /* place of dst */
    const char *src;
    char *dst;
    int32_t *settled; /* for each place that the tile reaches along an axis, axis after axis, its index or -1 */
};

struct tile_place {
    int32_t at[GA_WINDOW_AXES];
};

GA_FN tile_place split_place(uint32_t i, const ga_divider &inner, const ga_divider &middle)
{
    uint32_t rows = ga_divide_by(inner, i), planes = ga_divide_by(middle, rows);
    return {{int32_t(planes), int32_t(rows - planes * middle.divisor), int32_t(i - rows * inner.divisor)}};
}

/* Of a place of dst: where the corner of its box lies among staged items. */
GA_FN int find_corner(const tile_plan &plan, const tile_place &place)
{
    return (place.at[0] * plan.axes[1].reach + place.at[1]) * plan.axes[2].reach + place.at[2];
}

/* All threads call; they wait before they read `settled`. */
GA_FN window_tile locate_tile(const tile_plan &plan, void *settled)
{
    window_tile tile;
    uint32_t rest = uint32_t(GA_BLOCK_ID);
    int32_t *to = tile.settled = static_cast<int32_t *>(settled);
    GA_UNROLL
    for (int a = GA_WINDOW_AXES - 1; a >= 0; a--) {
        uint32_t outer = ga_divide_by(plan.axes[a].tiles, rest);
        tile.first[a] = int32_t(rest - outer * plan.axes[a].tiles.divisor) * plan.axes[a].places;
        rest = outer;
    }
    ga_cursor<2> cursor;
    cursor.seek(plan.others, rest);
    tile.src = plan.src + cursor.offset[0];
    tile.dst = plan.dst + cursor.offset[1];
    GA_UNROLL
    for (int a = 0; a < GA_WINDOW_AXES; to += plan.axes[a++].reach)
        for (int n = GA_THREAD; n < plan.axes[a].reach; n += GA_BLOCK) {
            int64_t place = int64_t(tile.first[a]) + n, i = place + plan.axes[a].start;
            bool seen = place < int64_t(plan.axes[a].size) + plan.axes[a].window - 1;
            if (i < 0 || i >= plan.axes[a].src_size)
                i = seen ? settle_outside(i, plan.axes[a].src_size, plan.border) : -1;
            to[n] = int32_t(i);
        }
    return tile;
}

static const int tile_fetched = 4; /* elements of a thread that are on their way at once */

/* items[n] = make(element), in the order of memory. */
template <class T, class K, class Make>
GA_FN void stage_tile(const tile_plan &plan, const window_tile &tile, const Make &make, K *items)
{
    const int total = plan.axes[0].reach * plan.axes[1].reach * plan.axes[2].reach;
    const int32_t *rows = tile.settled + plan.axes[0].reach, *columns = rows + plan.axes[1].reach;
    const T outside = *reinterpret_cast<const T *>(plan.outside.bytes);
    GA_ROLLED
    for (int i = GA_THREAD; i < total; i += tile_fetched * GA_BLOCK) {
        T x[tile_fetched];
        GA_UNROLL
        for (int n = 0; n < tile_fetched; n++) {
            int here = i + n * GA_BLOCK;
            tile_place place = split_place(uint32_t(here < total ? here : i), plan.axes[2].by_reach, plan.axes[1].by_reach);
            int32_t z = tile.settled[place.at[0]], y = rows[place.at[1]], column = columns[place.at[2]];
            const char *from = tile.src + z * plan.axes[0].src_stride + y * plan.axes[1].src_stride
                               + column * plan.axes[2].src_stride;
            x[n] = (z | y | column) >= 0 ? *reinterpret_cast<const T *>(from) : outside;
        }
        GA_UNROLL
        for (int n = 0; n < tile_fetched; n++)
            if (i + n * GA_BLOCK < total)
                items[i + n * GA_BLOCK] = make(x[n]);
    }
}

/* store(place, address) for all places of dst that the tile has, in the order of memory. */
template <class Store>
GA_FN void visit_places(const tile_plan &plan, const window_tile &tile, const Store &store)
{
    const int total = plan.axes[0].places * plan.axes[1].places * plan.axes[2].places;
    GA_ROLLED
    for (int i = GA_THREAD; i < total; i += GA_BLOCK) {
        tile_place place = split_place(uint32_t(i), plan.axes[2].by_places, plan.axes[1].by_places);
        char *to = tile.dst;
        bool within = true;
        GA_UNROLL
        for (int a = 0; a < GA_WINDOW_AXES; a++) {
            int32_t at = tile.first[a] + place.at[a];
            within = within && at < plan.axes[a].size;
            to += at * plan.axes[a].dst_stride;
        }
        if (within)
            store(place, to);
    }
}
