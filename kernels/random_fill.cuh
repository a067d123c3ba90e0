/* Fills: memory written with what a kind (random_kinds.cuh) makes of one Philox block after the
 * other.
 *
 * Two kernels: pieces whose blocks are all there and lie well take a short way, in which only the
 * counter's first word differs from block to block; anything else goes element by element. Numbers
 * depend on the number of their Philox block alone. Includes random_kinds.cuh and block.cuh. */
#pragma once
#include "block.cuh"
#include "random_kinds.cuh"

/* Philox blocks that a block takes, that the short way takes multiples of, and those of a thread whose instructions
 * are mixed. */
static const int64_t random_piece = GA_BLOCK == 1 ? 2048 : 1024, random_lanes = 16;
static const int64_t random_least = GA_BLOCK == 1 ? random_lanes : random_piece;
template <class K> constexpr int random_together = GA_BLOCK == 1 ? 1 : 4;
template <> inline constexpr int random_together<ga_random_normal64> = GA_BLOCK == 1 ? 1 : 2;

/* One fill. Element 0 is `shift` elements behind the first of block 0; where a word is pending,
 * the elements made of it come before. The blocks from `begin` on are this launch's. */
template <class G> struct random_fill_plan {
    ga_random_source source;
    typename G::schedule schedule;
    int64_t size, shift, begin, end;
    void *dst;
};

template <class G, class K> constexpr int random_elements = G::words / K::words * K::elements;

/* ---- words into elements ---- */

template <class G, class K>
GA_FN void
take_elements(const K &kind, const uint32_t *w, typename K::type *out)
{
    GA_UNROLL
    for (int i = 0; i < G::words / K::words; i++)
        kind.take(w + i * K::words, out + i * K::elements);
}

template <class G, class K>
GA_FN bool
refuses_any(const K &kind, const uint32_t *w)
{
    bool any = false;
    GA_UNROLL
    for (int i = 0; i < random_elements<G, K>; i++)
        any |= kind.refuses(w + i / K::elements * K::words, i % K::elements);
    return any;
}

/* What was refused is drawn again, until nothing is: from the same places of blocks further on. */
template <class G, class K>
GA_FN_CALL void
redraw_elements(const ga_random_source &source, uint64_t block, uint64_t apart, K kind, uint32_t *w)
{
    GA_ROLLED
    for (uint64_t again = 1; refuses_any<G>(kind, w); again++) {
        uint32_t fresh[G::words];
        G::block(source, block, apart + again, fresh);
        GA_ROLLED
        for (int i = 0; i < random_elements<G, K>; i++) {
            int first = i / K::elements * K::words, k = i % K::elements;
            if (kind.refuses(w + first, k))
                kind.renew(w + first, fresh + first, k);
        }
    }
}

template <class G, class K>
GA_FN void
make_elements(const ga_random_source &source, uint64_t block, const K &kind, const uint32_t *w,
              typename K::type *out)
{
    take_elements<G>(kind, w, out);
    if constexpr (K::may_refuse) {
        if (refuses_any<G>(kind, w)) {
            uint32_t kept[G::words];
            for (int i = 0; i < G::words; i++)
                kept[i] = w[i];
            redraw_elements<G>(source, block, 0, kind, kept);
            take_elements<G>(kind, kept, out);
        }
    }
}

/* ---- stores ---- */

/* What one store takes. */
struct alignas(16) random_chunk {
    uint64_t low, high;
};

/* Eight bytes of elements as a word: the compiler joins stores of words, not of floats. */
template <class T>
GA_FN uint64_t
pack_eight(const T *from)
{
    if constexpr (std::is_same<T, float>::value)
        return ga_bits<uint32_t>(from[0]) | uint64_t(ga_bits<uint32_t>(from[1])) << 32;
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

template <class T>
GA_FN random_chunk
pack_chunk(const T *from)
{
    return {pack_eight(from), pack_eight(from + 8 / sizeof(T))};
}

/* Two chunks of a thread. Neighbours exchange halves, so that what a warp stores at once lies
 * together: else sectors are written by halves, which takes two and a half times as long. */
template <class C>
GA_FN void
store_pair(char *to, int64_t index, C first, C second)
{
    if constexpr (GA_BLOCK > 1) {
        bool odd = index & 1;
        C theirs = ga_warp_from(odd ? first : second, GA_THREAD ^ 1);
        C *at = reinterpret_cast<C *>(to - (odd ? 16 : 0));
        at[0] = odd ? theirs : first;
        at[2] = odd ? second : theirs;
    } else {
        C *at = reinterpret_cast<C *>(to);
        at[0] = first;
        at[1] = second;
    }
}

/* The elements of block `index`, all there and aligned. */
template <class T, int count>
GA_FN void
store_whole(void *dst, int64_t index, const T (&out)[count])
{
    constexpr int nbytes = count * int(sizeof(T));
    char *to = static_cast<char *>(dst) + index * nbytes;
    if constexpr (nbytes == 8) {
        *reinterpret_cast<uint64_t *>(to) = pack_eight(out);
    } else if constexpr (nbytes == 32) {
        store_pair(to, index, pack_chunk(out), pack_chunk(out + count / 2));
    } else {
        GA_UNROLL
        for (int i = 0; i < nbytes; i += 16)
            *reinterpret_cast<random_chunk *>(to + i) = pack_chunk(out + i / int(sizeof(T)));
    }
}

/* ---- kernels ---- */

template <class G, class K>
GA_FN void
fill_block(const random_fill_plan<G> &plan, const K &kind, int64_t block)
{
    constexpr int count = random_elements<G, K>;
    typename K::type out[count], *dst = static_cast<typename K::type *>(plan.dst);
    int64_t first = block * count - plan.shift;
    uint32_t w[G::words];
    G::block(plan.source, plan.schedule, uint64_t(block), 0, w);
    make_elements<G>(plan.source, uint64_t(block), kind, w, out);
    GA_UNROLL
    for (int i = 0; i < count; i++)
        if (first + i >= 0 && first + i < plan.size)
            dst[first + i] = out[i];
}

/* The word left over from an earlier call, in its place in a block of its own: its later draws are
 * apart from those of any block's words. */
template <class G, class K>
GA_FN void
fill_pending(const random_fill_plan<G> &plan, const K &kind)
{
    typename K::type out[K::elements];
    const int place = 2 * plan.source.skip;
    uint32_t w[G::words] = {};
    w[place % G::words] = plan.source.pending;
    if constexpr (K::may_refuse)
        redraw_elements<G>(plan.source, 0, uint64_t(1) << 32, kind, w);
    kind.take(w + place % G::words, out);
    for (int i = 0; i < K::elements && i < plan.size; i++)
        static_cast<typename K::type *>(plan.dst)[i] = out[i];
}

template <class G, class K>
GA_KERNEL
random_fill(GA_PARAM random_fill_plan<G> plan, K kind)
{
    GA_AWAIT();
    int64_t first = plan.begin + GA_BLOCK_ID * random_piece;
    int64_t last = first + random_piece < plan.end ? first + random_piece : plan.end;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        fill_block<G>(plan, kind, i);
    if constexpr (K::words == 1)
        if (plan.source.has_pending && plan.begin == 0 && GA_BLOCK_ID == 0 && GA_THREAD == 0)
            fill_pending<G>(plan, kind);
}

/* Some blocks of Philox4x32 from block `begin` on, `random_least` or a multiple, whose counter is `start`; the first word
 * does not wrap. */
struct random_whole_plan {
    ga_random_source source;
    ga_philox32::schedule schedule;
    uint32_t start[ga_philox32::words];
    int64_t begin, count;
    void *dst; /* of block `begin` */
};

/* The CPU's piece from block `first` on: blocks are mixed side by side. */
template <class K>
GA_FN void
fill_lanes(const random_whole_plan &plan, const K &kind, int64_t first)
{
    typedef ga_philox32 G;
    constexpr int lanes = int(random_lanes);
    int64_t left = plan.count - first;
    for (int from = 0; from < int(random_piece) && from < left; from += lanes) {
        uint32_t c[G::words][lanes];
        for (int i = 0; i < lanes; i++) {
            c[0][i] = plan.start[0] + uint32_t(first + from + i);
            for (int j = 1; j < G::words; j++)
                c[j][i] = plan.start[j];
        }
        G::mix_lanes(c, plan.schedule);
        for (int i = 0; i < lanes; i++) {
            typename K::type out[random_elements<G, K>];
            const uint32_t w[G::words] = {c[0][i], c[1][i], c[2][i], c[3][i]};
            make_elements<G>(plan.source, uint64_t(plan.begin + first + from + i), kind, w, out);
            store_whole(plan.dst, first + from + i, out);
        }
    }
}

template <class K>
GA_KERNEL
random_fill_whole(GA_PARAM random_whole_plan plan, K kind)
{
    GA_AWAIT();
    typedef ga_philox32 G;
    constexpr int together = random_together<K>, steps = together * GA_BLOCK;
    int64_t first = GA_BLOCK_ID * random_piece + GA_THREAD;
    if constexpr (GA_BLOCK == 1)
        return fill_lanes(plan, kind, first);
    GA_ROLLED
    for (int from = 0; from < int(random_piece); from += steps) {
        GA_UNROLL
        for (int i = 0; i < steps; i += GA_BLOCK) {
            typename K::type out[random_elements<G, K>];
            int64_t index = first + from + i;
            uint32_t w[G::words] = {plan.start[0] + uint32_t(index), plan.start[1], plan.start[2],
                                    plan.start[3]};
            G::mix(w, plan.schedule);
            make_elements<G>(plan.source, uint64_t(plan.begin + index), kind, w, out);
            store_whole(plan.dst, index, out);
        }
    }
}

/* ---- launches ---- */

/* How many blocks from `begin` on differ in the counter's first word alone, which then wraps. */
static inline int64_t
count_to_wrap(const ga_random_call *call, int64_t begin)
{
    return (int64_t(1) << 32) - int64_t(uint32_t(call->source.counter[0] + uint64_t(begin)));
}

template <class K>
static int
launch_whole(const ga_random_call *call, const K &kind, int64_t begin, int64_t count, ga_stream *stream)
{
    const ga_random_source &s = call->source;
    uint64_t low = s.counter[0] + uint64_t(begin), high = s.counter[1] + (low < s.counter[0]);
    constexpr int64_t nbytes = random_elements<ga_philox32, K> * sizeof(typename K::type);
    random_whole_plan plan = {s,
                              ga_philox32::expand(s),
                              {uint32_t(low), uint32_t(low >> 32), uint32_t(high), uint32_t(high >> 32)},
                              begin,
                              count,
                              static_cast<char *>(call->dst) + begin * nbytes};
    return ga_launch(random_fill_whole<K>, (count + random_piece - 1) / random_piece, stream, plan, kind);
}

template <class G, class K>
static int
launch_rest(const random_fill_plan<G> &plan, const K &kind, ga_stream *stream)
{
    int64_t grid = (plan.end - plan.begin + random_piece - 1) / random_piece;
    if (grid == 0 && plan.begin == 0 && plan.size > 0)
        grid = 1; /* all of them from the pending word */
    return ga_launch((random_fill<G, K>), grid, stream, plan, kind);
}

/* The blocks up to `end`, as many as the short way takes: plan begins behind them then. */
template <class K>
static int
launch_pieces(const ga_random_call *call, const K &kind, random_fill_plan<ga_philox32> *plan, int64_t end,
              ga_stream *stream)
{
    while (end - plan->begin >= random_least) {
        int64_t room = count_to_wrap(call, plan->begin), left = end - plan->begin;
        int64_t count = room < left ? room : left, whole = count / random_least * random_least;
        random_fill_plan<ga_philox32> odd = *plan;
        odd.begin += whole;
        odd.end = odd.begin + (count < left ? count - whole : 0);
        if (launch_whole(call, kind, plan->begin, whole, stream) ||
            (odd.end > odd.begin && launch_rest(odd, kind, stream)))
            return -1;
        plan->begin = odd.end;
    }
    return 0;
}

template <class G, class K>
static int
launch_fill(const ga_random_call *call, const K &kind, ga_stream *stream)
{
    constexpr int64_t a_block = random_elements<G, K>;
    random_fill_plan<G> plan = {call->source, G::expand(call->source), call->size, 0, 0, 0, call->dst};
    plan.source.has_pending &= K::words == 1;
    int64_t skipped = int64_t(call->source.skip) * 2 / K::words;
    plan.shift = (skipped - plan.source.has_pending) * K::elements;
    plan.end = (call->size + plan.shift + a_block - 1) / a_block;
    if constexpr (std::is_same<G, ga_philox32>::value) {
        bool aligned = reinterpret_cast<uintptr_t>(call->dst) % 16 == 0;
        int64_t whole_end = aligned ? call->size / a_block : 0;
        if (launch_pieces(call, kind, &plan, whole_end, stream))
            return -1;
    }
    return launch_rest(plan, kind, stream);
}

template <class K>
static int
fill_with(const ga_random_call *call, const K &kind, ga_stream *stream)
{
    return call->source.wide ? launch_fill<ga_philox64>(call, kind, stream)
                             : launch_fill<ga_philox32>(call, kind, stream);
}
