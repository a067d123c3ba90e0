/* scatter on a GPU of points without slices, in their order, that may name a good part of the
 * elements.
 *
 * A table has for each element the last place that names it. It is filled window by window, each of
 * which the cache holds: writes to places far apart cost more than reading the indices again. Then
 * each element fetches its item, so that what is written lies in order. Functions with the
 * parameter `block` are compiled where it is more than one thread. Includes index_plan.cuh and
 * slots.h. */
#pragma once
#include "index_plan.cuh"
#include "slots.h"

/* Elements of a window of the table, and how many windows there are at most. */
static const int64_t fetch_window = int64_t(1) << 22;
static const int64_t fetch_windows = 16;

template <int K> struct index_fetch {
    int32_t *last;      /* -1: none */
    int64_t named;      /* elements of the table */
    int64_t window;     /* elements of a window */
    int64_t blocks;     /* of a window */
    ga_divider each[K]; /* lengths of the axes */
};

template <int K>
GA_KERNEL
mark_last(GA_PARAM index_plan<K> p, index_fetch<K> fetch)
{
    GA_AWAIT();
    constexpr int D = index_depth<K>;
    const int64_t part = GA_BLOCK_ID / fetch.blocks, low = part * fetch.window, high = low + fetch.window;
    const int64_t first = (GA_BLOCK_ID - part * fetch.blocks) * index_piece;
    const int64_t last = first + index_piece < p.size ? first + index_piece : p.size;
    ga_cursor<INDEX_FIRST + K> at;
    for (int64_t i = first + GA_THREAD; i < last; i += D * GA_BLOCK) {
        int64_t index[D][K], key;
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            int64_t point = i + u * GA_BLOCK;
            at.seek(p.walk, uint32_t(point < last ? point : last - 1));
            read_indices(p, at, index[u]);
        }
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            resolve_indices(p, index[u], &key);
            if (key >= low && key < high && i + u * GA_BLOCK < last)
                index_raise(&fetch.last[key], int32_t(i + u * GA_BLOCK));
        }
    }
}

/* Bytes from the first element to the one of a key. */
template <int K>
GA_FN int64_t
locate_key(const index_plan<K> &p, const index_fetch<K> &fetch, uint32_t key)
{
    int64_t offset = 0;
    GA_UNROLL
    for (int k = K - 1; k >= 0; k--) {
        if (k >= p.narrays)
            continue;
        uint32_t rest = k > 0 ? ga_divide_by(fetch.each[k], key) : 0;
        offset += int64_t(key - rest * fetch.each[k].divisor) * p.step[k];
        key = rest;
    }
    return offset;
}

template <class T, int K>
GA_KERNEL
fetch_items(GA_PARAM index_plan<K> p, index_fetch<K> fetch)
{
    GA_AWAIT();
    constexpr int D = index_depth<1>;
    int64_t first = GA_BLOCK_ID * index_piece;
    int64_t last = first + index_piece < fetch.named ? first + index_piece : fetch.named;
    ga_cursor<INDEX_FIRST + K> at;
    if (p.stop && *p.stop)
        return;
    for (int64_t i = first + GA_THREAD; i < last; i += D * GA_BLOCK) {
        int32_t place[D];
        T items[D];
        GA_UNROLL
        for (int u = 0; u < D; u++)
            place[u] = i + u * GA_BLOCK < last ? fetch.last[i + u * GA_BLOCK] : -1;
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            at.seek(p.walk, uint32_t(place[u] < 0 ? 0 : place[u]));
            items[u] = *reinterpret_cast<const T *>(p.other + at.offset[INDEX_OTHER]);
        }
        GA_UNROLL
        for (int u = 0; u < D; u++)
            if (place[u] >= 0)
                *reinterpret_cast<T *>(p.array + locate_key(p, fetch, uint32_t(i + u * GA_BLOCK))) = items[u];
    }
}

/* Whether all dimensions are the points', numbered as a walk meets them. */
static bool
is_points_alone(const ga_index_call *call)
{
    int64_t place = 1;
    for (int d = call->ndim - 1; d >= 0; d--) {
        if (call->place[d] != place)
            return false;
        place *= call->shape[d];
    }
    return true;
}

static int64_t
count_named(const ga_index_call *call)
{
    int64_t named = 1;
    for (int k = 0; k < call->narrays && named < GA_WALK_LIMIT; k++)
        named *= call->index[k].length < GA_WALK_LIMIT ? call->index[k].length : GA_WALK_LIMIT;
    return named;
}

static bool
may_fetch(const ga_index_call *call)
{
    int64_t named = count_named(call);
    return !call->unique && call->other.data && call->size < GA_WALK_LIMIT && named < GA_WALK_LIMIT &&
           named <= 8 * call->size && call->narrays <= 2 && is_points_alone(call) && find_alignment(call) >= call->itemsize;
}

template <class T, int K>
static int
run_fetch(const index_plan<K> &p, const index_fetch<K> &fetch, int64_t windows, ga_stream *stream)
{
    return ga_launch(mark_last<K>, fetch.blocks * windows, stream, p, fetch) ||
                   ga_launch((fetch_items<T, K>), count_blocks(fetch.named), stream, p, fetch)
               ? -1
               : 0;
}

template <int K>
static int
launch_fetch(const ga_index_call *call, const index_pass *pass, int32_t *last, ga_stream *stream)
{
    index_plan<K> p = make_plan<K>(call, pass, 0);
    index_fetch<K> fetch = {};
    fetch.last = last;
    fetch.named = count_named(call);
    int64_t windows = (fetch.named + fetch_window - 1) / fetch_window;
    windows = windows < fetch_windows ? windows : fetch_windows;
    fetch.window = (fetch.named + windows - 1) / windows;
    fetch.blocks = count_blocks(p.size);
    for (int k = 0; k < call->narrays; k++)
        fetch.each[k] = ga_divider_make(call->index[k].length);
    switch (call->itemsize) {
    case 1:
        return run_fetch<uint8_t>(p, fetch, windows, stream);
    case 2:
        return run_fetch<uint16_t>(p, fetch, windows, stream);
    case 4:
        return run_fetch<uint32_t>(p, fetch, windows, stream);
    case 8:
        return run_fetch<uint64_t>(p, fetch, windows, stream);
    default:
        return run_fetch<index_line>(p, fetch, windows, stream);
    }
}

template <int block>
static int
fetch_points(const ga_index_call *call, index_pass *pass, ga_stream *stream)
{
    int64_t words = (count_named(call) + 1) / 2;
    void *memory;
    if (ga_runtime_alloc(size_t(words + 1) * sizeof(int64_t), stream, &memory))
        return -1;
    int64_t *table = static_cast<int64_t *>(memory);
    int32_t *last = static_cast<int32_t *>(memory);
    pass->stop = reinterpret_cast<int32_t *>(table + words);
    int status = ga_launch(clear_words, count_blocks(words + 1), stream, table, words + 1, words);
    if (status == 0)
        status = call->narrays == 1 ? launch_fetch<1>(call, pass, last, stream) : launch_fetch<2>(call, pass, last, stream);
    if (status == 0 && !call->checked)
        status = ga_fault_settle(stream);
    return ga_runtime_free(memory, stream) ? -1 : status;
}
