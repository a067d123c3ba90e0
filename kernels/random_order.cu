/* Random orders from sorted random keys. Owns ga_random_settle.
 *
 * Elements sorted by random keys are in a random order, but for those whose keys are alike: a run of them is shuffled
 * by Fisher and Yates's method, from the place of its first element. So the order is uniform however short the keys are.
 * Includes random_discrete.cuh and random_parts.h. */
#include "random_discrete.cuh"
#include "random_parts.h"

/* Elements of a block. */
static const int64_t settle_piece = GA_BLOCK == 1 ? 32768 : 2048;

GA_FN_CALL void
shuffle_run(const ga_random_source &source, int64_t first, int64_t length, int64_t *order)
{
    ga_draws draws = ga_draws_at(&source, first);
    GA_ROLLED
    for (int64_t left = length; left > 1; left--) {
        int64_t *last = order + first + left - 1;
        int64_t *chosen = order + first + int64_t(ga_draw_integer(&draws, 0, uint64_t(left)));
        int64_t value = *last;
        *last = *chosen;
        *chosen = value;
    }
}

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
        shuffle_run(call.source, i, last - i, static_cast<int64_t *>(call.dst));
    }
}

int
ga_random_settle(const ga_random_call *call, ga_stream *stream)
{
    if (call->dtype != GA_i64)
        return ga_kernel_fail(GA_ERR_TYPE, "random: orders have dtype int64, not %d", int(call->dtype));
    return ga_launch(random_settle, (call->size + settle_piece - 1) / settle_piece, stream, *call);
}
