/* Scans: which kernel walks the axis, how it is cut, and the passes. Owns ga_scan_run, ga_scan_convert.
 * Includes kinds.h, left.h, slots.h, port.cuh. */
#include "kinds.h"
#include "left.h"
#include "port.cuh"
#include "slots.h"

/* Elements of a piece in rows: on the GPU enough to be worth a block, and of 2^24 no more pieces than run at once. */
static int64_t row_piece(const ga_scan_kit *kit)
{
    return GA_BLOCK == 1 ? 65536 : kit->acc_size > 4 ? 49152 : 32768;
}

/* Threads, or on the CPU tiles of lanes, that are enough for the device. */
static const int64_t items_wanted = GA_BLOCK == 1 ? 8 : 131072;
static const int64_t lane_piece_least = GA_BLOCK == 1 ? 1024 : 64;
static const int64_t short_row = 16; /* elements: no warp is worth while */
static const int64_t warp_row = 1024;
static const int64_t few_lanes = GA_BLOCK == 1 ? 4 : 32; /* neighbours do not fill a memory transaction */

static const ga_scan_kit *find_kit(const ga_scan_call *call, enum ga_dtype src)
{
    const enum ga_dtype dtype = ga_kind_serving(call->op, call->dtype);
    src = src == call->dtype ? dtype : src;
    switch (dtype) {
#define GA_DTYPE(id, ...) \
    case GA_##id:         \
        return ga_scan_kit_##id(call->op, src);
#include "../csrc/tables/dtypes.def"
    default:
        return nullptr;
    }
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t magnitude_of(int64_t x)
{
    return x < 0 ? -x : x;
}

static void fill_stage(const ga_scan_call *call, ga_scan_stage *s)
{
    memset(s, 0, sizeof *s);
    ga_reduce_stage *w = &s->walk;
    w->src = static_cast<const char *>(call->src);
    w->dst = static_cast<char *>(call->dst);
    w->src_dtype = call->src_dtype;
    w->direct = true;
    w->nkeep = call->nkeep;
    w->outputs = call->keep_size;
    for (int d = 0; d < call->nkeep; d++)
        w->dim[d] = {call->keep_shape[d], call->src_keep[d], call->dst_keep[d], 0, 0, false};
    w->dim[call->nkeep] = {call->axis_size, call->src_axis, call->dst_axis, 0, 1, true};
}

/* Whether all lanes start at whole vectors. */
static bool is_packed(const ga_reduce_stage *w, bool source, int64_t vector)
{
    uint64_t bits = source ? uint64_t(uintptr_t(w->src)) : uint64_t(uintptr_t(w->dst));
    for (int d = 0; d < w->nkeep; d++)
        bits |= uint64_t(source ? w->dim[d].src : w->dim[d].dst);
    return bits % uint64_t(vector) == 0;
}

/* Rows where the axis itself is the one to walk along memory, and long enough to share. */
static bool goes_along_rows(const ga_scan_kit *kit, const ga_scan_call *call)
{
    if (!kit->rows)
        return false;
    if (GA_BLOCK > 1 && call->axis_size <= short_row && call->keep_size > 1)
        return false;
    return call->nkeep == 0 || magnitude_of(call->src_axis) <= magnitude_of(call->src_keep[call->nkeep - 1])
           || call->keep_size < few_lanes;
}

static void cut_axis(ga_reduce_stage *w, int64_t chunk)
{
    int64_t length = w->dim[w->nkeep].size;
    w->chunk = length < chunk ? length : chunk;
    w->parts = ceil_div(length, w->chunk);
}

static int64_t plan_rows(const ga_scan_kit *kit, ga_scan_stage *s)
{
    ga_reduce_stage *w = &s->walk;
    const ga_reduce_dim *axis = &w->dim[w->nkeep];
    int64_t in_vector = int64_t(kit->row_lanes) * kit->in_size, out_vector = int64_t(kit->row_lanes) * kit->out_size;
    s->packed_in = axis->src == kit->in_size && is_packed(w, true, in_vector);
    s->packed_out = axis->dst == kit->out_size && is_packed(w, false, out_vector);
    cut_axis(w, w->outputs >= 1024 ? axis->size : row_piece(kit));
    w->width = GA_BLOCK == 1 ? 1 : w->chunk <= warp_row ? 32 : GA_BLOCK;
    w->span = GA_BLOCK == 1 ? ceil_div(GA_REDUCE_CPU_PIECE, w->chunk + 16) : GA_BLOCK / w->width;
    return ceil_div(w->outputs * w->parts, w->span);
}

/* Pieces only where lanes are few. */
static int64_t plan_lanes(const ga_scan_kit *kit, ga_scan_stage *s)
{
    ga_reduce_stage *w = &s->walk;
    int64_t length = w->dim[w->nkeep].size, inner = w->nkeep > 0 ? w->dim[w->nkeep - 1].size : 1;
    w->tiles = ceil_div(inner, kit->column_lanes);
    int64_t tiles = w->tiles * (w->outputs / inner), chunk = length;
    if (tiles < items_wanted) {
        chunk = ceil_div(length, ceil_div(2 * items_wanted, tiles));
        chunk = chunk < lane_piece_least ? lane_piece_least : chunk;
    }
    cut_axis(w, chunk);
    bool beside = w->nkeep > 0;
    s->packed_in = beside && w->dim[w->nkeep - 1].src == kit->in_size;
    s->packed_out = beside && w->dim[w->nkeep - 1].dst == kit->out_size;
    int64_t work = ceil_div(GA_REDUCE_CPU_PIECE, w->chunk * (inner < kit->column_lanes ? inner : kit->column_lanes));
    w->span = GA_BLOCK == 1 ? work : GA_BLOCK;
    return ceil_div(tiles * w->parts, w->span);
}

static int run_passes(const ga_scan_kit *kit, ga_scan_stage *s, ga_scan_launch launch, int64_t blocks,
                      ga_stream *stream)
{
    void *totals = nullptr;
    if (s->walk.parts == 1)
        return launch(s, blocks, stream);
    size_t nbytes = size_t(s->walk.outputs * s->walk.parts) * size_t(kit->acc_size);
    if (ga_runtime_alloc(nbytes, stream, &totals))
        return -1;
    s->totals = static_cast<char *>(totals);
    s->totals_only = true;
    int status = launch(s, blocks, stream);
    int64_t lanes = s->walk.outputs, blocks_of_totals = s->walk.parts <= GA_SCAN_FEW ? ceil_div(lanes, GA_BLOCK) : lanes;
    status = status ? status : kit->totals(s, blocks_of_totals, stream);
    s->totals_only = false;
    status = status ? status : launch(s, blocks, stream);
    return ga_runtime_free(totals, stream) ? -1 : status;
}

GA_KERNEL scan_clear(uint64_t *words, int64_t count)
{
    GA_AWAIT();
    const int64_t at = GA_BLOCK_ID * GA_BLOCK + GA_THREAD;
    if (at < count)
        words[at] = 0;
}

/* A mark for each tile, each group begun and each set of groups begun, half an accumulator's word
 * in each of its words. */
static int run_through(const ga_scan_kit *kit, ga_scan_stage *s, ga_stream *stream)
{
    const int64_t tiles = s->walk.parts, groups = tiles / GA_SCAN_GROUP + 1, sets = groups / GA_SCAN_GROUP + 1;
    const int64_t words = s->walk.outputs * (tiles + groups + sets) * ceil_div(kit->acc_size, 4);
    void *memory = nullptr;
    if (ga_runtime_alloc(size_t(words) * sizeof(uint64_t), stream, &memory))
        return -1;
    s->totals = static_cast<char *>(memory);
    int status = ga_launch(scan_clear, ceil_div(words, GA_BLOCK), stream, static_cast<uint64_t *>(memory), words);
    status = status ? status : kit->through(s, s->walk.outputs * s->walk.parts, stream);
    return ga_runtime_free(memory, stream) ? -1 : status;
}

static int run_rows(const ga_scan_kit *kit, ga_scan_stage *s, ga_stream *stream)
{
    int64_t blocks = plan_rows(kit, s);
    if (!kit->through || s->walk.parts == 1)
        return run_passes(kit, s, kit->rows, blocks, stream);
    cut_axis(&s->walk, kit->through_tile);
    return run_through(kit, s, stream);
}

static int run_tree(const ga_scan_kit *kit, const ga_scan_call *call, ga_stream *stream)
{
    ga_scan_stage s;
    fill_stage(call, &s);
    if (goes_along_rows(kit, call))
        return run_rows(kit, &s, stream);
    return run_passes(kit, &s, kit->lanes, plan_lanes(kit, &s), stream);
}

static int run_ordered(const ga_scan_call *call, ga_stream *stream)
{
    ga_scan_stage walk;
    ga_left_stage s = {};
    fill_stage(call, &walk);
    s.slices.walk = walk.walk;
    s.slices.segments = 1;
    s.slices.walk.nred = 1;
    s.slices.walk.chunk = call->axis_size;
    s.op = call->op;
    s.every = true;
    return ga_left_run(&s, call->dtype, call->axis_size, stream);
}

/* One cast of the lanes from dimension `first` on. */
static int convert_lanes(const ga_scan_call *call, int first, const char *src, char *dst, const int64_t *to_keep,
                         int64_t to_axis, ga_stream *stream)
{
    ga_cast_call cast = {};
    cast.in = call->src_dtype;
    cast.out = call->dtype;
    cast.num = cast.den = 1;
    cast.size = call->axis_size;
    cast.src.data = const_cast<char *>(src);
    cast.dst.data = dst;
    for (int d = first; d < call->nkeep; d++) {
        cast.shape[cast.ndim] = call->keep_shape[d];
        cast.src.strides[cast.ndim] = call->src_keep[d];
        cast.dst.strides[cast.ndim++] = to_keep[d];
        cast.size *= call->keep_shape[d];
    }
    cast.shape[cast.ndim] = call->axis_size;
    cast.src.strides[cast.ndim] = call->src_axis;
    cast.dst.strides[cast.ndim++] = to_axis;
    return ga_cast_run(&cast, stream);
}

/* A cast has room for one axis and all others but one. */
int ga_scan_convert(ga_scan_call *call, void *to, const int64_t *to_keep, int64_t to_axis, ga_stream *stream)
{
    const char *src = static_cast<const char *>(call->src);
    char *dst = static_cast<char *>(to);
    bool full = call->nkeep == GA_ITER_DIMS;
    for (int64_t i = 0; i < (full ? call->keep_shape[0] : 1); i++)
        if (convert_lanes(call, full, src + (full ? i * call->src_keep[0] : 0), dst + (full ? i * to_keep[0] : 0),
                          to_keep, to_axis, stream))
            return -1;
    call->src = to;
    call->src_dtype = call->dtype;
    call->src_axis = to_axis;
    memcpy(call->src_keep, to_keep, sizeof call->src_keep);
    return 0;
}

/* The scan by kernels that convert on load; 1 where there are none. */
static int run_converting(const ga_scan_call *call, ga_stream *stream)
{
    ga_scan_stage s;
    const ga_scan_kit *kit = find_kit(call, call->src_dtype);
    if (!kit || !goes_along_rows(kit, call))
        return 1;
    fill_stage(call, &s);
    return run_rows(kit, &s, stream);
}

/* A source of another dtype is converted on load, or into the result, and scanned there. */
int ga_scan_run(const ga_scan_call *asked, ga_stream *stream)
{
    ga_scan_call call = *asked;
    const ga_scan_kit *kit = call.ordered ? nullptr : find_kit(&call, call.dtype);
    if (!kit && !(call.ordered && ga_left_has(call.op, call.dtype)))
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "accumulate: ufunc %d has no loop for dtype %d", int(call.op),
                              int(call.dtype));
    if (call.keep_size == 0 || call.axis_size == 0)
        return 0;
    if (call.src_dtype != call.dtype) {
        int status = kit ? run_converting(&call, stream) : 1;
        if (status != 1)
            return status;
        if (ga_scan_convert(&call, call.dst, call.dst_keep, call.dst_axis, stream))
            return -1;
    }
    return kit ? run_tree(kit, &call, stream) : run_ordered(&call, stream);
}
