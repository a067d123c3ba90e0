/* Where values belong in a sorted array: a binary search a value. Owns ga_search_run.
 *
 * Elements are compared as their keys (sort_key.cuh), so the order is the one that sorts use, NaN
 * included. A block keeps the keys of few elements in shared memory, of many those of every so
 * manieth, on a GPU as a tree, and a thread looks up several values at once. Includes sort_key.cuh, row_pack.cuh and
 * slots.h. */
#include "row_pack.cuh"
#include "slots.h"
#include "sort_key.cuh"

/* Values a block looks up. */
static const int64_t search_piece = GA_BLOCK == 1 ? 4096 : 512;

template <class T> struct search_plan {
    int64_t size, count;
    const T *sorted, *values;
    const int64_t *order;
    int64_t *dst;
    uint8_t *bytes; /* or NULL */
    bool *found;    /* or NULL */
    bool right, closed;
    int nkeys;         /* in shared memory; the elements behind the last one have none */
    int shift, levels; /* on a GPU: 2^shift elements end with each key; levels of the tree */
    bool packs;        /* on a GPU: groups are made of whole, aligned packs */
};

/* The two words of an element's key. */
struct search_key {
    uint64_t first, second;
};

template <class T>
GA_FN search_key
key_of(T x)
{
    ga_sort_order order = {false, true};
    return {ga_sort_primary(x, order), ga_sort_secondary(x, order)};
}

/* Whether an element of the array stands before where `key` goes. */
GA_FN bool
comes_before(search_key element, search_key key, bool right)
{
    if (element.first != key.first)
        return element.first < key.first;
    return right ? element.second <= key.second : element.second < key.second;
}

template <class T>
GA_FN int64_t
find_place(const search_plan<T> &plan, search_key key)
{
    int64_t low = 0, high = plan.size;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int64_t at = plan.order ? plan.order[middle] : middle;
        at = at < 0 ? 0 : at < plan.size ? at : plan.size - 1;
        if (comes_before(key_of(ga_load(plan.sorted + at)), key, plan.right))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a value is equal to itself. */
template <class T>
GA_FN bool
is_number(T value)
{
    if constexpr (ga_is_complex<T>::value)
        return !ga_sort_is_nan(value.re) && !ga_sort_is_nan(value.im);
    else
        return !ga_sort_is_nan(value);
}

/* Whether the element at a place is neither before nor behind a value. */
template <class T>
GA_FN bool
is_level(const search_plan<T> &plan, int64_t place, T value)
{
    search_key there = key_of(ga_load(plan.sorted + place)), key = key_of(value);
    return there.first == key.first && there.second == key.second;
}

/* Writes what was found for value i: whether it is there, or its place. */
template <class T>
GA_FN void
write_found(const search_plan<T> &plan, int64_t i, int64_t place)
{
    if (plan.found) {
        const T value = ga_load(plan.values + i);
        plan.found[i] = place < plan.size && is_number(value) && is_level(plan, place, value);
    } else if (plan.bytes) {
        plan.bytes[i] = uint8_t(place);
    } else {
        plan.dst[i] = place;
    }
}

template <class T>
GA_KERNEL
search_places(GA_PARAM search_plan<T> plan)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * search_piece;
    int64_t last = first + search_piece < plan.count ? first + search_piece : plan.count;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        T value = ga_load(plan.values + i);
        int64_t place = find_place(plan, key_of(value));
        if (plan.closed && place > 0 && place == plan.size)
            place -= is_level(plan, place - 1, value);
        write_found(plan, i, place);
    }
}

/* ---- keys in shared memory, several values of a thread at once ---- */

static const int search_few = 1024; /* keys that are worth their loading for few values */
static const int search_lookups = 4;
static const int64_t search_near_piece = 4096;
static const int64_t search_far_piece = 32768; /* values of a block with more keys than few */

template <class T> using search_word = ga_sort_word<T>;
/* Keys of a block: a look at one of them meets few others in its bank, one at memory has a line to itself. */
template <class T> constexpr int search_room = 32768 / sizeof(search_word<T>);

template <class T>
GA_FN search_word<T>
word_of(T x)
{
    return ga_sort_primary(x, {false, true});
}

/* Whether an element of the array stands before where a value goes, by their words. */
template <class W>
GA_FN bool
word_precedes(W element, W word, bool right)
{
    return right ? element <= word : element < word;
}

/* A bin that is closed has its upper edge: a place behind the last element is that element's where they are level. The
 * last one's word is read once, so that nothing is read between the values' stores. */
template <class T>
GA_FN search_word<T>
last_word(const search_plan<T> &plan)
{
    return plan.size > 0 ? word_of(ga_load(plan.sorted + plan.size - 1)) : search_word<T>(0);
}

template <class T>
GA_FN int64_t
close_place(const search_plan<T> &plan, int64_t place, search_word<T> word, search_word<T> last)
{
    return place - int(plan.closed & (place > 0) & (place == plan.size) & (word == last));
}

/* ---- on a GPU: the keys as a tree ---- Node i has the children 2 i and 2 i + 1. Nodes of a level are neighbours: in
 * the order of the keys they would be a power of two apart, and a warp's looks at them in one bank of shared memory. */

/* The keys by their numbers from 1 on, one the last element of so many groups; those that are missing come before nothing. */
template <class T>
GA_FN void
plant_keys(const search_plan<T> &plan, search_word<T> *tree)
{
    const int nodes = 1 << plan.levels;
    for (int number = 1 + GA_THREAD; number < nodes; number += GA_BLOCK) {
        const int64_t end = int64_t(number) << plan.shift;
        int node = number + nodes; /* less its zeros below the last one, and that */
        while (node % 2 == 0)
            node /= 2;
        tree[node / 2] = end < plan.size ? word_of(ga_load(plan.sorted + end - 1)) : search_word<T>(~search_word<T>(0));
    }
}

/* Where the group begins to which each word belongs. All nodes are read before the first is compared, so that reads
 * are under way together. */
template <class T>
GA_FN void
find_groups(const search_plan<T> &plan, const search_word<T> *tree, const search_word<T> (&word)[search_lookups],
            uint32_t (&place)[search_lookups])
{
    int node[search_lookups];
    GA_UNROLL
    for (int k = 0; k < search_lookups; k++)
        node[k] = 1;
    for (int level = 0; level < plan.levels; level++) {
        search_word<T> there[search_lookups];
        GA_UNROLL
        for (int k = 0; k < search_lookups; k++)
            there[k] = tree[node[k]];
        GA_UNROLL
        for (int k = 0; k < search_lookups; k++)
            node[k] = 2 * node[k] + word_precedes(there[k], word[k], plan.right);
    }
    GA_UNROLL
    for (int k = 0; k < search_lookups; k++) {
        const int group = node[k] - (1 << plan.levels);
        place[k] = uint32_t(group < plan.nkeys ? group : plan.nkeys) << plan.shift;
    }
}

/* The places in the groups, in halves down to `least` elements; a group's last one is known not to come before, but for
 * the array's. */
template <class T>
GA_FN void
halve_groups(const search_plan<T> &plan, uint32_t least, const search_word<T> (&word)[search_lookups],
             uint32_t (&place)[search_lookups])
{
    for (uint32_t half = (1u << plan.shift) / 2; half >= least; half /= 2) {
        search_word<T> there[search_lookups];
        bool inside[search_lookups];
        GA_UNROLL
        for (int k = 0; k < search_lookups; k++) {
            const uint32_t at = place[k] + half - 1;
            inside[k] = at < plan.size;
            if (inside[k])
                there[k] = word_of(ga_load(plan.sorted + at));
        }
        GA_UNROLL
        for (int k = 0; k < search_lookups; k++)
            if (inside[k] && word_precedes(there[k], word[k], plan.right))
                place[k] += half;
    }
}

/* Elements that are read at once; arrays of smaller ones have few different elements. */
template <class T> constexpr int search_pack = sizeof(T) < 4 ? 1 : 16 / sizeof(T);

/* The pack at a place; behind the end of the array, its last element. */
template <class T>
GA_FN ga_row_pack<T, search_pack<T>>
read_pack(const search_plan<T> &plan, uint32_t place)
{
    constexpr int N = search_pack<T>;
    if (place + N <= plan.size)
        return ga_row_pack_read<T, N>(reinterpret_cast<const char *>(plan.sorted + place), sizeof(T), true, N);
    ga_row_pack<T, N> pack;
    GA_UNROLL
    for (int j = 0; j < N; j++)
        pack.item[j] = ga_load(plan.sorted + (place + j < plan.size ? place + j : plan.size - 1));
    return pack;
}

/* The places in packs: what lies in 16 bytes costs one read, and no more steps. */
template <class T>
GA_FN void
count_packs(const search_plan<T> &plan, const search_word<T> (&word)[search_lookups], uint32_t (&place)[search_lookups])
{
    constexpr int N = search_pack<T>;
    ga_row_pack<T, N> pack[search_lookups];
    GA_UNROLL
    for (int k = 0; k < search_lookups; k++)
        pack[k] = read_pack(plan, place[k]);
    GA_UNROLL
    for (int k = 0; k < search_lookups; k++) {
        GA_UNROLL
        for (int j = 0; j < N; j++)
            place[k] += word_precedes(word_of(pack[k].item[j]), word[k], plan.right);
        place[k] = place[k] < plan.size ? place[k] : uint32_t(plan.size);
    }
}

/* Values `first`, `first` + GA_BLOCK, ... */
template <class T>
GA_FN void
search_together(const search_plan<T> &plan, const search_word<T> *tree, int64_t first, int64_t last)
{
    search_word<T> word[search_lookups];
    uint32_t place[search_lookups];
    const search_word<T> top = last_word(plan);
    GA_UNROLL
    for (int k = 0; k < search_lookups; k++) {
        int64_t i = first + int64_t(k) * GA_BLOCK;
        word[k] = word_of(ga_load(plan.values + (i < last ? i : last - 1)));
    }
    find_groups(plan, tree, word, place);
    halve_groups(plan, plan.packs ? search_pack<T> : 1, word, place);
    if constexpr (search_pack<T> > 1)
        if (plan.packs)
            count_packs(plan, word, place);
    GA_UNROLL
    for (int k = 0; k < search_lookups; k++) {
        int64_t i = first + int64_t(k) * GA_BLOCK;
        if (i >= last)
            return;
        place[k] += place[k] + 1 == plan.size && word_precedes(top, word[k], plan.right);
        write_found(plan, i, close_place(plan, place[k], word[k], top));
    }
}

/* ---- on the CPU: the keys are all elements ---- */

/* How many of the keys come before a word, without branches: the CPU would guess half of them wrong. */
template <bool right, class W>
GA_FN int
count_keys(const W *keys, int nkeys, W word)
{
    const W *base = keys;
    for (int left = nkeys; left > 1;) {
        const int half = left / 2;
        const bool before = right ? base[half - 1] <= word : base[half - 1] < word;
        base += before * half;
        left -= half;
    }
    return int(base - keys) + (nkeys > 0 && (right ? *base <= word : *base < word));
}

/* The CPU's way: keys are all elements. */
template <class T>
GA_FN void
search_alone(const search_plan<T> &plan, const search_word<T> *keys, int64_t first, int64_t last)
{
    const search_word<T> top = last_word(plan);
    for (int64_t i = first; i < last; i++) {
        const T value = ga_load(plan.values + i);
        const search_word<T> word = word_of(value);
        const int place = plan.right ? count_keys<true>(keys, plan.nkeys, word) : count_keys<false>(keys, plan.nkeys, word);
        write_found(plan, i, close_place(plan, place, word, top));
    }
}

GA_MEMBER static inline int64_t
piece_of(int nkeys)
{
    return nkeys > search_few ? search_far_piece : search_near_piece;
}

template <class T>
GA_KERNEL
search_keys(GA_PARAM search_plan<T> plan)
{
    GA_AWAIT();
    GA_SHARED search_word<T> keys[search_room<T>];
    const int64_t piece = piece_of(plan.nkeys);
    int64_t first = GA_BLOCK_ID * piece;
    int64_t last = first + piece < plan.count ? first + piece : plan.count;
    if constexpr (GA_BLOCK == 1) {
        for (int i = 0; i < plan.nkeys; i++)
            keys[i] = word_of(ga_load(plan.sorted + i));
        return search_alone(plan, keys, first, last);
    }
    plant_keys(plan, keys);
    GA_SYNC();
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK * search_lookups)
        search_together(plan, keys, i, last);
}

/* Whether the search is better done with keys. */
static bool
wants_keys(const ga_search_call *call)
{
    bool many = GA_BLOCK > 1 && call->count >= search_far_piece && call->size < INT32_MAX;
    return !call->order && call->size > 0 && (call->size <= search_few || many);
}

/* Each key stands for so many elements that there is room for a tree of all; on the CPU for one. */
template <class T>
static void
plan_keys(search_plan<T> *plan)
{
    int64_t groups = plan->size;
    while (groups > search_room<T>)
        groups = ((plan->size - 1) >> ++plan->shift) + 1;
    plan->nkeys = GA_BLOCK == 1 ? int(groups) : int(groups - 1);
    while ((1 << plan->levels) <= plan->nkeys)
        plan->levels++;
    plan->packs = search_pack<T> > 1 && (1 << plan->shift) >= search_pack<T> &&
                  reinterpret_cast<uintptr_t>(plan->sorted) % 16 == 0;
}

/* ---- the call ---- */

template <class T>
static int
search_typed(const ga_search_call *call, ga_stream *stream)
{
    search_plan<T> plan = {call->size,
                           call->count,
                           static_cast<const T *>(call->sorted),
                           static_cast<const T *>(call->values),
                           call->order,
                           call->dst,
                           call->bytes,
                           call->found,
                           call->right,
                           call->closed,
                           0,
                           0,
                           0,
                           false};
    if constexpr (ga_sort_words<T> == 1)
        if (wants_keys(call)) {
            plan_keys(&plan);
            const int64_t piece = piece_of(plan.nkeys);
            return ga_launch(search_keys<T>, (call->count + piece - 1) / piece, stream, plan);
        }
    return ga_launch(search_places<T>, (call->count + search_piece - 1) / search_piece, stream,
                     plan);
}

int
ga_search_run(const ga_search_call *call, ga_stream *stream)
{
    switch (call->dtype) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id: \
        return search_typed<ctype>(call, stream);
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "searchsorted: unknown dtype %d", int(call->dtype));
    }
}
