/* The element of a rank among few neighbours, on a GPU: a thread sorts them in its registers. Owns
 * ga_window_ranks.
 *
 * A block stages a tile (window_tile.cuh) as unsigned keys in the elements' order, NaN the
 * greatest; places up to the length of the sorting network (Batcher's odd-even merging), which is
 * known when it is compiled, have the greatest key too and come last. Blocks keep in shared memory
 * where the places that count lie, too. Includes window_ranks.h, window_tile.cuh, window_types.cuh,
 * runtime_cuda.cuh. */
#include "window_ranks.h"
#include "runtime_cuda.cuh"
#include "window_tile.cuh"
#include "window_types.cuh"

/* ---- keys ---- */

/* Unsigned numbers of 32 or 64 bits in the order of the elements. */
template <class T> using key_of_rank = typename std::conditional<sizeof(T) == 8, uint64_t, uint32_t>::type;

template <class K> static const K top_bit = K(1) << (8 * sizeof(K) - 1);

template <class T> GA_FN key_of_rank<T> make_key(T x)
{
    typedef key_of_rank<T> K;
    if constexpr (std::is_floating_point<T>::value) {
        K bits;
        memcpy(&bits, &x, sizeof bits);
        return x != x ? ~K(0) : bits & top_bit<K> ? ~bits : bits | top_bit<K>;
    } else {
        return std::is_signed<T>::value ? K(x) ^ top_bit<K> : K(x);
    }
}

template <class T> GA_FN T read_key(key_of_rank<T> key)
{
    typedef key_of_rank<T> K;
    if constexpr (std::is_floating_point<T>::value) {
        K bits = key & top_bit<K> ? key ^ top_bit<K> : ~key;
        T x;
        memcpy(&x, &bits, sizeof x);
        return x;
    } else {
        return T(std::is_signed<T>::value ? key ^ top_bit<K> : key);
    }
}

/* ---- the network ---- */

/* Compares places `apart` that lie in one block of 2 * merged: one step of merging sorted runs of `merged`. */
template <int merged, int apart, int N, class K> GA_FN void compare_apart(K (&keys)[N])
{
    GA_UNROLL
    for (int n = apart % merged; n + apart < N; n++) {
        if ((n - apart % merged) / apart % 2 || n / (2 * merged) != (n + apart) / (2 * merged))
            continue;
        K a = keys[n], b = keys[n + apart];
        keys[n] = a < b ? a : b;
        keys[n + apart] = a < b ? b : a;
    }
    if constexpr (apart > 1)
        compare_apart<merged, apart / 2>(keys);
}

template <int merged, int N, class K> GA_FN void sort_keys(K (&keys)[N])
{
    compare_apart<merged, merged>(keys);
    if constexpr (2 * merged < N)
        sort_keys<2 * merged>(keys);
}

/* ---- a tile ---- */

struct ranks_task {
    tile_plan plan;
    enum ga_dtype dtype;
    int32_t count, rank; /* count: places of the box */
    const uint8_t *mask;
};

/* How far from the corner of a box the places lie that the mask shows, in order; how many. All threads call. */
GA_FN int list_places(const ranks_task &t, int *places)
{
    GA_SHARED uint8_t shown[GA_BLOCK];
    int before = 0, all = 0;
    if (GA_THREAD < t.count)
        shown[GA_THREAD] = !t.mask || t.mask[GA_THREAD];
    GA_SYNC();
    for (int n = 0; n < t.count; n++) {
        before += n < GA_THREAD && shown[n];
        all += shown[n];
    }
    if (GA_THREAD < t.count && shown[GA_THREAD]) {
        int inner = t.plan.axes[2].window, middle = t.plan.axes[1].window;
        places[before] = find_item(t.plan, GA_THREAD / inner / middle, GA_THREAD / inner % middle, GA_THREAD % inner);
    }
    return all;
}

struct ranks_key {
    template <class T> GA_METHOD key_of_rank<T> operator()(T x) const { return make_key(x); }
};

template <class K> struct ranks_stager {
    const ranks_task &task;
    const window_tile &tile;
    K *items;
    template <class T> GA_METHOD void operator()(T) const { stage_tile<T>(task.plan, tile, ranks_key(), items); }
};

/* The key of the rank among those of a box. */
template <int N, class K> GA_FN K select_key(const ranks_task &t, const K *box, const int *places, int shown)
{
    K keys[N], found = 0;
    GA_UNROLL
    for (int n = 0; n < N; n++)
        keys[n] = n < shown ? box[places[n]] : ~K(0);
    sort_keys<1>(keys);
    GA_UNROLL
    for (int n = 0; n < N; n++)
        found |= keys[n] & (K(0) - K(n == t.rank)); /* which the compiler makes no table of */
    return found;
}

template <class K> struct ranks_writer {
    K key;
    char *to;
    template <class T> GA_METHOD void operator()(T) const { *reinterpret_cast<T *>(to) = read_key<T>(key); }
};

template <class K, int N> struct ranks_maker {
    const ranks_task &task;
    const K *items;
    const int *places;
    int shown;
    GA_METHOD void operator()(int corner, char *to) const
    {
        K key = select_key<N>(task, items + corner, places, shown);
        choose_type<sizeof(K)>(task.dtype, ranks_writer<K>{key, to});
    }
};

template <class K, int N> GA_KERNEL window_sorted(GA_PARAM ranks_task task)
{
    GA_AWAIT();
    extern __shared__ __align__(16) char ranks_memory[];
    GA_SHARED int places[N];
    K *items;
    int shown = list_places(task, places);
    window_tile tile = locate_tile(task.plan, ranks_memory, &items);
    GA_SYNC();
    choose_type<sizeof(K)>(task.dtype, ranks_stager<K>{task, tile, items});
    GA_SYNC();
    visit_places(task.plan, tile, ranks_maker<K, N>{task, items, places, shown});
}

/* ---- calls ---- */

/* Networks for 3 x 3, for 5 x 5 and 3 x 3 x 3, and for 7 x 7, of 64 bits in too many registers; NULL for more. */
template <class K> static const void *choose_length(int64_t places)
{
    if (places <= 9)
        return (const void *)window_sorted<K, 9>;
    if (places <= 27)
        return (const void *)window_sorted<K, 27>;
    if constexpr (sizeof(K) < 8)
        return places <= 49 ? (const void *)window_sorted<K, 49> : nullptr;
    return nullptr;
}

static bool is_long(enum ga_dtype dtype)
{
    return dtype == GA_i64 || dtype == GA_u64 || dtype == GA_f64;
}

static const void *find_kernel(const ga_window_call *call)
{
    return is_long(call->dtype) ? choose_length<uint64_t>(call->count) : choose_length<uint32_t>(call->count);
}

static bool plan_ranks(const ga_window_call *call, tile_form *form, tile_plan *plan)
{
    static const int64_t apart = 1024; /* bytes that kernels declare */
    bool whole = call->border != GA_BORDER_NOTHING;
    if (call->op != GA_WINDOW_RANK || !whole || !is_chosen_type(call->dtype) || !find_kernel(call))
        return false;
    *form = {1, 4 * GA_BLOCK, is_long(call->dtype) ? 8 : 4};
    return tile_plan_make(call, form, tile_most_bytes - apart, plan);
}

bool ga_window_ranks(const ga_window_call *call, ga_stream *stream, int *status)
{
    tile_form form;
    ranks_task t;
    if (!plan_ranks(call, &form, &t.plan))
        return false;
    t.dtype = call->dtype;
    t.count = int32_t(call->count);
    t.rank = int32_t(call->rank);
    t.mask = call->mask;
    const void *parameters[] = {&t};
    const ga_cuda_grid grid = {t.plan.blocks, GA_BLOCK, 1, size_t(tile_bytes(&t.plan, &form))};
    *status = ga_cuda_launch("window_ranks", find_kernel(call), &grid, stream, parameters);
    return true;
}
