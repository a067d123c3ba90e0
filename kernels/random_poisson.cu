/* Poisson numbers of which each has a mean of its own. Owns ga_random_each_poisson.
 *
 * Means below 10 go up the probabilities from 0 until they exceed a uniform number. Larger ones try what
 * random_draws.cuh has, and most are done without a logarithm; those that are not are tried again, from the beginning,
 * after all others of their block, by threads that have nothing else to do, so that no warp waits for a few. Includes
 * random_discrete.cuh, random_parameters.cuh and random_parts.h. */
#include "random_discrete.cuh"
#include "random_parameters.cuh"
#include "random_parts.h"

/* Elements of a block, and numbers of which it has the reciprocals. */
static const int64_t poisson_piece = 2048;
static const int poisson_steps = 64;

/* What the threads of a block share. */
struct poisson_block {
    double reciprocals[poisson_steps];
    uint32_t count;
    uint16_t undecided[poisson_piece]; /* in any order */
};

/* Of a mean below 10: more than `poisson_steps` are rarer than the bits of a uniform number can say. */
template <class B>
GA_FN double
climb_probabilities(const B &block, double mean, double unit)
{
    double here = ga_random_exp(-mean), upto = here;
    int k = 0;
    GA_ROLLED
    while (unit > upto && k < poisson_steps - 1) {
        k++;
        here *= mean * block.reciprocals[k];
        upto += here;
    }
    return k;
}

template <class B>
GA_FN void
note_undecided(B *block, int64_t element)
{
    uint32_t place;
    if constexpr (GA_BLOCK > 1)
        place = atomicAdd(&block->count, 1u);
    else
        place = block->count++;
    block->undecided[place] = uint16_t(element);
}

/* Whether the number is there. */
template <class B>
GA_FN bool
draw_at_once(const ga_random_call &call, const B &block, int64_t i, double mean, double *x)
{
    ga_draws draws = ga_draws_at(&call.source, call.first + i);
    double slope;
    *x = mean > 0 ? mean : 0;
    if (!(mean > 0) || mean > 0x1p64)
        return true;
    ga_pair<uint64_t, uint64_t> words = ga_draws_pair(&draws);
    if (mean >= 10)
        return ga_poisson_cover(mean).attempt(words, x, &slope) > 0;
    *x = climb_probabilities(block, mean, ga_random_open_unit(words.first));
    return true;
}

GA_KERNEL
random_poisson(GA_PARAM ga_random_call call, GA_PARAM random_judge judge)
{
    GA_AWAIT();
    GA_SHARED poisson_block block;
    int64_t first = GA_BLOCK_ID * poisson_piece;
    int64_t last = first + poisson_piece < call.size ? first + poisson_piece : call.size;
    int64_t *dst = static_cast<int64_t *>(call.dst);
    for (int k = GA_THREAD; k < poisson_steps; k += GA_BLOCK)
        block.reciprocals[k] = 1.0 / k;
    if (GA_THREAD == 0)
        block.count = 0;
    GA_SYNC();
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        element_parameters p = read_parameters(call, i);
        double x;
        if (!accept_parameters(judge, p) || p.value[0] != p.value[0])
            dst[i] = INT64_MIN;
        else if (draw_at_once(call, block, i, p.value[0], &x))
            dst[i] = ga_draw_whole(x);
        else
            note_undecided(&block, i - first);
    }
    GA_SYNC();
    for (uint32_t k = GA_THREAD; k < block.count; k += GA_BLOCK) {
        int64_t i = first + block.undecided[k];
        ga_draws draws = ga_draws_at(&call.source, call.first + i);
        dst[i] = ga_draw_whole(ga_draws_tried(&draws, ga_poisson_prepare(read_parameters(call, i).value[0])));
    }
}

int
ga_random_each_poisson(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    return ga_launch(random_poisson, (call->size + poisson_piece - 1) / poisson_piece, stream, *call, *judge);
}
