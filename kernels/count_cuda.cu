/* Counting on a GPU. Owns ga_count_run.
 *
 * Few bins are counted in shared memory, in as many copies as fit, neighbouring threads in different ones, so that
 * values that are all alike do not queue at one counter; a block adds its sums to the result at its end. Many bins are
 * counted where they lie. Integers add up to the same number in any order. Includes count.cuh. */
#include "count.cuh"

static const int count_counters = 8192; /* of a block in shared memory: 32 KiB */
static const int count_copies = 32;     /* at most: one a lane */
static const int count_batch = 8;       /* values a thread loads together */
static const int64_t count_piece = 1 << 14; /* values of a block */

GA_FN void count_add(int64_t *counter, uint64_t by)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(counter), (unsigned long long)by);
}

/* Calls add(place) for the block's values that have a counter. */
template <class T, class Add> GA_FN void walk_piece(const ga_count_call &call, const Add &add)
{
    int64_t end = (GA_BLOCK_ID + 1) * count_piece, last = end < call.size ? end : call.size;
    for (int64_t i = GA_BLOCK_ID * count_piece + GA_THREAD; i < last; i += GA_BLOCK * count_batch) {
        T value[count_batch];
        GA_UNROLL
        for (int k = 0; k < count_batch; k++)
            value[k] = i + k * GA_BLOCK < last ? ga_load(static_cast<const T *>(call.values) + i + k * GA_BLOCK) : T(0);
        GA_UNROLL
        for (int k = 0; k < count_batch; k++) {
            uint64_t place = ga_count_place(call, value[k]);
            if (i + k * GA_BLOCK < last && place < uint64_t(call.bins))
                add(place);
        }
    }
}

struct count_in_shared {
    uint32_t *counters;
    int copies;
    GA_METHOD void operator()(uint64_t place) const
    {
        atomicAdd(counters + int(place) * copies + (GA_THREAD & (copies - 1)), 1u);
    }
};

struct count_in_place {
    int64_t *counts;
    GA_METHOD void operator()(uint64_t place) const { count_add(counts + place, 1); }
};

template <class T> GA_KERNEL count_shared(GA_PARAM ga_count_call call, int copies)
{
    GA_AWAIT();
    GA_SHARED uint32_t counters[count_counters];
    int used = int(call.bins) * copies;
    for (int i = GA_THREAD; i < used; i += GA_BLOCK)
        counters[i] = 0;
    GA_SYNC();
    walk_piece<T>(call, count_in_shared{counters, copies});
    GA_SYNC();
    for (int bin = GA_THREAD; bin < call.bins; bin += GA_BLOCK) {
        uint64_t sum = 0;
        for (int k = 0; k < copies; k++) /* from the thread's own bank on */
            sum += counters[bin * copies + ((k + GA_THREAD) & (copies - 1))];
        if (sum)
            count_add(call.counts + bin, sum);
    }
}

template <class T> GA_KERNEL count_global(GA_PARAM ga_count_call call)
{
    GA_AWAIT();
    walk_piece<T>(call, count_in_place{call.counts});
}

template <class T> static int count_typed(const ga_count_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + count_piece - 1) / count_piece;
    if (call->bins > count_counters)
        return ga_launch(count_global<T>, blocks, stream, *call);
    int copies = count_copies;
    while (copies * call->bins > count_counters)
        copies /= 2;
    return ga_launch(count_shared<T>, blocks, stream, *call, copies);
}

int ga_count_run(const ga_count_call *call, ga_stream *stream)
{
    GA_COUNT_TYPED(count_typed, call, stream)
}
