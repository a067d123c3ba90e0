/* Gamma numbers of one shape for all elements, two at a time. Owns ga_random_gamma.
 *
 * Elements 2 i and 2 i + 1 share the pair of normal numbers that the block at place 2 i makes, and
 * the block drawn there next, of which each takes a word for its rejection. What is refused is
 * drawn again at the element's own place, from the fourth block on, after all others of a block's
 * elements, so that no warp waits for a few; shapes below 1, which are those
 * of shape + 1 times a power of a uniform number, take the third for that. Includes
 * random_draws.cuh and random_parts.h. */
#include "random_draws.cuh"
#include "random_parts.h"

/* Pairs of a block. */
static const int64_t gamma_piece = 1024;

struct gamma_plan {
    ga_random_source source;
    ga_philox32::schedule schedule;
    ga_random_series series;
    ga_gamma_constants constants;
    int64_t size;
    double shape, factor, power; /* power: 1 / shape of shapes below 1, else 0 */
    void *dst;
    bool single; /* float32 */
};

struct gamma_pair {
    double value[2];
};

/* Elements 2 i and 2 i + 1, -1 where refused. */
GA_FN gamma_pair
try_pair(const gamma_plan &plan, int64_t first)
{
    typedef ga_philox32 G;
    uint32_t w[G::words], u[G::words];
    G::block(plan.source, plan.schedule, uint64_t(first), 0, w);
    G::block(plan.source, plan.schedule, uint64_t(first), 1, u);
    ga_pair<double, double> normals =
        ga_random_normals(ga_random_word64(w), ga_random_word64(w + 2), plan.series);
    return {{ga_gamma_try(plan.constants, plan.series, normals.first, ga_random_positive(ga_random_word64(u))),
             ga_gamma_try(plan.constants, plan.series, normals.second,
                          ga_random_positive(ga_random_word64(u + 2)))}};
}

/* Times a uniform number to the power, for shapes below 1. */
GA_FN_CALL gamma_pair
raise_pair(const gamma_plan &plan, int64_t first, gamma_pair pair)
{
    uint32_t u[ga_philox32::words];
    ga_philox32::block(plan.source, plan.schedule, uint64_t(first), 2, u);
    GA_ROLLED
    for (int k = 0; k < 2; k++) {
        double unit = ga_random_positive(ga_random_word64(u + 2 * k));
        pair.value[k] *= ga_random_exp(plan.power * ga_random_log(unit));
    }
    return pair;
}

GA_FN_CALL double
draw_refused(const gamma_plan &plan, int64_t element)
{
    ga_draws draws = ga_draws_at(&plan.source, element);
    draws.again = 3;
    double x = ga_draws_large_gamma(&draws, plan.power > 0 ? plan.shape + 1 : plan.shape);
    return plan.power > 0 ? raise_pair(plan, element & ~int64_t(1), {{x, x}}).value[element & 1] : x;
}

GA_FN void
store_gamma(const gamma_plan &plan, int64_t element, double x)
{
    if (plan.single)
        static_cast<float *>(plan.dst)[element] = float(plan.factor * x);
    else
        static_cast<double *>(plan.dst)[element] = plan.factor * x;
}

/* The block's elements that were refused, in any order. */
struct gamma_refusals {
    uint32_t count;
    uint16_t element[2 * gamma_piece]; /* from the block's first one on */
};

template <class R>
GA_FN void
note_refused(R *refusals, int64_t element)
{
    uint32_t place;
    if constexpr (GA_BLOCK > 1)
        place = atomicAdd(&refusals->count, 1u);
    else
        place = refusals->count++;
    refusals->element[place] = uint16_t(element);
}

GA_KERNEL
random_gamma(GA_PARAM gamma_plan plan)
{
    GA_AWAIT();
    GA_SHARED gamma_refusals refusals;
    int64_t begin = GA_BLOCK_ID * gamma_piece, all = (plan.size + 1) / 2;
    int64_t end = begin + gamma_piece < all ? begin + gamma_piece : all;
    if (GA_THREAD == 0)
        refusals.count = 0;
    GA_SYNC();
    for (int64_t i = begin + GA_THREAD; i < end; i += GA_BLOCK) {
        gamma_pair pair = try_pair(plan, 2 * i);
        bool refused[2] = {pair.value[0] < 0, pair.value[1] < 0};
        if (plan.power > 0)
            pair = raise_pair(plan, 2 * i, pair);
        GA_UNROLL
        for (int k = 0; k < 2 && 2 * i + k < plan.size; k++) {
            if (refused[k])
                note_refused(&refusals, 2 * (i - begin) + k);
            else
                store_gamma(plan, 2 * i + k, pair.value[k]);
        }
    }
    GA_SYNC();
    for (uint32_t k = GA_THREAD; k < refusals.count; k += GA_BLOCK) {
        int64_t element = 2 * begin + refusals.element[k];
        store_gamma(plan, element, draw_refused(plan, element));
    }
}

/* As ga_gamma_prepare, on the host. */
static ga_gamma_constants
prepare_constants(double shape)
{
    double b = shape - 1.0 / 3;
    return {b, 1 / sqrt(9 * b)};
}

bool
ga_random_is_gamma(const ga_random_call *call)
{
    double shape = call->parameters[0].value.d;
    bool ours = call->op == GA_RANDOM_gamma || call->op == GA_RANDOM_chisquare;
    bool same = !call->parameters[0].data && !call->parameters[1].data && !call->source.wide;
    return ours && same && shape > 0 && shape < 0x1p1000;
}

int
ga_random_gamma(const ga_random_call *call, ga_stream *stream)
{
    bool halved = call->op == GA_RANDOM_chisquare;
    double given = call->parameters[0].value.d, shape = halved ? given / 2 : given;
    gamma_plan plan = {call->source,
                       ga_philox32::expand(call->source),
                       ga_random_known_series(),
                       prepare_constants(shape < 1 ? shape + 1 : shape),
                       call->size,
                       shape,
                       halved ? 2 : call->parameters[1].value.d,
                       shape < 1 ? 1 / shape : 0,
                       call->dst,
                       call->dtype == GA_f32};
    int64_t pairs = (call->size + 1) / 2;
    return ga_launch(random_gamma, (pairs + gamma_piece - 1) / gamma_piece, stream, plan);
}
