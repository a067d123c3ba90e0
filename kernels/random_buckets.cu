/* Random orders of many elements by buckets. Owns ga_random_order.
 *
 * The order is that of 32-bit keys, the words of the source one after the other; elements of equal
 * keys stand by their index and are then shuffled as random_order.cu does it, so every order is
 * equally likely and either way gives the same one. The keys' leading bits name an element's bucket:
 * elements are counted by buckets, written to them in any order, and a block then sorts a bucket in
 * shared memory: by the next bits of the keys into places of an element or two, and those by
 * comparing. Keys are drawn again instead of being kept. Who is wanted for the first places only
 * has no other buckets written or sorted. Rows that one bucket holds are drawn and sorted by a block
 * each. Includes random_ties.cuh, block.cuh, random_parts.h and slots.h. */
#include "block.cuh"
#include "random_parts.h"
#include "random_ties.cuh"
#include "slots.h"

/* Elements of a bucket on average at most, and at most in shared memory: eleven standard deviations
 * more. Larger ones would be sorted by one thread in memory. */
static const int bucket_mean = GA_RANDOM_ORDER_ROW, bucket_room = bucket_mean + bucket_mean / 4;
static_assert(bucket_room >= GA_RANDOM_ORDER_ROW, "a row has no memory but the shared one");
static const int most_bits = 13, most_buckets = 1 << most_bits;
static_assert(GA_RANDOM_ORDER_SIZE == int64_t(bucket_mean) << most_bits, "sizes that buckets are enough for");
static const int place_bits = 11, places = 1 << place_bits;
static const int64_t most_pieces = 512, least_piece = 2048;

template <class G> struct order_plan {
    ga_random_source source;
    typename G::schedule schedule;
    int64_t size, row, wanted, piece;
    int32_t bits;     /* of a bucket's number */
    uint32_t *starts; /* of the buckets, and behind the last; rows: none */
    uint32_t *claims; /* of a piece's elements in each bucket, a row a piece */
    uint64_t *items;  /* key and index, by buckets; rows: none */
    int64_t *dst;
};

/* ---- keys ---- */

/* found(i, key) for each of the elements from `begin` to `end`, of whole Philox blocks. */
template <class G, class F>
GA_FN void
draw_keys(const order_plan<G> &plan, int64_t begin, int64_t end, const F &found)
{
    for (int64_t block = begin / G::words + GA_THREAD; block * G::words < end; block += GA_BLOCK) {
        uint32_t w[G::words];
        G::block(plan.source, plan.schedule, uint64_t(block), 0, w);
        GA_UNROLL
        for (int k = 0; k < G::words; k++)
            if (block * G::words + k < end)
                found(block * G::words + k, w[k]);
    }
}

GA_FN uint64_t
make_item(uint32_t key, int64_t index)
{
    return uint64_t(key) << 32 | uint64_t(index);
}

/* Of a row: element i of those that begin at `first`. */
template <class G>
GA_FN_CALL uint64_t
draw_item(const order_plan<G> &plan, int64_t first, int i)
{
    uint32_t w[G::words], key = 0;
    G::block(plan.source, plan.schedule, uint64_t(first + i) / G::words, 0, w);
    GA_UNROLL
    for (int k = 0; k < G::words; k++)
        key = int((first + i) % G::words) == k ? w[k] : key;
    return make_item(key, i);
}

/* ---- counters ---- */

/* The entry before; of this block alone, or of all blocks. */
template <class U>
GA_FN U
take_place(U *counter)
{
    if constexpr (GA_BLOCK > 1)
        return atomicAdd(counter, U(1));
    else
        return (*counter)++;
}

template <class U>
GA_FN U
claim_places(U *counter, U number)
{
    if constexpr (GA_BLOCK > 1)
        return atomicAdd(counter, number);
    else
        return __atomic_fetch_add(counter, number, __ATOMIC_RELAXED);
}

struct order_sum {
    typedef uint32_t acc;
    GA_FN acc neutral() { return 0; }
    GA_FN acc merge(acc a, acc b) { return a + b; }
};

/* Counts into the sums of those before, in place. */
GA_FN void
sum_before(uint32_t *counts, int number)
{
    const int rounds = 4;
    uint32_t start = 0;
    for (int base = 0; base < number; base += rounds * GA_BLOCK) {
        uint32_t before[rounds], all;
        GA_UNROLL
        for (int k = 0; k < rounds; k++) {
            int at = base + k * GA_BLOCK + GA_THREAD;
            before[k] = at < number ? counts[at] : 0;
        }
        ga_block_scan<order_sum, rounds>(before, all, GA_BLOCK);
        GA_UNROLL
        for (int k = 0; k < rounds; k++)
            if (base + k * GA_BLOCK + GA_THREAD < number)
                counts[base + k * GA_BLOCK + GA_THREAD] = start + before[k];
        start += all;
    }
    GA_SYNC();
}

/* ---- elements into buckets ---- */

GA_FN uint32_t
bucket_of(uint32_t key, int bits)
{
    return uint32_t(uint64_t(key) >> (32 - bits));
}

GA_KERNEL
random_clear_buckets(uint32_t *counts, int number)
{
    GA_AWAIT();
    for (int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; i < number; i += GA_GRID * GA_BLOCK)
        counts[i] = 0;
}

template <class G>
GA_KERNEL
random_count_buckets(GA_PARAM order_plan<G> plan)
{
    GA_AWAIT();
    GA_SHARED uint32_t counts[most_buckets];
    const int buckets = 1 << plan.bits;
    const int64_t begin = GA_BLOCK_ID * plan.piece, end = begin + plan.piece < plan.size ? begin + plan.piece : plan.size;
    for (int b = GA_THREAD; b < buckets; b += GA_BLOCK)
        counts[b] = 0;
    GA_SYNC();
    draw_keys(plan, begin, end, [&](int64_t, uint32_t key) { take_place(counts + bucket_of(key, plan.bits)); });
    GA_SYNC();
    for (int b = GA_THREAD; b < buckets; b += GA_BLOCK)
        plan.claims[GA_BLOCK_ID * buckets + b] = claim_places(plan.starts + b, counts[b]);
}

/* By one block. */
GA_KERNEL
random_start_buckets(uint32_t *starts, int number)
{
    GA_AWAIT();
    sum_before(starts, number);
}

template <class G>
GA_KERNEL
random_fill_buckets(GA_PARAM order_plan<G> plan)
{
    GA_AWAIT();
    GA_SHARED uint32_t next[most_buckets];
    const int buckets = 1 << plan.bits;
    const uint32_t none = UINT32_MAX; /* of a bucket behind what is wanted */
    const int64_t begin = GA_BLOCK_ID * plan.piece, end = begin + plan.piece < plan.size ? begin + plan.piece : plan.size;
    for (int b = GA_THREAD; b < buckets; b += GA_BLOCK) {
        uint32_t start = plan.starts[b];
        next[b] = start < plan.wanted ? start + plan.claims[GA_BLOCK_ID * buckets + b] : none;
    }
    GA_SYNC();
    draw_keys(plan, begin, end, [&](int64_t i, uint32_t key) {
        uint32_t *place = next + bucket_of(key, plan.bits);
        if (*static_cast<volatile uint32_t *>(place) != none)
            plan.items[take_place(place)] = make_item(key, i);
    });
}

/* ---- buckets into order ---- */

/* The few elements of a place, or those of a bucket without room. */
template <class G>
GA_FN void
arrange_few(const order_plan<G> &plan, uint64_t *items, int64_t first, int count)
{
    GA_ROLLED
    for (int i = 1; i < count; i++) {
        uint64_t item = items[i];
        int at = i;
        GA_ROLLED
        for (; at > 0 && items[at - 1] > item; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
    GA_ROLLED
    for (int i = 0, last = 1; i < count; i = last++) {
        while (last < count && items[last] >> 32 == items[i] >> 32)
            last++;
        if (last - i > 1)
            ga_random_shuffle(plan.source, plan.size, first + i, items + i, last - i);
    }
}

/* Elements into shared memory by the bits of their keys behind the bucket's, each place into order. */
template <class G>
GA_FN void
arrange_bucket(const order_plan<G> &plan, uint64_t *items, uint32_t *ends, int64_t first, int count)
{
    auto item_at = [&](int i) { return plan.items ? plan.items[first + i] : draw_item(plan, first, i); };
    auto place_of = [&](uint64_t item) { return uint32_t(item >> 32) << plan.bits >> (32 - place_bits); };
    for (int i = GA_THREAD; i < places; i += GA_BLOCK)
        ends[i] = 0;
    GA_SYNC();
    for (int i = GA_THREAD; i < count; i += GA_BLOCK)
        take_place(ends + place_of(item_at(i)));
    GA_SYNC();
    sum_before(ends, places);
    for (int i = GA_THREAD; i < count; i += GA_BLOCK) {
        uint64_t item = item_at(i);
        items[take_place(ends + place_of(item))] = item;
    }
    GA_SYNC();
    for (int i = GA_THREAD; i < places; i += GA_BLOCK) {
        int begin = i > 0 ? int(ends[i - 1]) : 0;
        arrange_few(plan, items + begin, first + begin, int(ends[i]) - begin);
    }
}

template <class G>
GA_KERNEL
random_order_buckets(GA_PARAM order_plan<G> plan)
{
    GA_AWAIT();
    GA_SHARED uint64_t room[bucket_room];
    GA_SHARED uint32_t ends[places];
    const int64_t first = plan.items ? plan.starts[GA_BLOCK_ID] : GA_BLOCK_ID * plan.row;
    const int64_t last = plan.items ? plan.starts[GA_BLOCK_ID + 1] : first + plan.row;
    const int count = int(last - first);
    uint64_t *items = count <= bucket_room ? room : plan.items + first;
    if (first >= plan.wanted)
        return;
    if (count <= bucket_room)
        arrange_bucket(plan, items, ends, first, count);
    else if (GA_THREAD == 0)
        arrange_few(plan, items, first, count);
    GA_SYNC();
    for (int64_t i = GA_THREAD; i < count && first + i < plan.wanted; i += GA_BLOCK)
        plan.dst[first + i] = int64_t(uint32_t(items[i]));
}

/* ---- the call ---- */

/* What lies in the one piece of memory that a call of several kernels takes. */
template <class G>
static int
allot_buckets(order_plan<G> *plan, int64_t pieces, ga_stream *stream)
{
    const size_t buckets = size_t(1) << plan->bits, items = size_t(plan->size) * sizeof(uint64_t);
    void *memory = nullptr;
    if (ga_runtime_alloc(items + (buckets + 1 + buckets * size_t(pieces)) * sizeof(uint32_t), stream, &memory))
        return -1;
    plan->items = static_cast<uint64_t *>(memory);
    plan->starts = reinterpret_cast<uint32_t *>(plan->items + plan->size);
    plan->claims = plan->starts + buckets + 1;
    return 0;
}

template <class G>
static int
run_buckets(const order_plan<G> &plan, int64_t pieces, ga_stream *stream)
{
    const int starts = (1 << plan.bits) + 1;
    return ga_launch(random_clear_buckets, (starts + 4 * GA_BLOCK - 1) / (4 * GA_BLOCK), stream, plan.starts, starts)
                   || ga_launch(random_count_buckets<G>, pieces, stream, plan)
                   || ga_launch(random_start_buckets, 1, stream, plan.starts, starts)
                   || ga_launch(random_fill_buckets<G>, pieces, stream, plan)
                   || ga_launch(random_order_buckets<G>, starts - 1, stream, plan)
               ? -1
               : 0;
}

template <class G>
static int
order_elements(const ga_random_call *call, ga_stream *stream)
{
    const int64_t unit = 64; /* of pieces: whole Philox blocks */
    order_plan<G> plan = {};
    plan.source = call->source;
    plan.schedule = G::expand(call->source);
    plan.row = int64_t(call->parameters[0].value.u);
    plan.size = call->size / call->columns * plan.row;
    plan.wanted = call->size;
    plan.dst = static_cast<int64_t *>(call->dst);
    if (plan.row <= bucket_mean)
        return ga_launch(random_order_buckets<G>, plan.size / plan.row, stream, plan);
    while (plan.size > int64_t(bucket_mean) << plan.bits)
        plan.bits++;
    plan.piece = (plan.size / most_pieces > least_piece ? plan.size / most_pieces : least_piece) / unit * unit + unit;
    const int64_t pieces = (plan.size + plan.piece - 1) / plan.piece;
    if (allot_buckets(&plan, pieces, stream))
        return -1;
    int status = run_buckets(plan, pieces, stream);
    return ga_runtime_free(plan.items, stream) ? -1 : status;
}

int
ga_random_order(const ga_random_call *call, ga_stream *stream)
{
    if (call->dtype != GA_i64)
        return ga_kernel_fail(GA_ERR_TYPE, "random: orders have dtype int64, not %d", int(call->dtype));
    return call->source.wide ? order_elements<ga_philox64>(call, stream) : order_elements<ga_philox32>(call, stream);
}
