/* Copies between equal dtypes on the CPU, whatever their strides. The pair of copy_cuda.cu; owns ga_copy_run.
 *
 * Two dimensions make planes, whose lines lie closest in the target; the others are places of planes. A plane is cut
 * into boxes of some ten thousand elements. Where the source is closest across the lines instead, a box is turned: band
 * by band of as many lines as a line of the cache has elements, and so many elements of each that the cache holds them.
 * Includes cast.cuh and line_cpu.h. */
#include "cast.cuh"
#include "line_cpu.h"

static const int64_t box_size = 32768; /* elements, worth a thread's while */
static const int64_t plain_size = 1 << 20; /* bytes of lines without gaps, which are moved as fast as a thread wakes up */
static const int64_t cache_line = 64;
static const int64_t band_length = 512; /* elements of a line that are turned together: 32 KiB of source */
static const int64_t short_line = 16;   /* shorter ones are walked across, if they are more */

struct copy_dim {
    int64_t size, from, to;
};

struct copy_plan {
    const char *from;
    char *to;
    ga_scalar value;         /* where there is no source */
    line_box box;            /* a whole plane */
    int64_t band, width;     /* lines and elements of a box of it */
    int64_t bands, widths;   /* boxes of a plane: below and beside each other */
    int64_t boxes, span;     /* of all planes; of a block */
    bool turned;
    int ndim;                /* of the planes' places, outermost first */
    copy_dim dim[GA_ITER_DIMS];
};

/* ---- boxes ---- */

static const int turn_words = 4; /* side by side: vectors of words are turned at once */
template <class T> constexpr int turn_side = 8 / int(sizeof(T)); /* of a square: items of a word */
template <class T> constexpr int64_t turn_rows = turn_side<T> * turn_words;

/* Squares of eight bytes a side, or as many longer items as a word has: item i of word k changes places with item k of
 * word i. First halves of words do so, then halves of those. */
template <class T, int half> static inline void turn_items(uint64_t (&word)[turn_side<T>][turn_words])
{
    constexpr int bits = 8 * int(sizeof(T)) * half;
    constexpr uint64_t low = ~uint64_t(0) / ((uint64_t(1) << bits) + 1); /* every other group of `bits` bits */
    for (int i = 0; i < turn_side<T>; i += (i + 1) & half ? half + 1 : 1)
        for (int w = 0; w < turn_words; w++) {
            uint64_t swap = (word[i][w] >> bits ^ word[i + half][w]) & low;
            word[i + half][w] ^= swap;
            word[i][w] ^= swap << bits;
        }
    if constexpr (half > 1)
        turn_items<T, half / 2>(word);
}

/* A word of each of turn_rows lines. */
template <class T> static void turn_squares(const char *from, char *to, const line_box &box)
{
    constexpr int side = turn_side<T>;
    uint64_t word[side][turn_words];
    for (int k = 0; k < side; k++)
        memcpy(word[k], from + k * box.from_step, sizeof word[k]);
    turn_items<T, side / 2>(word);
    for (int w = 0; w < turn_words; w++)
        for (int k = 0; k < side; k++)
            line_put(to + (side * w + k) * box.to_row, word[k][w]);
}

/* The next lines of a band; returns how many. */
template <class T> static int64_t turn_lines(const char *from, char *to, const line_box &box)
{
    int64_t i = 0, rows = 1;
    if constexpr (sizeof(T) <= 2)
        if (box.from_row == int64_t(sizeof(T)) && box.to_step == int64_t(sizeof(T)) && box.rows >= turn_rows<T>)
            for (rows = turn_rows<T>; i + turn_side<T> <= box.n; i += turn_side<T>)
                turn_squares<T>(from + i * box.from_step, to + i * box.to_step, box);
    for (int64_t row = 0; row < rows; row++)
        line_walk<T>(from + row * box.from_row + i * box.from_step, box.from_step,
                     to + row * box.to_row + i * box.to_step, box.to_step, box.n - i);
    return rows;
}

/* A band is read line of the cache by line of it; what follows finds it there. */
template <class T> static void turn_band(const char *from, char *to, line_box box)
{
    for (int64_t i = 0; i < box.n; i++)
        __builtin_prefetch(from + i * box.from_step);
    while (box.rows > 0) {
        int64_t rows = turn_lines<T>(from, to, box);
        from += rows * box.from_row;
        to += rows * box.to_row;
        box.rows -= rows;
    }
}

template <class T> static void turn_box(const char *from, char *to, const line_box &box)
{
    constexpr int64_t lines = cache_line / int64_t(sizeof(T));
    for (int64_t row = 0; row < box.rows; row += lines)
        for (int64_t i = 0; i < box.n; i += band_length) {
            line_box part = box;
            part.rows = box.rows - row < lines ? box.rows - row : lines;
            part.n = box.n - i < band_length ? box.n - i : band_length;
            turn_band<T>(from + row * box.from_row + i * box.from_step, to + row * box.to_row + i * box.to_step, part);
        }
}

/* Short lines are walked across, some hundreds at a time, so that the cache keeps them from one element to the next. */
template <class T> static void cross_lines(const char *from, char *to, const line_box &box)
{
    for (int64_t row = 0; row < box.rows; row += band_length) {
        int64_t rows = box.rows - row < band_length ? box.rows - row : band_length;
        for (int64_t i = 0; i < box.n; i++)
            line_copy<T>(from + row * box.from_row + i * box.from_step, box.from_row,
                         to + row * box.to_row + i * box.to_step, box.to_row, rows);
    }
}

template <class T> static void copy_box(const copy_plan &p, const char *from, char *to, const line_box &box)
{
    if (p.turned)
        return turn_box<T>(from, to, box);
    if (box.n < short_line && box.n < box.rows)
        return cross_lines<T>(from, to, box);
    for (int64_t row = 0; row < box.rows; row++)
        line_copy<T>(from + row * box.from_row, box.from_step, to + row * box.to_row, box.to_step, box.n);
}

template <class T> GA_KERNEL copy_boxes(const copy_plan &p)
{
    GA_AWAIT();
    const char *source = p.from ? p.from : reinterpret_cast<const char *>(p.value.bytes);
    int64_t first = GA_BLOCK_ID * p.span, last = first + p.span < p.boxes ? first + p.span : p.boxes;
    for (int64_t number = first; number < last; number++) {
        int64_t rest = number / p.widths, column = (number - rest * p.widths) * p.width;
        int64_t plane = rest / p.bands, row = (rest - plane * p.bands) * p.band;
        int64_t from = row * p.box.from_row + column * p.box.from_step, to = row * p.box.to_row + column * p.box.to_step;
        for (int d = p.ndim - 1; d >= 0; d--) {
            int64_t outer = plane / p.dim[d].size, index = plane - outer * p.dim[d].size;
            from += index * p.dim[d].from;
            to += index * p.dim[d].to;
            plane = outer;
        }
        line_box box = p.box;
        box.rows = box.rows - row < p.band ? box.rows - row : p.band;
        box.n = box.n - column < p.width ? box.n - column : p.width;
        copy_box<T>(p, source + from, p.to + to, box);
    }
}

/* ---- planning ---- */

static int64_t magnitude_of(int64_t x)
{
    return x < 0 ? -x : x;
}

/* Dimensions of more than one element, the closest in the target last. */
static void fill_dims(const ga_ufunc_call *call, copy_plan *p)
{
    p->ndim = 0;
    for (int d = 0; d < call->ndim; d++) {
        copy_dim dim = {call->shape[d], call->args[0].data ? call->args[0].strides[d] : 0, call->args[1].strides[d]};
        int at = p->ndim;
        if (dim.size == 1)
            continue;
        for (; at > 0 && magnitude_of(p->dim[at - 1].to) < magnitude_of(dim.to); at--)
            p->dim[at] = p->dim[at - 1];
        p->dim[at] = dim;
        p->ndim++;
    }
}

/* The dimension that planes have beside the last one: where the source lies closest, if that is neither the last nor
 * short, nor do elements of a line share lines of the cache; or else the last but one. */
static int choose_rows(const copy_plan *p, bool *turned)
{
    int last = p->ndim - 1, closest = last;
    for (int d = 0; d < last; d++)
        if (p->dim[d].from && magnitude_of(p->dim[d].from) < magnitude_of(p->dim[closest].from))
            closest = d;
    *turned = closest != last && p->dim[closest].size >= 8 && p->dim[last].size >= 8
              && magnitude_of(p->dim[last].from) >= cache_line;
    return *turned ? closest : last - 1;
}

static copy_dim take_dim(copy_plan *p, int d)
{
    copy_dim taken = d < 0 ? copy_dim{1, 0, 0} : p->dim[d];
    p->ndim -= d >= 0;
    for (; d >= 0 && d < p->ndim; d++)
        p->dim[d] = p->dim[d + 1];
    return taken;
}

static void take_plane(copy_plan *p)
{
    int chosen = choose_rows(p, &p->turned);
    copy_dim line = take_dim(p, p->ndim - 1), rows = take_dim(p, chosen);
    if (p->turned && rows.from < 0) { /* bands follow the source's memory */
        p->from += (rows.size - 1) * rows.from;
        p->to += (rows.size - 1) * rows.to;
        rows.from = -rows.from;
        rows.to = -rows.to;
    }
    p->box = {rows.size, line.size, rows.from, rows.to, line.from, line.to};
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Elements of a block. */
static int64_t measure_share(const copy_plan *p, int64_t itemsize)
{
    const bool reads = p->box.from_step == itemsize || p->box.from_step == 0, writes = p->box.to_step == itemsize;
    const int64_t most = plain_size / itemsize;
    return !p->turned && reads && writes && most > box_size ? most : box_size;
}

static void cut_planes(copy_plan *p, int64_t itemsize)
{
    int64_t lines = cache_line / itemsize, planes = 1, share = measure_share(p, itemsize);
    p->width = p->box.n < share ? p->box.n : share;
    p->band = ceil_div(ceil_div(share, p->width), lines) * lines;
    p->band = p->band < p->box.rows ? p->band : p->box.rows;
    p->bands = ceil_div(p->box.rows, p->band);
    p->widths = ceil_div(p->box.n, p->width);
    for (int d = 0; d < p->ndim; d++)
        planes *= p->dim[d].size;
    p->boxes = planes * p->bands * p->widths;
    p->span = ceil_div(share, p->band * p->width);
}

int ga_copy_run(const ga_ufunc_call *call, ga_stream *stream)
{
    copy_plan p;
    int64_t itemsize = ga_map_itemsize(call->in[0]);
    p.from = static_cast<const char *>(call->args[0].data);
    p.to = static_cast<char *>(call->args[1].data);
    p.value = call->args[0].value;
    fill_dims(call, &p);
    take_plane(&p);
    cut_planes(&p, itemsize);
    int64_t blocks = ceil_div(p.boxes, p.span);
    switch (itemsize) {
    case 1:
        return ga_launch(copy_boxes<uint8_t>, blocks, stream, p);
    case 2:
        return ga_launch(copy_boxes<uint16_t>, blocks, stream, p);
    case 4:
        return ga_launch(copy_boxes<uint32_t>, blocks, stream, p);
    case 8:
        return ga_launch(copy_boxes<uint64_t>, blocks, stream, p);
    default:
        return ga_launch(copy_boxes<line_pair>, blocks, stream, p);
    }
}
