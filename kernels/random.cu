/* Fills with random numbers, a block of words at a time: uniform, normal, integers. Owns
 * ga_random_run.
 *
 * Thread and block of a launch follow from the number of the Philox block, so numbers depend on
 * the source alone. The other operations stand in random_elements.cu and random_rows.cu. Includes
 * random_kinds.cuh, random_parts.h and slots.h. */
#include "random_kinds.cuh"
#include "random_parts.h"
#include "slots.h"

/* Philox blocks that a block takes. */
static const int64_t random_piece = GA_BLOCK == 1 ? 2048 : 1024;

/* Kinds so cheap that their loop and 64-bit counters would show: where a block's piece is whole they do without. */
template <class K> constexpr bool random_is_cheap = false;
template <> constexpr bool random_is_cheap<ga_random_uniform32> = true;
template <> constexpr bool random_is_cheap<ga_random_normal32> = true;

/* One fill. Element 0 is `shift` elements behind the first of block 0; where a word is pending,
 * the elements made of it come before. */
template <class G> struct random_fill_plan {
    ga_random_source source;
    typename G::schedule schedule;
    int64_t size, shift, blocks;
    void *dst;
    bool aligned; /* dst to 16 bytes, and nothing shifted */
};

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

template <class T, int count>
GA_FN void
store_chunks(char *to, const T (&out)[count])
{
    GA_UNROLL
    for (int i = 0; i < int(count * sizeof(T)); i += 16) {
        const T *from = out + i / int(sizeof(T));
        random_chunk chunk = {pack_eight(from), pack_eight(from + 8 / sizeof(T))};
        *reinterpret_cast<random_chunk *>(to + i) = chunk;
    }
}

/* Elements [first, first + count) of out, those of them that there are; `whole` says that all are,
 * and lie well. */
template <class G, class T, int count>
GA_FN void
store_block(const random_fill_plan<G> &plan, int64_t first, bool whole, const T (&out)[count])
{
    T *dst = static_cast<T *>(plan.dst);
    constexpr bool has_chunks = count * sizeof(T) % sizeof(random_chunk) == 0;
    if (has_chunks && whole) {
        store_chunks(static_cast<char *>(plan.dst) + first * int64_t(sizeof(T)), out);
        return;
    }
    GA_UNROLL
    for (int i = 0; i < count; i++)
        if (first + i >= 0 && first + i < plan.size)
            dst[first + i] = out[i];
}

/* The elements that the words w of a block make. */
template <class G, class K, int count>
GA_FN void
make_block(const random_fill_plan<G> &plan, const K &kind, int64_t block, const uint32_t *w,
           typename K::type (&out)[count])
{
    GA_UNROLL
    for (int i = 0; i < count / K::elements; i++) {
        ga_random_place place = {&plan.source, uint64_t(block), i * K::words, 0};
        kind.template put<G>(place, w + i * K::words, out + i * K::elements);
    }
}

template <class G, class K>
GA_FN void
fill_block(const random_fill_plan<G> &plan, const K &kind, int64_t block, bool whole)
{
    constexpr int count = G::words / K::words * K::elements;
    typename K::type out[count];
    uint32_t w[G::words];
    G::block(plan.source, plan.schedule, uint64_t(block), 0, w);
    make_block(plan, kind, block, w, out);
    store_block(plan, block * count - plan.shift, whole, out);
}

/* The word left over from an earlier call: its later draws are apart from those of any block's
 * words. */
template <class G, class K>
GA_FN void
fill_pending(const random_fill_plan<G> &plan, const K &kind)
{
    typename K::type out[K::elements];
    ga_random_place place = {&plan.source, 0, 2 * plan.source.skip, uint64_t(1) << 32};
    kind.template put<G>(place, &plan.source.pending, out);
    for (int i = 0; i < K::elements && i < plan.size; i++)
        static_cast<typename K::type *>(plan.dst)[i] = out[i];
}

/* All blocks of a piece whose elements lie well and are all there; false where the counters do not follow each other
 * within one word. */
template <class K>
GA_FN bool
fill_piece(const random_fill_plan<ga_philox32> &plan, const K &kind, int64_t first)
{
    typedef ga_philox32 G;
    constexpr int count = G::words / K::words * K::elements, nbytes = count * int(sizeof(typename K::type));
    char *to = static_cast<char *>(plan.dst) + first * nbytes + GA_THREAD * nbytes;
    uint32_t start[G::words];
    G::start(plan.source, uint64_t(first), 0, start);
    if (start[0] > UINT32_MAX - uint32_t(random_piece))
        return false;
    GA_UNROLL
    for (int i = 0; i < int(random_piece); i += GA_BLOCK) {
        typename K::type out[count];
        uint32_t w[G::words] = {start[0] + uint32_t(i + GA_THREAD), start[1], start[2], start[3]};
        G::mix(w, plan.schedule);
        make_block(plan, kind, first + i + GA_THREAD, w, out);
        store_chunks(to + i * nbytes, out);
    }
    return true;
}

template <class G, class K>
GA_KERNEL
random_fill(GA_PARAM random_fill_plan<G> plan, K kind)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * random_piece;
    int64_t left = plan.blocks - first;
    int count = int(left < random_piece ? left : random_piece);
    bool whole =
        plan.aligned && (first + count) * (G::words / K::words * K::elements) <= plan.size;
    bool done = false;
    if constexpr (random_is_cheap<K> && std::is_same<G, ga_philox32>::value)
        done = whole && count == random_piece && fill_piece(plan, kind, first);
    for (int i = GA_THREAD; !done && i < count; i += GA_BLOCK)
        fill_block<G>(plan, kind, first + i, whole);
    if constexpr (K::words == 1)
        if (plan.source.has_pending && GA_BLOCK_ID == 0 && GA_THREAD == 0)
            fill_pending<G>(plan, kind);
}

template <class G, class K>
static int
launch_fill(const ga_random_call *call, const K &kind, ga_stream *stream)
{
    constexpr int64_t a_block = int64_t(G::words) / K::words * K::elements;
    random_fill_plan<G> plan = {call->source, G::expand(call->source), call->size, 0, 0, call->dst,
                                false};
    plan.source.has_pending &= K::words == 1;
    int64_t skipped = int64_t(call->source.skip) * 2 / K::words;
    plan.shift = (skipped - plan.source.has_pending) * K::elements;
    plan.blocks = (call->size + plan.shift + a_block - 1) / a_block;
    plan.aligned = plan.shift == 0 && reinterpret_cast<uintptr_t>(call->dst) % 16 == 0;
    int64_t grid = (plan.blocks + random_piece - 1) / random_piece;
    if (grid == 0 && call->size > 0)
        grid = 1; /* all of them from the pending word */
    return ga_launch((random_fill<G, K>), grid, stream, plan, kind);
}

template <class K>
static int
fill_with(const ga_random_call *call, const K &kind, ga_stream *stream)
{
    return call->source.wide ? launch_fill<ga_philox64>(call, kind, stream)
                             : launch_fill<ga_philox32>(call, kind, stream);
}

template <class T, int bits>
static int
fill_integers32(const ga_random_call *call, uint64_t width, ga_stream *stream)
{
    uint32_t threshold = uint32_t(((uint64_t(1) << bits) - width) % width);
    ga_random_integer32<T, bits> kind = {T(call->parameters[0].value.u), width, threshold};
    return fill_with(call, kind, stream);
}

/* The width of the word that a number is made of follows NumPy. */
static int
fill_integers(const ga_random_call *call, ga_stream *stream)
{
    uint64_t low = call->parameters[0].value.u, width = call->parameters[1].value.u;
    switch (call->dtype) {
    case GA_b1:
        return fill_with(call, ga_random_bit{}, stream);
    case GA_i8:
    case GA_u8:
        return fill_integers32<uint8_t, 8>(call, width, stream);
    case GA_i16:
    case GA_u16:
        return fill_integers32<uint16_t, 16>(call, width, stream);
    case GA_i32:
    case GA_u32:
        return fill_integers32<uint32_t, 32>(call, width, stream);
    case GA_i64:
    case GA_u64:
        if (width != 0 && width <= uint64_t(1) << 32)
            return fill_integers32<uint64_t, 32>(call, width, stream);
        return fill_with(call, ga_random_integer64{low, width, width ? -width % width : 0},
                         stream);
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "random: integers have no dtype %d", int(call->dtype));
    }
}

static int
fill_float32(const ga_random_call *call, double offset, double factor, ga_stream *stream)
{
    switch (call->op) {
    case GA_RANDOM_uniform:
        return fill_with(call, ga_random_uniform32{}, stream);
    case GA_RANDOM_normal:
        return fill_with(call, ga_random_normal32{}, stream);
    default:
        return fill_with(call, ga_random_exponential<float>{offset, factor}, stream);
    }
}

static int
fill_float64(const ga_random_call *call, double offset, double factor, ga_stream *stream)
{
    switch (call->op) {
    case GA_RANDOM_uniform:
        return fill_with(call, ga_random_uniform64{offset, factor}, stream);
    case GA_RANDOM_normal:
        return fill_with(call, ga_random_normal64{offset, factor}, stream);
    default:
        return fill_with(call, ga_random_exponential<double>{offset, factor}, stream);
    }
}

static int
fill_floats(const ga_random_call *call, ga_stream *stream)
{
    double offset = call->parameters[0].value.d, factor = call->parameters[1].value.d;
    if (call->dtype == GA_f32)
        return fill_float32(call, offset, factor, stream);
    if (call->dtype == GA_f64)
        return fill_float64(call, offset, factor, stream);
    return ga_kernel_fail(GA_ERR_TYPE, "random: no such numbers of dtype %d", int(call->dtype));
}

int
ga_random_run(const ga_random_call *call, ga_stream *stream)
{
    if (call->op == GA_RANDOM_integers)
        return fill_integers(call, stream);
    if (call->op < GA_RANDOM_integers)
        return fill_floats(call, stream);
    if (call->op < GA_RANDOM_multinomial)
        return ga_random_elements(call, stream);
    return ga_random_rows(call, stream);
}
