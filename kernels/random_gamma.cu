/* Gamma numbers, two at a time, and what is made of those of one shape: numbers of chi-square and F distributions,
 * central or not. Owns ga_random_gamma, ga_random_is_gamma, ga_random_each_gamma, ga_random_is_each_gamma.
 *
 * Elements 2 i and 2 i + 1 share the pair of normal numbers that the block at place 2 i makes, and
 * the block drawn there next, of which each takes a word for its rejection. What is refused is
 * drawn again at the element's own place, from the fourth block on, after all others of a block's
 * elements, so that no warp waits for a few; shapes below 1, which are those
 * of shape + 1 times a power of a uniform number, take the third for that. What a quotient has below
 * its line comes of a launch more, and what is squared of a normal number more for each element, from
 * other blocks of the same places. Elements with shapes of their own come from the same blocks. Includes
 * random_draws.cuh, random_parameters.cuh and random_parts.h. */
#include "random_draws.cuh"
#include "random_parameters.cuh"
#include "random_parts.h"

/* Pairs of a block. */
static const int64_t gamma_piece = 1024;

/* The blocks of a place that gamma numbers above a line, those below it and normal numbers begin with. */
static const uint64_t above_line = 0, below_line = 1u << 30, of_normals = 1u << 31;

/* What an element is drawn from. */
struct gamma_law {
    ga_gamma_constants constants;
    double shape, factor, power; /* power: 1 / shape of shapes below 1, else 0 */
};

struct gamma_plan {
    ga_random_source source;
    ga_philox32::schedule schedule;
    ga_random_series series;
    gamma_law law; /* of all, unless they have their own */
    int64_t size;
    double shift, scale; /* shifted: scale * (number + (normal + shift)^2) */
    void *dst;
    uint64_t line;
    bool single, shifted; /* single: float32 */
};

struct gamma_pair {
    double value[2];
};

/* Elements 2 i and 2 i + 1, -1 where refused. */
GA_FN gamma_pair
try_pair(const gamma_plan &plan, int64_t first, const gamma_law &one, const gamma_law &other)
{
    typedef ga_philox32 G;
    uint32_t w[G::words], u[G::words];
    G::block(plan.source, plan.schedule, uint64_t(first), plan.line, w);
    G::block(plan.source, plan.schedule, uint64_t(first), plan.line + 1, u);
    ga_pair<double, double> normals =
        ga_random_normals(ga_random_word64(w), ga_random_word64(w + 2), plan.series);
    return {{ga_gamma_try(one.constants, plan.series, normals.first, ga_random_positive(ga_random_word64(u))),
             ga_gamma_try(other.constants, plan.series, normals.second, ga_random_positive(ga_random_word64(u + 2)))}};
}

/* Times a uniform number to the power, where that is not 0: for shapes below 1. */
GA_FN_CALL gamma_pair
raise_pair(const gamma_plan &plan, int64_t first, gamma_pair pair, double power, double other)
{
    uint32_t u[ga_philox32::words];
    ga_philox32::block(plan.source, plan.schedule, uint64_t(first), plan.line + 2, u);
    GA_ROLLED
    for (int k = 0; k < 2; k++) {
        double unit = ga_random_positive(ga_random_word64(u + 2 * k)), mine = k == 0 ? power : other;
        if (mine > 0)
            pair.value[k] *= ga_random_exp(mine * ga_random_log(unit));
    }
    return pair;
}

GA_FN_CALL double
draw_refused(const gamma_plan &plan, const gamma_law &law, int64_t element)
{
    ga_draws draws = ga_draws_at(&plan.source, element);
    draws.again = plan.line + 3;
    double x = ga_draws_large_gamma(&draws, law.power > 0 ? law.shape + 1 : law.shape);
    gamma_pair both = {{x, x}};
    if (law.power > 0)
        both = raise_pair(plan, element & ~int64_t(1), both, law.power, law.power);
    return both.value[element & 1];
}

/* The normal numbers of elements 2 i and 2 i + 1. */
GA_FN gamma_pair
draw_normals(const gamma_plan &plan, int64_t first)
{
    uint32_t w[ga_philox32::words];
    ga_philox32::block(plan.source, plan.schedule, uint64_t(first), of_normals, w);
    ga_pair<double, double> normals =
        ga_random_normals(ga_random_word64(w), ga_random_word64(w + 2), plan.series);
    return {{normals.first, normals.second}};
}

/* `normal` is for numbers that are shifted. */
GA_FN void
store_gamma(const gamma_plan &plan, int64_t element, double x, double normal)
{
    double number = plan.law.factor * x, z = normal + plan.shift;
    double *to = static_cast<double *>(plan.dst) + element;
    if (plan.single)
        static_cast<float *>(plan.dst)[element] = float(number);
    else if (plan.line == below_line)
        *to /= number;
    else
        *to = plan.shifted ? plan.scale * (number + z * z) : number;
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
        gamma_pair pair = try_pair(plan, 2 * i, plan.law, plan.law);
        gamma_pair normals = plan.shifted ? draw_normals(plan, 2 * i) : gamma_pair{};
        bool refused[2] = {pair.value[0] < 0, pair.value[1] < 0};
        if (plan.law.power > 0)
            pair = raise_pair(plan, 2 * i, pair, plan.law.power, plan.law.power);
        GA_UNROLL
        for (int k = 0; k < 2 && 2 * i + k < plan.size; k++) {
            if (refused[k])
                note_refused(&refusals, 2 * (i - begin) + k);
            else
                store_gamma(plan, 2 * i + k, pair.value[k], normals.value[k]);
        }
    }
    GA_SYNC();
    for (uint32_t k = GA_THREAD; k < refusals.count; k += GA_BLOCK) {
        int64_t element = 2 * begin + refusals.element[k];
        double normal = plan.shifted ? draw_normals(plan, element & ~int64_t(1)).value[element & 1] : 0;
        store_gamma(plan, element, draw_refused(plan, plan.law, element), normal);
    }
}

/* ---- elements with shapes of their own ---- */

/* The law of an element: its shape and factor, which are a number of degrees of chi-square. */
GA_FN gamma_law
find_law(enum ga_random_op op, const element_parameters &p)
{
    double shape = op == GA_RANDOM_gamma ? p.value[0] : p.value[0] / 2, factor = op == GA_RANDOM_gamma ? p.value[1] : 2;
    return {ga_gamma_prepare(shape < 1 ? shape + 1 : shape), shape, factor, shape < 1 ? 1 / shape : 0};
}

GA_FN void
store_each(const ga_random_call &call, int64_t i, double x)
{
    if (call.dtype == GA_f32)
        static_cast<float *>(call.dst)[i] = float(x);
    else
        static_cast<double *>(call.dst)[i] = x;
}

/* Whether an element's number is drawn, by its law; else its number is stored, and elements beyond the end have none. */
GA_FN bool
begin_element(const ga_random_call &call, const random_judge &judge, int64_t i, gamma_law *law)
{
    *law = {{1, 1}, 1, 1, 0};
    if (i < 0 || i >= call.size)
        return false;
    element_parameters p = read_parameters(call, i);
    gamma_law own = find_law(call.op, p);
    if (!accept_parameters(judge, p))
        store_each(call, i, ga_nan<double>);
    else if (!(own.shape > 0) || own.shape == ga_infinity<double>)
        store_each(call, i, own.factor * own.shape);
    else {
        *law = own;
        return true;
    }
    return false;
}

GA_KERNEL
random_each_gamma(GA_PARAM gamma_plan plan, GA_PARAM ga_random_call call, GA_PARAM random_judge judge)
{
    GA_AWAIT();
    GA_SHARED gamma_refusals refusals;
    int64_t begin = call.first / 2 + GA_BLOCK_ID * gamma_piece, all = (call.first + call.size + 1) / 2;
    int64_t end = begin + gamma_piece < all ? begin + gamma_piece : all;
    if (GA_THREAD == 0)
        refusals.count = 0;
    GA_SYNC();
    for (int64_t i = begin + GA_THREAD; i < end; i += GA_BLOCK) {
        gamma_law law[2];
        bool drawn[2];
        GA_UNROLL
        for (int k = 0; k < 2; k++)
            drawn[k] = begin_element(call, judge, 2 * i + k - call.first, &law[k]);
        gamma_pair pair = try_pair(plan, 2 * i, law[0], law[1]);
        bool refused[2] = {pair.value[0] < 0, pair.value[1] < 0};
        if (law[0].power > 0 || law[1].power > 0)
            pair = raise_pair(plan, 2 * i, pair, law[0].power, law[1].power);
        GA_UNROLL
        for (int k = 0; k < 2; k++) {
            if (drawn[k] && refused[k])
                note_refused(&refusals, 2 * (i - begin) + k);
            else if (drawn[k])
                store_each(call, 2 * i + k - call.first, law[k].factor * pair.value[k]);
        }
    }
    GA_SYNC();
    for (uint32_t k = GA_THREAD; k < refusals.count; k += GA_BLOCK) {
        int64_t place = 2 * begin + refusals.element[k];
        gamma_law law = find_law(call.op, read_parameters(call, place - call.first));
        store_each(call, place - call.first, law.factor * draw_refused(plan, law, place));
    }
}

/* ---- launches ---- */

/* As ga_gamma_prepare, on the host. */
static ga_gamma_constants
prepare_constants(double shape)
{
    double b = shape - 1.0 / 3;
    return {b, 1 / sqrt(9 * b)};
}

/* A launch: numbers of `shape` times a factor. */
static gamma_plan
describe_gamma(const ga_random_call *call, uint64_t line, double shape, double factor)
{
    gamma_plan plan = {};
    plan.source = call->source;
    plan.schedule = ga_philox32::expand(call->source);
    plan.series = ga_random_known_series();
    plan.law = {prepare_constants(shape < 1 ? shape + 1 : shape), shape, factor, shape < 1 ? 1 / shape : 0};
    plan.size = call->size;
    plan.dst = call->dst;
    plan.line = line;
    plan.single = call->dtype == GA_f32;
    return plan;
}

static int
launch_gamma(const gamma_plan &plan, ga_stream *stream)
{
    int64_t pairs = (plan.size + 1) / 2;
    return ga_launch(random_gamma, (pairs + gamma_piece - 1) / gamma_piece, stream, plan);
}

/* Chi-square numbers times a scale; with more than one degree of freedom one of them takes the shift. */
static int
launch_chisquare(const ga_random_call *call, double df, double shift, double scale, ga_stream *stream)
{
    if (shift == 0)
        return launch_gamma(describe_gamma(call, above_line, df / 2, 2 * scale), stream);
    gamma_plan plan = describe_gamma(call, above_line, (df - 1) / 2, 2);
    plan.shifted = true;
    plan.shift = sqrt(shift);
    plan.scale = scale;
    return launch_gamma(plan, stream);
}

/* What lies there, over chi-square numbers. */
static int
launch_below(const ga_random_call *call, double df, ga_stream *stream)
{
    return launch_gamma(describe_gamma(call, below_line, df / 2, 2), stream);
}

static bool
is_shape(double x)
{
    return x > 0 && x < 0x1p1000;
}

static bool
is_degrees(double df, double shift)
{
    return is_shape(df) && (shift == 0 || (df > 1 && shift > 0 && shift < 0x1p1000));
}

static bool
has_arrays(const ga_random_call *call)
{
    bool any = false;
    for (const auto &parameter : call->parameters)
        any |= parameter.data != nullptr;
    return any;
}

bool
ga_random_is_gamma(const ga_random_call *call)
{
    double a = call->parameters[0].value.d, b = call->parameters[1].value.d, c = call->parameters[2].value.d;
    if (call->source.wide || has_arrays(call))
        return false;
    switch (call->op) {
    case GA_RANDOM_gamma:
    case GA_RANDOM_chisquare:
        return is_shape(a);
    case GA_RANDOM_f:
        return is_shape(a) && is_shape(b);
    case GA_RANDOM_noncentral_chisquare:
        return is_degrees(a, b);
    case GA_RANDOM_noncentral_f:
        return is_degrees(a, c) && is_shape(b);
    default:
        return false;
    }
}

int
ga_random_gamma(const ga_random_call *call, ga_stream *stream)
{
    double a = call->parameters[0].value.d, b = call->parameters[1].value.d, c = call->parameters[2].value.d;
    switch (call->op) {
    case GA_RANDOM_gamma:
        return launch_gamma(describe_gamma(call, above_line, a, b), stream);
    case GA_RANDOM_f:
        return launch_chisquare(call, a, 0, b / a, stream) || launch_below(call, b, stream) ? -1 : 0;
    case GA_RANDOM_noncentral_chisquare:
        return launch_chisquare(call, a, b, 1, stream);
    case GA_RANDOM_noncentral_f:
        return launch_chisquare(call, a, c, b / a, stream) || launch_below(call, b, stream) ? -1 : 0;
    default:
        return launch_chisquare(call, a, 0, 1, stream);
    }
}

bool
ga_random_is_each_gamma(const ga_random_call *call)
{
    return (call->op == GA_RANDOM_gamma || call->op == GA_RANDOM_chisquare) && !call->source.wide && has_arrays(call);
}

int
ga_random_each_gamma(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    gamma_plan plan = describe_gamma(call, above_line, 1, 1);
    int64_t pairs = (call->first + call->size + 1) / 2 - call->first / 2;
    return ga_launch(random_each_gamma, (pairs + gamma_piece - 1) / gamma_piece, stream, plan, *call, *judge);
}
