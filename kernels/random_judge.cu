/* NumPy's demands on the parameters of random numbers, in its words and its order. Owns
 * ga_random_appoint, ga_random_settle. Includes random_judge.h. */
#include "random_judge.h"

#include <math.h>
#include <string.h>

#include <atomic>

struct interval {
    double low, high;
    bool takes_nan;
};

static const double least = 4.9406564584124654e-324, most_below_one = 1 - 0x1p-53, least_above_one = 1 + 0x1p-52;
/* INT64_MAX - 10 sqrt(INT64_MAX), as NumPy has it. */
static const double most_mean = 9.223372006484771e18, most_sort = 999999999;

static const interval not_negative = {0.0, INFINITY, true}, positive = {least, INFINITY, true},
                      known = {-INFINITY, INFINITY, false}, probability = {-0.0, 1, false}, not_below = {-0.0, INFINITY, true},
                      above_zero = {least, 1, false}, below_one = {-0.0, most_below_one, false},
                      above_one = {least_above_one, INFINITY, false}, within = {-1.7976931348623157e308, 1.7976931348623157e308, false};

static const int generator = GA_RANDOM_GENERATOR, legacy = GA_RANDOM_LEGACY, both = generator | legacy;

struct demand_row {
    enum ga_random_op op;
    int whose;
    enum random_subject subject;
    interval taken;
    const char *words;
    enum ga_status status = GA_ERR_VALUE;
};

static const demand_row rows[] = {
    {GA_RANDOM_each_uniform, both, RANDOM_FIRST_STEP, within, "Range exceeds valid bounds", GA_ERR_OVERFLOW},
    {GA_RANDOM_each_uniform, generator, RANDOM_FIRST_STEP, not_negative, "high - low < 0"},
    {GA_RANDOM_each_normal, both, RANDOM_SECOND, not_negative, "scale < 0"},
    {GA_RANDOM_each_exponential, both, RANDOM_FIRST, not_negative, "scale < 0"},
    {GA_RANDOM_gamma, both, RANDOM_FIRST, not_negative, "shape < 0"},
    {GA_RANDOM_gamma, both, RANDOM_SECOND, not_negative, "scale < 0"},
    {GA_RANDOM_beta, both, RANDOM_FIRST, positive, "a <= 0"},
    {GA_RANDOM_beta, both, RANDOM_SECOND, positive, "b <= 0"},
    {GA_RANDOM_chisquare, both, RANDOM_FIRST, positive, "df <= 0"},
    {GA_RANDOM_f, both, RANDOM_FIRST, positive, "dfnum <= 0"},
    {GA_RANDOM_f, both, RANDOM_SECOND, positive, "dfden <= 0"},
    {GA_RANDOM_noncentral_chisquare, both, RANDOM_FIRST, positive, "df <= 0"},
    {GA_RANDOM_noncentral_chisquare, both, RANDOM_SECOND, not_negative, "nonc < 0"},
    {GA_RANDOM_noncentral_f, both, RANDOM_FIRST, positive, "dfnum <= 0"},
    {GA_RANDOM_noncentral_f, both, RANDOM_SECOND, positive, "dfden <= 0"},
    {GA_RANDOM_noncentral_f, both, RANDOM_THIRD, not_negative, "nonc < 0"},
    {GA_RANDOM_standard_t, both, RANDOM_FIRST, positive, "df <= 0"},
    {GA_RANDOM_gumbel, both, RANDOM_SECOND, not_negative, "scale < 0"},
    {GA_RANDOM_laplace, both, RANDOM_SECOND, not_negative, "scale < 0"},
    {GA_RANDOM_logistic, both, RANDOM_SECOND, not_negative, "scale < 0"},
    {GA_RANDOM_lognormal, both, RANDOM_SECOND, not_negative, "sigma < 0"},
    {GA_RANDOM_pareto, both, RANDOM_FIRST, positive, "a <= 0"},
    {GA_RANDOM_power, both, RANDOM_FIRST, positive, "a <= 0"},
    {GA_RANDOM_rayleigh, both, RANDOM_FIRST, not_negative, "scale < 0"},
    {GA_RANDOM_triangular, both, RANDOM_FIRST_STEP, not_below, "left > mode"},
    {GA_RANDOM_triangular, both, RANDOM_SECOND_STEP, not_below, "mode > right"},
    {GA_RANDOM_triangular, both, RANDOM_WIDTH, positive, "left == right"},
    {GA_RANDOM_vonmises, both, RANDOM_SECOND, not_negative, "kappa < 0"},
    {GA_RANDOM_wald, both, RANDOM_FIRST, positive, "mean <= 0"},
    {GA_RANDOM_wald, both, RANDOM_SECOND, positive, "scale <= 0"},
    {GA_RANDOM_weibull, both, RANDOM_FIRST, not_negative, "a < 0"},
    {GA_RANDOM_poisson, both, RANDOM_FIRST, {-INFINITY, most_mean, false}, "lam value too large"},
    {GA_RANDOM_poisson, both, RANDOM_FIRST, not_below, "lam < 0 or lam contains NaNs"},
    {GA_RANDOM_binomial, both, RANDOM_FIRST, not_below, "n < 0"},
    {GA_RANDOM_binomial, both, RANDOM_SECOND, probability, "p < 0, p > 1 or p contains NaNs"},
    {GA_RANDOM_negative_binomial, generator, RANDOM_FIRST, known, "n must not be NaN"},
    {GA_RANDOM_negative_binomial, both, RANDOM_FIRST, positive, "n <= 0"},
    {GA_RANDOM_negative_binomial, legacy, RANDOM_SECOND, probability, "p < 0, p > 1 or p contains NaNs"},
    {GA_RANDOM_negative_binomial, generator, RANDOM_SECOND, above_zero, "p <= 0, p > 1 or p contains NaNs"},
    {GA_RANDOM_negative_binomial, generator, RANDOM_POISSON_MEAN, {-INFINITY, most_mean, true},
     "n too large or p too small, see Generator.negative_binomial Notes"},
    {GA_RANDOM_geometric, both, RANDOM_FIRST, above_zero, "p <= 0, p > 1 or p contains NaNs"},
    {GA_RANDOM_hypergeometric, generator, RANDOM_FIRST, {-INFINITY, most_sort, true},
     "both ngood and nbad must be less than 1000000000"},
    {GA_RANDOM_hypergeometric, generator, RANDOM_SECOND, {-INFINITY, most_sort, true},
     "both ngood and nbad must be less than 1000000000"},
    {GA_RANDOM_hypergeometric, both, RANDOM_LEFT, not_below, "ngood + nbad < nsample"},
    {GA_RANDOM_hypergeometric, both, RANDOM_FIRST, not_below, "ngood < 0"},
    {GA_RANDOM_hypergeometric, both, RANDOM_SECOND, not_below, "nbad < 0"},
    {GA_RANDOM_hypergeometric, generator, RANDOM_THIRD, not_below, "nsample < 0"},
    {GA_RANDOM_hypergeometric, legacy, RANDOM_THIRD, {1, INFINITY, true}, "nsample < 1 or nsample contains NaNs"},
    {GA_RANDOM_logseries, both, RANDOM_FIRST, below_one, "p < 0, p >= 1 or p contains NaNs"},
    {GA_RANDOM_zipf, both, RANDOM_FIRST, above_one, "a <= 1 or a contains NaNs"},
};

static const char *const names[] = {
#define GA_RANDOM_NAME(name, parameters) #name,
    GA_RANDOM_OPS(GA_RANDOM_NAME)
#undef GA_RANDOM_NAME
};

/* Larger numbers are larger; the kernels' own is in random_parameters.cuh. */
static int64_t
order_limit(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

/* Limits within those of all demands. A zero has a sign, and is looked at. */
static random_plain
find_plain(const random_judge &judge, const interval *taken)
{
    random_plain plain = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}, true};
    for (int k = 0; k < judge.count; k++) {
        int subject = judge.demands[k].subject;
        if (subject > RANDOM_THIRD) {
            plain.known = false;
            break;
        }
        double low = taken[k].low == 0 ? 0 : nextafter(taken[k].low, -INFINITY);
        plain.above[subject] = fmax(plain.above[subject], low);
        plain.upto[subject] = fmin(plain.upto[subject], taken[k].high);
    }
    return plain;
}

static const char *
name_method(enum ga_random_op op)
{
    return names[op] + (strncmp(names[op], "each_", 5) == 0 ? 5 : 0);
}

int
ga_random_appoint(const ga_random_call *call, ga_stream *stream, random_judge *judge)
{
    static std::atomic<uint64_t> calls;
    interval taken[RANDOM_DEMANDS];
    judge->count = 0;
    for (const demand_row &row : rows) {
        if (row.op != call->op || !(row.whose & int(call->judge)))
            continue;
        taken[judge->count] = row.taken;
        judge->demands[judge->count++] = {order_limit(row.taken.low), order_limit(row.taken.high), row.words,
                                              int32_t(row.status), uint8_t(row.subject), row.taken.takes_nan};
    }
    judge->plain = find_plain(*judge, taken);
    if (judge->count == 0)
        return 0;
    judge->function = name_method(call->op);
    judge->call = ++calls;
    return ga_fault_record(stream, &judge->fault);
}

int
ga_random_settle(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    if (judge->count == 0)
        return 0;
    return call->size <= GA_RANDOM_AWAITED ? ga_fault_await(stream, call->dst, judge->call) : ga_fault_settle(stream);
}
