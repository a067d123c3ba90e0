/* The filters over a window in a group of dtypes: what is made of the elements that a box shows.
 *
 * Sums make several elements together as long as their boxes lie inside: a thread of the GPU
 * elements a block apart, so that reads of neighbours stay together, the CPU a run of them, so that
 * the compiler has vectors to make. Ranks need no memory: either each element of the box counts
 * those before it, or the bits of the result are found one after the other, whichever takes fewer
 * passes over the box. Owns ga_window_kit_<id>. Includes window.cuh, window_stage.h,
 * matmul_product.cuh, convert.cuh, sort_key.cuh. */
#include "convert.cuh"
#include "matmul_product.cuh"
#include "sort_key.cuh"
#include "window.cuh"
#include "window_stage.h"

/* ---- sums ---- */

/* In the dtype's own arithmetic. */
template <class V> struct narrow_sum {
    typedef V element;
    typedef V weight;
    typedef product_of<V> own;
    static constexpr bool tiled = false;
    typedef typename own::acc acc;
    GA_FN acc add(acc sum, V x, weight w) { return own::multiply_add(sum, own::lift(x), own::lift(w)); }
    GA_FN V finish(acc sum, double) { return own::narrow(sum); }
};

/* In double precision; the result is converted as astype converts. */
template <class V> struct wide_sum {
    typedef V element;
    typedef typename std::conditional<ga_is_complex<V>::value, ga_c128, double>::type weight;
    typedef weight acc;
    static constexpr bool tiled = !ga_is_complex<V>::value; /* seldom here: a GPU takes most by window_tiles_cuda.cu */
    GA_FN acc add(acc sum, V x, weight w) { return product_of<acc>::multiply_add(sum, ga_convert<acc>(x), w); }
    GA_FN V finish(acc sum, double divisor)
    {
        if constexpr (ga_is_complex<V>::value)
            return {ga_real<V>(sum.re / divisor), ga_real<V>(sum.im / divisor)};
        else
            return ga_convert<V>(sum / divisor);
    }
};

template <class P> struct sum_visitor {
    typedef typename P::element T;
    const typename P::weight *weights;
    typename P::acc sum;
    GA_METHOD void take(T x, int64_t place) { sum = P::add(sum, x, ga_load(weights + place)); }
};

template <class P> GA_FN const typename P::weight *find_weights(const window_plan &plan)
{
    return static_cast<const typename P::weight *>(plan.weights ? plan.weights : plan.few);
}

template <class P> GA_FN void sum_one(const window_plan &plan, const window_place &at)
{
    sum_visitor<P> visitor = {find_weights<P>(plan), typename P::acc()};
    visit_window<typename P::element>(plan, at, visitor);
    *reinterpret_cast<typename P::element *>(at.dst) = P::finish(visitor.sum, plan.divisor);
}

/* ---- sums of several elements: a weight is read once for all of them ---- */

static const int together = 4; /* elements of a thread, a block apart, on the GPU */

/* Of elements whose boxes all lie inside. */
template <class P> GA_FN void sum_together(const window_plan &plan, const window_place (&at)[together])
{
    typedef typename P::element T;
    const typename P::weight *weights = find_weights<P>(plan);
    typename P::acc sums[together] = {};
    int64_t place = 0;
    for (int64_t i = 0; i < plan.axes[0].window; i++)
        for (int64_t j = 0; j < plan.axes[1].window; j++) {
            int64_t offset = i * plan.axes[0].stride + j * plan.axes[1].stride;
            for (int64_t k = 0; k < plan.axes[2].window; k++, place++, offset += plan.axes[2].stride) {
                typename P::weight w = ga_load(weights + place);
                GA_UNROLL
                for (int n = 0; n < together; n++)
                    sums[n] = P::add(sums[n], ga_load(reinterpret_cast<const T *>(at[n].src + offset)), w);
            }
        }
    GA_UNROLL
    for (int n = 0; n < together; n++)
        *reinterpret_cast<T *>(at[n].dst) = P::finish(sums[n], plan.divisor);
}

/* The elements i, i + GA_BLOCK... before `last`. */
template <class P> GA_FN void sum_apart(const window_plan &plan, int64_t i, int64_t last)
{
    window_place at[together];
    bool inside = true;
    last = last < i + together * GA_BLOCK ? last : i + together * GA_BLOCK;
    GA_UNROLL
    for (int n = 0; n < together; n++) {
        int64_t here = i + n * GA_BLOCK;
        at[n] = locate_window(plan, uint32_t(here < last ? here : i));
        inside = inside && here < last && window_is_inside(plan, at[n]);
    }
    if (inside)
        return sum_together<P>(plan, at);
    GA_ROLLED
    for (; i < last; i += GA_BLOCK)
        sum_one<P>(plan, locate_window(plan, uint32_t(i)));
}

static const int most_lanes = 32;

/* How many elements from here on lie in a row, boxes inside. */
template <class T> GA_FN int count_lanes(const window_plan &plan, const window_place &at, uint32_t i, int64_t last)
{
    const window_dim &inner = plan.dims[0];
    if (plan.ndim == 0 || inner.dst != int64_t(sizeof(T)) || !window_is_inside(plan, at))
        return 1;
    int64_t room = inner.size.divisor - i % inner.size.divisor;
    int64_t step = inner.src;
    if (inner.window >= 0) {
        const window_axis &axis = plan.axes[inner.window];
        int64_t inside = axis.size - axis.window - at.corner[inner.window] + 1;
        room = inside < room ? inside : room;
        step = axis.stride;
    }
    room = last - i < room ? last - i : room;
    return step != int64_t(sizeof(T)) ? 1 : int(room < most_lanes ? room : most_lanes);
}

/* Neighbours in one row: a box place after the other, for all lanes. */
template <class P> struct lane_visitor {
    typedef typename P::element T;
    const typename P::weight *weights;
    int lanes;
    typename P::acc sums[most_lanes];
    GA_METHOD void take_lanes(const T *x, int64_t place)
    {
        typename P::weight w = ga_load(weights + place);
        GA_INDEPENDENT
        for (int lane = 0; lane < lanes; lane++)
            sums[lane] = P::add(sums[lane], ga_load(x + lane), w);
    }
};

template <class P> GA_FN void sum_lanes(const window_plan &plan, const window_place &at, int lanes)
{
    typedef typename P::element T;
    lane_visitor<P> visitor = {find_weights<P>(plan), lanes, {}};
    int64_t place = 0;
    for (int64_t i = 0; i < plan.axes[0].window; i++)
        for (int64_t j = 0; j < plan.axes[1].window; j++)
            for (int64_t k = 0; k < plan.axes[2].window; k++, place++)
                visitor.take_lanes(reinterpret_cast<const T *>(at.src + i * plan.axes[0].stride
                                                               + j * plan.axes[1].stride + k * plan.axes[2].stride),
                                   place);
    for (int lane = 0; lane < lanes; lane++)
        reinterpret_cast<T *>(at.dst)[lane] = P::finish(visitor.sums[lane], plan.divisor);
}

/* A run of elements on the CPU, or one; returns how many. */
template <class P> GA_FN int sum_run(const window_plan &plan, int64_t i, int64_t last)
{
    window_place at = locate_window(plan, uint32_t(i));
    int lanes = count_lanes<typename P::element>(plan, at, uint32_t(i), last);
    if (lanes > 1)
        sum_lanes<P>(plan, at, lanes);
    else
        sum_one<P>(plan, at);
    return lanes;
}

template <class P> GA_KERNEL window_sums(GA_PARAM window_plan plan)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * plan.piece;
    int64_t last = first + plan.piece < plan.size ? first + plan.piece : plan.size;
    if constexpr (GA_BLOCK > 1 && P::tiled) {
        for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
            sum_one<P>(plan, locate_window(plan, uint32_t(i)));
    } else if constexpr (GA_BLOCK > 1) {
        for (int64_t i = first + GA_THREAD; i < last; i += together * GA_BLOCK)
            sum_apart<P>(plan, i, last);
    } else {
        for (int64_t i = first; i < last;)
            i += sum_run<P>(plan, i, last);
    }
}

/* ---- extrema ---- */

template <class V> struct extremum_visitor {
    V best;
    bool any, largest;
    GA_METHOD void take(V x, int64_t)
    {
        bool better = largest ? best < x : x < best;
        best = any && !better ? best : x;
        any = true;
    }
};

template <class V> GA_KERNEL window_extrema(GA_PARAM window_plan plan)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * plan.piece;
    int64_t last = first + plan.piece < plan.size ? first + plan.piece : plan.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        window_place at = locate_window(plan, uint32_t(i));
        extremum_visitor<V> visitor = {V(), false, plan.largest};
        visit_window<V>(plan, at, visitor);
        *reinterpret_cast<V *>(at.dst) = visitor.best;
    }
}

/* ---- ranks ---- */

template <class V> GA_FN uint64_t key_of(V x)
{
    ga_sort_order order = {false, true};
    return ga_sort_primary(x, order);
}

/* How many come before a key, and how many equal it. */
template <class V> struct count_visitor {
    uint64_t key;
    int64_t before, equal;
    GA_METHOD void take(V x, int64_t)
    {
        uint64_t other = key_of(x);
        before += other < key;
        equal += other == key;
    }
};

/* Looks for the element of a rank, each by counting; found is one of those equal to it. */
template <class V> struct candidate_visitor {
    const window_plan *plan;
    const window_place *at;
    V found;
    bool done;
    GA_METHOD void take(V x, int64_t)
    {
        if (done)
            return;
        count_visitor<V> count = {key_of(x), 0, 0};
        visit_window<V>(*plan, *at, count);
        done = count.before <= plan->rank && plan->rank < count.before + count.equal;
        found = x;
    }
};

template <class V> GA_FN V rank_by_counts(const window_plan &plan, const window_place &at)
{
    candidate_visitor<V> candidate = {&plan, &at, V(), false};
    visit_window<V>(plan, at, candidate);
    return candidate.found;
}

/* The key of a rank, from its highest bit on: a bit is set if too few elements have a smaller prefix without it. */
template <class V> struct prefix_visitor {
    uint64_t below; /* keys below this one count */
    int64_t count;
    GA_METHOD void take(V x, int64_t) { count += key_of(x) < below; }
};

template <class V> struct match_visitor {
    uint64_t key;
    V found;
    GA_METHOD void take(V x, int64_t) { found = key_of(x) == key ? x : found; }
};

template <class V> GA_FN V rank_by_bits(const window_plan &plan, const window_place &at)
{
    uint64_t key = 0;
    GA_ROLLED
    for (int bit = ga_sort_bits<V> - 1; bit >= 0; bit--) {
        prefix_visitor<V> prefix = {key | uint64_t(1) << bit, 0};
        visit_window<V>(plan, at, prefix);
        if (prefix.count <= plan.rank)
            key = prefix.below;
    }
    match_visitor<V> match = {key, V()};
    visit_window<V>(plan, at, match);
    return match.found;
}

template <class V> GA_KERNEL window_ranks(GA_PARAM window_plan plan, int64_t count)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * plan.piece;
    int64_t last = first + plan.piece < plan.size ? first + plan.piece : plan.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        window_place at = locate_window(plan, uint32_t(i));
        bool counts = GA_BLOCK == 1 && count <= ga_sort_bits<V>; /* a GPU has few places sorted elsewhere */
        *reinterpret_cast<V *>(at.dst) = counts ? rank_by_counts<V>(plan, at) : rank_by_bits<V>(plan, at);
    }
}

/* ---- launches ---- */

static int64_t count_blocks(const window_plan *plan)
{
    return (plan->size + plan->piece - 1) / plan->piece;
}

template <class P> static int launch_sums(const window_plan *plan, ga_stream *stream)
{
    return ga_launch(window_sums<P>, count_blocks(plan), stream, *plan);
}

template <class V> static int launch_extrema(const window_plan *plan, ga_stream *stream)
{
    return ga_launch(window_extrema<V>, count_blocks(plan), stream, *plan);
}

template <class V> static int launch_ranks(const window_plan *plan, ga_stream *stream)
{
    int64_t count = plan->axes[0].window * plan->axes[1].window * plan->axes[2].window;
    return ga_launch(window_ranks<V>, count_blocks(plan), stream, *plan, count);
}

template <class V> static const ga_window_kit *find_kit()
{
    if constexpr (ga_is_time<V>::value) {
        return nullptr;
    } else if constexpr (std::is_same<V, ga_half>::value) {
        static const ga_window_kit kit = {launch_sums<narrow_sum<V>>, nullptr, nullptr, nullptr};
        return &kit;
    } else if constexpr (ga_is_complex<V>::value) {
        static const ga_window_kit kit = {launch_sums<narrow_sum<V>>, launch_sums<wide_sum<V>>, nullptr, nullptr};
        return &kit;
    } else {
        static const ga_window_kit kit = {launch_sums<narrow_sum<V>>, launch_sums<wide_sum<V>>, launch_extrema<V>,
                                          launch_ranks<V>};
        return &kit;
    }
}

#define GA_LOOP(id)                                 \
    const ga_window_kit *ga_window_kit_##id(void)   \
    {                                               \
        return find_kit<ga_ctype<GA_##id>::type>(); \
    }
GA_LOOPS
