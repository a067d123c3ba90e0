/* Counting on a GPU. Owns ga_count_run.
 *
 * Few bins are counted in shared memory, in as many copies as fit, neighbouring threads in different ones, so that
 * places that are all alike do not queue at one counter; a block adds its sums to the result at its end. Many bins are
 * counted where they lie. Integers add up to the same number in any order. Includes port.cuh and slots.h. */
#include "port.cuh"
#include "slots.h"

static const int count_counters = 8192;     /* of a block in shared memory: 32 KiB */
static const int count_copies = 32;         /* at most: one a lane */
static const int64_t count_piece = 1 << 14; /* places of a block */

GA_FN void count_add(int64_t *counter, uint64_t by)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(counter), (unsigned long long)by);
}

GA_FN int64_t count_end(int64_t first, int64_t size)
{
    return first + count_piece < size ? first + count_piece : size;
}

GA_KERNEL count_shared(GA_PARAM ga_count_call call, int copies)
{
    GA_SHARED uint32_t counters[count_counters];
    int used = int(call.bins) * copies;
    for (int i = GA_THREAD; i < used; i += GA_BLOCK)
        counters[i] = 0;
    GA_SYNC();
    int64_t first = GA_BLOCK_ID * count_piece, last = count_end(first, call.size);
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        uint64_t place = uint64_t(call.places[i]);
        if (place < uint64_t(call.bins))
            atomicAdd(counters + int(place) * copies + GA_THREAD % copies, 1u);
    }
    GA_SYNC();
    for (int bin = GA_THREAD; bin < call.bins; bin += GA_BLOCK) {
        uint64_t sum = 0;
        for (int k = 0; k < copies; k++) /* from the thread's own bank on */
            sum += counters[bin * copies + (k + GA_THREAD) % copies];
        if (sum)
            count_add(call.counts + bin, sum);
    }
}

GA_KERNEL count_global(GA_PARAM ga_count_call call)
{
    int64_t first = GA_BLOCK_ID * count_piece, last = count_end(first, call.size);
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        uint64_t place = uint64_t(call.places[i]);
        if (place < uint64_t(call.bins))
            count_add(call.counts + place, 1);
    }
}

int ga_count_run(const ga_count_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + count_piece - 1) / count_piece;
    if (call->bins > count_counters)
        return ga_launch(count_global, blocks, stream, *call);
    int copies = count_copies;
    while (copies * call->bins > count_counters)
        copies /= 2;
    return ga_launch(count_shared, blocks, stream, *call, copies);
}
