/* The element-wise framework of the GPU: two kernels for each operation and dtype, and a third for some.
 *
 *   map_rows      a thread takes as many neighbours in a row as 16 bytes hold, and finds its row
 *                 once; an operand whose rows are consecutive and aligned is accessed by 16 bytes;
 *                 all is one row if every operand is consecutive as a whole, or one value. Where an input is
 *                 turned, consecutive across the rows, blocks take tiles: eight rows and four vectors a
 *                 warp, so that whole sectors are read of it and of the others
 *   map_strided   short rows, the mask, and vectors with a stride: four elements a thread, neighbours
 *                 where the output is one run, else of neighbouring threads
 *
 *   map_run       runs of whole vectors alone, for functions of float32 whose arithmetic leaves map_rows no time to find a row,
 *                 arithmetic of complex128, whose vectors are single elements, and floats of half the size
 *   map_converted runs of whole vectors of which an input is of another dtype; for arithmetic alone (map_convert.cuh)
 *
 * A thread reads all that it needs before it writes, so an output may be exactly an input. Included
 * by iterate.cuh. */
#pragma once

#include "map_vector_plan.cuh"

/* ---- vectors ---- */
template <class T>
using ga_vector_item = typename std::conditional<std::is_same<T, bool>::value, uint8_t, T>::type;
template <class T, int V> struct alignas(sizeof(T) * V) ga_vector {
    ga_vector_item<T> item[V];
};

/* The row of ufuncs.def that a functor is; -1: none. */
template <class F, class = void> constexpr int ga_map_row = -1;
template <class F> constexpr int ga_map_row<F, decltype(void(F::op))> = F::op;

#include "map_convert.cuh"

/* The first n of V elements of input k from byte `offset` on; the others are zero. */
template <class T, int V>
GA_FN ga_vector<T, V>
ga_vector_get(const ga_vector_operands &args, int k, int64_t offset, int n)
{
    ga_vector<T, V> v = {};
    if constexpr (ga_present<T>) {
        const char *from = args.data[k] + offset;
        if ((args.whole >> k & 1) && n >= V)
            return *reinterpret_cast<const ga_vector<T, V> *>(from);
        if (args.step[k] == 0) {
            ga_vector_item<T> one;
            memcpy(&one, args.data[k] ? from : (const char *)args.value[k].bytes, sizeof one);
            GA_UNROLL
            for (int j = 0; j < V; j++)
                v.item[j] = one;
            return v;
        }
        GA_UNROLL
        for (int j = 0; j < V; j++)
            if (j < n)
                v.item[j] = *reinterpret_cast<const ga_vector_item<T> *>(from + j * args.step[k]);
    }
    return v;
}

template <class T, int V>
GA_FN void
ga_vector_put(const ga_vector_operands &args, int k, int64_t offset, int n,
              const ga_vector<T, V> &v)
{
    if constexpr (ga_present<T>) {
        char *to = args.data[k] + offset;
        if ((args.whole >> k & 1) && n >= V) {
            *reinterpret_cast<ga_vector<T, V> *>(to) = v;
            return;
        }
        GA_UNROLL
        for (int j = 0; j < V; j++)
            if (j < n)
                *reinterpret_cast<ga_vector_item<T> *>(to + j * args.step[k]) = v.item[j];
    }
}

template <class T, class I>
GA_FN T
ga_vector_value(I item)
{
    if constexpr (std::is_same<T, bool>::value)
        return item != 0;
    else
        return item;
}

template <class F, class A, class B, class R, class S, int V>
GA_FN void
ga_vector_apply(const F &f, const ga_vector<A, V> &a, const ga_vector<B, V> &b, ga_vector<R, V> &r,
                ga_vector<S, V> &s)
{
    GA_UNROLL
    for (int j = 0; j < V; j++) {
        R first;
        S second = {};
        ga_map_element(f, ga_vector_value<A>(a.item[j]), ga_vector_value<B>(b.item[j]), first,
                       second);
        r.item[j] = first;
        s.item[j] = second;
    }
}

/* ---- from bools to bools ---- Whole vectors go through the operation's table of truth, which the
 * compiler knows, four bytes at once: as single bytes they would be unpacked and packed again. */
template <class A, class B, class R, class S>
constexpr bool ga_vector_is_truths = std::is_same<A, bool>::value && std::is_same<R, bool>::value && !ga_present<S> &&
                                     (std::is_same<B, bool>::value || !ga_present<B>);

struct alignas(GA_VECTOR_BYTES) ga_truth_words {
    uint32_t word[GA_VECTOR_BYTES / 4];
};

/* Any byte that is not zero counts as one. */
GA_FN ga_truth_words
ga_truths_get(const char *from)
{
    ga_truth_words words = *reinterpret_cast<const ga_truth_words *>(from);
    GA_UNROLL
    for (uint32_t &word : words.word)
        word = ((((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7) & 0x01010101u;
    return words;
}

/* A one in each byte, if the operation gives true for x and y. */
template <class F, class B>
GA_FN uint32_t
ga_truth_mask(const F &f, bool x, [[maybe_unused]] bool y)
{
    bool value;
    ga_none second;
    if constexpr (ga_present<B>)
        ga_map_element(f, x, y, value, second);
    else
        ga_map_element(f, x, ga_none(), value, second);
    return value ? 0x01010101u : 0u;
}

/* The whole vector at the offsets `at` of the operands. */
template <class F, class B>
GA_FN void
ga_truths_run(const F &f, const ga_vector_operands &args, const int64_t *at)
{
    const ga_truth_words a = ga_truths_get(args.data[0] + at[0]);
    ga_truth_words b = {}, r;
    if constexpr (ga_present<B>)
        b = ga_truths_get(args.data[1] + at[1]);
    GA_UNROLL
    for (int j = 0; j < GA_VECTOR_BYTES / 4; j++) {
        const uint32_t x = a.word[j], y = b.word[j];
        r.word[j] = (ga_truth_mask<F, B>(f, false, false) & ~x & ~y) | (ga_truth_mask<F, B>(f, false, true) & ~x & y) |
                    (ga_truth_mask<F, B>(f, true, false) & x & ~y) | (ga_truth_mask<F, B>(f, true, true) & x & y);
    }
    *reinterpret_cast<ga_truth_words *>(args.data[GA_SLOT_OUT] + at[GA_SLOT_OUT]) = r;
}

/* The vector at element i of a row that ends at `last`; base: offsets of the row. */
template <class F, class A, class B, class R, class S>
GA_FN void
ga_vector_run(const F &f, const ga_vector_operands &args, const int64_t *base, int64_t i,
              int64_t last)
{
    constexpr int V = ga_vector_width<A, B, R, S>;
    int n = last - i < V ? int(last - i) : V;
    if constexpr (ga_vector_is_truths<A, B, R, S>) {
        constexpr uint32_t operands = ga_present<B> ? 7 : 5;
        const int64_t at[] = {base[0] + i, base[1] + i, base[GA_SLOT_OUT] + i};
        if ((args.whole & operands) == operands && n == V)
            return ga_truths_run<F, B>(f, args, at);
    }
    ga_vector<A, V> a = ga_vector_get<A, V>(args, 0, base[0] + i * args.step[0], n);
    ga_vector<B, V> b = ga_vector_get<B, V>(args, 1, base[1] + i * args.step[1], n);
    ga_vector<R, V> r;
    ga_vector<S, V> s;
    ga_vector_apply(f, a, b, r, s);
    ga_vector_put(args, GA_SLOT_OUT, base[GA_SLOT_OUT] + i * args.step[GA_SLOT_OUT], n, r);
    ga_vector_put(args, GA_SLOT_OUT + 1, base[GA_SLOT_OUT + 1] + i * args.step[GA_SLOT_OUT + 1], n,
                  s);
}

/* ---- kernels ---- */

/* Row and vector of a thread, by tiles; false: none. */
GA_FN bool
ga_vector_seek_tile(const ga_vector_rows &p, uint32_t *row, int64_t *column)
{
    const uint32_t thread = GA_THREAD, tile = uint32_t(GA_BLOCK_ID), down = ga_divide_by(p.tiles, tile);
    *row = down * GA_TURNED_ROWS + thread / 32 * 8 + thread % 8;
    *column = (tile - down * p.tiles.divisor) * GA_TURNED_VECTORS + thread % 32 / 8;
    return *row < p.rows && *column < p.packs.divisor;
}

GA_FN bool
ga_vector_seek(const ga_vector_rows &p, uint32_t *row, int64_t *column)
{
    const int64_t thread = GA_BLOCK_ID * GA_BLOCK + GA_THREAD;
    *row = 0;
    *column = thread;
    if (p.outer.ndim > 0) {
        *row = ga_divide_by(p.packs, uint32_t(thread));
        *column = uint32_t(thread) - *row * p.packs.divisor;
    }
    return thread < p.threads;
}

template <class F, class A, class B, class R, class S>
GA_KERNEL
map_rows(GA_PARAM ga_vector_rows p, F f)
{
    GA_AWAIT();
    uint32_t row;
    int64_t column;
    ga_cursor<GA_SLOT_MASK> at;
    if (!(p.turned ? ga_vector_seek_tile(p, &row, &column) : ga_vector_seek(p, &row, &column)))
        return;
    at.seek(p.outer, row);
    ga_vector_run<F, A, B, R, S>(f, p.args, at.offset, column * ga_vector_width<A, B, R, S>,
                                 p.length);
}

/* Functors that have map_run. Arithmetic of smaller elements does as well in map_rows; the special functions, which
 * compute still more, are not worth their compiling. */
template <class F, class = void> constexpr bool ga_map_is_function = false;
template <class F>
constexpr bool ga_map_is_function<F, decltype(void(F::ulp))> = F::ulp >= 4 && ga_map_row<F> < int(GA_UFUNC_SPECIAL);
constexpr bool
ga_map_is_arithmetic(int op)
{
    return op == GA_UF_add || op == GA_UF_subtract || op == GA_UF_multiply || op == GA_UF_absolute;
}

template <class F, class A> constexpr bool ga_map_halves = false;
template <> constexpr bool ga_map_halves<ga_convert_to<ga_half>, float> = true;
template <> constexpr bool ga_map_halves<ga_convert_to<float>, double> = true;

template <class F, class A, class S>
constexpr bool ga_map_runs =
    !ga_present<S> && (ga_map_halves<F, A> || (std::is_same<A, float>::value && ga_map_is_function<F>) ||
                       (std::is_same<A, ga_c128>::value && ga_map_is_arithmetic(ga_map_row<F>)) ||
                       (std::is_same<A, int32_t>::value && ga_map_row<F> == GA_UF_gcd));

/* Vectors of a thread: stores of eight bytes keep the memory busy in pairs. */
template <class F, class A> constexpr int ga_map_run_depth = ga_map_halves<F, A> ? 2 : 1;

template <class T, int V>
GA_FN ga_vector<T, V>
ga_run_read([[maybe_unused]] const char *from, [[maybe_unused]] int64_t i)
{
    if constexpr (ga_present<T>)
        return reinterpret_cast<const ga_vector<T, V> *>(from)[i];
    else
        return {};
}

/* One row of whole vectors, in each operand. */
template <class F, class A, class B, class R>
GA_KERNEL
map_run(int64_t vectors, const char *a, const char *b, char *r, F f)
{
    GA_AWAIT();
    constexpr int V = ga_vector_width<A, B, R, ga_none>, D = ga_map_run_depth<F, A>;
    const int64_t first = GA_BLOCK_ID * (GA_BLOCK * D) + GA_THREAD;
    ga_vector<A, V> x[D];
    ga_vector<B, V> y[D];
    GA_UNROLL
    for (int u = 0; u < D; u++)
        if (first + u * GA_BLOCK < vectors) {
            x[u] = ga_run_read<A, V>(a, first + u * GA_BLOCK);
            y[u] = ga_run_read<B, V>(b, first + u * GA_BLOCK);
        }
    GA_UNROLL
    for (int u = 0; u < D; u++)
        if (first + u * GA_BLOCK < vectors) {
            ga_vector<R, V> to;
            ga_vector<ga_none, V> none;
            ga_vector_apply(f, x[u], y[u], to, none);
            reinterpret_cast<ga_vector<R, V> *>(r)[first + u * GA_BLOCK] = to;
        }
}

/* The whole vector from element i on of an input, of T or another dtype. */
template <class T, int V>
GA_FN ga_vector<T, V>
ga_converted_read(const ga_vector_operands &args, int k, int64_t i)
{
    if (args.dtypes[k] == GA_DTYPE_COUNT)
        return ga_vector_get<T, V>(args, k, i * args.step[k], V);
    return ga_convert_vector<T, V>(args.data[k] + i * args.step[k], args.dtypes[k], args.sizes[k]);
}

/* One row of whole vectors, of which an input or both are of another dtype. */
template <class F, class A, class B, class R, class S>
GA_KERNEL
map_converted(GA_PARAM ga_vector_rows p, F f)
{
    GA_AWAIT();
    constexpr int V = ga_vector_width<A, B, R, S>;
    const int64_t thread = GA_BLOCK_ID * GA_BLOCK + GA_THREAD, i = thread * V;
    if (thread >= p.threads)
        return;
    const ga_vector<A, V> a = ga_converted_read<A, V>(p.args, 0, i);
    const ga_vector<B, V> b = ga_converted_read<B, V>(p.args, 1, i);
    ga_vector<R, V> r;
    ga_vector<S, V> s;
    ga_vector_apply(f, a, b, r, s);
    ga_vector_put(p.args, GA_SLOT_OUT, i * p.args.step[GA_SLOT_OUT], V, r);
}

/* The place of input k, or of the value that stands for it. */
GA_FN const char *
ga_strided_source(const ga_vector_operands &args, int k)
{
    return args.data[k] ? args.data[k] : reinterpret_cast<const char *>(args.value[k].bytes);
}

template <class T>
GA_FN ga_vector_item<T>
ga_strided_get([[maybe_unused]] const char *from)
{
    if constexpr (ga_present<T>)
        return *reinterpret_cast<const ga_vector_item<T> *>(from);
    else
        return {};
}

template <class T>
GA_FN void
ga_strided_put([[maybe_unused]] char *to, [[maybe_unused]] ga_vector_item<T> item)
{
    if constexpr (ga_present<T>)
        *reinterpret_cast<ga_vector_item<T> *>(to) = item;
}

/* Four elements of input k, converted where they are of another dtype than T. */
template <class T, bool converts>
GA_FN ga_vector<T, GA_STRIDED_ITEMS>
ga_strided_read(const ga_vector_strided &p, int k, const int32_t (&at)[GA_STRIDED_ITEMS][GA_SLOTS])
{
    ga_vector<T, GA_STRIDED_ITEMS> v;
    const char *from = ga_strided_source(p.args, k);
    if constexpr (converts)
        if (p.args.dtypes[k] != GA_DTYPE_COUNT)
            return ga_convert_read<T>(from, p.args.dtypes[k], p.args.sizes[k], at[0][k], at[1][k], at[2][k], at[3][k]);
    GA_UNROLL
    for (int j = 0; j < GA_STRIDED_ITEMS; j++)
        v.item[j] = ga_strided_get<T>(from + at[j][k]);
    return v;
}

/* Offsets of elements `i` in each operand, dimension by dimension: what is known of one is read once for all. */
template <int V>
GA_FN void
ga_strided_seek(const ga_vector_strided &p, uint32_t (&i)[V], int32_t (&offset)[V][GA_SLOTS])
{
    GA_ROLLED
    for (int d = 0; d < p.ndim; d++) {
        const ga_divider by = p.shape[d];
        const bool last = d + 1 == p.ndim;
        GA_UNROLL
        for (int j = 0; j < V; j++) {
            uint32_t rest = last ? 0 : ga_divide_by(by, i[j]), here = i[j] - rest * by.divisor;
            GA_UNROLL
            for (int k = 0; k < GA_SLOTS; k++)
                offset[j][k] += int32_t(here) * p.strides[d][k];
            i[j] = rest;
        }
    }
}

/* Beyond the end, the last element is read and not written: loads without branches are under way
 * together. */
template <class F, class A, class B, class R, class S>
GA_KERNEL
map_strided(GA_PARAM ga_vector_strided p, F f)
{
    GA_AWAIT();
    constexpr int V = GA_STRIDED_ITEMS;
    constexpr bool converts = ga_map_converts<F, A, B>;
    ga_vector<R, V> r;
    ga_vector<S, V> s;
    int32_t at[V][GA_SLOTS] = {};
    uint32_t i[V];
    bool on[V];
    const uint32_t step = p.neighbours ? 1 : GA_BLOCK;
    const uint32_t first = uint32_t(GA_BLOCK_ID * (GA_BLOCK * V)) + GA_THREAD * (p.neighbours ? V : 1);
    GA_UNROLL
    for (int j = 0; j < V; j++) {
        i[j] = first + uint32_t(j) * step;
        on[j] = i[j] < p.size;
        i[j] = on[j] ? i[j] : p.size - 1;
    }
    ga_strided_seek(p, i, at);
    const ga_vector<A, V> a = ga_strided_read<A, converts>(p, 0, at);
    const ga_vector<B, V> b = ga_strided_read<B, converts && ga_present<B>>(p, 1, at);
    if (p.has_where) {
        GA_UNROLL
        for (int j = 0; j < V; j++)
            on[j] &= *reinterpret_cast<const uint8_t *>(p.args.data[GA_SLOT_MASK] + at[j][GA_SLOT_MASK]) != 0;
    }
    ga_vector_apply(f, a, b, r, s);
    if (p.neighbours) {
        const int n = first < p.size ? int(p.size - first < V ? p.size - first : V) : 0;
        ga_vector_put(p.args, GA_SLOT_OUT, int64_t(first) * int64_t(sizeof(R)), n, r);
        ga_vector_put(p.args, GA_SLOT_OUT + 1, int64_t(first) * int64_t(sizeof(S)), n, s);
        return;
    }
    GA_UNROLL
    for (int j = 0; j < V; j++) {
        if (!on[j])
            continue;
        ga_strided_put<R>(p.args.data[GA_SLOT_OUT] + at[j][GA_SLOT_OUT], r.item[j]);
        ga_strided_put<S>(p.args.data[GA_SLOT_OUT + 1] + at[j][GA_SLOT_OUT + 1], s.item[j]);
    }
}

template <class F, class A, class B, class R, class S>
static int
ga_map_launch(const ga_map_plan &plan, F f, ga_stream *stream)
{
    if constexpr (ga_map_converts_vectors<F, A, ga_map_converts<F, A, B>>)
        if (plan.converts)
            return ga_launch((map_converted<F, A, B, R, S>), plan.blocks, stream, plan.rows, f);
    if constexpr (ga_map_runs<F, A, S>)
        if (plan.by_rows && plan.rows.run) {
            constexpr int64_t block = GA_BLOCK * ga_map_run_depth<F, A>;
            return ga_launch((map_run<F, A, B, R>), (plan.rows.threads + block - 1) / block, stream, plan.rows.threads,
                             plan.rows.args.data[0], plan.rows.args.data[1], plan.rows.args.data[GA_SLOT_OUT], f);
        }
    if (plan.by_rows)
        return ga_launch((map_rows<F, A, B, R, S>), plan.blocks, stream, plan.rows, f);
    return ga_launch((map_strided<F, A, B, R, S>), plan.blocks, stream, plan.strided, f);
}
