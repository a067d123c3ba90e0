/* Distributions element by element: two kernels, which differ in what they compute, not in types, and one for
 * rejection methods. Owns ga_random_elements.
 *
 * A parameter that is the same for all travels in the launch, and where all are, gamma and discrete distributions have
 * ways of their own. Includes random_continuous.cuh, random_discrete.cuh, random_parameters.cuh and random_parts.h. */
#include "random_continuous.cuh"
#include "random_discrete.cuh"
#include "random_parameters.cuh"
#include "random_parts.h"

/* Elements of a block. */
static const int64_t elements_piece = 1024;

GA_KERNEL
random_continuous(GA_PARAM ga_random_call call, GA_PARAM random_judge judge)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * elements_piece;
    int64_t last = first + elements_piece < call.size ? first + elements_piece : call.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        ga_draws draws = ga_draws_at(&call.source, call.first + i);
        element_parameters p = read_parameters(call, i);
        double x = ga_nan<double>;
        if (accept_parameters(judge, p))
            x = ga_draw_continuous(call.op, &draws, p.value[0], p.value[1], p.value[2]);
        if (call.dtype == GA_f32)
            static_cast<float *>(call.dst)[i] = float(x);
        else
            static_cast<double *>(call.dst)[i] = x;
    }
}

GA_KERNEL
random_discrete(GA_PARAM ga_random_call call, GA_PARAM random_judge judge)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * elements_piece;
    int64_t last = first + elements_piece < call.size ? first + elements_piece : call.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        ga_draws draws = ga_draws_at(&call.source, call.first + i);
        element_parameters p = read_parameters(call, i);
        int64_t x = INT64_MIN;
        if (accept_parameters(judge, p))
            x = ga_draw_discrete(call.op, &draws, p.value[0], p.value[1], p.value[2]);
        static_cast<int64_t *>(call.dst)[i] = x;
    }
}

/* ---- rejection with the same parameters for all ---- */

/* Elements of a block: a thread that has its number goes on to its next one while its neighbours still try, so that a
 * warp waits for the slowest thread once and not for each number. */
static const int64_t tries_piece = 4096;

/* Of a distribution: what follows from an element's parameters; and of those whose parameters may be arrays, whether
 * these are tried, and the number of those that are not. */
template <class Trial> struct trial_of;
template <> struct trial_of<ga_mises_trial> {
    GA_FN ga_mises_trial prepare(const element_parameters &p) { return ga_mises_prepare(p.value[0], p.value[1]); }
    GA_FN bool is_tried(const element_parameters &p) { return p.value[0] == p.value[0] && ga_mises_is_tried(p.value[1]); }
    GA_FN double
    draw_otherwise(ga_draws *d, const element_parameters &p)
    {
        return p.value[0] == p.value[0] && p.value[1] == p.value[1] ? ga_draw_vonmises(d, p.value[0], p.value[1]) : ga_nan<double>;
    }
};
template <> struct trial_of<ga_beta_trial> {
    GA_FN ga_beta_trial prepare(const element_parameters &p) { return ga_beta_prepare(p.value[0], p.value[1]); }
};
template <> struct trial_of<ga_poisson_trial> {
    GA_FN ga_poisson_trial prepare(const element_parameters &p) { return ga_poisson_prepare(p.value[0]); }
};
template <> struct trial_of<ga_zipf_trial> {
    GA_FN ga_zipf_trial prepare(const element_parameters &p) { return ga_zipf_prepare(p.value[0]); }
    GA_FN bool is_tried(const element_parameters &p) { return p.value[0] > 1 && p.value[0] < 1025; }
    GA_FN double draw_otherwise(ga_draws *, const element_parameters &p) { return p.value[0] >= 1025 ? 1 : ga_nan<double>; }
};

GA_FN void
store_number(const ga_random_call &call, int64_t i, double x)
{
    if (call.dtype == GA_f32)
        static_cast<float *>(call.dst)[i] = float(x);
    else if (call.dtype == GA_f64)
        static_cast<double *>(call.dst)[i] = x;
    else
        static_cast<int64_t *>(call.dst)[i] = x == x ? ga_draw_whole(x) : INT64_MIN;
}

template <class Trial>
GA_KERNEL
random_tries(GA_PARAM ga_random_call call)
{
    GA_AWAIT();
    const Trial trial = trial_of<Trial>::prepare(read_parameters(call, 0));
    int64_t first = GA_BLOCK_ID * tries_piece;
    int64_t last = first + tries_piece < call.size ? first + tries_piece : call.size;
    ga_draws draws = ga_draws_at(&call.source, call.first + first + GA_THREAD);
    for (int64_t i = first + GA_THREAD; i < last;) {
        double x;
        if (!trial.attempt(ga_draws_pair(&draws), &x))
            continue;
        store_number(call, i, x);
        i += GA_BLOCK;
        draws = ga_draws_at(&call.source, call.first + i);
    }
}

template <class Trial>
static int
launch_tries(const ga_random_call *call, ga_stream *stream)
{
    return ga_launch(random_tries<Trial>, (call->size + tries_piece - 1) / tries_piece, stream, *call);
}

/* ---- rejection with parameters of their own ---- */

/* Elements of a block: all are tried once, then those that were refused, and so on, by as many threads as it takes. */
static const int64_t rounds_piece = 2048;

struct refused_elements {
    uint32_t count[2];
    uint16_t element[2][rounds_piece]; /* of this round and of the next one, in any order */
};

template <class R>
GA_FN void
refuse_element(R *refused, int round, int64_t element)
{
    uint32_t place;
    if constexpr (GA_BLOCK > 1)
        place = atomicAdd(&refused->count[round], 1u);
    else
        place = refused->count[round]++;
    refused->element[round][place] = uint16_t(element);
}

template <class G> struct rounds_plan {
    typename G::schedule schedule;
};

/* One try of an element, whose number is stored where it is taken: number `again` of those that ga_draws would make. */
template <class G, class Trial>
GA_FN bool
try_element(const rounds_plan<G> &plan, const ga_random_call &call, int64_t i, const element_parameters &p, uint64_t again)
{
    uint32_t w[G::words];
    double x;
    G::block(call.source, plan.schedule, uint64_t(call.first + i), again, w);
    bool taken = trial_of<Trial>::prepare(p).attempt({ga_random_word64(w), ga_random_word64(w + 2)}, &x);
    if (taken)
        store_number(call, i, x);
    return taken;
}

template <class Trial>
GA_FN void
store_otherwise(const ga_random_call &call, int64_t i, const element_parameters &p, bool good)
{
    ga_draws draws = ga_draws_at(&call.source, call.first + i);
    store_number(call, i, good ? trial_of<Trial>::draw_otherwise(&draws, p) : ga_nan<double>);
}

template <class G, class Trial>
GA_KERNEL
random_rounds(GA_PARAM rounds_plan<G> plan, GA_PARAM ga_random_call call, GA_PARAM random_judge judge)
{
    GA_AWAIT();
    GA_SHARED refused_elements refused;
    int64_t first = GA_BLOCK_ID * rounds_piece;
    int64_t last = first + rounds_piece < call.size ? first + rounds_piece : call.size;
    if (GA_THREAD == 0)
        refused.count[0] = refused.count[1] = 0;
    GA_SYNC();
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        element_parameters p = read_parameters(call, i);
        bool good = accept_parameters(judge, p);
        if (!good || !trial_of<Trial>::is_tried(p))
            store_otherwise<Trial>(call, i, p, good);
        else if (!try_element<G, Trial>(plan, call, i, p, 0))
            refuse_element(&refused, 1, i - first);
    }
    GA_SYNC();
    GA_ROLLED
    for (uint64_t again = 1; refused.count[again % 2] > 0; again++) {
        int round = int(again % 2);
        for (uint32_t k = GA_THREAD; k < refused.count[round]; k += GA_BLOCK) {
            int64_t i = first + refused.element[round][k];
            if (!try_element<G, Trial>(plan, call, i, read_parameters(call, i), again))
                refuse_element(&refused, 1 - round, i - first);
        }
        GA_SYNC();
        if (GA_THREAD == 0)
            refused.count[round] = 0;
        GA_SYNC();
    }
}

template <class G, class Trial>
static int
launch_rounds(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    rounds_plan<G> plan = {G::expand(call->source)};
    int64_t blocks = (call->size + rounds_piece - 1) / rounds_piece;
    return ga_launch((random_rounds<G, Trial>), blocks, stream, plan, *call, *judge);
}

template <class Trial>
static int
run_rounds(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    return call->source.wide ? launch_rounds<ga_philox64, Trial>(call, judge, stream)
                             : launch_rounds<ga_philox32, Trial>(call, judge, stream);
}

/* ---- launches ---- */

/* Whether the call's numbers come by trials; then the launch's status. */
static bool
run_tries(const ga_random_call *call, ga_stream *stream, int *status)
{
    double a = call->parameters[0].value.d, b = call->parameters[1].value.d;
    for (const auto &parameter : call->parameters)
        if (parameter.data)
            return false;
    if (call->op == GA_RANDOM_poisson && a >= 10 && a <= 0x1p64)
        *status = launch_tries<ga_poisson_trial>(call, stream);
    else if (call->op == GA_RANDOM_zipf && a > 1 && a < 1025)
        *status = launch_tries<ga_zipf_trial>(call, stream);
    else if (call->op == GA_RANDOM_beta && a >= 0.125 && b >= 0.125 && a <= 1e6 && b <= 1e6)
        *status = launch_tries<ga_beta_trial>(call, stream);
    else if (call->op == GA_RANDOM_vonmises && fabs(a) < INFINITY && b >= 1e-8 && b <= 1e6)
        *status = launch_tries<ga_mises_trial>(call, stream);
    else
        return false;
    return true;
}

int
ga_random_elements(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    int64_t blocks = (call->size + elements_piece - 1) / elements_piece;
    bool discrete = call->op >= GA_RANDOM_poisson;
    bool fits = discrete ? call->dtype == GA_i64 || call->dtype == GA_u64
                         : call->dtype == GA_f32 || call->dtype == GA_f64;
    if (!fits)
        return ga_kernel_fail(GA_ERR_TYPE, "random: the distribution has no numbers of dtype %d",
                              int(call->dtype));
    int status = 0;
    if ((discrete && ga_random_table(call, stream, &status)) || run_tries(call, stream, &status))
        return status;
    if (ga_random_is_single(call))
        return ga_random_single(call, judge, stream);
    if (call->op == GA_RANDOM_poisson)
        return ga_random_each_poisson(call, judge, stream);
    if (call->op == GA_RANDOM_vonmises)
        return run_rounds<ga_mises_trial>(call, judge, stream);
    if (call->op == GA_RANDOM_zipf)
        return run_rounds<ga_zipf_trial>(call, judge, stream);
    if (discrete)
        return ga_launch(random_discrete, blocks, stream, *call, *judge);
    if (ga_random_is_gamma(call))
        return ga_random_gamma(call, stream);
    if (ga_random_is_each_gamma(call))
        return ga_random_each_gamma(call, judge, stream);
    return ga_launch(random_continuous, blocks, stream, *call, *judge);
}
