/* Discrete distributions with few likely values and the same parameters for all elements, by
 * inversion. Owns ga_random_table.
 *
 * A table on the host gives for each value the part of all 2^64 words that is not above it: the
 * word at an element's place is looked up by halving. Probabilities go up and down from the
 * likeliest value by the quotients of neighbours, as far as they are 2^-70 of the greatest; the
 * rest is left out. What rounding makes the sum differ from 1 by goes to the likeliest value. Host
 * code and kernel are the same on every device, and so are the numbers. Includes random_draws.cuh,
 * random_parts.h. */
#include "random_draws.cuh"
#include "random_parts.h"

#define TABLE_VALUES 1024

/* Elements of a block: many, since each block copies the table. */
static const int64_t table_piece = GA_BLOCK == 1 ? 65536 : 8192;

struct table_plan {
    ga_random_source source;
    ga_philox32::schedule schedule;
    int64_t size, lowest;
    int64_t *dst;
    int32_t count;
    uint64_t upto[TABLE_VALUES]; /* of the last value: not read */
};

/* ---- on the host ---- */

/* A distribution: the values that it may have, the likeliest one, and its parameters. */
struct table_law {
    enum ga_random_op op;
    double least, most, mode, a, b, c;
};

/* P(k + 1) / P(k). */
static double
quotient_at(const table_law &law, double k)
{
    switch (law.op) {
    case GA_RANDOM_poisson:
        return law.a / (k + 1);
    case GA_RANDOM_binomial:
        return (law.a - k) / (k + 1) * (law.b / (1 - law.b));
    case GA_RANDOM_negative_binomial:
        return (k + law.a) / (k + 1) * (1 - law.b);
    case GA_RANDOM_hypergeometric:
        return (law.a - k) / (k + 1) * ((law.c - k) / (law.b - law.c + k + 1));
    case GA_RANDOM_logseries:
        return law.a * (k / (k + 1));
    default: /* geometric */
        return 1 - law.a;
    }
}

/* False for operations that have no table. */
static bool
describe_law(const ga_random_call *call, table_law *law)
{
    double a = call->parameters[0].value.d, b = call->parameters[1].value.d, c = call->parameters[2].value.d;
    switch (call->op) {
    case GA_RANDOM_poisson:
        *law = {call->op, 0, INFINITY, floor(a), a, 0, 0};
        return a >= 0;
    case GA_RANDOM_binomial:
        a = floor(a);
        *law = {call->op, 0, a, floor((a + 1) * b), a, b, 0};
        return a >= 0 && b >= 0 && b <= 1;
    case GA_RANDOM_negative_binomial:
        *law = {call->op, 0, INFINITY, a > 1 ? floor((a - 1) * ((1 - b) / b)) : 0, a, b, 0};
        return a >= 0 && b > 0 && b <= 1;
    case GA_RANDOM_hypergeometric:
        *law = {call->op, c > b ? c - b : 0, a < c ? a : c, floor((c + 1) * ((a + 1) / (a + b + 2))), a, b, c};
        return a >= 0 && b >= 0 && c >= 0 && c <= a + b;
    case GA_RANDOM_geometric:
    case GA_RANDOM_logseries:
        *law = {call->op, 1, INFINITY, 1, a, 0, 0};
        return a >= 0 && a <= 1;
    default:
        return false;
    }
}

/* Probabilities in relation to the mode's, and where they begin. */
struct table_weights {
    double weight[TABLE_VALUES], lowest;
    int count, mode;
};

/* False where there are too many. */
static bool
weigh_values(const table_law &law, table_weights *t)
{
    double down[TABLE_VALUES], mode = law.mode < law.least ? law.least : law.mode > law.most ? law.most : law.mode;
    const double negligible = 0x1p-70;
    int below = 0;
    if (!(mode < 0x1p52))
        return false;
    for (double k = mode - 1, p = 1; k >= law.least; k--, below++) {
        p /= quotient_at(law, k);
        if (!(p > negligible))
            break;
        if (below == TABLE_VALUES - 1)
            return false;
        down[below] = p;
    }
    *t = {{}, mode - below, below, below};
    for (int i = 0; i < below; i++)
        t->weight[i] = down[below - 1 - i];
    double p = 1;
    for (double k = mode; p > negligible && k <= law.most; p *= quotient_at(law, k++)) {
        if (t->count == TABLE_VALUES)
            return false;
        t->weight[t->count++] = p;
    }
    return true;
}

/* The words that are not above each value. */
static void
cumulate_weights(const table_weights &t, uint64_t upto[TABLE_VALUES])
{
    double sum = 0;
    for (int i = 0; i < t.count; i++)
        sum += t.weight[i];
    uint64_t words[TABLE_VALUES], all = 0; /* modulo 2^64 */
    for (int i = 0; i < t.count; i++) {
        double part = t.weight[i] / sum * 0x1p64;
        words[i] = part < 0x1p64 ? uint64_t(part) : UINT64_MAX;
        all += words[i];
    }
    words[t.mode] -= all;
    all = 0;
    for (int i = 0; i < t.count; i++)
        upto[i] = all += words[i];
}

/* ---- kernel ---- */

GA_FN uint64_t
draw_table_word(const table_plan &plan, int64_t place)
{
    uint32_t w[ga_philox32::words];
    if (plan.source.wide) {
        ga_draws draws = ga_draws_at(&plan.source, place);
        return ga_draws_word(&draws);
    }
    ga_philox32::block(plan.source, plan.schedule, uint64_t(place), 0, w);
    return ga_random_word64(w);
}

GA_FN int
find_value(const uint64_t *upto, int count, uint64_t word)
{
    int first = 0;
    GA_ROLLED
    while (count > 1) {
        int half = count / 2;
        first += upto[first + half - 1] <= word ? half : 0;
        count -= half;
    }
    return first;
}

GA_KERNEL
random_table(GA_PARAM table_plan plan)
{
    GA_AWAIT();
    GA_SHARED uint64_t upto[TABLE_VALUES];
    int64_t begin = GA_BLOCK_ID * table_piece;
    int64_t end = begin + table_piece < plan.size ? begin + table_piece : plan.size;
    for (int i = GA_THREAD; i < plan.count; i += GA_BLOCK)
        upto[i] = plan.upto[i];
    GA_SYNC();
    for (int64_t i = begin + GA_THREAD; i < end; i += GA_BLOCK)
        plan.dst[i] = plan.lowest + find_value(upto, plan.count, draw_table_word(plan, i));
}

bool
ga_random_table(const ga_random_call *call, ga_stream *stream, int *status)
{
    table_law law;
    table_weights weights;
    table_plan plan;
    for (int k = 0; k < GA_RANDOM_PARAMETERS; k++)
        if (call->parameters[k].data)
            return false;
    if (!describe_law(call, &law) || !weigh_values(law, &weights))
        return false;
    plan.source = call->source;
    plan.schedule = ga_philox32::expand(call->source);
    plan.size = call->size;
    plan.lowest = int64_t(weights.lowest);
    plan.dst = static_cast<int64_t *>(call->dst);
    plan.count = weights.count;
    cumulate_weights(weights, plan.upto);
    *status = ga_launch(random_table, (call->size + table_piece - 1) / table_piece, stream, plan);
    return true;
}
