/* Random orders of short rows, every one of them equally likely. Owns ga_random_short_orders.
 *
 * An order is that of 32-bit keys, the words of the source one after the other, and elements of equal
 * keys are then shuffled among themselves, by Fisher and Yates's method from a place of the source
 * that only theirs is. A block has as many rows as its shared memory holds. It deals their elements
 * out to places, by row and by the leading bits of the keys, and puts the few elements of each place
 * into order by comparing. Includes random_discrete.cuh, block.cuh, random_parts.h and slots.h. */
#include "block.cuh"
#include "random_discrete.cuh"
#include "random_parts.h"
#include "slots.h"

static const int place_bits = 11, places = 1 << place_bits;
static_assert(GA_RANDOM_ORDER_ROW <= places, "an element has a place to itself on average");

struct short_plan {
    ga_random_source source;
    int64_t elements, row, wanted; /* in all, of a row, and first ones of a row */
    int32_t rows;                  /* of a block */
    int32_t bits;                  /* of the keys, which name the place of an element in its row */
    int64_t *dst;
};

template <class G>
GA_FN_CALL uint64_t
draw_item(const ga_random_source &source, int64_t element, int64_t index)
{
    uint32_t w[G::words], key = 0;
    G::block(source, uint64_t(element) / G::words, 0, w);
    GA_UNROLL
    for (int k = 0; k < G::words; k++)
        key = int(element % G::words) == k ? w[k] : key;
    return uint64_t(key) << 32 | uint64_t(index);
}

/* The entry before. */
template <class U>
GA_FN U
take_place(U *counter)
{
    if constexpr (GA_BLOCK > 1)
        return atomicAdd(counter, U(1));
    else
        return (*counter)++;
}

struct place_sum {
    typedef uint32_t acc;
    GA_FN acc neutral() { return 0; }
    GA_FN acc merge(acc a, acc b) { return a + b; }
};

/* The places' counts into the sums of those before, in place. */
GA_FN void
sum_before(uint32_t *counts)
{
    const int each = 4;
    uint32_t start = 0;
    for (int base = 0; base < places; base += each * GA_BLOCK) {
        uint32_t before[each], all;
        GA_UNROLL
        for (int k = 0; k < each; k++)
            before[k] = counts[base + k * GA_BLOCK + GA_THREAD];
        ga_block_scan<place_sum, each>(before, all, GA_BLOCK);
        GA_UNROLL
        for (int k = 0; k < each; k++)
            counts[base + k * GA_BLOCK + GA_THREAD] = start + before[k];
        start += all;
    }
    GA_SYNC();
}

/* A run of equal keys whose first is element `first`: the blocks behind those of the keys are the elements'. */
template <class G>
GA_FN_CALL void
shuffle_equal(const short_plan &plan, int64_t first, uint64_t *run, int length)
{
    ga_draws draws = ga_draws_at(&plan.source, (plan.elements + G::words - 1) / G::words + first);
    GA_ROLLED
    for (int left = length; left > 1; left--) {
        uint64_t *last = run + left - 1, *chosen = run + int(ga_draw_integer(&draws, 0, uint64_t(left)));
        uint64_t item = *last;
        *last = *chosen;
        *chosen = item;
    }
}

/* The few elements of a place, the first of which is element `first`. */
template <class G>
GA_FN void
arrange_few(const short_plan &plan, uint64_t *items, int64_t first, int count)
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
            shuffle_equal<G>(plan, first + i, items + i, last - i);
    }
}

/* The elements from `first` on, whole rows, into order. */
template <class G>
GA_FN void
arrange_rows(const short_plan &plan, uint64_t *items, uint32_t *ends, int64_t first, int count)
{
    const uint32_t row = uint32_t(plan.row);
    auto item_at = [&](int i) { return draw_item<G>(plan.source, first + i, uint32_t(i) % row); };
    auto place_of = [&](int i, uint64_t item) {
        return uint32_t(i) / row << plan.bits | uint32_t(item >> 32 >> (32 - plan.bits));
    };
    for (int i = GA_THREAD; i < places; i += GA_BLOCK)
        ends[i] = 0;
    GA_SYNC();
    for (int i = GA_THREAD; i < count; i += GA_BLOCK)
        take_place(ends + place_of(i, item_at(i)));
    GA_SYNC();
    sum_before(ends);
    for (int i = GA_THREAD; i < count; i += GA_BLOCK) {
        uint64_t item = item_at(i);
        items[take_place(ends + place_of(i, item))] = item;
    }
    GA_SYNC();
    for (int i = GA_THREAD; i < places; i += GA_BLOCK) {
        int begin = i > 0 ? int(ends[i - 1]) : 0;
        arrange_few<G>(plan, items + begin, first + begin, int(ends[i]) - begin);
    }
    GA_SYNC();
}

template <class G>
GA_KERNEL
random_short_orders(GA_PARAM short_plan plan)
{
    GA_AWAIT();
    GA_SHARED uint64_t items[places];
    GA_SHARED uint32_t ends[places];
    const int64_t first = GA_BLOCK_ID * plan.rows * plan.row, left = plan.elements - first;
    const int count = int(left < plan.rows * plan.row ? left : plan.rows * plan.row);
    arrange_rows<G>(plan, items, ends, first, count);
    for (int i = GA_THREAD; i < count; i += GA_BLOCK)
        if (plan.wanted == plan.row || i < plan.wanted)
            plan.dst[first + i] = int64_t(uint32_t(items[i]));
}

template <class G>
static int
order_short(const ga_random_call *call, ga_stream *stream)
{
    short_plan plan = {};
    plan.source = call->source;
    plan.row = int64_t(call->parameters[0].value.u);
    plan.wanted = call->columns;
    plan.elements = call->size / call->columns * plan.row;
    plan.bits = place_bits;
    plan.dst = static_cast<int64_t *>(call->dst);
    while (plan.bits > 0 && plan.row << 1 <= int64_t(1) << plan.bits)
        plan.bits--;
    plan.rows = 1 << (place_bits - plan.bits);
    const int64_t rows = plan.elements / plan.row;
    return ga_launch(random_short_orders<G>, (rows + plan.rows - 1) / plan.rows, stream, plan);
}

int
ga_random_short_orders(const ga_random_call *call, ga_stream *stream)
{
    return call->source.wide ? order_short<ga_philox64>(call, stream) : order_short<ga_philox32>(call, stream);
}
