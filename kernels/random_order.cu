/* Random orders of many elements without a sort: a bijection of range(length) that round keys
 * choose, evaluated for each place by itself. Owns ga_random_order, which leaves short rows to
 * random_short_orders.cu.
 *
 * A number of the range is a pair, x = left << bits | right, of halves of about as many values. A
 * round adds what a keyed mix of one half gives to the other, modulo its number of values, so it can
 * be undone whatever the mix; results behind the range go through all rounds again. J. Black, P.
 * Rogaway, "Ciphers with arbitrary finite domains" (CT-RSA 2002), and for shuffles on GPUs R.
 * Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs" (ACM TOPC 9,
 * 2022). The mix is MurmurHash3's last steps (A. Appleby). A key a round comes from the source, so an
 * order stands for 512 random bits. Of fewer rounds six show in the tests; sixteen are taken.
 * Includes philox.cuh, random_parts.h and slots.h. */
#include "philox.cuh"
#include "random_parts.h"
#include "slots.h"

static const int rounds = GA_RANDOM_ORDER_WORDS;
/* Neighbouring places that a block works on, and those of them that are under way together on the CPU. */
static const int64_t order_piece = GA_BLOCK == 1 ? 16384 : 8 * GA_BLOCK, order_batch = 512;

template <class G> struct order_plan {
    ga_random_source source;
    uint64_t length;
    int64_t wanted;  /* of a row */
    uint32_t pieces; /* likewise */
    uint32_t lefts;  /* values of the left half */
    int32_t bits;    /* of the right one, whose values are a power of two */
    int64_t *dst;
};

GA_FN uint32_t
mix_half(uint32_t half, uint32_t key)
{
    half = (half ^ key) * 0x85EBCA6Bu;
    return (half ^ (half >> 16)) * 0xC2B2AE35u;
}

/* The leading bits of a mix are the best ones: they are what is added. */
template <class G>
GA_FN uint64_t
send_number(const order_plan<G> &plan, const uint32_t keys[rounds], uint64_t number)
{
    uint32_t left = uint32_t(number >> plan.bits), right = uint32_t(number) & uint32_t((uint64_t(1) << plan.bits) - 1);
    GA_UNROLL
    for (int i = 0; i < rounds; i += 2) {
        left += uint32_t(ga_philox_product(mix_half(right, keys[i]), plan.lefts) >> 32);
        left -= left >= plan.lefts ? plan.lefts : 0;
        right += mix_half(left, keys[i + 1]) >> (32 - plan.bits);
        right &= uint32_t((uint64_t(1) << plan.bits) - 1);
    }
    return uint64_t(left) << plan.bits | right;
}

template <class G>
GA_FN uint64_t
send_inside(const order_plan<G> &plan, const uint32_t keys[rounds], uint64_t number)
{
    while (number >= plan.length)
        number = send_number(plan, keys, number);
    return number;
}

/* On the CPU numbers go through the rounds in batches, which the compiler makes vectors of. */
template <class G>
GA_FN void
order_places(const order_plan<G> &plan, const uint32_t keys[rounds], int64_t begin, int64_t end, int64_t *dst)
{
    if constexpr (GA_BLOCK > 1) {
        uint32_t held[rounds];
        GA_UNROLL
        for (int k = 0; k < rounds; k++)
            held[k] = keys[k];
        for (int64_t i = begin + GA_THREAD; i < end; i += GA_BLOCK)
            dst[i] = int64_t(send_inside(plan, held, send_number(plan, held, uint64_t(i))));
    } else {
        for (int64_t at = begin; at < end; at += order_batch) {
            const int64_t last = at + order_batch < end ? at + order_batch : end;
            GA_INDEPENDENT
            for (int64_t i = at; i < last; i++)
                dst[i] = int64_t(send_number(plan, keys, uint64_t(i)));
            for (int64_t i = at; i < last; i++)
                dst[i] = int64_t(send_inside(plan, keys, uint64_t(dst[i])));
        }
    }
}

template <class G>
GA_KERNEL
random_order(GA_PARAM order_plan<G> plan)
{
    GA_AWAIT();
    GA_SHARED uint32_t keys[rounds];
    const int blocks = rounds / G::words;
    const uint32_t row = uint32_t(GA_BLOCK_ID) / plan.pieces;
    const int64_t begin = (uint32_t(GA_BLOCK_ID) - row * plan.pieces) * order_piece;
    const int64_t end = begin + order_piece < plan.wanted ? begin + order_piece : plan.wanted;
    for (int k = GA_THREAD; k < blocks; k += GA_BLOCK)
        G::block(plan.source, uint64_t(row * blocks + k), 0, keys + k * G::words);
    GA_SYNC();
    order_places(plan, keys, begin, end, plan.dst + row * plan.wanted);
}

template <class G>
static int
order_rows(const ga_random_call *call, ga_stream *stream)
{
    static_assert(rounds % G::words == 0 && rounds % 2 == 0, "keys are whole blocks, and rounds are pairs");
    order_plan<G> plan = {};
    plan.source = call->source;
    plan.length = call->parameters[0].value.u;
    plan.wanted = call->columns;
    plan.pieces = uint32_t((plan.wanted + order_piece - 1) / order_piece);
    while (plan.bits < 32 && uint64_t(1) << 2 * plan.bits < plan.length)
        plan.bits++;
    plan.lefts = uint32_t(((plan.length - 1) >> plan.bits) + 1);
    plan.dst = static_cast<int64_t *>(call->dst);
    return ga_launch(random_order<G>, call->size / call->columns * plan.pieces, stream, plan);
}

int
ga_random_order(const ga_random_call *call, ga_stream *stream)
{
    if (call->dtype != GA_i64)
        return ga_kernel_fail(GA_ERR_TYPE, "random: orders have dtype int64, not %d", int(call->dtype));
    if (call->parameters[0].value.u <= GA_RANDOM_ORDER_ROW)
        return ga_random_short_orders(call, stream);
    return call->source.wide ? order_rows<ga_philox64>(call, stream) : order_rows<ga_philox32>(call, stream);
}
