/* gather and scatter: items picked by index arrays, in one source for both devices.
 *
 * Where a run of items is contiguous on both sides (rows picked by a leading index) it moves as items of up to 16 bytes.
 *
 * scatter is two passes. The first visits the points of the index arrays alone: it checks the indices, and where an
 * element may be named twice it leaves for each element the greatest place that names it, by an atomic maximum. The
 * second writes, and only where its place is the one left. A bad index met by the first makes the second write nothing.
 * Places are left in a table with a word for each element the indices can name, or, when the places are few against
 * those elements, in a hash table of twice the places (open addressing, keys never removed). A pass that has nothing
 * to find out is left out; on the GPU one over a bit for each element finds out whether many points name one twice at all. On the CPU one thread writes the points in the order of their places instead, where the walk has
 * that order: that needs no table.
 *
 * Included by index_cuda.cu and index_cpu.cc. Includes index_kernels.cuh. */
#pragma once
#include "index_kernels.cuh"
#include "slots.h"

/* As many points are worth a pass that looks for elements named twice; 0: none are. */
static const int64_t index_seeks = GA_BLOCK == 1 ? 0 : 65536;

static int64_t
count_blocks(int64_t size)
{
    return (size + index_piece - 1) / index_piece;
}

/* Alignment that all addresses of the moved items have, at most 16. */
static int64_t
find_alignment(const ga_index_call *call)
{
    int64_t bits = 16 | int64_t(intptr_t(call->array.data)) | int64_t(intptr_t(call->other.data));
    for (int d = 0; d < call->ndim; d++)
        bits |= call->array.strides[d] | (call->other.data ? call->other.strides[d] : 0);
    for (int k = 0; k < call->narrays; k++)
        bits |= call->index[k].step;
    return bits & -bits;
}

static bool
is_run(const ga_index_call *call, int d)
{
    if (!call->other.data || call->place[d] || call->shape[d] % 2)
        return false;
    for (int k = 0; k < call->narrays; k++)
        if (call->index[k].strides[d])
            return false;
    return call->array.strides[d] == call->itemsize && call->other.strides[d] == call->itemsize;
}

/* Two items of a run as one of twice the size, as long as addresses allow. */
static void
widen_items(ga_index_call *call)
{
    int d = call->ndim - 1;
    while (d >= 0 && call->itemsize < 16 && is_run(call, d)) {
        ga_index_call wide = *call;
        wide.itemsize *= 2;
        wide.shape[d] /= 2;
        wide.size /= 2;
        wide.array.strides[d] = wide.other.strides[d] = wide.itemsize;
        if (find_alignment(&wide) < wide.itemsize)
            return;
        *call = wide;
    }
}

/* The two halves of a call with more points than a walk takes, along its outermost dimension that has them; returns by
 * how much their first places differ. */
static int64_t
halve_call(const ga_index_call *call, ga_index_call half[2])
{
    int d = 0;
    while (call->shape[d] < 2)
        d++;
    int64_t first = call->shape[d] / 2, rest = call->size / call->shape[d];
    half[0] = half[1] = *call;
    half[0].shape[d] = first;
    half[1].shape[d] = call->shape[d] - first;
    half[0].size = first * rest;
    half[1].size = half[1].shape[d] * rest;
    half[1].array.data = static_cast<char *>(call->array.data) + first * call->array.strides[d];
    if (call->other.data)
        half[1].other.data = static_cast<char *>(call->other.data) + first * call->other.strides[d];
    for (int k = 0; k < call->narrays; k++)
        half[1].index[k].data += first * call->index[k].strides[d] / int64_t(sizeof(int64_t));
    return first * call->place[d];
}

/* What all launches of one call share. */
struct index_pass {
    ga_fault *fault;
    int32_t *stop;
    index_table table;
    bool in_turn; /* one thread writes, one point after another */
};

template <int K>
static void
fill_walk(const ga_index_call *call, ga_walk<INDEX_FIRST + K> *walk)
{
    walk->ndim = call->ndim;
    for (int d = 0; d < call->ndim; d++) {
        int from = call->ndim - 1 - d; /* innermost first */
        walk->shape[d] = ga_divider_make(call->shape[from]);
        walk->strides[d][INDEX_ARRAY] = call->array.strides[from];
        walk->strides[d][INDEX_OTHER] = call->other.data ? call->other.strides[from] : 0;
        walk->strides[d][INDEX_PLACE] = call->place[from];
        for (int k = 0; k < call->narrays; k++)
            walk->strides[d][INDEX_FIRST + k] = call->index[k].strides[from];
    }
}

template <int K>
static void
fill_arrays(const ga_index_call *call, index_plan<K> *p)
{
    int64_t key_step = 1;
    for (int k = call->narrays - 1; k >= 0; k--) {
        p->index[k] = reinterpret_cast<const char *>(call->index[k].data);
        p->length[k] = call->index[k].length;
        p->step[k] = call->index[k].step;
        p->axis[k] = call->index[k].axis;
        p->key_step[k] = key_step;
        key_step *= call->index[k].length;
    }
    p->narrays = call->narrays;
    p->mode = call->mode;
    p->checked = call->checked;
    p->function = call->function;
}

template <int K>
static index_plan<K>
make_plan(const ga_index_call *call, const index_pass *pass, int64_t first_place)
{
    index_plan<K> p;
    memset(static_cast<void *>(&p), 0, sizeof p);
    fill_walk<K>(call, &p.walk);
    fill_arrays(call, &p);
    p.size = call->size;
    p.piece = pass->in_turn ? call->size : index_piece;
    p.first_place = first_place;
    p.array = static_cast<char *>(call->array.data);
    p.other = static_cast<char *>(call->other.data);
    p.value = call->other.value;
    p.fault = pass->fault;
    p.stop = pass->stop;
    p.table = pass->table;
    return p;
}

enum index_action { INDEX_GATHER, INDEX_SEEK, INDEX_MARK, INDEX_SCATTER };

template <class T, int K>
static int
launch_items(enum index_action action, const index_plan<K> &p, ga_stream *stream)
{
    if (action == INDEX_GATHER)
        return ga_launch((gather_items<T, K>), count_blocks(p.size), stream, p);
    return ga_launch((scatter_items<T, K>), (p.size + p.piece - 1) / p.piece, stream, p);
}

template <int K>
static int
launch_plan(enum index_action action, const ga_index_call *call, const index_plan<K> &p,
            ga_stream *stream)
{
    bool aligned = find_alignment(call) >= call->itemsize;
    if (action == INDEX_SEEK)
        return ga_launch((find_repeats<K>), count_blocks(p.size), stream, p);
    if (action == INDEX_MARK)
        return ga_launch((mark_places<K>), count_blocks(p.size), stream, p);
    switch (call->itemsize) {
    case 1:
        return launch_items<uint8_t>(action, p, stream);
    case 2:
        return launch_items<uint16_t>(action, p, stream);
    case 4:
        return launch_items<uint32_t>(action, p, stream);
    case 8:
        return aligned ? launch_items<uint64_t>(action, p, stream)
                       : launch_items<index_pair>(action, p, stream);
    default:
        return aligned ? launch_items<index_line>(action, p, stream)
                       : launch_items<index_quad>(action, p, stream);
    }
}

static int
run_pass(enum index_action action, const ga_index_call *call, const index_pass *pass,
         int64_t first_place, ga_stream *stream)
{
    if (call->size >= GA_WALK_LIMIT) {
        ga_index_call half[2];
        int64_t second = first_place + halve_call(call, half);
        return run_pass(action, &half[0], pass, first_place, stream) < 0
                   ? -1
                   : run_pass(action, &half[1], pass, second, stream);
    }
    if (call->narrays == 1)
        return launch_plan(action, call, make_plan<1>(call, pass, first_place), stream);
    if (call->narrays == 2)
        return launch_plan(action, call, make_plan<2>(call, pass, first_place), stream);
    return launch_plan(action, call, make_plan<GA_INDEX_ARRAYS>(call, pass, first_place), stream);
}

int
ga_index_gather(const ga_index_call *given, ga_stream *stream)
{
    ga_index_call call = *given;
    index_pass pass = {};
    if (call.size == 0)
        return 0;
    if (!call.checked && ga_fault_record(stream, &pass.fault))
        return -1;
    memset(call.place, 0, sizeof call.place);
    widen_items(&call);
    if (run_pass(INDEX_GATHER, &call, &pass, 0, stream))
        return -1;
    return call.checked ? 0 : ga_fault_settle(stream);
}

/* The points of the index arrays alone. */
static ga_index_call
drop_slices(const ga_index_call *call)
{
    ga_index_call points = *call;
    points.ndim = 0;
    points.size = 1;
    for (int d = 0; d < call->ndim; d++) {
        if (!call->place[d])
            continue;
        int to = points.ndim++;
        points.size *= points.shape[to] = call->shape[d];
        points.place[to] = call->place[d];
        points.array.strides[to] = points.other.strides[to] = 0;
        for (int k = 0; k < call->narrays; k++)
            points.index[k].strides[to] = call->index[k].strides[d];
    }
    return points;
}

/* How many words the table takes for places and keys, and how it is addressed. */
static int64_t
size_table(const ga_index_call *points, index_table *table)
{
    int64_t named = 1;
    for (int k = 0; k < points->narrays; k++)
        named *= points->index[k].length;
    table->shift = 0;
    table->size = named;
    if (named <= 8 * points->size)
        return named;
    table->shift = 63;
    table->size = 2;
    while (table->size < 2 * points->size) {
        table->size *= 2;
        table->shift--;
    }
    return 2 * table->size;
}

/* Whether it is worth a pass to find out that no element is named twice: its bits stay in the cache, the table may not. */
static bool
looks_for_repeats(const ga_index_call *points, const index_table *table)
{
    return index_seeks && table->size > 0 && !table->shift && points->size >= index_seeks;
}

/* The passes before the one that writes; `count` words of table at `words`, behind them one for the flags and `bits`. */
static int
run_marking(const ga_index_call *points, const index_pass *pass, int64_t *words, int64_t count, int64_t bits,
            ga_stream *stream)
{
    if (bits == 0)
        return ga_launch(clear_words, count_blocks(count + 1), stream, words, count + 1, count,
                         static_cast<const int32_t *>(nullptr)) ||
                       run_pass(INDEX_MARK, points, pass, 0, stream)
                   ? -1
                   : 0;
    return ga_launch(clear_words, count_blocks(1 + bits), stream, words + count, 1 + bits, int64_t(0),
                     static_cast<const int32_t *>(nullptr)) ||
                   run_pass(INDEX_SEEK, points, pass, 0, stream) ||
                   ga_launch(clear_words, count_blocks(count), stream, words, count, count, pass->table.repeats) ||
                   run_pass(INDEX_MARK, points, pass, 0, stream)
               ? -1
               : 0;
}

/* The first passes, and the memory they leave for the last: *words, which the caller frees. */
static int
mark_points(const ga_index_call *call, index_pass *pass, int64_t **words, ga_stream *stream)
{
    ga_index_call points = drop_slices(call);
    index_table table = {};
    bool single = call->unique || pass->in_turn;
    int64_t count = single ? 0 : size_table(&points, &table);
    int64_t bits = looks_for_repeats(&points, &table) ? (table.size + 63) / 64 : 0;
    void *memory;
    if (ga_runtime_alloc(size_t(count + 1 + bits) * sizeof **words, stream, &memory))
        return -1;
    *words = static_cast<int64_t *>(memory);
    int32_t *flags = reinterpret_cast<int32_t *>(*words + count);
    if (!single) {
        table.places = *words;
        table.keys = table.shift ? *words + table.size : nullptr;
    }
    if (bits) {
        table.named = reinterpret_cast<uint32_t *>(*words + count + 1);
        table.repeats = flags + 1;
    }
    pass->table = table;
    pass->stop = flags;
    if (run_marking(&points, pass, *words, count, bits, stream))
        return -1;
    return call->checked ? 0 : ga_fault_settle(stream);
}

/* Whether a walk over the points meets their places in order. */
static bool
has_order(const ga_index_call *call)
{
    int64_t before = INT64_MAX;
    for (int d = 0; d < call->ndim; d++) {
        if (call->place[d] == 0)
            continue;
        if (call->place[d] < 0 || call->place[d] > before)
            return false;
        before = call->place[d];
    }
    return true;
}

int
ga_index_scatter(const ga_index_call *given, ga_stream *stream)
{
    ga_index_call call = *given;
    index_pass pass = {};
    int64_t *words = nullptr;
    if (call.size == 0)
        return 0;
    if (!call.checked && ga_fault_record(stream, &pass.fault))
        return -1;
    pass.in_turn = GA_BLOCK == 1 && !call.unique && has_order(&call);
    bool marks = !call.checked || !(call.unique || pass.in_turn);
    int status = marks ? mark_points(&call, &pass, &words, stream) : 0;
    if (status == 0) {
        widen_items(&call);
        status = run_pass(INDEX_SCATTER, &call, &pass, 0, stream);
    }
    return words && ga_runtime_free(words, stream) ? -1 : status;
}
