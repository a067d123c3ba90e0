/* Random orders and choices. Owns ga_random_settle and ga_random_distinct.
 *
 * Elements sorted by random keys are in a random order, but for those whose keys are alike: a run
 * of them is shuffled (random_ties.cuh). So the order is uniform however short the keys are. Of random numbers the first of each are a random
 * choice in random order: a table says where each number comes first. Includes random_discrete.cuh
 * and random_parts.h. */
#include "random_parts.h"
#include "random_ties.cuh"

/* Elements of a block. */
static const int64_t settle_piece = GA_BLOCK == 1 ? 32768 : 2048;

GA_KERNEL
random_settle(GA_PARAM ga_random_call call)
{
    GA_AWAIT();
    const uint32_t *keys = static_cast<const uint32_t *>(call.parameters[0].data);
    int64_t begin = GA_BLOCK_ID * settle_piece;
    int64_t end = begin + settle_piece < call.size ? begin + settle_piece : call.size;
    for (int64_t i = begin + GA_THREAD; i < end; i += GA_BLOCK) {
        if (i + 1 >= call.size || keys[i] != keys[i + 1])
            continue;
        int64_t row = i / call.columns * call.columns, row_end = row + call.columns, last = i + 1;
        if (last == row_end || (i > row && keys[i - 1] == keys[i]))
            continue;
        while (last < row_end && keys[last] == keys[i])
            last++;
        ga_random_shuffle(call.source, call.size, i, static_cast<int64_t *>(call.dst) + i, last - i);
    }
}

int
ga_random_settle(const ga_random_call *call, ga_stream *stream)
{
    if (call->dtype != GA_i64)
        return ga_kernel_fail(GA_ERR_TYPE, "random: orders have dtype int64, not %d", int(call->dtype));
    return ga_launch(random_settle, (call->size + settle_piece - 1) / settle_piece, stream, *call);
}

/* ---- the first ones of equal numbers ---- */

/* On the CPU one block, alone. */
template <class U>
GA_FN void
lower_entry(U *entry, U value)
{
    if constexpr (GA_BLOCK > 1)
        atomicMin(entry, value);
    else
        *entry = value < *entry ? value : *entry;
}

GA_KERNEL
random_note_first(const uint32_t *drawn, int64_t size, uint32_t *table)
{
    GA_AWAIT();
    for (int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; i < size; i += GA_GRID * GA_BLOCK)
        lower_entry(&table[drawn[i]], uint32_t(i));
}

GA_KERNEL
random_mark_first(const uint32_t *drawn, int64_t size, const uint32_t *table, bool *first)
{
    GA_AWAIT();
    for (int64_t i = GA_BLOCK_ID * GA_BLOCK + GA_THREAD; i < size; i += GA_GRID * GA_BLOCK)
        first[i] = table[drawn[i]] == uint32_t(i);
}

int
ga_random_distinct(const ga_random_call *call, ga_stream *stream)
{
    const uint32_t *drawn = static_cast<const uint32_t *>(call->parameters[0].data);
    uint32_t *table = static_cast<uint32_t *>(const_cast<void *>(call->parameters[1].data));
    int64_t blocks = GA_BLOCK == 1 ? 1 : (call->size + GA_BLOCK - 1) / GA_BLOCK;
    if (call->dtype != GA_b1)
        return ga_kernel_fail(GA_ERR_TYPE, "random: what comes first has dtype bool, not %d", int(call->dtype));
    if (ga_launch(random_note_first, blocks < 65536 ? blocks : 65536, stream, drawn, call->size, table))
        return -1;
    return ga_launch(random_mark_first, blocks < 65536 ? blocks : 65536, stream, drawn, call->size,
                     static_cast<const uint32_t *>(table), static_cast<bool *>(call->dst));
}
