/* Order statistics and partitions on the CPU. The pair of rank_cuda.cu and partition_cuda.cu; owns
 * ga_rank_select and ga_rank_partition of the CPU build.
 *
 * A row's keys are written out and std::nth_element puts the ones that are asked for in their
 * places. Where positions are asked for they travel with their keys and order those that are alike,
 * so that what is chosen of them does not depend on the library. Each piece of the work is a share
 * of the rows, with memory for one row. Includes rank.h, slots.h, threads_cpu.h. */
#include <algorithm>

#include "rank.h"
#include "slots.h"
#include "threads_cpu.h"

/* What travels: a key, and where in its row it was. */
template <class U> struct rank_item {
    U key;
    uint32_t position;
};

template <class U>
static bool
operator<(const rank_item<U> &a, const rank_item<U> &b)
{
    return a.key != b.key ? a.key < b.key : a.position < b.position;
}

/* A call shared out: piece p has the rows p, p + pieces... and memory for one. */
struct rank_share {
    int64_t rows, pieces;
    size_t nbytes; /* of a piece's memory */
    char *memory;
};

static int
take_share(rank_share *share, int64_t rows, size_t nbytes, ga_stream *stream)
{
    void *memory;
    int64_t most = int64_t(ga_threads_count()) * 4;
    *share = {rows, rows < most ? rows : most, (nbytes + 63) / 64 * 64, nullptr};
    if (ga_runtime_alloc(size_t(share->pieces) * share->nbytes, stream, &memory))
        return -1;
    share->memory = static_cast<char *>(memory);
    return 0;
}

template <class Job>
static int
run_share(Job *job, void (*run_row)(Job *job, void *memory, int64_t row), ga_stream *stream)
{
    struct context {
        Job *job;
        void (*run_row)(Job *, void *, int64_t);
    } both = {job, run_row};
    auto run_piece = [](void *ctx, int64_t piece) {
        context *c = static_cast<context *>(ctx);
        const rank_share &share = c->job->share;
        for (int64_t row = piece; row < share.rows; row += share.pieces)
            c->run_row(c->job, share.memory + size_t(piece) * share.nbytes, row);
    };
    ga_runtime_parallel(job->share.pieces, run_piece, &both);
    return ga_runtime_free(job->share.memory, stream);
}

/* ---- order statistics ---- */

struct select_job {
    const ga_rank_call *call;
    ga_rank_order order;
    rank_share share;
};

static int64_t
find_place(const ga_rank_call *call, int t, int64_t row)
{
    int64_t place = call->places ? call->places[t * call->rows + row] : call->place[t];
    return place < 0 ? 0 : place < call->length ? place : call->length - 1;
}

/* Puts the keys of all places there: from the least on, each among those behind the one before. */
template <class U>
static void
select_places(U *keys, int64_t length, const int64_t *places, int count)
{
    int64_t sorted[GA_RANK_PLACES], begin = 0;
    std::copy(places, places + count, sorted);
    std::sort(sorted, sorted + count);
    for (int t = 0; t < count; t++) {
        if (sorted[t] < begin)
            continue;
        std::nth_element(keys + begin, keys + sorted[t], keys + length);
        begin = sorted[t] + 1;
    }
}

template <class U>
static void
select_row(select_job *job, void *memory, int64_t row)
{
    const ga_rank_call *call = job->call;
    const U *from = static_cast<const U *>(call->src) + row * call->length;
    U *keys = static_cast<U *>(memory);
    int64_t places[GA_RANK_PLACES];
    for (int64_t i = 0; i < call->length; i++)
        keys[i] = ga_rank_key(from[i], job->order);
    for (int t = 0; t < call->count; t++)
        places[t] = find_place(call, t, row);
    select_places(keys, call->length, places, call->count);
    for (int t = 0; t < call->count; t++)
        static_cast<U *>(call->dst)[t * call->rows + row] = ga_rank_bits(keys[places[t]], job->order);
}

template <class U>
static int
select_typed(const ga_rank_call *call, ga_rank_order order, ga_stream *stream)
{
    select_job job = {call, order, {}};
    if (take_share(&job.share, call->rows, size_t(call->length) * sizeof(U), stream))
        return -1;
    return run_share(&job, select_row<U>, stream);
}

int
ga_rank_select(const ga_rank_call *call, ga_rank_job job, ga_stream *stream)
{
    switch (job.width) {
    case 1:
        return select_typed<uint8_t>(call, job.order, stream);
    case 2:
        return select_typed<uint16_t>(call, job.order, stream);
    case 4:
        return select_typed<uint32_t>(call, job.order, stream);
    default:
        return select_typed<uint64_t>(call, job.order, stream);
    }
}

/* ---- partitions ---- */

struct partition_job {
    const ga_partition_call *call;
    ga_rank_order order;
    rank_share share;
};

template <class U>
static void
partition_values(partition_job *job, void *memory, int64_t row)
{
    const ga_partition_call *call = job->call;
    const U *from = static_cast<const U *>(call->src) + row * call->length;
    U *keys = static_cast<U *>(memory), *to = static_cast<U *>(call->dst) + row * call->kept;
    for (int64_t i = 0; i < call->length; i++)
        keys[i] = ga_rank_key(from[i], job->order);
    std::nth_element(keys, keys + call->kth, keys + call->length);
    for (int64_t i = 0; i < call->kept; i++)
        to[i] = ga_rank_bits(keys[i], job->order);
}

template <class U>
static void
partition_positions(partition_job *job, void *memory, int64_t row)
{
    const ga_partition_call *call = job->call;
    const U *from = static_cast<const U *>(call->src) + row * call->length;
    rank_item<U> *items = static_cast<rank_item<U> *>(memory);
    for (int64_t i = 0; i < call->length; i++)
        items[i] = {ga_rank_key(from[i], job->order), uint32_t(i)};
    std::nth_element(items, items + call->kth, items + call->length);
    if (call->kept == call->kth + 1)
        std::sort(items, items + call->kept);
    for (int64_t i = 0; i < call->kept; i++) {
        call->positions[row * call->kept + i] = items[i].position;
        if (call->dst)
            static_cast<U *>(call->dst)[row * call->kept + i] = from[items[i].position];
    }
}

template <class U>
static int
partition_typed(const ga_partition_call *call, ga_rank_order order, ga_stream *stream)
{
    partition_job job = {call, order, {}};
    size_t each = call->positions ? sizeof(rank_item<U>) : sizeof(U);
    if (take_share(&job.share, call->rows, size_t(call->length) * each, stream))
        return -1;
    return run_share(&job, call->positions ? partition_positions<U> : partition_values<U>, stream);
}

int
ga_rank_partition(const ga_partition_call *call, ga_rank_job job, ga_stream *stream)
{
    switch (job.width) {
    case 1:
        return partition_typed<uint8_t>(call, job.order, stream);
    case 2:
        return partition_typed<uint16_t>(call, job.order, stream);
    case 4:
        return partition_typed<uint32_t>(call, job.order, stream);
    default:
        return partition_typed<uint64_t>(call, job.order, stream);
    }
}
