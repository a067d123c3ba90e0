/* Weights added up by place on a GPU. Owns ga_weigh_run.
 *
 * Places are sorted with the positions they came from, so that the weights of one lie together in the order given.
 * A block adds up the weights of a tile of that order by a scan that begins anew at each place. Of a place that lies
 * within a tile that is the sum. Of one that lies in several, the part in its first tile is that tile's tail and the
 * parts in the others are their heads, which a block puts together. So how numbers are added depends on the places
 * alone, and a place that has nearly all of them takes no longer than others. Includes block.cuh, count.cuh,
 * sort_keys.h. */
#include "block.cuh"
#include "count.cuh"
#include "sort_keys.h"

static const int weigh_rounds = 4; /* elements of a thread */
static const int64_t weigh_tile = weigh_rounds * GA_BLOCK;

/* U: the word that numbers a place; `bins` stands for those that do not count. */
template <class U> struct weigh_plan {
    int64_t size;
    U bins;
    const U *keys; /* sorted */
    const uint32_t *positions;
    const double *weights;
    double *sums, *heads, *tails; /* of places; of tiles */
};

/* The sum of some elements that lie together, and whether a place begins among them. */
template <int PARTS> struct weigh_sum {
    double part[PARTS];
    bool begins;
};

template <int PARTS> struct weigh_scan {
    typedef weigh_sum<PARTS> acc;
    GA_FN acc neutral() { return {}; }
    GA_FN acc merge(acc a, acc b)
    {
        if (b.begins)
            return b;
        GA_UNROLL
        for (int p = 0; p < PARTS; p++)
            a.part[p] += b.part[p];
        return a;
    }
};

template <int PARTS> GA_FN void weigh_store(double *to, int64_t at, const weigh_sum<PARTS> &sum)
{
    GA_UNROLL
    for (int p = 0; p < PARTS; p++)
        to[at * PARTS + p] = sum.part[p];
}

/* Keys and positions of a tile; and zeros where the sums of places will stand, for those that have no elements. */
template <class T, class U>
GA_KERNEL weigh_encode(GA_PARAM ga_weigh_call call, U *keys, uint32_t *positions)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * weigh_tile, last = first + weigh_tile < call.size ? first + weigh_tile : call.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        uint64_t place = ga_count_place(call, ga_load(static_cast<const T *>(call.values) + i));
        keys[i] = U(place < uint64_t(call.bins) ? place : uint64_t(call.bins));
        positions[i] = uint32_t(i);
    }
    for (int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; i < call.bins * call.parts; i += GA_GRID * GA_BLOCK)
        call.sums[i] = 0;
}

/* Writes the sum that is complete at element i, unless the place goes on within the tile. */
template <class U, int PARTS>
GA_FN void weigh_settle(const weigh_plan<U> &plan, int64_t i, U key, const weigh_sum<PARTS> &sum)
{
    const int64_t first = GA_BLOCK_ID * weigh_tile;
    const bool ends = i + 1 == plan.size || plan.keys[i + 1] != key;
    if (!ends && i + 1 < first + weigh_tile)
        return;
    if (first > 0 && plan.keys[first - 1] == key)
        weigh_store(plan.heads, GA_BLOCK_ID, sum);
    else
        weigh_store(ends ? plan.sums : plan.tails, ends ? int64_t(key) : GA_BLOCK_ID, sum);
}

template <class U, int PARTS> GA_KERNEL weigh_tiles(GA_PARAM weigh_plan<U> plan)
{
    GA_AWAIT();
    typedef weigh_scan<PARTS> P;
    weigh_sum<PARTS> own[weigh_rounds], before[weigh_rounds], all;
    U key[weigh_rounds];
    const int64_t first = GA_BLOCK_ID * weigh_tile + GA_THREAD;
    GA_UNROLL
    for (int k = 0; k < weigh_rounds; k++) {
        const int64_t i = first + k * GA_BLOCK;
        key[k] = i < plan.size ? plan.keys[i] : plan.bins;
        own[k] = P::neutral();
        own[k].begins = i % weigh_tile == 0 || (i < plan.size && plan.keys[i - 1] != key[k]);
        if (key[k] != plan.bins)
            GA_UNROLL
            for (int p = 0; p < PARTS; p++)
                own[k].part[p] = plan.weights[int64_t(plan.positions[i]) * PARTS + p];
        before[k] = own[k];
    }
    ga_block_scan<P, weigh_rounds>(before, all, GA_BLOCK);
    GA_UNROLL
    for (int k = 0; k < weigh_rounds; k++)
        if (key[k] != plan.bins)
            weigh_settle(plan, first + k * GA_BLOCK, key[k], P::merge(before[k], own[k]));
}

/* The number of elements up to the last one of a place. */
template <class U> GA_FN int64_t weigh_end(const weigh_plan<U> &plan, U key, int64_t low)
{
    for (int64_t high = plan.size; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (plan.keys[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The place that begins in the block's tile and goes on behind it, if there is one. */
template <class U, int PARTS> GA_KERNEL weigh_join(GA_PARAM weigh_plan<U> plan)
{
    GA_AWAIT();
    typedef weigh_scan<PARTS> P;
    const int64_t first = GA_BLOCK_ID * weigh_tile, next = first + weigh_tile;
    const U key = plan.keys[next - 1];
    if (key == plan.bins || plan.keys[next] != key || (first > 0 && plan.keys[first - 1] == key))
        return;
    const int64_t tiles = (weigh_end(plan, key, next) - first + weigh_tile - 1) / weigh_tile;
    weigh_sum<PARTS> sum = P::neutral();
    for (int64_t tile = GA_THREAD; tile < tiles; tile += GA_BLOCK) {
        const double *from = (tile == 0 ? plan.tails : plan.heads) + (GA_BLOCK_ID + tile) * PARTS;
        GA_UNROLL
        for (int p = 0; p < PARTS; p++)
            sum.part[p] += from[p];
    }
    sum = ga_block_merge<P>(sum, GA_BLOCK);
    if (GA_THREAD == 0)
        weigh_store(plan.sums, int64_t(key), sum);
}

/* ---- the call ---- */

/* Of one allocation. */
template <class U> struct weigh_space {
    void *memory;
    U *keys[2];
    uint32_t *positions[2];
    double *heads, *tails;
};

static int64_t weigh_count_tiles(const ga_weigh_call *call)
{
    return (call->size + weigh_tile - 1) / weigh_tile;
}

template <class U> static int weigh_take_space(const ga_weigh_call *call, weigh_space<U> *space, ga_stream *stream)
{
    const int64_t elements = weigh_count_tiles(call) * weigh_tile; /* parts begin where a vector may */
    const int64_t ends = elements / weigh_tile * call->parts * 2;  /* a whole vector, too */
    const int64_t nbytes = elements * int64_t(2 * sizeof(U) + 2 * sizeof(uint32_t)) + ends * int64_t(sizeof(double));
    if (ga_runtime_alloc(size_t(nbytes), stream, &space->memory))
        return -1;
    space->keys[0] = static_cast<U *>(space->memory);
    space->keys[1] = space->keys[0] + elements;
    space->positions[0] = reinterpret_cast<uint32_t *>(space->keys[1] + elements);
    space->positions[1] = space->positions[0] + elements;
    space->heads = reinterpret_cast<double *>(space->positions[1] + elements);
    space->tails = space->heads + ends / 2;
    return 0;
}

template <class T, class U>
static int weigh_encode_typed(const ga_weigh_call *call, const weigh_space<U> *space, ga_stream *stream)
{
    const int64_t tiles = weigh_count_tiles(call);
    return ga_launch((weigh_encode<T, U>), tiles > 0 ? tiles : 1, stream, *call, space->keys[0], space->positions[0]);
}

template <class U>
static int weigh_launch_encode(const ga_weigh_call *call, const weigh_space<U> *space, ga_stream *stream)
{
    GA_COUNT_TYPED(weigh_encode_typed, call, space, stream)
}

template <class U, int PARTS> static int weigh_launch_sums(const weigh_plan<U> &plan, int64_t tiles, ga_stream *stream)
{
    return ga_launch((weigh_tiles<U, PARTS>), tiles, stream, plan) ||
                   ga_launch((weigh_join<U, PARTS>), tiles - 1, stream, plan)
               ? -1
               : 0;
}

template <class U> static int weigh_in_space(const ga_weigh_call *call, weigh_space<U> *space, ga_stream *stream)
{
    int32_t bits = 1; /* that tell 0 from `bins` */
    while (call->bins >> bits != 0)
        bits++;
    ga_sort_job job = {int32_t(sizeof(U)), bits, 0, 1, call->size, {space->keys[0], space->keys[1]},
                       {space->positions[0], space->positions[1]}};
    if (weigh_launch_encode(call, space, stream))
        return -1;
    if (call->size == 0)
        return 0;
    if (ga_sort_keys(&job, stream))
        return -1;
    weigh_plan<U> plan = {call->size, U(call->bins), space->keys[job.at], space->positions[job.at], call->weights,
                          call->sums, space->heads, space->tails};
    return call->parts == 1 ? weigh_launch_sums<U, 1>(plan, weigh_count_tiles(call), stream)
                            : weigh_launch_sums<U, 2>(plan, weigh_count_tiles(call), stream);
}

template <class U> static int weigh_by(const ga_weigh_call *call, ga_stream *stream)
{
    weigh_space<U> space;
    if (weigh_take_space(call, &space, stream))
        return -1;
    int status = weigh_in_space(call, &space, stream);
    return ga_runtime_free(space.memory, stream) ? -1 : status;
}

int ga_weigh_run(const ga_weigh_call *call, ga_stream *stream)
{
    if (call->size > UINT32_MAX)
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "weights: %lld elements are more than %llu",
                              static_cast<long long>(call->size), static_cast<unsigned long long>(UINT32_MAX));
    return call->bins < UINT32_MAX ? weigh_by<uint32_t>(call, stream) : weigh_by<uint64_t>(call, stream);
}
