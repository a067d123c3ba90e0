/* gather and scatter on a GPU: items picked by index arrays.
 *
 * Where a run of items is contiguous on both sides (rows picked by a leading index) it moves as
 * items of up to 16 bytes.
 *
 * scatter is two passes. The first visits the points of the index arrays alone: it checks the
 * indices, and where an element may be named twice it leaves for each element the greatest place
 * that names it, by an atomic maximum. The second writes, and only where its place is the one left.
 * A bad index met by the first makes the second write nothing. Places are left in a table with a
 * word for each element the indices can name, or, when the places are few against those elements,
 * in a hash table of twice the places (open addressing, keys never removed). A pass that has
 * nothing to find out is left out. Elements fetch their items where the points have no slices and
 * the table is one of all elements: two passes whose writes stay close together.
 *
 * Included by index_cuda.cu. Includes index_fetch.cuh, index_lines.cuh, slots.h. */
#pragma once
#include "index_fetch.cuh"
#include "index_lines.cuh"
#include "slots.h"

enum index_action { INDEX_GATHER, INDEX_MARK, INDEX_SCATTER };

template <class T, int K>
static int
launch_items(enum index_action action, const index_plan<K> &p, ga_stream *stream)
{
    if (action == INDEX_GATHER)
        return ga_launch((gather_items<T, K>), count_blocks(p.size), stream, p);
    return ga_launch((scatter_items<T, K>), count_blocks(p.size), stream, p);
}

template <int K>
static int
launch_plan(enum index_action action, const ga_index_call *call, const index_plan<K> &p,
            ga_stream *stream)
{
    bool aligned = find_alignment(call) >= call->itemsize;
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
    int turned = action == INDEX_GATHER ? find_turned_picks(call) : -1;
    if (turned >= 0)
        return gather_turned<GA_BLOCK>(call, turned, pass, stream);
    if (action == INDEX_GATHER && picks_along_lines(call))
        return gather_along_lines<GA_BLOCK>(call, pass, stream);
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

/* The first pass, and the memory it leaves for the last: *words, which the caller frees. */
static int
mark_points(const ga_index_call *call, index_pass *pass, int64_t **words, ga_stream *stream)
{
    ga_index_call points = drop_slices(call);
    int64_t count = call->unique ? 0 : size_table(&points, &pass->table);
    void *memory;
    if (ga_runtime_alloc(size_t(count + 1) * sizeof **words, stream, &memory))
        return -1;
    *words = static_cast<int64_t *>(memory);
    pass->stop = reinterpret_cast<int32_t *>(*words + count);
    if (!call->unique) {
        pass->table.places = *words;
        pass->table.keys = pass->table.shift ? *words + pass->table.size : nullptr;
    }
    if (ga_launch(clear_words, count_blocks(count + 1), stream, *words, count + 1, count) ||
        run_pass(INDEX_MARK, &points, pass, 0, stream))
        return -1;
    return call->checked ? 0 : ga_fault_settle(stream);
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
    if (may_fetch(&call))
        return fetch_points<GA_BLOCK>(&call, &pass, stream);
    bool marks = !call.checked || !call.unique;
    int status = marks ? mark_points(&call, &pass, &words, stream) : 0;
    if (status == 0) {
        widen_items(&call);
        status = run_pass(INDEX_SCATTER, &call, &pass, 0, stream);
    }
    return words && ga_runtime_free(words, stream) ? -1 : status;
}
