/* Partitions of rows on a GPU. Owns ga_rank_partition of the CUDA build.
 *
 * The element that belongs at the place is selected first (rank_cuda.cu). Then each tile of a row counts its elements
 * before and like it, one block a row makes sums of those, and each tile puts its elements where they belong, those of
 * each of the three parts in their order. A row of one tile needs no sums. Includes block.cuh, rank_cuda.h, slots.h. */
#include "block.cuh"
#include "rank_cuda.h"
#include "slots.h"

static const int partition_batch = 4;
static const int partition_rounds = 4;
static const int64_t partition_round = GA_BLOCK * partition_batch;
static const int64_t partition_tile = partition_round * partition_rounds;

/* Elements before the pivot in the low half, like it in the high half. */
template <class A> struct partition_sum {
    typedef A acc;
    GA_FN A
    merge(A a, A b)
    {
        return a + b;
    }
    GA_FN A
    neutral()
    {
        return 0;
    }
};
typedef partition_sum<uint32_t> sum_of_tile; /* a tile has fewer elements than 2^16 */
typedef partition_sum<uint64_t> sum_of_row;  /* a row fewer than 2^32 */

template <class U> struct partition_plan {
    ga_partition_call call;
    ga_rank_order order;
    const ga_rank_pivot *pivots;
    int64_t tiles;
    uint64_t *sums; /* of a row's tiles, and one more; NULL for rows of one tile */
};

/* What element i counts for. */
template <class U>
GA_FN uint32_t
count_element(const partition_plan<U> &plan, U element, U pivot)
{
    U key = ga_rank_key(element, plan.order);
    return key < pivot ? 1 : key == pivot ? 1u << 16 : 0;
}

/* The elements of one round of a tile; those behind the row's end are none. */
template <class U>
GA_FN void
load_round(const partition_plan<U> &plan, int64_t row, int64_t first, U (&element)[partition_batch])
{
    const U *from = static_cast<const U *>(plan.call.src) + row * plan.call.length;
    GA_UNROLL
    for (int k = 0; k < partition_batch; k++) {
        int64_t i = first + k * GA_BLOCK + GA_THREAD;
        element[k] = i < plan.call.length ? from[i] : U(0);
    }
}

template <class U>
GA_FN void
count_round(const partition_plan<U> &plan, int64_t first, U pivot, const U (&element)[partition_batch],
            uint32_t (&counts)[partition_batch])
{
    GA_UNROLL
    for (int k = 0; k < partition_batch; k++) {
        bool real = first + k * GA_BLOCK + GA_THREAD < plan.call.length;
        counts[k] = real ? count_element(plan, element[k], pivot) : 0;
    }
}

template <class U>
GA_KERNEL
partition_count(GA_PARAM partition_plan<U> plan)
{
    GA_AWAIT();
    int64_t row = GA_BLOCK_ID / plan.tiles, tile = GA_BLOCK_ID % plan.tiles;
    U pivot = U(plan.pivots[row].key);
    uint32_t mine = 0;
    for (int round = 0; round < partition_rounds; round++) {
        int64_t first = tile * partition_tile + round * partition_round;
        U element[partition_batch];
        uint32_t counts[partition_batch];
        load_round(plan, row, first, element);
        count_round(plan, first, pivot, element, counts);
        GA_UNROLL
        for (int k = 0; k < partition_batch; k++)
            mine += counts[k];
    }
    uint32_t all = ga_block_merge<sum_of_tile>(mine, GA_BLOCK);
    if (GA_THREAD == 0)
        plan.sums[row * (plan.tiles + 1) + tile] = uint64_t(all >> 16) << 32 | (all & 0xffff);
}

/* Counts of a row's tiles to sums of those before, in place; one more entry for the sum of all. */
GA_KERNEL
partition_add(uint64_t *sums, int64_t tiles)
{
    GA_AWAIT();
    uint64_t *row = sums + GA_BLOCK_ID * (tiles + 1), before = 0;
    for (int64_t first = 0; first < tiles; first += partition_round) {
        uint64_t counts[partition_batch], total;
        GA_UNROLL
        for (int k = 0; k < partition_batch; k++) {
            int64_t tile = first + k * GA_BLOCK + GA_THREAD;
            counts[k] = tile < tiles ? row[tile] : 0;
        }
        ga_block_scan<sum_of_row, partition_batch>(counts, total, GA_BLOCK);
        GA_UNROLL
        for (int k = 0; k < partition_batch; k++) {
            int64_t tile = first + k * GA_BLOCK + GA_THREAD;
            if (tile < tiles)
                row[tile] = before + counts[k];
        }
        before += total;
    }
    if (GA_THREAD == 0)
        row[tiles] = before;
}

template <class U>
GA_FN void
place_element(const partition_plan<U> &plan, const ga_rank_pivot &pivot, int64_t row, int64_t i,
              U element, uint64_t before)
{
    int64_t less = int64_t(before & 0xffffffff), alike = int64_t(before >> 32), to;
    U key = ga_rank_key(element, plan.order);
    if (key < U(pivot.key))
        to = less;
    else if (key == U(pivot.key))
        to = pivot.before + alike;
    else
        to = pivot.before + pivot.alike + (i - less - alike);
    if (to >= plan.call.kept)
        return;
    to += row * plan.call.kept;
    if (plan.call.dst)
        static_cast<U *>(plan.call.dst)[to] = element;
    if (plan.call.positions)
        plan.call.positions[to] = i;
}

/* Whether no element of a tile is written: only those before the pivot and like it are, and it has none. */
template <class U>
GA_FN bool
is_dropped(const partition_plan<U> &plan, const ga_rank_pivot &pivot, const uint64_t *sums)
{
    return sums && plan.call.kept <= pivot.before + pivot.alike && sums[0] == sums[1];
}

template <class U>
GA_KERNEL
partition_place(GA_PARAM partition_plan<U> plan)
{
    GA_AWAIT();
    int64_t row = GA_BLOCK_ID / plan.tiles, tile = GA_BLOCK_ID % plan.tiles;
    const ga_rank_pivot pivot = plan.pivots[row];
    const uint64_t *sums = plan.sums ? plan.sums + row * (plan.tiles + 1) + tile : nullptr;
    uint64_t before = sums ? sums[0] : 0;
    if (is_dropped(plan, pivot, sums))
        return;
    for (int round = 0; round < partition_rounds; round++) {
        int64_t first = tile * partition_tile + round * partition_round;
        U element[partition_batch];
        uint32_t counts[partition_batch], total;
        load_round(plan, row, first, element);
        count_round(plan, first, U(pivot.key), element, counts);
        ga_block_scan<sum_of_tile, partition_batch>(counts, total, GA_BLOCK);
        GA_UNROLL
        for (int k = 0; k < partition_batch; k++) {
            int64_t i = first + k * GA_BLOCK + GA_THREAD;
            uint64_t here = uint64_t(counts[k] >> 16) << 32 | (counts[k] & 0xffff);
            if (i < plan.call.length)
                place_element(plan, pivot, row, i, element[k], before + here);
        }
        before += uint64_t(total >> 16) << 32 | (total & 0xffff);
    }
}

/* ---- the calls ---- */

template <class U>
static int
launch_partition(const partition_plan<U> &plan, ga_stream *stream)
{
    int64_t blocks = plan.call.rows * plan.tiles;
    if (plan.sums && (ga_launch(partition_count<U>, blocks, stream, plan) ||
                      ga_launch(partition_add, plan.call.rows, stream, plan.sums, plan.tiles)))
        return -1;
    return ga_launch(partition_place<U>, blocks, stream, plan);
}

static int
select_pivots(const ga_partition_call *call, ga_rank_job job, ga_rank_pivot *pivots, ga_stream *stream)
{
    ga_rank_call select = {};
    select.dtype = call->dtype;
    select.count = 1;
    select.rows = call->rows;
    select.length = call->length;
    select.src = call->src;
    select.place[0] = call->kth;
    return ga_rank_find(&select, job, pivots, stream);
}

template <class U>
static int
partition_typed(const ga_partition_call *call, ga_rank_job job, ga_stream *stream)
{
    int64_t tiles = (call->length + partition_tile - 1) / partition_tile;
    size_t pivots = size_t(call->rows) * sizeof(ga_rank_pivot);
    size_t sums = tiles > 1 ? size_t(call->rows * (tiles + 1)) * sizeof(uint64_t) : 0;
    void *memory = nullptr;
    if (ga_runtime_alloc(pivots + sums, stream, &memory))
        return -1;
    ga_rank_pivot *found = static_cast<ga_rank_pivot *>(memory);
    partition_plan<U> plan = {*call, job.order, found, tiles,
                              sums ? reinterpret_cast<uint64_t *>(found + call->rows) : nullptr};
    int status = select_pivots(call, job, found, stream) || launch_partition(plan, stream) ? -1 : 0;
    return ga_runtime_free(memory, stream) ? -1 : status;
}

int
ga_rank_partition(const ga_partition_call *call, ga_rank_job job, ga_stream *stream)
{
    switch (job.width) {
    case 1:
        return partition_typed<uint8_t>(call, job, stream);
    case 2:
        return partition_typed<uint16_t>(call, job, stream);
    case 4:
        return partition_typed<uint32_t>(call, job, stream);
    default:
        return partition_typed<uint64_t>(call, job, stream);
    }
}
