/* Cuts a reduction into stages and launches them: which axis first, which kernel, how many pieces.
 *
 * A stage takes one reduced axis (the one with the smallest stride, unless it is short and another
 * is long) and leaves an array of accumulators, in which the other reduced axes and the pieces of
 * this one are axes to be reduced in turn. Every choice depends on shapes, strides and dtypes
 * alone. Where no other axis is left, the block that comes last of a result's merges the pieces
 * itself, which saves the second launch. Owns ga_reduce_stages. Includes reduce_stage.h, port.cuh.
 * */
#include "port.cuh"
#include "reduce_stage.h"
#include "slots.h"

/* Elements of an axis that one thread takes at most: 128 for each of the accumulators that it surely has. */
static const int64_t thread_most = 128;
/* Pieces of a contiguous axis on the GPU: long enough to be worth a block, short enough for many
 * blocks, but so few that a block takes the accumulators of all in no time. `piece_most` is that of
 * a strided walk. */
static const int64_t piece_least = 4096, piece_most = 32768;
/* Blocks that fill a large GPU and run there all at once, four on a multiprocessor: more would
 * begin a second round for a few of them. */
static const int64_t blocks_wanted = 512;
static const int64_t threads_wanted = 1 << 18;
static const int64_t block_least = 2048; /* elements that are worth a block */
static const int64_t line_bytes = 128; /* of memory that is read together */

static int64_t magnitude_of(int64_t x)
{
    return x < 0 ? -x : x;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t power_above(int64_t x)
{
    int64_t power = 1;
    while (power < x)
        power *= 2;
    return power;
}

static int64_t clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* ---- layout ---- */

/* Walks every axis forwards in memory; axes of one element go. */
static void normalise_dims(ga_reduce_stage *s)
{
    int kept = 0;
    for (int d = 0; d < s->nkeep; d++) {
        ga_reduce_dim dim = s->dim[d];
        if (dim.size == 1)
            continue;
        if (dim.src < 0) {
            s->src += (dim.size - 1) * dim.src;
            s->dst += (dim.size - 1) * dim.dst;
            s->where += s->where ? (dim.size - 1) * dim.where : 0;
            s->place += (dim.size - 1) * dim.place;
            dim.src = -dim.src, dim.dst = -dim.dst, dim.where = -dim.where, dim.place = -dim.place;
        }
        s->dim[kept++] = dim;
    }
    s->nkeep = kept;
}

/* Outermost: repeated (stride 0), then by falling stride. Insertion keeps the order of equals. */
static void sort_dims(ga_reduce_stage *s)
{
    for (int i = 1; i < s->nkeep; i++) {
        ga_reduce_dim dim = s->dim[i];
        int j = i;
        for (; j > 0 && dim.src != s->dim[j - 1].src && s->dim[j - 1].src != 0
               && (dim.src == 0 || s->dim[j - 1].src < dim.src);
             j--)
            s->dim[j] = s->dim[j - 1];
        s->dim[j] = dim;
    }
}

static bool continues(const ga_reduce_dim *outer, const ga_reduce_dim *inner)
{
    return outer->reduced == inner->reduced && outer->src == inner->src * inner->size
           && outer->dst == inner->dst * inner->size && outer->where == inner->where * inner->size
           && outer->place == inner->place * inner->size;
}

static void merge_dims(ga_reduce_stage *s)
{
    int kept = 0;
    for (int d = 0; d < s->nkeep; d++) {
        ga_reduce_dim dim = s->dim[d];
        if (kept > 0 && continues(&s->dim[kept - 1], &dim)) {
            dim.size *= s->dim[kept - 1].size;
            kept--;
        }
        s->dim[kept++] = dim;
    }
    s->nkeep = kept;
}

/* The reduced axis to take now, or -1. */
static int choose_axis(const ga_reduce_stage *s)
{
    int best = -1;
    for (int d = s->nkeep - 1; d >= 0; d--)
        if (s->dim[d].reduced
            && (best < 0 || (s->dim[best].size < 16 && s->dim[d].size >= 4 * s->dim[best].size)))
            best = d;
    return best;
}

/* Puts the axis behind those that stay. */
static void split_axis(ga_reduce_stage *s, int axis)
{
    ga_reduce_dim chosen = s->dim[axis];
    s->outputs = 1;
    for (int d = axis; d + 1 < s->nkeep; d++)
        s->dim[d] = s->dim[d + 1];
    s->nkeep--;
    s->nred = 1;
    s->dim[s->nkeep] = chosen;
    for (int d = 0; d < s->nkeep; d++)
        s->outputs *= s->dim[d].size;
}

/* ---- pieces ---- */

static void cut_axis(ga_reduce_stage *s, int64_t chunk)
{
    int64_t length = s->dim[s->nkeep].size;
    s->chunk = length < chunk ? length : chunk;
    s->parts = length > 0 ? ceil_div(length, chunk) : 1;
}

/* Elements that are worth a thread's while on the CPU: vectors take small ones faster. */
static int64_t measure_piece(const ga_reduce_kit *kit)
{
    return clamp(GA_REDUCE_CPU_BYTES / kit->in_size, GA_REDUCE_CPU_PIECE, GA_REDUCE_CPU_BYTES);
}

/* Blocks of whole groups of threads; on the CPU, of so many items that a block is worth a thread's while. */
static int64_t group_items(ga_reduce_stage *s)
{
    s->span = GA_BLOCK == 1 ? ceil_div(GA_REDUCE_CPU_PIECE, s->chunk + 16) : GA_BLOCK / s->width;
    return ceil_div(s->outputs * s->parts, s->span);
}

/* Few outputs: pieces so short that there are blocks for the whole device. */
static int64_t choose_piece(const ga_reduce_kit *kit, const ga_reduce_stage *s, int64_t most)
{
    int64_t length = s->dim[s->nkeep].size;
    if (GA_BLOCK == 1)
        return measure_piece(kit);
    if (length <= 4 * piece_least)
        return 4 * piece_least;
    return clamp(power_above(ceil_div(length * s->outputs, blocks_wanted)), piece_least, most);
}

/* Threads that share an item of the axis, each with at least `each` elements. */
static int choose_width(const ga_reduce_stage *s, int64_t each)
{
    return int(clamp(power_above(ceil_div(s->dim[s->nkeep].size, each)), 1, GA_BLOCK));
}

/* A tile each, or, where blocks enough for one round are left even so, two tiles, of large
 * accumulators four: a block's fixed costs are shared by more rows then. Fewer than eight threads
 * would read less than a line of memory at a time. */
static int choose_row_width(const ga_reduce_kit *kit, const ga_reduce_stage *s)
{
    int most = choose_width(s, 4 * kit->row_lanes);
    int least = choose_width(s, (kit->acc_size > 16 ? 16 : 8) * kit->row_lanes);
    int64_t enough = power_above(ceil_div(blocks_wanted * GA_BLOCK, s->outputs * s->parts));
    return s->parts > 1 ? most : int(clamp(enough < 8 ? 8 : enough, least, most));
}

static int launch_rows_stage(const ga_reduce_kit *kit, ga_reduce_stage *s, ga_stream *stream)
{
    s->width = choose_row_width(kit, s);
    int64_t blocks = group_items(s);
    return kit->rows(s, blocks, stream);
}

/* Threads side by side: two lines of memory, or one of a matrix so narrow that its pieces are many.
 * Few leave many rows of threads, whose sums the block merges, so that pieces are few; but each
 * thread should have some elements. */
static int choose_column_width(const ga_reduce_kit *kit, const ga_reduce_stage *s, int64_t columns)
{
    int64_t line = clamp(line_bytes / (kit->in_size * kit->column_lanes), 1, GA_BLOCK);
    int64_t width = columns > 16 * line ? 2 * line : line;
    while (width < GA_BLOCK && s->dim[s->nkeep].size * width < 16 * GA_BLOCK)
        width *= 2;
    return int(clamp(power_above(columns), 1, clamp(width, 1, GA_BLOCK)));
}

/* Pieces that give every thread thread_most elements of a column at most. */
static void cut_columns(const ga_reduce_kit *kit, ga_reduce_stage *s)
{
    int64_t columns = ceil_div(s->dim[s->nkeep - 1].size, kit->column_lanes);
    s->width = choose_column_width(kit, s, columns);
    s->tiles = ceil_div(columns, s->width);
    int64_t rows = GA_BLOCK / s->width, each = thread_most;
    int64_t blocks = s->tiles * (s->outputs / s->dim[s->nkeep - 1].size);
    while (GA_BLOCK > 1 && each > 4 && blocks * ceil_div(s->dim[s->nkeep].size, rows * each) < blocks_wanted)
        each /= 2;
    cut_axis(s, rows * each);
}

static int launch_columns_stage(const ga_reduce_kit *kit, ga_reduce_stage *s, ga_stream *stream)
{
    int64_t blocks = s->tiles * (s->outputs / s->dim[s->nkeep - 1].size) * s->parts;
    return kit->columns(s, blocks, stream);
}

/* A thread an output where neighbours lie closer on the axes that stay; strided has four
 * accumulators. Pieces are so short that there are threads for the whole device. */
static void cut_strided(const ga_reduce_kit *kit, ga_reduce_stage *s)
{
    const ga_reduce_dim *axis = &s->dim[s->nkeep];
    bool alone = s->nkeep > 0 && s->outputs >= 1024 && s->dim[s->nkeep - 1].src < magnitude_of(axis->src);
    int64_t each = clamp(power_above(ceil_div(axis->size * s->outputs, threads_wanted)), 16, 4 * thread_most);
    s->width = alone ? 1 : choose_width(s, 16);
    cut_axis(s, GA_BLOCK > 1 && alone ? each : choose_piece(kit, s, piece_most));
}

/* ---- stages ---- */

enum stage_kind { STAGE_ROWS, STAGE_COLUMNS, STAGE_STRIDED };

/* Whether neighbours along an axis are neighbours in memory, of both operands if there are two. */
static bool lies_packed(const ga_reduce_kit *kit, const ga_reduce_dim *dim)
{
    return dim->src == kit->in_size && (!kit->pairs || dim->where == kit->in_size);
}

/* A block takes its columns of one outer output: on the GPU they must be worth a block. */
static bool fills_columns(const ga_reduce_kit *kit, const ga_reduce_stage *s)
{
    const ga_reduce_dim *inner = &s->dim[s->nkeep - 1], *axis = &s->dim[s->nkeep];
    return lies_packed(kit, inner)
           && (GA_BLOCK == 1 || s->outputs == inner->size || inner->size * axis->size >= block_least);
}

/* Whether whole vectors may be loaded along axis `along`. On the GPU they must be aligned; a test of
 * that inside the loop would keep its loads from being under way together, so what is misaligned is left to strided. */
static bool loads_vectors(const ga_reduce_stage *s, int along, int64_t vector)
{
    if (GA_BLOCK == 1)
        return true;
    int64_t bits = int64_t(uintptr_t(s->src) | uintptr_t(s->where));
    for (int d = 0; d <= s->nkeep; d++)
        bits |= d == along ? 0 : s->dim[d].src | s->dim[d].where;
    return bits % vector == 0;
}

static enum stage_kind choose_kind(const ga_reduce_kit *kit, const ga_reduce_stage *s)
{
    const ga_reduce_dim *axis = &s->dim[s->nkeep];
    if ((s->where && !kit->pairs && !kit->masks) || axis->size == 0 || s->direct == kit->converts)
        return STAGE_STRIDED;
    if (GA_BLOCK > 1 && axis->place < 0) /* batches count places upwards */
        return STAGE_STRIDED;
    if (kit->rows && lies_packed(kit, axis)
        && loads_vectors(s, s->nkeep, int64_t(kit->row_lanes) * kit->in_size))
        return STAGE_ROWS;
    if (kit->columns && s->nkeep > 0 && (!s->where || kit->pairs) && fills_columns(kit, s)
        && loads_vectors(s, s->nkeep - 1, int64_t(kit->column_lanes) * kit->in_size))
        return STAGE_COLUMNS;
    return GA_BLOCK == 1 && kit->rows && !kit->pairs ? STAGE_ROWS : STAGE_STRIDED; /* the CPU packs what has gaps */
}

/* Accumulators of two words take as long as a tile or two to merge, so that more blocks even out
 * the end of a launch. Longer ones are moments in double precision, which need no tree for their
 * digits. */
static int64_t rows_piece(const ga_reduce_kit *kit)
{
    int64_t most = thread_most * kit->row_lanes * GA_BLOCK;
    return kit->acc_size > 16 ? INT64_MAX : kit->acc_size == 16 ? most / 2 : most;
}

static void cut_stage(const ga_reduce_kit *kit, ga_reduce_stage *s, enum stage_kind kind)
{
    if (kind == STAGE_ROWS)
        cut_axis(s, choose_piece(kit, s, rows_piece(kit)));
    else if (kind == STAGE_COLUMNS)
        cut_columns(kit, s);
    else
        cut_strided(kit, s);
}

static int launch_stage(const ga_reduce_kit *kit, ga_reduce_stage *s, enum stage_kind kind, ga_stream *stream)
{
    if (kind == STAGE_ROWS)
        return launch_rows_stage(kit, s, stream);
    if (kind == STAGE_COLUMNS)
        return launch_columns_stage(kit, s, stream);
    int64_t blocks = group_items(s);
    return kit->strided(s, blocks, stream);
}

static bool has_reduced(const ga_reduce_stage *s)
{
    for (int d = 0; d < s->nkeep; d++)
        if (s->dim[d].reduced)
            return true;
    return false;
}

/* Lets the blocks that come last merge the pieces where no other axis is left, and counters are
 * enough: rows count a whole block a piece, since a cut axis is long. */
static int join_stages(ga_reduce_stage *s, enum stage_kind kind, char *result, ga_stream *stream)
{
    int64_t groups = s->outputs;
    s->arrived = nullptr;
    if (kind == STAGE_COLUMNS)
        groups = s->tiles * (s->outputs / s->dim[s->nkeep - 1].size);
    if (GA_BLOCK == 1 || kind == STAGE_STRIDED || groups > GA_STREAM_COUNTERS || has_reduced(s))
        return 0;
    s->result = result;
    return ga_stream_counters(stream, &s->arrived);
}

/* The accumulators that `done` has left, as the source of the next stage. */
static void continue_from(const ga_reduce_kit *kit, const ga_reduce_stage *done, ga_reduce_stage *next)
{
    int64_t stride = kit->acc_size;
    *next = *done;
    next->src = done->dst;
    next->where = nullptr;
    next->place = 0;
    next->direct = true;
    for (int d = done->nkeep - 1; d >= 0; d--) {
        next->dim[d].src = stride;
        next->dim[d].where = next->dim[d].place = 0;
        stride *= next->dim[d].size;
    }
    next->dim[done->nkeep] = {done->parts, stride, 0, 0, 0, true};
    next->nkeep = done->nkeep + 1;
}

/* Lays the axes out and takes one of them; a reduction without axes has one of a single element. */
static void prepare_stage(ga_reduce_stage *s)
{
    normalise_dims(s);
    sort_dims(s);
    merge_dims(s);
    int axis = choose_axis(s);
    if (axis < 0) {
        axis = s->nkeep++;
        s->dim[axis] = {1, 0, 0, 0, 0, true};
    }
    split_axis(s, axis);
}

/* Elements of a slab, the axis and what lies within it, if slabs lie one after the other; else 0. */
static int64_t measure_slab(const ga_reduce_kit *kit, const ga_reduce_stage *s)
{
    const ga_reduce_dim *axis = &s->dim[s->nkeep], *outer = &s->dim[0], *inner = &s->dim[1];
    if (s->nkeep < 1 || s->nkeep > 2 || outer->reduced || (s->nkeep == 2 && (inner->reduced || inner->src != kit->in_size)))
        return 0;
    const int64_t across = s->nkeep == 2 ? inner->size : 1;
    bool follows = axis->src == across * kit->in_size && outer->src == axis->size * axis->src;
    return follows ? across * axis->size : 0;
}

/* Whether the whole reduction is over a short axis of small slabs, enough of them to fill blocks. */
static bool has_short_axis(const ga_reduce_kit *kit, const ga_reduce_stage *s)
{
    const int64_t length = s->dim[s->nkeep].size;
    if (!kit->short_axis || s->where || s->direct == kit->converts || length < 2 || length > GA_REDUCE_SHORT)
        return false;
    const int64_t slab = measure_slab(kit, s);
    return slab > 0 && 4 * slab * kit->in_size <= GA_REDUCE_SHORT_BYTES && s->outputs >= block_least
           && uintptr_t(s->src) % 16 == 0;
}

/* A multiple of four slabs is whole vectors. */
static int launch_short_axis(const ga_reduce_kit *kit, ga_reduce_stage *s, ga_stream *stream)
{
    s->parts = 1;
    s->span = GA_REDUCE_SHORT_BYTES / (measure_slab(kit, s) * kit->in_size) / 4 * 4;
    return kit->short_axis(s, ceil_div(s->dim[0].size, s->span), stream);
}

/* Runs one stage. Unless it is the last, its accumulators go to memory that the caller frees: *temporary. */
static int run_stage(const ga_reduce_kit *kit, ga_reduce_stage *s, void **temporary, ga_stream *stream)
{
    prepare_stage(s);
    *temporary = nullptr;
    s->last = has_short_axis(kit, s);
    if (s->last)
        return launch_short_axis(kit, s, stream);
    enum stage_kind kind = choose_kind(kit, s);
    cut_stage(kit, s, kind);
    s->last = s->parts == 1 && !has_reduced(s);
    if (s->last)
        return launch_stage(kit, s, kind, stream);
    char *result = s->dst;
    size_t nbytes = size_t(s->outputs * s->parts) * size_t(kit->acc_size);
    if (ga_runtime_alloc(nbytes, stream, temporary))
        return -1;
    s->dst = static_cast<char *>(*temporary);
    int status = join_stages(s, kind, result, stream);
    status = status ? status : launch_stage(kit, s, kind, stream);
    s->last = s->arrived != nullptr;
    ga_reduce_stage next;
    continue_from(kit, s, &next);
    next.dst = result;
    *s = next;
    return status;
}

int ga_reduce_stages(const ga_reduce_kit *kit, const ga_reduce_stage *first, ga_stream *stream)
{
    ga_reduce_stage s = *first;
    void *source = nullptr, *target = nullptr;
    int status = 0;
    for (s.last = false; status == 0 && !s.last; kit = kit->partial ? kit->partial : kit) {
        status = run_stage(kit, &s, &target, stream);
        if (source && ga_runtime_free(source, stream))
            status = -1;
        source = target;
    }
    if (source && ga_runtime_free(source, stream))
        status = -1;
    return status;
}
