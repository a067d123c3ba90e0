/* Sums and extrema over boxes on a GPU, for all real dtypes at once. Owns ga_window_tiles.
 *
 * A block stages a tile as float64 (window_tile.cuh), where borders are settled once an element; a
 * thread then makes `together` places in a row, whose neighbours it shifts through registers, row
 * of the box after row, so that sums are those of window_groups.cu, term by term. Results leave
 * through the tile, so that memory is written in its own order. Includes window_tiles.h,
 * window_tile.cuh, window_types.cuh, window_lines.h, runtime_cuda.cuh. */
#include "window_tiles.h"
#include "runtime_cuda.cuh"
#include "window_lines.h"
#include "window_tile.cuh"
#include "window_types.cuh"

static const int tile_together = 7; /* odd: threads that are as many places apart read different banks */

static const tile_form tiles_form = {tile_together, GA_BLOCK, sizeof(double)};

struct tiles_task {
    tile_plan plan;
    enum ga_dtype dtype;
    int32_t count; /* places of the box */
    int32_t items; /* staged */
    bool extremum, largest;
    bool single; /* weights are float32 */
    ga_divider workers[2]; /* threads, by runs and by rows */
    double divisor;
    const void *many; /* weights on the device; NULL: those of few */
    const uint8_t *mask;
    double few[GA_WINDOW_FEW];
};

/* ---- stages ---- */

struct tiles_convert {
    template <class T> GA_METHOD double operator()(T x) const { return ga_convert<double>(x); }
};

struct tiles_fetcher {
    const tiles_task &task;
    const window_tile &tile;
    double *items;
    template <class T> GA_METHOD void operator()(T) const { stage_tile<T>(task.plan, tile, tiles_convert(), items); }
};

template <class T> struct tiles_store {
    const tiles_task &task;
    const double *items;
    GA_METHOD void operator()(const tile_place &place, char *to) const
    {
        double value = items[find_corner(task.plan, place)];
        *reinterpret_cast<T *>(to) = ga_convert<T>(task.divisor == 1 ? value : value / task.divisor);
    }
};

struct tiles_storer {
    const tiles_task &task;
    const window_tile &tile;
    const double *items;
    template <class T> GA_METHOD void operator()(T) const
    {
        visit_places(task.plan, tile, tiles_store<T>{task, items});
    }
};

/* A weight for each place of the box; of an extremum 1 for those that the mask shows. */
GA_FN void fetch_weights(const tiles_task &t, double *weights)
{
    for (int k = GA_THREAD; k < t.count; k += GA_BLOCK) {
        if (t.extremum)
            weights[k] = !t.mask || t.mask[k];
        else if (!t.many)
            weights[k] = t.few[k];
        else
            weights[k] = t.single ? double(static_cast<const float *>(t.many)[k]) : static_cast<const double *>(t.many)[k];
    }
}

/* ---- what is made of neighbours ---- */

struct tiles_sum {
    double made[tile_together] = {};
    GA_METHOD void take(const double (&x)[tile_together], double weight)
    {
        GA_UNROLL
        for (int n = 0; n < tile_together; n++)
            made[n] = made[n] + x[n] * weight;
    }
};

struct tiles_extremum {
    bool largest, any = false;
    double made[tile_together] = {};
    GA_METHOD void take(const double (&x)[tile_together], double shown)
    {
        if (shown == 0)
            return;
        GA_UNROLL
        for (int n = 0; n < tile_together; n++)
            made[n] = any && !(largest ? made[n] < x[n] : x[n] < made[n]) ? made[n] : x[n];
        any = true;
    }
};

/* The neighbours of a run in a row of boxes, place after place. */
template <class Maker>
GA_FN void take_row(const double *items, const double *weights, int window, Maker &maker)
{
    double x[tile_together];
    GA_UNROLL
    for (int n = 0; n < tile_together; n++)
        x[n] = items[n];
    items += tile_together;
    _Pragma("unroll 7")
    for (int k = 0; k < window; k++, items++) {
        maker.take(x, weights[k]);
        GA_UNROLL
        for (int n = 0; n + 1 < tile_together; n++)
            x[n] = x[n + 1];
        x[tile_together - 1] = *items; /* after the last places a number that nobody takes */
    }
}

template <class Maker>
GA_FN void take_box(const tile_plan &plan, const double *items, const double *weights, Maker &maker)
{
    GA_ROLLED
    for (int i = 0; i < plan.axes[0].window; i++)
        GA_ROLLED
        for (int j = 0; j < plan.axes[1].window; j++, weights += plan.axes[2].window)
            take_row(items + (i * plan.axes[1].reach + j) * plan.axes[2].reach, weights, plan.axes[2].window, maker);
}

/* Results take the place of the corners of their boxes. */
template <class Maker>
GA_FN void make_places(const tiles_task &t, const double *weights, double *items, Maker maker)
{
    tile_place place = split_place(GA_THREAD, t.workers[0], t.workers[1]);
    bool works = place.at[0] < t.plan.axes[0].places;
    place.at[2] *= tile_together;
    double *mine = items + find_corner(t.plan, place);
    if (works)
        take_box(t.plan, mine, weights, maker);
    GA_SYNC();
    if (works)
        GA_UNROLL
        for (int n = 0; n < tile_together; n++)
            mine[n] = maker.made[n];
}

template <bool sums> GA_KERNEL window_tiles(GA_PARAM tiles_task task)
{
    GA_AWAIT();
    extern __shared__ __align__(16) double tiles_memory[];
    double *items = tiles_memory + task.count;
    window_tile tile = locate_tile(task.plan, items + task.items);
    fetch_weights(task, tiles_memory);
    GA_SYNC();
    choose_type(task.dtype, tiles_fetcher{task, tile, items});
    GA_SYNC();
    if constexpr (sums)
        make_places(task, tiles_memory, items, tiles_sum());
    else
        make_places(task, tiles_memory, items, tiles_extremum{task.largest});
    GA_SYNC();
    choose_type(task.dtype, tiles_storer{task, tile, items});
}

/* ---- calls ---- */

static bool is_sum(const ga_window_call *call)
{
    bool floats = call->dtype == GA_f32 || call->dtype == GA_f64;
    return call->op == GA_WINDOW_WIDE_SUM || (call->op == GA_WINDOW_SUM && floats);
}

static bool is_extremum(const ga_window_call *call)
{
    bool whole = call->dtype == GA_i64 || call->dtype == GA_u64; /* more digits than a float64 */
    return (call->op == GA_WINDOW_MINIMUM || call->op == GA_WINDOW_MAXIMUM) && !whole;
}

static bool plan_tiles(const ga_window_call *call, tile_plan *plan)
{
    if (!is_chosen_type(call->dtype) || call->border == GA_BORDER_NOTHING || !(is_sum(call) || is_extremum(call)))
        return false;
    return tile_plan_make(call, &tiles_form, tile_most_bytes - int64_t(sizeof(double)) * call->count, plan);
}

/* Whether tiles bring less into shared memory than lines would, if these take the call. */
static bool are_better(const tile_plan *plan, const ga_window_call *call)
{
    int64_t places = int64_t(plan->axes[0].places) * plan->axes[1].places * plan->axes[2].places;
    return 2 * tile_items(plan) <= 3 * places || !ga_window_has_lines(call);
}

static void set_weights(const ga_window_call *call, tiles_task *t)
{
    t->count = int32_t(call->count);
    t->mask = call->mask;
    t->single = call->op == GA_WINDOW_SUM && call->dtype == GA_f32;
    t->many = call->weights_on_host ? nullptr : call->weights;
    if (call->weights_on_host)
        memcpy(t->few, call->weights, size_t(call->count) * sizeof(double));
}

static int launch_tiles(const tiles_task *t, bool sums, ga_stream *stream)
{
    const void *kernel = sums ? (const void *)window_tiles<true> : (const void *)window_tiles<false>;
    const void *parameters[] = {t};
    const ga_cuda_grid grid = {t->plan.blocks, GA_BLOCK, 1,
                               sizeof(double) * size_t(t->count) + size_t(tile_bytes(&t->plan, &tiles_form))};
    return ga_cuda_launch("window_tiles", kernel, &grid, stream, parameters);
}

bool ga_window_tiles(const ga_window_call *call, ga_stream *stream, int *status)
{
    tiles_task t;
    if (!plan_tiles(call, &t.plan) || !are_better(&t.plan, call))
        return false;
    t.dtype = call->dtype;
    t.items = int32_t(tile_items(&t.plan));
    t.extremum = is_extremum(call);
    t.largest = call->op == GA_WINDOW_MAXIMUM;
    t.divisor = call->op == GA_WINDOW_WIDE_SUM ? call->divisor : 1;
    t.workers[0] = ga_divider_make(t.plan.axes[2].places / tile_together);
    t.workers[1] = ga_divider_make(t.plan.axes[1].places);
    set_weights(call, &t);
    *status = launch_tiles(&t, !t.extremum, stream);
    return true;
}
