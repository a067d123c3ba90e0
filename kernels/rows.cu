/* The order of a matrix' rows: runs of a block's rows are sorted by merging in shared memory, then
 * runs are merged two by two, each launch making them twice as long. Rows are compared where they
 * lie, mostly by their first elements. Owns ga_rows_run. Includes sort_key.cuh, slots.h.
 *
 * On the GPU each row of a run looks up its place in the other run; on the CPU two runs are gone
 * through together. */
#include "slots.h"
#include "sort_key.cuh"

static const int rows_run = 256; /* rows that a block sorts */

/* What orders an element among others, and whether it is a NaN. */
struct rows_key {
    uint64_t first, second;
    bool nan;
};

template <class T> GA_FN rows_key make_key(T x)
{
    const ga_sort_order order = {false, true};
    bool nan = false;
    if constexpr (ga_is_complex<T>::value)
        nan = ga_sort_is_nan(x.re) || ga_sort_is_nan(x.im);
    else
        nan = ga_sort_is_nan(x);
    return {ga_sort_primary(x, order), ga_sort_secondary(x, order), nan};
}

GA_FN rows_key find_key(const ga_rows_call &call, int64_t row, int64_t column)
{
    const int64_t at = row * call.length + column;
    switch (call.dtype) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id:                \
        return make_key(ga_load(static_cast<const ctype *>(call.src) + at));
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
    default:
        return {0, 0, false};
    }
}

/* -1, 0 or 1 as row x comes before, equals or comes behind row y. */
GA_FN int compare_rows(const ga_rows_call &call, int64_t x, int64_t y)
{
    GA_ROLLED
    for (int64_t j = 0; j < call.length; j++) {
        const rows_key a = find_key(call, x, j), b = find_key(call, y, j);
        if (a.first != b.first)
            return a.first < b.first ? -1 : 1;
        if (a.second != b.second)
            return a.second < b.second ? -1 : 1;
    }
    return 0;
}

/* How many of `count` sorted rows come before `row`; of those that equal it too if `behind`. */
GA_FN int64_t count_before(const ga_rows_call &call, const int64_t *run, int64_t count, int64_t row, bool behind)
{
    int64_t low = 0;
    while (count > 0) {
        const int64_t half = count / 2;
        if (compare_rows(call, run[low + half], row) < (behind ? 1 : 0)) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* Where position i of `from`, of which runs of `width` are sorted, belongs among the `size` positions of twice that. */
GA_FN int64_t find_place(const ga_rows_call &call, const int64_t *from, int64_t i, int64_t width, int64_t size)
{
    const int64_t pair = i / (2 * width) * (2 * width), middle = pair + width < size ? pair + width : size;
    const int64_t end = middle + width < size ? middle + width : size;
    if (i < middle)
        return i + count_before(call, from + middle, end - middle, from[i], false);
    return i - (middle - pair) + count_before(call, from + pair, middle - pair, from[i], true);
}

/* Two runs that lie one behind the other, from `pair` on. */
GA_FN void merge_pair(const ga_rows_call &call, const int64_t *from, int64_t *to, int64_t pair, int64_t width, int64_t size)
{
    const int64_t middle = pair + width < size ? pair + width : size, end = middle + width < size ? middle + width : size;
    int64_t a = pair, b = middle;
    for (int64_t i = pair; i < end; i++) {
        bool second = a == middle || (b < end && compare_rows(call, from[b], from[a]) < 0);
        to[i] = second ? from[b++] : from[a++];
    }
}

/* A merge of the `size` positions of a block, or of all. */
GA_FN void merge_runs(const ga_rows_call &call, const int64_t *from, int64_t *to, int64_t width, int64_t size)
{
    if constexpr (GA_BLOCK == 1)
        for (int64_t pair = 0; pair < size; pair += 2 * width)
            merge_pair(call, from, to, pair, width, size);
    else
        for (int64_t i = GA_THREAD; i < size; i += GA_BLOCK)
            to[find_place(call, from, i, width, size)] = from[i];
}

GA_KERNEL sort_runs(GA_PARAM ga_rows_call call, int64_t *to)
{
    GA_AWAIT();
    GA_SHARED int64_t slots[2][rows_run];
    const int64_t begin = GA_BLOCK_ID * rows_run, rest = call.rows - begin;
    const int64_t size = rest < rows_run ? rest : rows_run;
    int now = 0;
    for (int64_t i = GA_THREAD; i < size; i += GA_BLOCK)
        slots[0][i] = begin + i;
    GA_SYNC();
    for (int64_t width = 1; width < size; width *= 2) {
        merge_runs(call, slots[now], slots[1 - now], width, size);
        now = 1 - now;
        GA_SYNC();
    }
    for (int64_t i = GA_THREAD; i < size; i += GA_BLOCK)
        to[begin + i] = slots[now][i];
}

/* On the CPU a block takes two runs. */
GA_KERNEL merge_positions(GA_PARAM ga_rows_call call, const int64_t *from, int64_t *to, int64_t width)
{
    GA_AWAIT();
    if constexpr (GA_BLOCK == 1) {
        merge_pair(call, from, to, GA_BLOCK_ID * 2 * width, width, call.rows);
        return;
    }
    const int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD;
    if (i < call.rows)
        to[find_place(call, from, i, width, call.rows)] = from[i];
}

GA_FN bool is_new(const ga_rows_call &call, int64_t row, int64_t before)
{
    bool unlike = before < 0;
    GA_ROLLED
    for (int64_t j = 0; j < call.length && !unlike; j++) {
        const rows_key a = find_key(call, row, j), b = find_key(call, before, j);
        unlike = a.nan || a.first != b.first || a.second != b.second;
    }
    return unlike;
}

GA_KERNEL mark_new(GA_PARAM ga_rows_call call)
{
    GA_AWAIT();
    const int64_t begin = GA_BLOCK_ID * rows_run, end = begin + rows_run < call.rows ? begin + rows_run : call.rows;
    for (int64_t i = begin + GA_THREAD; i < end; i += GA_BLOCK)
        call.first[i] = is_new(call, call.positions[i], i > 0 ? call.positions[i - 1] : -1);
}

int ga_rows_run(const ga_rows_call *call, ga_stream *stream)
{
    const int64_t runs = (call->rows + rows_run - 1) / rows_run;
    int merges = 0;
    for (int64_t width = rows_run; width < call->rows; width *= 2)
        merges++;
    int64_t *to = merges % 2 ? call->spare : call->positions, *other = merges % 2 ? call->positions : call->spare;
    if (ga_launch(sort_runs, runs, stream, *call, to) < 0)
        return -1;
    for (int64_t width = rows_run; width < call->rows; width *= 2) {
        const int64_t blocks = GA_BLOCK == 1 ? (call->rows + 2 * width - 1) / (2 * width) : (call->rows + GA_BLOCK - 1) / GA_BLOCK;
        const int64_t *from = to;
        if (ga_launch(merge_positions, blocks, stream, *call, from, other, width) < 0)
            return -1;
        int64_t *swapped = to;
        to = other;
        other = swapped;
    }
    return ga_launch(mark_new, runs, stream, *call);
}
