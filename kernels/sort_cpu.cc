/* Sorting rows of unsigned keys on the CPU: radix sort by bytes, short rows by comparison. Owns
 * ga_sort_keys of the CPU build.
 *
 * Many rows are shared among the threads; few long ones are cut into pieces, for which the
 * threads count bytes and then move keys, pass after pass. Either way equal keys keep their
 * order. Includes sort_keys.h, runtime.cuh, threads_cpu.h. */
#include <algorithm>
#include <string.h>

#include "runtime.cuh"
#include "sort_keys.h"
#include "threads_cpu.h"

static const int64_t long_row = 1 << 16; /* from here on a row is worth several threads */
static const int most_pieces = 64;
static const int buckets = 256;

/* Up to here comparing is faster than a pass for every byte. */
template <class K> constexpr int64_t short_row = sizeof(K) == 4 ? 48 : 128;

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

/* ---- one pass over one piece of a row ---- */

struct byte_counts {
    uint32_t of[buckets];
};

template <class K>
static void
count_bytes(const K *keys, int64_t first, int64_t last, int shift, byte_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (int64_t i = first; i < last; i++)
        counts->of[uint8_t(keys[i] >> shift)]++;
}

template <class K>
static void
move_keys(const row_view<K> &row, int from, int64_t first, int64_t last, int shift,
          byte_counts *starts)
{
    const K *keys = row.keys[from];
    const uint32_t *positions = row.positions[from];
    K *moved_keys = row.keys[!from];
    uint32_t *moved_positions = row.positions[!from];
    for (int64_t i = first; i < last; i++) {
        uint32_t to = starts->of[uint8_t(keys[i] >> shift)]++;
        moved_keys[to] = keys[i];
        if (positions)
            moved_positions[to] = positions[i];
    }
}

/* Counts of the pieces to where each piece's keys of each byte begin. False if one byte has them
 * all: nothing to do. */
static bool
place_pieces(byte_counts *counts, int pieces, int64_t length)
{
    uint32_t start = 0;
    for (int byte = 0; byte < buckets; byte++) {
        uint32_t before = start;
        for (int piece = 0; piece < pieces; piece++) {
            uint32_t count = counts[piece].of[byte];
            counts[piece].of[byte] = start;
            start += count;
        }
        if (uint32_t(start - before) == uint32_t(length))
            return false;
    }
    return true;
}

/* ---- a whole row ---- */

template <class K> struct pass_job {
    row_view<K> row;
    int from, shift, pieces; /* from: the buffer that holds the keys */
    byte_counts counts[most_pieces];
};

template <class K>
static int64_t
piece_start(const pass_job<K> *job, int64_t piece)
{
    return job->row.length / job->pieces * piece +
           std::min<int64_t>(piece, job->row.length % job->pieces);
}

template <class K>
static void
count_piece(void *context, int64_t piece)
{
    pass_job<K> *job = static_cast<pass_job<K> *>(context);
    count_bytes(job->row.keys[job->from], piece_start(job, piece), piece_start(job, piece + 1),
                job->shift, &job->counts[piece]);
}

template <class K>
static void
move_piece(void *context, int64_t piece)
{
    pass_job<K> *job = static_cast<pass_job<K> *>(context);
    move_keys(job->row, job->from, piece_start(job, piece), piece_start(job, piece + 1), job->shift,
              &job->counts[piece]);
}

template <class K>
static void
return_row(const row_view<K> &row)
{
    memcpy(row.keys[0], row.keys[1], size_t(row.length) * sizeof(K));
    if (row.positions[0])
        memcpy(row.positions[0], row.positions[1], size_t(row.length) * sizeof(uint32_t));
}

template <class K>
static void
sort_in_pieces(const row_view<K> &row, int bits, int pieces)
{
    pass_job<K> job;
    job.row = row;
    job.from = 0;
    job.pieces = pieces;
    for (job.shift = 0; job.shift < bits; job.shift += 8) {
        ga_runtime_parallel(pieces, count_piece<K>, &job);
        if (!place_pieces(job.counts, pieces, row.length))
            continue;
        ga_runtime_parallel(pieces, move_piece<K>, &job);
        job.from = !job.from;
    }
    if (job.from)
        return_row(row);
}

/* All bytes are counted in one pass, since one thread does not care which piece a key has moved
 * to. */
template <class K>
static void
sort_alone(const row_view<K> &row, int bits)
{
    byte_counts counts[sizeof(K)];
    int from = 0, bytes = bits / 8;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < row.length; i++)
        for (int byte = 0; byte < bytes; byte++)
            counts[byte].of[uint8_t(row.keys[0][i] >> 8 * byte)]++;
    for (int byte = 0; byte < bytes; byte++) {
        if (!place_pieces(&counts[byte], 1, row.length))
            continue;
        move_keys(row, from, 0, row.length, 8 * byte, &counts[byte]);
        from = !from;
    }
    if (from)
        return_row(row);
}

template <class K>
static void
sort_row(const row_view<K> &row, int bits, int pieces)
{
    if (row.length <= short_row<K>)
        sort_short(row);
    else if (pieces == 1)
        sort_alone(row, bits);
    else
        sort_in_pieces(row, bits, pieces);
}

/* ---- all rows ---- */

template <class K>
static row_view<K>
view_row(const ga_sort_job *job, int64_t row)
{
    int64_t start = row * job->length;
    row_view<K> view = {{}, {}, job->length};
    for (int i = 0; i < 2; i++) {
        view.keys[i] = static_cast<K *>(job->keys[i]) + start;
        view.positions[i] = job->positions[i] ? job->positions[i] + start : nullptr;
    }
    return view;
}

struct rows_job {
    const ga_sort_job *job;
    int64_t share; /* rows a piece of work */
};

template <class K>
static void
sort_share(void *context, int64_t piece)
{
    const rows_job *rows = static_cast<const rows_job *>(context);
    int64_t first = piece * rows->share, last = std::min(first + rows->share, rows->job->rows);
    for (int64_t row = first; row < last; row++)
        sort_row(view_row<K>(rows->job, row), rows->job->bits, 1);
}

template <class K>
static void
sort_rows(const ga_sort_job *job)
{
    int threads = std::min(ga_threads_count(), most_pieces);
    if (job->length >= long_row && job->rows < threads) {
        for (int64_t row = 0; row < job->rows; row++)
            sort_row(view_row<K>(job, row), job->bits, threads);
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
