/* The kernels of gather and scatter on a GPU: what index.cuh launches, and the plan it launches them with.
 *
 * A thread visits points of the selection, block-strided. Each point reads its indices, adds index * step of each to
 * where the slices put it, and moves one item. index_cuda.cu defines the atomics. Includes
 * iterate.cuh and fault.h. */
#pragma once
#include "../csrc/core/call/index.h"
#include "fault.h"
#include "iterate.cuh"

/* Sets *word from 0 to 1; whether this call did. */
GA_FN bool index_claim(int32_t *word);
/* Sets *word to 2 after everything that this thread wrote. */
GA_FN void index_publish(int32_t *word);
/* Replaces *word if it is `expected`; returns what it was. */
GA_FN int64_t index_exchange(int64_t *word, int64_t expected, int64_t desired);
/* *word = max(*word, value). */
GA_FN void index_raise(int64_t *word, int64_t value);

GA_FN void index_raise(int32_t *word, int32_t value);

/* Points that a block visits. */
static const int64_t index_piece = 1024;

/* Operands of the walk, before the index arrays. */
enum { INDEX_ARRAY, INDEX_OTHER, INDEX_PLACE, INDEX_FIRST };

struct index_table {
    int64_t *places; /* -1 where no place was left; NULL: no element is named twice */
    int64_t *keys;   /* of the hash table; NULL: the key is the slot */
    int64_t size;
    int32_t shift; /* of the hash */
};

/* The largest item whose alignment is not its size, and the largest of all. */
struct index_pair {
    uint32_t v[2];
};
struct index_quad {
    uint64_t v[2];
};
struct alignas(16) index_line {
    uint64_t v[2];
};

template <int K> struct index_plan {
    ga_walk<INDEX_FIRST + K> walk;
    int64_t size, first_place;
    char *array, *other;
    ga_scalar value; /* where other is NULL */
    const char *index[K];
    int64_t length[K], step[K], key_step[K];
    int32_t axis[K];
    int32_t narrays;
    enum ga_index_mode mode;
    bool checked;
    const char *function;
    ga_fault *fault;
    int32_t *stop; /* set by the first pass if the second shall not write; NULL: it cannot */
    index_table table;
};

template <int K>
GA_FN void
report_index(const index_plan<K> &p, int k, int64_t i)
{
    if (p.stop)
        index_claim(p.stop);
    if (!index_claim(&p.fault->state))
        return;
    p.fault->axis = p.axis[k];
    p.fault->index = i;
    p.fault->length = p.length[k];
    p.fault->function = p.function;
    index_publish(&p.fault->state);
}

/* Position along axis k of an index as given: within [0, length) in any case. */
template <int K>
GA_FN int64_t
resolve_index(const index_plan<K> &p, int k, int64_t i)
{
    int64_t n = p.length[k];
    if (i >= 0 && i < n)
        return i;
    if (p.mode == GA_INDEX_WRAP) {
        i %= n;
        return i < 0 ? i + n : i;
    }
    if (p.mode == GA_INDEX_RAISE && i < 0 && i >= -n)
        return i + n;
    if (p.mode == GA_INDEX_RAISE && !p.checked)
        report_index(p, k, i);
    return i < 0 ? 0 : n - 1;
}

/* The indices of a point as they are given. */
template <int K>
GA_FN void
read_indices(const index_plan<K> &p, const ga_cursor<INDEX_FIRST + K> &at, int64_t (&index)[K])
{
    GA_UNROLL
    for (int k = 0; k < K && k < p.narrays; k++)
        index[k] = *reinterpret_cast<const int64_t *>(p.index[k] + at.offset[INDEX_FIRST + k]);
}

/* What the indices of a point add to the address of an element, and the number (key) of what they name. */
template <int K>
GA_FN int64_t
resolve_indices(const index_plan<K> &p, const int64_t (&index)[K], int64_t *key)
{
    int64_t offset = 0;
    *key = 0;
    GA_UNROLL
    for (int k = 0; k < K && k < p.narrays; k++) {
        int64_t i = resolve_index(p, k, index[k]);
        offset += i * p.step[k];
        *key += i * p.key_step[k];
    }
    return offset;
}

/* Bytes from the first element of the array to the one a point names, and its key. */
template <int K>
GA_FN int64_t
resolve_point(const index_plan<K> &p, const ga_cursor<INDEX_FIRST + K> &at, int64_t *key)
{
    int64_t index[K];
    read_indices(p, at, index);
    return at.offset[INDEX_ARRAY] + resolve_indices(p, index, key);
}

/* Slot of a key, which is put into the table if it is new. */
GA_FN int64_t
find_slot(const index_table &table, int64_t key)
{
    if (!table.keys)
        return key;
    int64_t slot = int64_t((uint64_t(key) * 0x9E3779B97F4A7C15u) >> table.shift);
    for (;; slot = slot + 1 == table.size ? 0 : slot + 1) {
        int64_t seen = index_exchange(&table.keys[slot], -1, key);
        if (seen == -1 || seen == key)
            return slot;
    }
}

/* Points that a thread of gather has under way at once; many indices would take too many registers. */
template <int K> constexpr int index_depth = K <= 2 ? 4 : 1;

/* All indices are read before the first item, all items before the first is written: nothing waits
 * for memory but twice. */
template <class T, int K>
GA_KERNEL
gather_items(GA_PARAM index_plan<K> p)
{
    GA_AWAIT();
    constexpr int D = index_depth<K>;
    int64_t first = GA_BLOCK_ID * index_piece;
    int64_t last = first + index_piece < p.size ? first + index_piece : p.size;
    ga_cursor<INDEX_FIRST + K> at;
    for (int64_t i = first + GA_THREAD; i < last; i += D * GA_BLOCK) {
        T items[D];
        int64_t index[D][K], from[D], to[D], key;
        GA_UNROLL
        for (int u = 0; u < D; u++) { /* beyond the end the last point again, which is not written */
            int64_t point = i + u * GA_BLOCK;
            at.seek(p.walk, uint32_t(point < last ? point : last - 1));
            read_indices(p, at, index[u]);
            from[u] = at.offset[INDEX_ARRAY];
            to[u] = at.offset[INDEX_OTHER];
        }
        GA_UNROLL
        for (int u = 0; u < D; u++)
            from[u] += resolve_indices(p, index[u], &key);
        GA_UNROLL
        for (int u = 0; u < D; u++)
            items[u] = *reinterpret_cast<const T *>(p.array + from[u]);
        GA_UNROLL
        for (int u = 0; u < D; u++)
            if (i + u * GA_BLOCK < last)
                *reinterpret_cast<T *>(p.other + to[u]) = items[u];
    }
}

/* The first pass of scatter. */
template <int K>
GA_KERNEL
mark_places(GA_PARAM index_plan<K> p)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * index_piece;
    int64_t last = first + index_piece < p.size ? first + index_piece : p.size;
    ga_cursor<INDEX_FIRST + K> at;
    int64_t key;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        at.seek(p.walk, uint32_t(i));
        resolve_point(p, at, &key);
        if (p.table.places)
            index_raise(&p.table.places[find_slot(p.table, key)],
                        p.first_place + at.offset[INDEX_PLACE]);
    }
}

/* The second: indices are read before the table, that before items, and those before the first is written. */
template <class T, int K>
GA_KERNEL
scatter_items(GA_PARAM index_plan<K> p)
{
    GA_AWAIT();
    if (p.stop && *p.stop)
        return;
    constexpr int D = index_depth<K>;
    int64_t first = GA_BLOCK_ID * index_piece;
    int64_t last = first + index_piece < p.size ? first + index_piece : p.size;
    ga_cursor<INDEX_FIRST + K> at;
    for (int64_t i = first + GA_THREAD; i < last; i += D * GA_BLOCK) {
        int64_t index[D][K], to[D], from[D], place[D], key[D];
        T items[D];
        bool on[D];
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            on[u] = i + u * GA_BLOCK < last;
            at.seek(p.walk, uint32_t(on[u] ? i + u * GA_BLOCK : last - 1));
            read_indices(p, at, index[u]);
            to[u] = at.offset[INDEX_ARRAY];
            from[u] = at.offset[INDEX_OTHER];
            place[u] = p.first_place + at.offset[INDEX_PLACE];
        }
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            to[u] += resolve_indices(p, index[u], &key[u]);
            on[u] &= !p.table.places || p.table.places[find_slot(p.table, key[u])] == place[u];
        }
        GA_UNROLL
        for (int u = 0; u < D; u++) {
            if (p.other)
                items[u] = *reinterpret_cast<const T *>(p.other + from[u]);
            else
                memcpy(&items[u], &p.value, sizeof items[u]);
        }
        GA_UNROLL
        for (int u = 0; u < D; u++)
            if (on[u])
                *reinterpret_cast<T *>(p.array + to[u]) = items[u];
    }
}

/* Words before a pass: the first `places` of them are -1, the others 0. */
GA_KERNEL
clear_words(int64_t *words, int64_t size, int64_t places)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * index_piece;
    int64_t last = first + index_piece < size ? first + index_piece : size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        words[i] = i < places ? -1 : 0;
}
