/* The element of a rank among few neighbours, on a GPU: a thread sorts them in its registers. Owns
 * ga_window_ranks.
 *
 * Neighbours become unsigned keys in their order, NaN the greatest; places up to the length of the
 * sorting network (Batcher's odd-even merging), which is known when it is compiled, have the
 * greatest key too and come last. Blocks keep in shared memory where the places that count lie.
 * Includes window_ranks.h, window.cuh. */
#include "window_ranks.h"
#include "window.cuh"

/* ---- keys ---- */

GA_FN uint32_t make_key(uint8_t x)
{
    return x;
}
GA_FN uint32_t make_key(float x)
{
    uint32_t bits = __float_as_uint(x);
    return x == x ? bits ^ (uint32_t(int32_t(bits) >> 31) | 0x80000000u) : ~uint32_t(0);
}
GA_FN uint64_t make_key(double x)
{
    uint64_t bits = uint64_t(__double_as_longlong(x));
    return x == x ? bits ^ (uint64_t(int64_t(bits) >> 63) | uint64_t(1) << 63) : ~uint64_t(0);
}

GA_FN void read_key(uint32_t key, uint8_t *x)
{
    *x = uint8_t(key);
}
GA_FN void read_key(uint32_t key, float *x)
{
    *x = __uint_as_float(key ^ (key >> 31 ? 0x80000000u : ~uint32_t(0)));
}
GA_FN void read_key(uint64_t key, double *x)
{
    *x = __longlong_as_double(int64_t(key ^ (key >> 63 ? uint64_t(1) << 63 : ~uint64_t(0))));
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

/* ---- places ---- */

/* A place of the box: along each axis, and from its corner in bytes. */
struct rank_place {
    int32_t at[GA_WINDOW_AXES];
    int64_t offset;
};

GA_FN rank_place read_place(const window_plan &plan, int n)
{
    int inner = int(plan.axes[2].window), middle = int(plan.axes[1].window);
    rank_place place = {{n / inner / middle, n / inner % middle, n % inner}, 0};
    for (int a = 0; a < GA_WINDOW_AXES; a++)
        place.offset += place.at[a] * plan.axes[a].stride;
    return place;
}

/* The places that the mask shows, in order; how many. All threads call. */
GA_FN int list_places(const window_plan &plan, int count, rank_place *places)
{
    GA_SHARED uint8_t shown[GA_BLOCK];
    int before = 0, all = 0;
    if (GA_THREAD < count)
        shown[GA_THREAD] = !plan.mask || plan.mask[GA_THREAD];
    GA_SYNC();
    for (int n = 0; n < count; n++) {
        before += n < GA_THREAD && shown[n];
        all += shown[n];
    }
    if (GA_THREAD < count && shown[GA_THREAD])
        places[before] = read_place(plan, GA_THREAD);
    GA_SYNC();
    return all;
}

static const int64_t no_place = INT64_MIN;

/* Bytes from the corner to the element that stands for a place, or no_place. */
GA_FN_CALL int64_t settle_place(const window_plan &plan, window_place at, rank_place place)
{
    int64_t offset = 0;
    for (int a = 0; a < GA_WINDOW_AXES; a++) {
        int64_t step;
        if (!step_window(plan, at, a, place.at[a], &step))
            return no_place;
        offset += step;
    }
    return offset;
}

/* The keys of one element's neighbours. */
template <class T, class K, int N>
GA_FN void fetch_keys(const window_plan &plan, const window_place &at, const rank_place *places, int count, K (&keys)[N])
{
    if (window_is_inside(plan, at)) {
        GA_UNROLL
        for (int n = 0; n < N; n++)
            keys[n] = n < count ? make_key(*reinterpret_cast<const T *>(at.src + places[n].offset)) : ~K(0);
        return;
    }
    T outside;
    memcpy(&outside, &plan.outside, sizeof outside);
    GA_UNROLL
    for (int n = 0; n < N; n++) {
        int64_t offset = n < count ? settle_place(plan, at, places[n]) : no_place;
        T x = offset != no_place ? *reinterpret_cast<const T *>(at.src + offset) : outside;
        keys[n] = n < count ? make_key(x) : ~K(0);
    }
}

template <class T, int N> GA_KERNEL window_sorted(GA_PARAM window_plan plan, int count)
{
    GA_AWAIT();
    typedef decltype(make_key(T())) K;
    GA_SHARED rank_place places[N];
    int shown = list_places(plan, count, places);
    int64_t first = GA_BLOCK_ID * plan.piece;
    int64_t last = first + plan.piece < plan.size ? first + plan.piece : plan.size;
    GA_ROLLED
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        window_place at = locate_window(plan, uint32_t(i));
        K keys[N], found = 0;
        fetch_keys<T>(plan, at, places, shown, keys);
        sort_keys<1>(keys);
        GA_UNROLL
        for (int n = 0; n < N; n++)
            found = n == plan.rank ? keys[n] : found;
        read_key(found, reinterpret_cast<T *>(at.dst));
    }
}

/* ---- launches ---- */

template <class T, int N> static int launch_sorted(const window_plan *plan, ga_stream *stream)
{
    int count = int(plan->axes[0].window * plan->axes[1].window * plan->axes[2].window);
    return ga_launch((window_sorted<T, N>), (plan->size + plan->piece - 1) / plan->piece, stream, *plan, count);
}

/* Networks for 3 x 3, for 5 x 5 and 3 x 3 x 3, and for 7 x 7, of float64 in too many registers. */
template <class T> static ga_window_launch choose_length(int64_t places)
{
    if (places <= 9)
        return launch_sorted<T, 9>;
    if (places <= 27)
        return launch_sorted<T, 27>;
    if constexpr (sizeof(T) < 8)
        return places <= 49 ? launch_sorted<T, 49> : nullptr;
    return nullptr;
}

ga_window_launch ga_window_ranks(enum ga_dtype dtype, int64_t places)
{
    switch (dtype) {
    case GA_u8:
        return choose_length<uint8_t>(places);
    case GA_f32:
        return choose_length<float>(places);
    case GA_f64:
        return choose_length<double>(places);
    default:
        return nullptr;
    }
}
