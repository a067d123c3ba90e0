/* The element-wise framework of the CPU: short tiles through one vectorised loop.
 *
 * A block takes a chunk of the elements in C order, in tiles of GA_TILE_BYTES at most. For each tile
 * every input becomes a pointer to consecutive elements: its own memory where it is consecutive, a
 * buffer otherwise (one value repeated, gathered, or converted from another dtype). One loop, the
 * only code that depends on the operation, runs over these pointers into the output or into a
 * buffer that is then scattered, under the mask. So an operation costs one loop of machine code
 * whatever the layout, and that loop has no strides in it, which is what lets the compiler
 * vectorise it.
 *
 * An output may be exactly an input: a tile is read before it is written, element by element in
 * order. Included by iterate.cuh. */
#pragma once

#include "line_cpu.h"
#include "map_convert_cpu.h"
#include "map_half.cuh"

#define GA_TILE_BYTES 4096 /* of the operand with the largest elements */
#define GA_TILE_CHUNK 32768 /* elements of a block; as few run on the calling thread */
/* Rows at least this long end a tile, so that consecutive rows are not copied. */
#define GA_TILE_SHORT_ROW 64

struct ga_map_operand {
    char *data;
    ga_scalar value;
    bool flat, constant; /* consecutive over all dimensions; one element for all */
    int size;            /* of an element in memory */
    ga_map_converter convert; /* to the loop's dtype; NULL: it is of that dtype */
    int64_t strides[GA_ITER_DIMS];
};

struct ga_map_plan {
    int64_t size, blocks;
    int32_t ndim; /* at least 1 */
    bool flat, buffered, has_where;
    int64_t shape[GA_ITER_DIMS];
    ga_map_operand args[GA_SLOTS];
};

/* ---- plan ---- */
static inline void
ga_map_fill_operand(const ga_ufunc_call *call, const ga_operand *arg, int size, ga_map_operand *to)
{
    to->data = (char *)arg->data;
    to->value = arg->value;
    to->size = size;
    to->convert = NULL;
    enum ga_map_layout layout = ga_map_layout_of(call, arg, size);
    to->flat = layout == GA_MAP_FLAT;
    to->constant = layout == GA_MAP_CONSTANT;
    to->strides[0] = size; /* of a single element */
    for (int d = 0; d < call->ndim; d++)
        to->strides[d] = arg->data ? arg->strides[call->ndim - 1 - d] : 0;
}

static inline bool
ga_map_fits(const ga_ufunc_call *)
{
    return true;
}

static inline void
ga_map_prepare(const ga_ufunc_call *call, ga_map_plan *plan)
{
    const ga_operand *slots[GA_SLOTS];
    int sizes[GA_SLOTS];
    ga_map_slots(call, slots, sizes);
    plan->size = call->size;
    plan->ndim = call->ndim > 0 ? call->ndim : 1;
    plan->shape[0] = 1;
    for (int d = 0; d < call->ndim; d++)
        plan->shape[d] = call->shape[call->ndim - 1 - d];
    plan->has_where = call->has_where;
    plan->flat = true;
    plan->buffered = call->has_where;
    for (int k = 0; k < GA_SLOTS; k++) {
        if (!slots[k])
            continue;
        ga_map_fill_operand(call, slots[k], sizes[k], &plan->args[k]);
        if (k < GA_SLOT_OUT && ga_map_is_converted(call, k))
            plan->args[k].convert = ga_map_find_converter(call->source[k], call->in[k]);
        plan->flat &= plan->args[k].flat || plan->args[k].constant;
        plan->buffered |= !plan->args[k].flat || plan->args[k].convert;
    }
    plan->blocks = (call->size + GA_TILE_CHUNK - 1) / GA_TILE_CHUNK;
}

/* ---- tiles ---- */

/* Position of element i of the plan: index per dimension and byte offset of one operand. */
struct ga_tile_position {
    int64_t index[GA_ITER_DIMS];
    int64_t offset;
};

static inline ga_tile_position
ga_tile_seek(const ga_map_plan &plan, const ga_map_operand &arg, int64_t i)
{
    ga_tile_position at;
    at.offset = 0;
    for (int d = 0; d < plan.ndim; d++) {
        at.index[d] = i % plan.shape[d];
        at.offset += at.index[d] * arg.strides[d];
        i /= plan.shape[d];
    }
    return at;
}

/* Moves `run` elements along the row; the run ends inside the row or at its end. */
static inline void
ga_tile_advance(const ga_map_plan &plan, const ga_map_operand &arg, ga_tile_position &at,
                int64_t run)
{
    at.index[0] += run;
    at.offset += run * arg.strides[0];
    for (int d = 0; at.index[d] == plan.shape[d] && d + 1 < plan.ndim; d++) {
        at.offset += arg.strides[d + 1] - at.index[d] * arg.strides[d];
        at.index[d] = 0;
        at.index[d + 1]++;
    }
}

/* What line_cpu.h moves elements as. */
template <class T> struct ga_tile_word {
    typedef typename std::conditional<sizeof(T) == 16, line_pair, uint64_t>::type wide;
    typedef typename std::conditional<sizeof(T) == 4, uint32_t, wide>::type word;
    typedef typename std::conditional<sizeof(T) == 2, uint16_t, word>::type narrow;
    typedef typename std::conditional<sizeof(T) == 1, uint8_t, narrow>::type type;
};

/* n elements from a position on, which moves behind them. */
template <class T>
static void
ga_tile_gather(const ga_map_plan &plan, const ga_map_operand &arg, ga_tile_position &at, int64_t n, T *to)
{
    while (n > 0) {
        int64_t run = plan.shape[0] - at.index[0] < n ? plan.shape[0] - at.index[0] : n;
        line_copy<typename ga_tile_word<T>::type>(arg.data + at.offset, arg.strides[0], reinterpret_cast<char *>(to),
                                                  sizeof(T), run);
        to += run;
        n -= run;
        ga_tile_advance(plan, arg, at, run);
    }
}

/* Elements under the mask, without a branch on it: masks are seldom predictable. */
template <class T>
static void
ga_tile_blend(T *to, const T *from, const uint8_t *mask, int64_t n)
{
    GA_INDEPENDENT
    for (int64_t j = 0; j < n; j++)
        to[j] = mask[j] ? from[j] : to[j];
}

template <class T>
static void
ga_tile_scatter(const ga_map_plan &plan, const ga_map_operand &arg, ga_tile_position &at, int64_t n,
                const T *from, const uint8_t *mask)
{
    const int64_t stride = arg.strides[0];
    while (n > 0) {
        int64_t run = plan.shape[0] - at.index[0] < n ? plan.shape[0] - at.index[0] : n;
        char *to = arg.data + at.offset;
        if (!mask)
            line_copy<typename ga_tile_word<T>::type>(reinterpret_cast<const char *>(from), sizeof(T), to, stride, run);
        else if (stride == (int64_t)sizeof(T))
            ga_tile_blend(reinterpret_cast<T *>(to), from, mask, run);
        else
            for (int64_t j = 0; j < run; j++)
                if (mask[j])
                    *reinterpret_cast<T *>(to + j * stride) = from[j];
        from += run;
        mask = mask ? mask + run : mask;
        n -= run;
        ga_tile_advance(plan, arg, at, run);
    }
}

/* bool bytes are moved as they are. */
template <class T>
using ga_tile_item = typename std::conditional<std::is_same<T, bool>::value, uint8_t, T>::type;

/* An operand of a block, on its way through memory: element i of the plan, and where that lies unless all are
 * consecutive and none is left out. */
struct ga_tile_walk {
    int64_t i;
    ga_tile_position at;

    void
    start(const ga_map_plan &plan, const ga_map_operand &arg, int64_t first)
    {
        i = first;
        if (!arg.flat || plan.has_where)
            at = ga_tile_seek(plan, arg, first);
    }
    /* Where the next n elements lie consecutively in memory already, or NULL. */
    char *
    direct(const ga_map_plan &plan, const ga_map_operand &arg, int64_t n, int size) const
    {
        if (arg.flat)
            return arg.data + i * size;
        return arg.strides[0] == size && at.index[0] + n <= plan.shape[0] ? arg.data + at.offset : NULL;
    }
    /* Past n elements that were direct. */
    void
    pass(const ga_map_plan &plan, const ga_map_operand &arg, int64_t n)
    {
        i += n;
        if (!arg.flat)
            ga_tile_advance(plan, arg, at, n);
    }
};

/* A tile of an input of another dtype, whose elements are gathered by their size: in parts where they are larger than the
 * `size` bytes of those they become, since a tile has as many as fit of the loop's. */
static __attribute__((noinline)) void
ga_tile_convert(const ga_map_plan &plan, const ga_map_operand &arg, ga_tile_walk &walk, int64_t n, char *to, int size)
{
    alignas(64) char raw[GA_TILE_BYTES];
    if (const void *from = walk.direct(plan, arg, n, arg.size)) {
        arg.convert(from, to, n);
        walk.pass(plan, arg, n);
        return;
    }
    const int64_t most = GA_TILE_BYTES / arg.size;
    for (int64_t part; n > 0; n -= part, to += part * size) {
        part = n < most ? n : most;
        if (arg.size == 1)
            ga_tile_gather(plan, arg, walk.at, part, reinterpret_cast<uint8_t *>(raw));
        else if (arg.size == 2)
            ga_tile_gather(plan, arg, walk.at, part, reinterpret_cast<uint16_t *>(raw));
        else if (arg.size == 4)
            ga_tile_gather(plan, arg, walk.at, part, reinterpret_cast<uint32_t *>(raw));
        else
            ga_tile_gather(plan, arg, walk.at, part, reinterpret_cast<uint64_t *>(raw));
        arg.convert(raw, to, part);
    }
}

/* One input of a block: gives tiles of at most N as consecutive elements. */
template <class T, int N> struct ga_tile_input {
    alignas(64) ga_tile_item<T> buffer[N];
    ga_tile_walk walk;

    void
    begin(const ga_map_plan &plan, const ga_map_operand &arg, int64_t i, int64_t n)
    {
        walk.start(plan, arg, i);
        if (!arg.constant)
            return;
        ga_tile_item<T> value;
        if (arg.convert)
            arg.convert(arg.data, &value, 1);
        else
            memcpy(&value, arg.data ? (const void *)arg.data : (const void *)&arg.value, sizeof value);
        typename ga_tile_word<T>::type word;
        memcpy(&word, &value, sizeof word);
        line_fill(reinterpret_cast<char *>(buffer), sizeof value, n < N ? n : N, word);
    }

    const T *
    get(const ga_map_plan &plan, const ga_map_operand &arg, int64_t n)
    {
        if (!arg.constant && arg.convert) {
            ga_tile_convert(plan, arg, walk, n, reinterpret_cast<char *>(buffer), sizeof(T));
        } else if (!arg.constant) {
            if (const char *direct = walk.direct(plan, arg, n, sizeof(T))) {
                walk.pass(plan, arg, n);
                return reinterpret_cast<const T *>(direct);
            }
            ga_tile_gather(plan, arg, walk.at, n, buffer);
        }
        return reinterpret_cast<const T *>(buffer);
    }
};
template <int N> struct ga_tile_input<ga_none, N> {
    void
    begin(const ga_map_plan &, const ga_map_operand &, int64_t, int64_t)
    {
    }
    const ga_none *
    get(const ga_map_plan &, const ga_map_operand &, int64_t)
    {
        return NULL;
    }
};

/* One output of a block: where to compute a tile, and bringing it home. */
template <class T, int N> struct ga_tile_output {
    alignas(64) ga_tile_item<T> buffer[N];
    ga_tile_walk walk;
    bool direct;

    void
    begin(const ga_map_plan &plan, const ga_map_operand &arg, int64_t i)
    {
        walk.start(plan, arg, i);
    }
    T *
    get(const ga_map_plan &plan, const ga_map_operand &arg, int64_t n)
    {
        char *home = plan.has_where ? NULL : walk.direct(plan, arg, n, sizeof(T));
        direct = home != NULL;
        return reinterpret_cast<T *>(direct ? (void *)home : (void *)buffer);
    }
    void
    put(const ga_map_plan &plan, const ga_map_operand &arg, int64_t n, const uint8_t *mask)
    {
        if (direct)
            walk.pass(plan, arg, n);
        else
            ga_tile_scatter(plan, arg, walk.at, n, buffer, mask);
    }
};
template <int N> struct ga_tile_output<ga_none, N> {
    void
    begin(const ga_map_plan &, const ga_map_operand &, int64_t)
    {
    }
    ga_none *
    get(const ga_map_plan &, const ga_map_operand &, int64_t)
    {
        return NULL;
    }
    void
    put(const ga_map_plan &, const ga_map_operand &, int64_t, const uint8_t *)
    {
    }
};

template <class F, class A, class B, class R, class S>
GA_FN void
ga_tile_loop(const F &f, int64_t n, const A *a, [[maybe_unused]] const B *b, R *r,
             [[maybe_unused]] S *s)
{
    const F own = f; /* its parameters in registers: r may be anywhere */
    GA_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        B y = {};
        S second = {};
        if constexpr (ga_present<B>)
            y = ga_load(b + i);
        ga_map_element(own, ga_load(a + i), y, r[i], second);
        if constexpr (ga_present<S>)
            s[i] = second;
    }
}

/* Vector forms of functions round otherwise than scalar ones. So that an element's value does not depend on its
 * place, one loop computes all in whole vectors: the last few are repeated until they fill one. */
#define GA_TILE_VECTOR 16 /* elements, and a multiple of any vector's */

template <class F, class A, class B, class R, class S>
static __attribute__((noinline)) void
ga_tile_vectors(const F &f, int64_t n, const A *a, const B *b, R *r, S *s)
{
    ga_tile_loop(f, n, a, b, r, s);
}

template <class T>
GA_FN void
ga_tile_fill_vector(T *to, const T *from, int64_t n)
{
    if constexpr (ga_present<T>)
        for (int64_t j = 0; j < GA_TILE_VECTOR; j++)
            to[j] = from[j < n ? j : n - 1];
}
template <class T>
GA_FN void
ga_tile_take_vector(T *to, const T *from, int64_t n)
{
    if constexpr (ga_present<T>)
        memcpy(to, from, size_t(n) * sizeof *to);
}

template <class F, class A, class B, class R, class S>
static void
ga_tile_run_steadily(const F &f, int64_t n, const A *a, const B *b, R *r, S *s)
{
    int64_t rest = n % GA_TILE_VECTOR, whole = n - rest;
    A last_a[GA_TILE_VECTOR];
    B last_b[GA_TILE_VECTOR];
    R last_r[GA_TILE_VECTOR];
    S last_s[GA_TILE_VECTOR];
    if (whole > 0)
        ga_tile_vectors(f, whole, a, b, r, s);
    if (rest == 0)
        return;
    ga_tile_fill_vector(last_a, a + whole, rest);
    ga_tile_fill_vector(last_b, b + whole, rest);
    ga_tile_vectors(f, GA_TILE_VECTOR, last_a, last_b, last_r, last_s);
    ga_tile_take_vector(r + whole, last_r, rest);
    ga_tile_take_vector(s + whole, last_s, rest);
}

template <class F, class = void> struct ga_tile_is_exact : std::true_type {
};
template <class F>
struct ga_tile_is_exact<F, decltype(void(F::ulp))> : std::integral_constant<bool, F::ulp == 0> {
};

template <class F, class A> struct ga_tile_is_exact<ga_half_stand_in<F, A>> : ga_tile_is_exact<F> {
};

template <class F, class A, class B, class R, class S>
static void
ga_tile_run_halves(const F &f, int64_t n, const A *a, const B *b, R *r, S *s);

template <class F, class A, class B, class R, class S>
static void
ga_tile_run(const F &f, int64_t n, const A *a, const B *b, R *r, S *s)
{
    if constexpr (ga_half_takes_part<F, A, B, R, S>())
        ga_tile_run_halves(f, n, a, b, r, s);
    else if constexpr (ga_tile_is_exact<F>::value || std::is_integral<A>::value)
        ga_tile_loop(f, n, a, b, r, s);
    else
        ga_tile_run_steadily(f, n, a, b, r, s);
}

template <class F, class A, class B, class R, class S>
static void
ga_tile_run_halves(const F &f, int64_t n, const A *a, const B *b, R *r, S *s)
{
    const ga_half_stand_in<F, A> stand_in = {f};
    ga_half_operand<A> in;
    ga_half_operand<B> in2;
    ga_half_operand<R> out;
    ga_half_operand<S> out2;
    for (int64_t i = 0; i < n; i += GA_HALF_RUN) {
        const int64_t m = n - i < GA_HALF_RUN ? n - i : GA_HALF_RUN;
        ga_tile_run(stand_in, m, in.read(a + i, m), in2.read(b + i, m), out.place(r + i), out2.place(s + i));
        out.write(r + i, m);
        out2.write(s + i, m);
    }
}

constexpr int
ga_tile_elements(size_t a, size_t b, size_t r, size_t s)
{
    const size_t in = a > b ? a : b, out = r > s ? r : s;
    return int(GA_TILE_BYTES / (in > out ? in : out));
}

/* Of the next tile; `column` is the place in its row. */
static inline int64_t
ga_tile_length(const ga_map_plan &plan, int64_t most, int64_t column, int64_t left)
{
    if (!plan.buffered)
        return left;
    int64_t n = left < most ? left : most;
    if (plan.flat || plan.shape[0] < GA_TILE_SHORT_ROW)
        return n;
    return plan.shape[0] - column < n ? plan.shape[0] - column : n;
}

template <class F, class A, class B, class R, class S>
GA_KERNEL
map_tiles(const ga_map_plan &plan, F f)
{
    GA_AWAIT();
    constexpr int N = ga_tile_elements(sizeof(A), sizeof(B), sizeof(R), sizeof(S));
    const ga_map_operand *in = plan.args + GA_SLOT_IN, *out = plan.args + GA_SLOT_OUT;
    int64_t i = GA_BLOCK_ID * GA_TILE_CHUNK, column = i % plan.shape[0];
    int64_t last = i + GA_TILE_CHUNK < plan.size ? i + GA_TILE_CHUNK : plan.size;
    ga_tile_input<A, N> a;
    ga_tile_input<B, N> b;
    ga_tile_input<bool, N> mask;
    ga_tile_output<R, N> r;
    ga_tile_output<S, N> s;
    a.begin(plan, in[0], i, last - i);
    b.begin(plan, in[1], i, last - i);
    r.begin(plan, out[0], i);
    s.begin(plan, out[1], i);
    if (plan.has_where)
        mask.begin(plan, plan.args[GA_SLOT_MASK], i, last - i);
    for (int64_t n; i < last; i += n) {
        n = ga_tile_length(plan, N, column, last - i);
        column = column + n < plan.shape[0] ? column + n : 0;
        const bool *where = plan.has_where ? mask.get(plan, plan.args[GA_SLOT_MASK], n) : NULL;
        ga_tile_run(f, n, a.get(plan, in[0], n), b.get(plan, in[1], n), r.get(plan, out[0], n),
                    s.get(plan, out[1], n));
        r.put(plan, out[0], n, reinterpret_cast<const uint8_t *>(where));
        s.put(plan, out[1], n, reinterpret_cast<const uint8_t *>(where));
    }
}

template <class F, class A, class B, class R, class S>
static int
ga_map_launch(const ga_map_plan &plan, F f, ga_stream *stream)
{
    return ga_launch((map_tiles<F, A, B, R, S>), plan.blocks, stream, plan, f);
}
