/* Filters along one axis on a GPU, for all real dtypes at once. Owns ga_window_has_lines and
 * ga_window_lines.
 *
 * A block takes a tile: some lines side by side, the same run of places of each. It brings the run
 * and its neighbours into shared memory as float64, where borders are settled once an element; a
 * thread then makes `together` places in a row, whose neighbours it shifts through registers, and
 * results leave through the tile, so that memory is read and written in its own order. The sums are
 * those of window_groups.cu, term by term. What a launch does not know before it runs, dtypes too,
 * is looked up as it runs: a kernel for each dtype would be no faster. Includes window_lines.h,
 * border.cuh, iterate.cuh (the divider), runtime_cuda.cuh, window_types.cuh. */
#include "window_lines.h"
#include "border.cuh"
#include "iterate.cuh"
#include "runtime_cuda.cuh"
#include "window_types.cuh"

static const int together = 7;    /* odd: threads that are as many places apart read different banks */
static const int fetched = 4;     /* elements of a thread that are on their way at once */
static const int most_bytes = 49152; /* of shared memory, without asking for more */
static const int lanes_across = 32;  /* lines of a tile where they lie side by side */

struct lines_task {
    enum ga_dtype dtype;
    int32_t border, window;
    int32_t lanes, segments, length; /* of a tile; length: places with those beside the run */
    int32_t lane_pitch, place_pitch;
    bool across; /* memory goes from line to line, not along them */
    bool largest;
    ga_divider wide, narrow; /* staged elements, results: by what memory goes along */
    ga_divider workers;      /* threads: by lanes across, else by segments */
    ga_divider tiles;        /* blocks: by groups of lines across, else by runs of a line */
    ga_walk<2> lines;
    int64_t count, size, src_size, src_stride, dst_stride, start;
    double divisor;
    ga_scalar outside;
    const char *src;
    char *dst;
    const double *many; /* weights on the device; NULL: those of few */
    double few[GA_WINDOW_FEW];
};

/* Where a block works: its first line, its first place of dst. */
struct lines_tile {
    int64_t line, place;
    double *items;
    int64_t *from, *to; /* of each line, bytes */
};

GA_FN lines_tile locate_tile(const lines_task &t, char *memory)
{
    uint32_t block = uint32_t(GA_BLOCK_ID), rest = ga_divide_by(t.tiles, block);
    uint32_t inner = block - rest * t.tiles.divisor;
    int64_t run = int64_t(t.segments) * together;
    lines_tile tile;
    tile.line = int64_t(t.across ? inner : rest) * t.lanes;
    tile.place = int64_t(t.across ? rest : inner) * run;
    tile.items = reinterpret_cast<double *>(memory);
    tile.from = reinterpret_cast<int64_t *>(tile.items + t.lanes * t.length);
    tile.to = tile.from + t.lanes;
    return tile;
}

GA_FN void locate_lines(const lines_task &t, const lines_tile &tile)
{
    for (int lane = GA_THREAD; lane < t.lanes; lane += GA_BLOCK) {
        int64_t line = tile.line + lane;
        ga_cursor<2> cursor;
        cursor.seek(t.lines, uint32_t(line < t.count ? line : tile.line));
        tile.from[lane] = cursor.offset[0];
        tile.to[lane] = cursor.offset[1];
    }
}

/* The i-th element in memory's order of so many places of all lanes. */
struct lines_place {
    int lane, place;
};
GA_FN lines_place order_place(const lines_task &t, const ga_divider &by, int i)
{
    int rest = int(ga_divide_by(by, uint32_t(i))), inner = i - rest * int(by.divisor);
    return t.across ? lines_place{inner, rest} : lines_place{rest, inner};
}

/* The address of an element, or -1 outside. */
GA_FN int64_t find_element(const lines_task &t, const lines_tile &tile, lines_place at)
{
    int64_t i = tile.place + t.start + at.place;
    if (i < 0 || i >= t.src_size)
        i = settle_outside(i, t.src_size, t.border);
    return i < 0 ? -1 : tile.from[at.lane] + i * t.src_stride;
}

template <class T> GA_FN void fetch_tile(const lines_task &t, const lines_tile &tile)
{
    const int total = t.lanes * t.length;
    double outside = ga_convert<double>(*reinterpret_cast<const T *>(t.outside.bytes));
    GA_ROLLED
    for (int i = GA_THREAD; i < total; i += fetched * GA_BLOCK) {
        int to[fetched];
        int64_t from[fetched];
        T x[fetched];
        GA_UNROLL
        for (int n = 0; n < fetched; n++) {
            lines_place at = order_place(t, t.wide, i + n * GA_BLOCK);
            bool within = i + n * GA_BLOCK < total;
            to[n] = within ? at.lane * t.lane_pitch + at.place * t.place_pitch : -1;
            from[n] = within ? find_element(t, tile, at) : -1;
        }
        GA_UNROLL
        for (int n = 0; n < fetched; n++)
            x[n] = from[n] >= 0 ? *reinterpret_cast<const T *>(t.src + from[n]) : T();
        GA_UNROLL
        for (int n = 0; n < fetched; n++)
            if (to[n] >= 0)
                tile.items[to[n]] = from[n] >= 0 ? ga_convert<double>(x[n]) : outside;
    }
}

template <class T> GA_FN void store_tile(const lines_task &t, const lines_tile &tile)
{
    const int total = t.lanes * t.segments * together;
    for (int i = GA_THREAD; i < total; i += GA_BLOCK) {
        lines_place at = order_place(t, t.narrow, i);
        int64_t place = tile.place + at.place;
        if (place >= t.size || tile.line + at.lane >= t.count)
            continue;
        double value = tile.items[at.lane * t.lane_pitch + at.place * t.place_pitch];
        *reinterpret_cast<T *>(t.dst + tile.to[at.lane] + place * t.dst_stride)
            = ga_convert<T>(t.divisor == 1 ? value : value / t.divisor);
    }
}

struct lines_fetcher {
    const lines_task &task;
    const lines_tile &tile;
    template <class T> GA_METHOD void operator()(T) const { fetch_tile<T>(task, tile); }
};
struct lines_storer {
    const lines_task &task;
    const lines_tile &tile;
    template <class T> GA_METHOD void operator()(T) const { store_tile<T>(task, tile); }
};

/* ---- what is made of neighbours ---- */

struct lines_sum {
    const double *weights;
    GA_METHOD double begin(double) const { return 0; }
    GA_METHOD double add(double sum, double x, int k) const { return sum + x * weights[k]; }
};

struct lines_extremum {
    bool largest;
    GA_METHOD double begin(double x) const { return x; }
    GA_METHOD double add(double best, double x, int) const { return (largest ? best < x : x < best) ? x : best; }
};

template <class Policy>
GA_FN void combine(const lines_task &t, const Policy &policy, const double *items, double (&made)[together])
{
    double x[together];
    GA_UNROLL
    for (int n = 0; n < together; n++) {
        x[n] = items[n * t.place_pitch];
        made[n] = policy.begin(x[n]);
    }
    items += together * t.place_pitch;
    _Pragma("unroll 4")
    for (int k = 0; k < t.window; k++, items += t.place_pitch) {
        GA_UNROLL
        for (int n = 0; n < together; n++)
            made[n] = policy.add(made[n], x[n], k);
        GA_UNROLL
        for (int n = 0; n + 1 < together; n++)
            x[n] = x[n + 1];
        x[together - 1] = *items; /* after the last places a number that nobody adds */
    }
}

template <class Policy>
GA_FN void filter_tile(const lines_task &t, const Policy &policy, const lines_tile &tile)
{
    double made[together];
    int rest = int(ga_divide_by(t.workers, GA_THREAD)), inner = GA_THREAD - rest * int(t.workers.divisor);
    int lane = t.across ? inner : rest, segment = t.across ? rest : inner;
    double *mine = tile.items + lane * t.lane_pitch + segment * together * t.place_pitch;
    bool works = lane < t.lanes && segment < t.segments;
    if (works)
        combine(t, policy, mine, made);
    GA_SYNC();
    if (works)
        GA_UNROLL
        for (int n = 0; n < together; n++)
            mine[n * t.place_pitch] = made[n];
}

template <bool sums> GA_KERNEL window_lines(GA_PARAM lines_task task)
{
    GA_AWAIT();
    extern __shared__ __align__(16) char memory[];
    double *weights = reinterpret_cast<double *>(memory);
    if constexpr (sums)
        for (int k = GA_THREAD; k < task.window; k += GA_BLOCK)
            weights[k] = task.many ? task.many[k] : task.few[k];
    lines_tile tile = locate_tile(task, memory + (sums ? task.window * sizeof(double) : 0));
    locate_lines(task, tile);
    GA_SYNC();
    choose_type(task.dtype, lines_fetcher{task, tile});
    GA_SYNC();
    if constexpr (sums)
        filter_tile(task, lines_sum{weights}, tile);
    else
        filter_tile(task, lines_extremum{task.largest}, tile);
    GA_SYNC();
    choose_type(task.dtype, lines_storer{task, tile});
}

/* ---- the plan ---- */

/* The one axis along which boxes are longer than one place; -1: there are more, or none. */
static int find_axis(const ga_window_call *call)
{
    int found = -1;
    for (int d = 0; d < call->ndim; d++) {
        if (ga_window_is_plain(&call->axes[d]))
            continue;
        if (found >= 0)
            return -1;
        found = d;
    }
    return found;
}

static int64_t count_bytes(const lines_task *t)
{
    return int64_t(sizeof(double)) * (int64_t(t->lanes) * (t->length + 2) + t->window);
}

static int at_most(int64_t n, int64_t limit)
{
    return int(n < limit ? n : limit);
}

/* Tiles of at most `lanes` lines side by side. */
static void set_tile(lines_task *t, int lanes)
{
    int64_t segments = (t->size + together - 1) / together;
    t->lanes = at_most(t->count, lanes);
    t->segments = at_most(segments, GA_BLOCK / t->lanes);
    if (lanes == lanes_across)
        t->lanes = at_most(t->count, GA_BLOCK / t->segments);
    t->length = t->segments * together + t->window; /* one more than is read for results */
}

/* Tiles along lines: as many of a line, with other lines beside, as leave the fewest threads without work. */
static void set_rows(lines_task *t)
{
    const int64_t whole = (t->size + together - 1) / together, least = (whole + GA_BLOCK - 1) / GA_BLOCK;
    double best = 0;
    for (int64_t tiles = least; tiles < least + 8; tiles++) {
        lines_task part;
        part.window = t->window;
        part.segments = int((whole + tiles - 1) / tiles);
        part.lanes = at_most(t->count, GA_BLOCK / part.segments);
        part.length = part.segments * together + t->window;
        double score = double(whole) / double(tiles) * part.lanes * part.segments / part.length;
        if (tiles > least && (score <= best || count_bytes(&part) > most_bytes))
            continue;
        best = score;
        t->segments = part.segments;
        t->lanes = part.lanes;
        t->length = part.length;
    }
}

static bool fits_tile(lines_task *t)
{
    int lanes = lanes_across;
    if (t->across)
        for (set_tile(t, lanes); count_bytes(t) > most_bytes && lanes > 1;)
            set_tile(t, lanes /= 2);
    else
        set_rows(t);
    return count_bytes(t) <= most_bytes;
}

static void set_lines(const ga_window_call *call, int axis, lines_task *t)
{
    const ga_window_axis &along = call->axes[axis];
    int64_t inner = INT64_MAX;
    t->count = 1;
    for (int d = call->ndim - 1; d >= 0; d--) {
        if (d == axis)
            continue;
        const ga_window_axis &other = call->axes[d];
        int at = t->lines.ndim++;
        t->lines.shape[at] = ga_divider_make(other.size);
        t->lines.strides[at][0] = other.src_stride;
        t->lines.strides[at][1] = other.dst_stride;
        t->count *= other.size;
        if (at == 0)
            inner = other.src_stride < 0 ? -other.src_stride : other.src_stride;
    }
    t->size = along.size;
    t->src_size = along.src_size;
    t->src_stride = along.src_stride;
    t->dst_stride = along.dst_stride;
    t->start = along.start;
    t->window = int32_t(along.window);
    t->across = inner < (along.src_stride < 0 ? -along.src_stride : along.src_stride);
}

static void set_order(lines_task *t)
{
    int64_t run = int64_t(t->segments) * together;
    int64_t runs = (t->size + run - 1) / run, groups = (t->count + t->lanes - 1) / t->lanes;
    t->lane_pitch = t->across ? 1 : t->length;
    t->place_pitch = t->across ? t->lanes : 1;
    t->wide = ga_divider_make(t->across ? t->lanes : t->length);
    t->narrow = ga_divider_make(t->across ? t->lanes : run);
    t->workers = ga_divider_make(t->across ? t->lanes : t->segments);
    t->tiles = ga_divider_make(t->across ? groups : runs);
}

static bool is_taken(const ga_window_call *call)
{
    bool whole = call->dtype == GA_i64 || call->dtype == GA_u64; /* more digits than a float64 */
    bool extremum = call->op == GA_WINDOW_MINIMUM || call->op == GA_WINDOW_MAXIMUM;
    return is_chosen_type(call->dtype) && call->border != GA_BORDER_NOTHING && call->size < GA_WALK_LIMIT
           && (call->op == GA_WINDOW_WIDE_SUM || (extremum && !whole && !call->mask));
}

/* Lines and tiles of a call that is taken; false if it is not. */
static bool plan_lines(const ga_window_call *call, lines_task *t)
{
    static const int64_t longest = most_bytes / int64_t(sizeof(double));
    int axis = find_axis(call);
    memset(t, 0, sizeof *t);
    if (!is_taken(call) || axis < 0 || call->axes[axis].window > longest)
        return false;
    set_lines(call, axis, t);
    return fits_tile(t);
}

bool ga_window_has_lines(const ga_window_call *call)
{
    lines_task task;
    return plan_lines(call, &task);
}

int ga_window_lines(const ga_window_call *call, ga_stream *stream)
{
    lines_task t;
    plan_lines(call, &t);
    set_order(&t);
    t.dtype = call->dtype;
    t.border = call->border;
    t.largest = call->op == GA_WINDOW_MAXIMUM;
    t.divisor = call->op == GA_WINDOW_WIDE_SUM ? call->divisor : 1;
    t.outside = call->outside;
    t.src = static_cast<const char *>(call->src);
    t.dst = static_cast<char *>(call->dst);
    if (call->weights && call->weights_on_host)
        memcpy(t.few, call->weights, size_t(t.window) * sizeof(double));
    else
        t.many = static_cast<const double *>(call->weights);
    int64_t run = int64_t(t.segments) * together;
    int64_t blocks = ((t.size + run - 1) / run) * ((t.count + t.lanes - 1) / t.lanes);
    const void *kernel = call->op == GA_WINDOW_WIDE_SUM ? (const void *)window_lines<true>
                                                        : (const void *)window_lines<false>;
    const void *parameters[] = {&t};
    const ga_cuda_grid grid = {blocks, GA_BLOCK, 1, size_t(count_bytes(&t))};
    return ga_cuda_launch("window_lines", kernel, &grid, stream, parameters);
}
