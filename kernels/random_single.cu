/* Distributions of which a number is a function of its parameters and one block of random bits: of the exponential
 * number in its first word, of the normal one in both, or of uniform numbers. Owns ga_random_single,
 * ga_random_is_single. Includes random_discrete.cuh, random_parameters.cuh and random_parts.h. */
#include "random_discrete.cuh"
#include "random_parameters.cuh"
#include "random_parts.h"

/* Elements of a block. */
static const int64_t single_piece = 1024;

template <class G> struct single_plan {
    typename G::schedule schedule;
    ga_random_series series;
};

/* The number in (0, 1) or beyond whose logarithm an operation begins with. */
GA_FN double
find_first(enum ga_random_op op, uint64_t word)
{
    double unit = ga_random_open_unit(word);
    return op == GA_RANDOM_logistic ? unit / (1 - unit) : ga_random_positive(op == GA_RANDOM_laplace ? word << 1 : word);
}

GA_FN double
draw_triangular(double left, double mode, double right, double u)
{
    double base = right - left, rising = mode - left;
    if (u <= rising / base)
        return left + sqrt(u * (rising * base));
    return right - sqrt((1 - u) * ((right - mode) * base));
}

/* LK of Kemp, "Efficient generation of logarithmically distributed pseudo-random variables"
 * (1981). */
GA_FN double
draw_logseries(double p, double v, double u)
{
    if (v >= p)
        return 1;
    double q = -ga_random_expm1(ga_random_log1p(-p) * u);
    if (v <= q * q)
        return floor(1 + ga_random_log(v) / ga_random_log(q));
    return v >= q ? 1 : 2;
}

/* Of uniform numbers. */
GA_FN double
draw_uniformly(enum ga_random_op op, uint64_t first, uint64_t second, const element_parameters &p,
               const ga_random_series &series)
{
    if (op == GA_RANDOM_triangular)
        return draw_triangular(p.value[0], p.value[1], p.value[2], ga_random_open_unit(first));
    if (op == GA_RANDOM_logseries)
        return draw_logseries(p.value[0], ga_random_open_unit(first), ga_random_open_unit(second));
    ga_pair<double, double> at = ga_random_direction(first, series);
    return at.first / at.second;
}

/* Of an exponential number, counted in steps of -log(1 - p). */
GA_FN double
count_steps(double p, double e)
{
    if (p >= 1)
        return 1;
    double steps = ceil(e / -ga_random_log1p(-p));
    return steps < 1 ? 1 : steps;
}

/* Bailey, "Polar generation of random variates with the t-distribution" (1994): as Box and Muller's normal numbers,
 * with another radius. */
GA_FN double
draw_standard_t(double df, double e, uint64_t word, const ga_random_series &series)
{
    return sqrt(df * ga_random_expm1(2 / df * e)) * ga_random_direction(word, series).second;
}

GA_FN double
draw_single(enum ga_random_op op, uint64_t first, uint64_t second, const element_parameters &p,
            const ga_random_series &series)
{
    const double a = p.value[0], b = p.value[1];
    if (op == GA_RANDOM_triangular || op == GA_RANDOM_logseries || op == GA_RANDOM_cauchy)
        return draw_uniformly(op, first, second, p, series);
    double logarithm = ga_random_log_normal(find_first(op, first), series);
    double e = 0.0 - logarithm; /* no negative zero */
    switch (op) {
    case GA_RANDOM_laplace:
        return first >> 63 ? a - -b * logarithm : a + -b * logarithm;
    case GA_RANDOM_logistic:
        return a + b * logarithm;
    case GA_RANDOM_lognormal:
        return ga_random_exp(a + b * (sqrt(-2.0 * logarithm) * ga_random_direction(second, series).first));
    case GA_RANDOM_standard_t:
        return draw_standard_t(a, e, second, series);
    case GA_RANDOM_gumbel:
        return a - b * ga_random_log(e);
    case GA_RANDOM_pareto:
        return ga_random_expm1(e / a);
    case GA_RANDOM_power:
        return ga_random_power(-ga_random_expm1(-e), 1 / a);
    case GA_RANDOM_rayleigh:
        return a * sqrt(2 * e);
    case GA_RANDOM_geometric:
        return count_steps(a, e);
    default: /* weibull */
        return a == 0 ? 0 : ga_random_power(e, 1 / a);
    }
}

GA_FN void
store_single(const ga_random_call &call, int64_t i, double x)
{
    if (call.dtype == GA_f64)
        static_cast<double *>(call.dst)[i] = x;
    else if (call.dtype == GA_f32)
        static_cast<float *>(call.dst)[i] = float(x);
    else
        static_cast<int64_t *>(call.dst)[i] = x == x ? ga_draw_whole(x) : INT64_MIN;
}

/* Whether an element's parameters are good, and numbers. */
GA_FN bool
has_number(const random_judge &judge, const element_parameters &p)
{
    bool known = p.value[0] == p.value[0] && p.value[1] == p.value[1] && p.value[2] == p.value[2];
    return examine_parameters(judge, p.value[0], p.value[1], p.value[2]) && known;
}

/* A number is stored whatever its parameters are; a thread that has met some that are not plain goes over its elements
 * again, so that the calls of the examination cost the others nothing. NaN, or of integers the smallest, is what they
 * are without a number. */
template <class G>
GA_KERNEL
random_single(GA_PARAM single_plan<G> plan, GA_PARAM ga_random_call call, GA_PARAM random_judge judge)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * single_piece;
    int64_t last = first + single_piece < call.size ? first + single_piece : call.size;
    bool plain = true;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        element_parameters p = read_parameters(call, i);
        uint32_t w[G::words];
        G::block(call.source, plan.schedule, uint64_t(call.first + i), 0, w);
        store_single(call, i, draw_single(call.op, ga_random_word64(w), ga_random_word64(w + 2), p, plan.series));
        plain &= are_plain(judge, p);
    }
    if (plain)
        return;
    GA_ROLLED
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        element_parameters p = read_parameters(call, i);
        if (!are_plain(judge, p) && !has_number(judge, p))
            store_single(call, i, ga_nan<double>);
    }
}

template <class G>
static int
launch_single(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    single_plan<G> plan = {G::expand(call->source), ga_random_known_series()};
    return ga_launch(random_single<G>, (call->size + single_piece - 1) / single_piece, stream, plan, *call, *judge);
}

bool
ga_random_is_single(const ga_random_call *call)
{
    switch (call->op) {
    case GA_RANDOM_standard_t:
    case GA_RANDOM_gumbel:
    case GA_RANDOM_laplace:
    case GA_RANDOM_logistic:
    case GA_RANDOM_lognormal:
    case GA_RANDOM_pareto:
    case GA_RANDOM_power:
    case GA_RANDOM_rayleigh:
    case GA_RANDOM_cauchy:
    case GA_RANDOM_triangular:
    case GA_RANDOM_weibull:
    case GA_RANDOM_geometric:
    case GA_RANDOM_logseries:
        return true;
    default:
        return false;
    }
}

int
ga_random_single(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    return call->source.wide ? launch_single<ga_philox64>(call, judge, stream)
                             : launch_single<ga_philox32>(call, judge, stream);
}
