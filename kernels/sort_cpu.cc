/* Sorting rows of unsigned keys on the CPU: radix sort, short rows by comparison. Owns ga_sort_keys
 * and ga_sort_short of the CPU build.
 *
 * A long row is dealt out by the highest bits in which its keys differ, once, to parts that a
 * processor's cache holds; each part is then sorted from the lowest byte up, where moving keys
 * about is cheap. A part that is still too long, as of keys unevenly spread, is dealt out again.
 * Many rows are shared among the threads; of few long ones the threads deal out pieces and then
 * share the parts. Every step keeps the order of equal keys. Includes sort_keys.h, runtime.cuh,
 * threads_cpu.h. */
#include <algorithm>
#include <string.h>

#include "runtime.cuh"
#include "sort_keys.h"
#include "threads_cpu.h"

static const int64_t long_row = 1 << 16;   /* from here on a row is worth several threads */
static const int64_t cached_row = 1 << 14; /* up to here keys and positions stay in a cache */
static const int most_pieces = 32;
static const int byte_values = 256;
static const int deal_bits = 10;
static const int parts = 1 << deal_bits;

/* Up to here comparing is faster than a pass for every byte. */
template <class K> constexpr int64_t short_row = sizeof(K) == 4 ? 48 : 128;

/* Keys to sort are in the first buffer. */
template <class K> struct row_view {
    K *keys[2];
    uint32_t *positions[2]; /* or NULL */
    int64_t length;
};

/* ---- short rows ---- */

template <class K> struct short_item {
    K key;
    uint32_t place;
};

template <class K>
static void
sort_short_pairs(const row_view<K> &row)
{
    short_item<K> items[short_row<K>];
    uint32_t before[short_row<K>];
    int64_t n = row.length;
    memcpy(before, row.positions[0], size_t(n) * sizeof *before);
    for (int64_t i = 0; i < n; i++)
        items[i] = {row.keys[0][i], uint32_t(i)};
    std::sort(items, items + n, [](const short_item<K> &a, const short_item<K> &b) {
        return a.key != b.key ? a.key < b.key : a.place < b.place;
    });
    for (int64_t i = 0; i < n; i++) {
        row.keys[0][i] = items[i].key;
        row.positions[0][i] = before[items[i].place];
    }
}

template <class K>
static void
sort_short(const row_view<K> &row)
{
    if (row.positions[0])
        sort_short_pairs(row);
    else
        std::sort(row.keys[0], row.keys[0] + row.length);
}

/* ---- moving keys ---- */

template <class K>
static row_view<K>
cut_row(const row_view<K> &row, int64_t start, int64_t length, bool swapped)
{
    row_view<K> part = {{}, {}, length};
    for (int i = 0; i < 2; i++) {
        part.keys[i] = row.keys[i != swapped] + start;
        part.positions[i] = row.positions[0] ? row.positions[i != swapped] + start : nullptr;
    }
    return part;
}

template <class K>
static void
copy_row(const row_view<K> &row, int from)
{
    memcpy(row.keys[!from], row.keys[from], size_t(row.length) * sizeof(K));
    if (row.positions[0])
        memcpy(row.positions[!from], row.positions[from], size_t(row.length) * sizeof(uint32_t));
}

/* Keys [first, last) of one buffer to where `starts` says in the other. */
template <class K>
static void
move_keys(const row_view<K> &row, int from, int64_t first, int64_t last, int shift, uint32_t mask,
          uint32_t *starts)
{
    const K *keys = row.keys[from];
    const uint32_t *positions = row.positions[from];
    K *moved_keys = row.keys[!from];
    uint32_t *moved_positions = row.positions[!from];
    if (!positions) {
        for (int64_t i = first; i < last; i++)
            moved_keys[starts[uint32_t(keys[i] >> shift) & mask]++] = keys[i];
        return;
    }
    for (int64_t i = first; i < last; i++) {
        uint32_t to = starts[uint32_t(keys[i] >> shift) & mask]++;
        moved_keys[to] = keys[i];
        moved_positions[to] = positions[i];
    }
}

/* How many low bits hold all in which the keys differ. */
template <class K>
static int
measure_bits(const K *keys, int64_t length)
{
    K differing = 0;
    int bits = 0;
    for (int64_t i = 1; i < length; i++)
        differing |= keys[i] ^ keys[0];
    while (bits < int(8 * sizeof(K)) && differing >> bits != 0)
        bits++;
    return bits;
}

/* ---- a part that a cache holds: byte by byte, from the lowest ---- */

/* Counts to where the keys of each value begin. False if one value has them all: nothing to do. */
static bool
place_values(uint32_t *counts, int64_t length)
{
    uint32_t start = 0;
    for (int value = 0; value < byte_values; value++) {
        uint32_t count = counts[value];
        if (count == uint32_t(length))
            return false;
        counts[value] = start;
        start += count;
    }
    return true;
}

/* The buffer that has the result. */
template <class K>
static int
sort_bytes(const row_view<K> &row, int bits)
{
    uint32_t counts[sizeof(K)][byte_values];
    int from = 0, bytes = (bits + 7) / 8;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < row.length; i++)
        for (int byte = 0; byte < bytes; byte++)
            counts[byte][uint8_t(row.keys[0][i] >> 8 * byte)]++;
    for (int byte = 0; byte < bytes; byte++) {
        if (!place_values(counts[byte], row.length))
            continue;
        move_keys(row, from, 0, row.length, 8 * byte, byte_values - 1, counts[byte]);
        from = !from;
    }
    return from;
}

/* ---- dealing out by the highest bits ---- */

template <class K> struct deal_job {
    row_view<K> row;
    int shift, pieces, want;
    uint32_t starts[parts + 1];           /* of the parts */
    uint32_t counts[most_pieces][parts]; /* of each piece; then where its keys go */
};

template <class K>
static int64_t
piece_start(const deal_job<K> *job, int64_t piece)
{
    return job->row.length / job->pieces * piece +
           std::min<int64_t>(piece, job->row.length % job->pieces);
}

template <class K>
static void
count_piece(void *context, int64_t piece)
{
    deal_job<K> *job = static_cast<deal_job<K> *>(context);
    uint32_t *counts = job->counts[piece];
    memset(counts, 0, sizeof job->counts[piece]);
    for (int64_t i = piece_start(job, piece); i < piece_start(job, piece + 1); i++)
        counts[uint32_t(job->row.keys[0][i] >> job->shift) & (parts - 1)]++;
}

template <class K>
static void
deal_piece(void *context, int64_t piece)
{
    deal_job<K> *job = static_cast<deal_job<K> *>(context);
    move_keys(job->row, 0, piece_start(job, piece), piece_start(job, piece + 1), job->shift,
              parts - 1, job->counts[piece]);
}

template <class K>
static void
place_parts(deal_job<K> *job)
{
    uint32_t start = 0;
    for (int part = 0; part < parts; part++) {
        job->starts[part] = start;
        for (int piece = 0; piece < job->pieces; piece++) {
            uint32_t count = job->counts[piece][part];
            job->counts[piece][part] = start;
            start += count;
        }
    }
    job->starts[parts] = start;
}

template <class K> static void sort_row(const row_view<K> &row, int want, int pieces);

template <class K>
static void
sort_part(void *context, int64_t part)
{
    const deal_job<K> *job = static_cast<const deal_job<K> *>(context);
    int64_t start = job->starts[part], length = int64_t(job->starts[part + 1]) - start;
    if (length > 0)
        sort_row(cut_row(job->row, start, length, true), !job->want, 1);
}

template <class K>
static void
deal_row(const row_view<K> &row, int bits, int want, int pieces)
{
    deal_job<K> job;
    job.row = row;
    job.shift = std::max(0, bits - deal_bits);
    job.pieces = pieces;
    job.want = want;
    ga_runtime_parallel(pieces, count_piece<K>, &job);
    place_parts(&job);
    ga_runtime_parallel(pieces, deal_piece<K>, &job);
    if (pieces > 1)
        ga_runtime_parallel(parts, sort_part<K>, &job);
    else
        for (int part = 0; part < parts; part++)
            sort_part<K>(&job, part);
}

/* The result goes to buffer `want`. */
template <class K>
static void
sort_row(const row_view<K> &row, int want, int pieces)
{
    int at = 0, bits = 0;
    if (row.length <= short_row<K>)
        sort_short(row);
    else
        bits = measure_bits(row.keys[0], row.length);
    if (bits > 0 && row.length > cached_row) {
        deal_row(row, bits, want, pieces);
        return;
    }
    if (bits > 0)
        at = sort_bytes(row, bits);
    if (at != want)
        copy_row(row, at);
}

/* ---- all rows ---- */

struct rows_job {
    const ga_sort_job *job;
    int64_t share; /* rows a piece of work */
};

template <class K>
static row_view<K>
view_rows(const ga_sort_job *job)
{
    return {{static_cast<K *>(job->keys[0]), static_cast<K *>(job->keys[1])},
            {job->positions[0], job->positions[1]},
            job->rows * job->length};
}

template <class K>
static void
sort_share(void *context, int64_t piece)
{
    const rows_job *rows = static_cast<const rows_job *>(context);
    const ga_sort_job *job = rows->job;
    int64_t first = piece * rows->share, last = std::min(first + rows->share, job->rows);
    for (int64_t row = first; row < last; row++)
        sort_row(cut_row(view_rows<K>(job), row * job->length, job->length, false), 0, 1);
}

template <class K>
static void
sort_rows(const ga_sort_job *job)
{
    int threads = std::min(ga_threads_count(), most_pieces);
    if (job->length >= long_row && job->rows < threads) {
        for (int64_t row = 0; row < job->rows; row++)
            sort_row(cut_row(view_rows<K>(job), row * job->length, job->length, false), 0, threads);
        return;
    }
    rows_job rows = {job, std::max<int64_t>(1, 4096 / job->length)};
    ga_runtime_parallel((job->rows + rows.share - 1) / rows.share, sort_share<K>, &rows);
}

int
ga_sort_keys(ga_sort_job *job, ga_stream *)
{
    if (job->width == 4)
        sort_rows<uint32_t>(job);
    else
        sort_rows<uint64_t>(job);
    job->at = 0;
    return 0;
}

/* Keys are what all rows are sorted by here. */
bool
ga_sort_short(const ga_sort_call *, ga_stream *, int *)
{
    return false;
}
