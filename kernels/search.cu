/* Where values belong in a sorted array: a binary search a value. Owns ga_search_run.
 *
 * Elements are compared as their keys (sort_key.cuh), so the order is the one that sorts use, NaN
 * included. Where they are few a block keeps their keys in shared memory, and a thread looks up
 * several values at once. Includes sort_key.cuh and slots.h. */
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
    bool right;
};

template <class T>
GA_FN void
write_place(const search_plan<T> &plan, int64_t i, int64_t place)
{
    if (plan.bytes)
        plan.bytes[i] = uint8_t(place);
    else
        plan.dst[i] = place;
}

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

/* Whether the element at a place equals a value. */
template <class T>
GA_FN bool
is_at(const search_plan<T> &plan, int64_t place, T value)
{
    if (place >= plan.size || !is_number(value))
        return false;
    search_key there = key_of(ga_load(plan.sorted + place)), key = key_of(value);
    return there.first == key.first && there.second == key.second;
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
        if (plan.found)
            plan.found[i] = is_at(plan, place, value);
        else
            write_place(plan, i, place);
    }
}

/* ---- few elements: their keys in shared memory, several values of a thread at once ---- */

static const int search_near = 1024; /* elements */
static const int search_lookups = 4;
static const int64_t search_near_piece = 4096;

/* For each key how many elements come before where it goes. */
template <class U>
GA_FN void
count_before(const U *keys, int size, bool right, const U (&key)[search_lookups],
             int (&at)[search_lookups])
{
    for (int length = size, half; length > 0; length -= half) {
        half = (length + 1) / 2;
        GA_UNROLL
        for (int k = 0; k < search_lookups; k++) {
            int place = at[k] + half - 1;
            if (place < size && (right ? keys[place] <= key[k] : keys[place] < key[k]))
                at[k] += half;
        }
    }
}

template <class T>
GA_FN void
search_group(const search_plan<T> &plan, const ga_sort_word<T> *keys, int64_t first, int64_t last)
{
    T value[search_lookups];
    ga_sort_word<T> key[search_lookups];
    int at[search_lookups] = {}, size = int(plan.size);
    GA_UNROLL
    for (int k = 0; k < search_lookups; k++) {
        int64_t i = first + int64_t(k) * GA_BLOCK;
        value[k] = ga_load(plan.values + (i < last ? i : last - 1));
        key[k] = ga_sort_primary(value[k], {false, true});
    }
    count_before(keys, size, plan.right, key, at);
    GA_UNROLL
    for (int k = 0; k < search_lookups; k++) {
        int64_t i = first + int64_t(k) * GA_BLOCK;
        if (i >= last)
            return;
        if (plan.found)
            plan.found[i] = at[k] < size && keys[at[k]] == key[k] && is_number(value[k]);
        else
            write_place(plan, i, at[k]);
    }
}

template <class T>
GA_KERNEL
search_few(GA_PARAM search_plan<T> plan)
{
    GA_AWAIT();
    GA_SHARED ga_sort_word<T> keys[search_near];
    int64_t first = GA_BLOCK_ID * search_near_piece;
    int64_t last = first + search_near_piece < plan.count ? first + search_near_piece : plan.count;
    for (int i = GA_THREAD; i < plan.size; i += GA_BLOCK)
        keys[i] = ga_sort_primary(ga_load(plan.sorted + i), {false, true});
    GA_SYNC();
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK * search_lookups)
        search_group(plan, keys, i, last);
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
                           call->right};
    if constexpr (ga_sort_words<T> == 1) {
        if (!call->order && call->size <= search_near)
            return ga_launch(search_few<T>,
                             (call->count + search_near_piece - 1) / search_near_piece, stream, plan);
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
#undef GA_DTYPE
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "searchsorted: unknown dtype %d", int(call->dtype));
    }
}
