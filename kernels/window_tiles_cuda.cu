/* Sums and extrema over boxes on a GPU, for all real dtypes at once. Owns ga_window_tiles.
 *
 * A block stages a tile (window_tile.cuh) as float64, integers' own sums as unsigned numbers that
 * wrap like them, where borders are settled once an element; a thread then makes `together` places in a row, whose neighbours it shifts through registers, row
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
    bool extremum, largest;
    bool narrow; /* weights are of the dtype */
    ga_divider workers; /* threads, by runs of a row */
    double divisor;
    const void *many; /* weights on the device; NULL: those of few */
    const uint8_t *mask;
    double few[GA_WINDOW_FEW];
};

/* ---- stages ---- */

/* Items are float64 or, of integers' own sums, as many bits as wrap like them. */
template <class K> static constexpr int tile_bytes_of = std::is_same<K, double>::value ? 0 : sizeof(K);

template <class K> struct tiles_convert {
    template <class T> GA_METHOD K operator()(T x) const { return ga_convert<K>(x); }
};

template <class K> struct tiles_fetcher {
    const tiles_task &task;
    const window_tile &tile;
    K *items;
    template <class T> GA_METHOD void operator()(T) const { stage_tile<T>(task.plan, tile, tiles_convert<K>(), items); }
};

template <class K> struct tiles_storer {
    const tiles_task &task;
    const window_tile &tile;
    const K *items;
    template <class T> GA_METHOD void operator()(T) const
    {
        visit_places(task.plan, tile, [this](int corner, char *to) {
            K value = items[corner];
            if constexpr (std::is_same<K, double>::value)
                value = task.divisor == 1 ? value : value / task.divisor;
            *reinterpret_cast<T *>(to) = ga_convert<T>(value);
        });
    }
};

template <class K> struct tiles_weigher {
    const tiles_task &task;
    K *weights;
    template <class T> GA_METHOD void operator()(T) const
    {
        for (int k = GA_THREAD; k < task.count; k += GA_BLOCK)
            weights[k] = ga_convert<K>(static_cast<const T *>(task.many)[k]);
    }
};

/* A weight for each place of the box; of an extremum 1 for those that the mask shows. */
template <class K> GA_FN void fetch_weights(const tiles_task &t, K *weights)
{
    if (t.narrow)
        return choose_type<tile_bytes_of<K>>(t.dtype, tiles_weigher<K>{t, weights});
    for (int k = GA_THREAD; k < t.count; k += GA_BLOCK) {
        bool shown = !t.mask || t.mask[k];
        weights[k] = t.extremum ? K(shown) : K(t.many ? static_cast<const double *>(t.many)[k] : t.few[k]);
    }
}

/* ---- what is made of neighbours ---- */

template <class K> struct tiles_sum {
    K made[tile_together] = {};
    GA_METHOD void take(const K (&x)[tile_together], K weight)
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
template <class K, class Maker>
GA_FN void take_row(const K *items, const K *weights, int window, Maker &maker)
{
    K x[tile_together];
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

template <class K, class Maker>
GA_FN void take_box(const tile_plan &plan, const K *items, const K *weights, Maker &maker)
{
    GA_ROLLED
    for (int i = 0; i < plan.axes[0].window; i++)
        GA_ROLLED
        for (int j = 0; j < plan.axes[1].window; j++, weights += plan.axes[2].window)
            take_row(items + find_item(plan, i, j, 0), weights, plan.axes[2].window, maker);
}

/* Results take the place of the corners of their boxes. */
template <class K, class Maker>
GA_FN void make_places(const tiles_task &t, const window_tile &tile, const K *weights, K *items, Maker maker)
{
    int row = int(ga_divide_by(t.workers, GA_THREAD)), run = GA_THREAD - row * int(t.workers.divisor);
    bool works = row < t.plan.axes[0].places * t.plan.axes[1].places;
    K *mine = items + (works ? tile.corners[row] : 0) + run * tile_together;
    if (works)
        take_box(t.plan, mine, weights, maker);
    GA_SYNC();
    if (works)
        GA_UNROLL
        for (int n = 0; n < tile_together; n++)
            mine[n] = maker.made[n];
}

/* Weights have eight bytes each, whatever they are, so that what follows is aligned. */
template <class K, bool sums> GA_KERNEL window_tiles(GA_PARAM tiles_task task)
{
    GA_AWAIT();
    extern __shared__ __align__(16) double tiles_memory[];
    K *weights = reinterpret_cast<K *>(tiles_memory), *items;
    window_tile tile = locate_tile(task.plan, tiles_memory + task.count, &items);
    fetch_weights(task, weights);
    GA_SYNC();
    choose_type<tile_bytes_of<K>>(task.dtype, tiles_fetcher<K>{task, tile, items});
    GA_SYNC();
    if constexpr (sums)
        make_places(task, tile, weights, items, tiles_sum<K>());
    else
        make_places(task, tile, weights, items, tiles_extremum{task.largest});
    GA_SYNC();
    choose_type<tile_bytes_of<K>>(task.dtype, tiles_storer<K>{task, tile, items});
}

/* ---- calls ---- */

static bool is_sum(const ga_window_call *call)
{
    return call->op == GA_WINDOW_WIDE_SUM || call->op == GA_WINDOW_SUM;
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
    t->narrow = call->op == GA_WINDOW_SUM;
    t->many = call->weights_on_host ? nullptr : call->weights;
    if (call->weights_on_host)
        memcpy(t->few, call->weights, size_t(call->count) * sizeof(double));
}

static const void *find_kernel(const ga_window_call *call)
{
    if (is_extremum(call))
        return (const void *)window_tiles<double, false>;
    if (call->op == GA_WINDOW_WIDE_SUM || call->dtype == GA_f32 || call->dtype == GA_f64)
        return (const void *)window_tiles<double, true>;
    bool whole = call->dtype == GA_i64 || call->dtype == GA_u64;
    return whole ? (const void *)window_tiles<uint64_t, true> : (const void *)window_tiles<uint32_t, true>;
}

bool ga_window_tiles(const ga_window_call *call, ga_stream *stream, int *status)
{
    tiles_task t;
    if (!plan_tiles(call, &t.plan) || !are_better(&t.plan, call))
        return false;
    t.dtype = call->dtype;
    t.extremum = is_extremum(call);
    t.largest = call->op == GA_WINDOW_MAXIMUM;
    t.divisor = call->op == GA_WINDOW_WIDE_SUM ? call->divisor : 1;
    t.workers = ga_divider_make(t.plan.axes[2].places / tile_together);
    set_weights(call, &t);
    const void *parameters[] = {&t};
    const ga_cuda_grid grid = {t.plan.blocks, GA_BLOCK, 1,
                               sizeof(double) * size_t(t.count) + size_t(tile_bytes(&t.plan, &tiles_form))};
    *status = ga_cuda_launch("window_tiles", find_kernel(call), &grid, stream, parameters);
    return true;
}
