/* The numbers of a fill of float64, each with an offset and a factor of its own: uniform between limits, normal,
 * exponential. Owns ga_random_scaled.
 *
 * What a block of the generator gives is made as in a fill (random_fill.cuh), so that the numbers are those of a fill
 * whose parameters are numbers; then each is put where its parameters say. Elements whose parameters lie one after the
 * other go in pairs. Includes random_fill.cuh, random_parameters.cuh and random_parts.h. */
#include "random_fill.cuh"
#include "random_parameters.cuh"
#include "random_parts.h"

template <class G> struct scaled_plan {
    random_fill_plan<G> fill;
    bool paired; /* results and parameters lie so that two are one access */
};

struct alignas(16) scaled_pair {
    double value[2];
};

/* ---- what parameters make of a number ---- */

/* Offset and factor. */
GA_FN ga_pair<double, double>
find_scale(enum ga_random_op op, const element_parameters &p)
{
    bool alone = op == GA_RANDOM_each_exponential, between = op == GA_RANDOM_each_uniform;
    return {alone ? 0.0 : p.value[0], alone ? p.value[0] : between ? p.value[1] - p.value[0] : p.value[1]};
}

/* *plain becomes false where the factor is not plainly good: above 0 and finite is, whatever the operation. */
GA_FN double
scale_number(const ga_random_call &call, double x, const element_parameters &p, bool *plain)
{
    ga_pair<double, double> scale = find_scale(call.op, p);
    *plain &= scale.second > 0 && scale.second < ga_infinity<double>;
    return call.op == GA_RANDOM_each_uniform ? scale.first + scale.second * x : ga_random_fused(scale.second, x, scale.first);
}

/* Parameter k of elements i and i + 1, which lie together, or of all. */
GA_FN scaled_pair
read_pair(const ga_random_call &call, int k, int64_t i)
{
    const char *data = static_cast<const char *>(call.parameters[k].data);
    if (!data)
        return {{call.parameters[k].value.d, call.parameters[k].value.d}};
    if (call.parameters[k].strides[0] != 0)
        return *reinterpret_cast<const scaled_pair *>(data + i * 8);
    double one = *reinterpret_cast<const double *>(data);
    return {{one, one}};
}

GA_FN void
finish_pair(const ga_random_call &call, int64_t i, const double *x, bool *plain)
{
    scaled_pair a = read_pair(call, 0, i), b = read_pair(call, 1, i), out;
    GA_UNROLL
    for (int e = 0; e < 2; e++)
        out.value[e] = scale_number(call, x[e], {{a.value[e], b.value[e], 0}}, plain);
    *reinterpret_cast<scaled_pair *>(static_cast<double *>(call.dst) + i) = out;
}

/* The numbers of a block of the generator, of which the first is element `first`. */
template <int count>
GA_FN void
finish_block(const ga_random_call &call, bool paired, int64_t first, const double (&x)[count], bool *plain)
{
    double *dst = static_cast<double *>(call.dst);
    GA_UNROLL
    for (int e = 0; e < count; e += 2) {
        int64_t i = first + e;
        if (paired && i >= 0 && i + 1 < call.size) {
            finish_pair(call, i, x + e, plain);
            continue;
        }
        GA_UNROLL
        for (int k = 0; k < 2; k++)
            if (i + k >= 0 && i + k < call.size)
                dst[i + k] = scale_number(call, x[e + k], read_parameters(call, i + k), plain);
    }
}

/* NaN for those elements from `first` on whose parameters are bad. */
GA_FN void
refuse_bad(const ga_random_call &call, const random_judge &judge, int64_t first, int count)
{
    GA_ROLLED
    for (int64_t i = first; i < first + count; i++) {
        if (i < 0 || i >= call.size)
            continue;
        element_parameters p = read_parameters(call, i);
        if (!examine_parameters(judge, p.value[0], p.value[1], p.value[2]))
            static_cast<double *>(call.dst)[i] = ga_nan<double>;
    }
}

/* ---- kernel ---- */

/* A thread that has met a factor that is not plain goes over its elements again, so that the calls of the examination
 * cost the others nothing. */
template <class G, class K>
GA_KERNEL
random_scaled(GA_PARAM scaled_plan<G> plan, GA_PARAM ga_random_call call, GA_PARAM random_judge judge, K kind)
{
    GA_AWAIT();
    constexpr int count = random_elements<G, K>;
    int64_t begin = plan.fill.begin + GA_BLOCK_ID * random_piece;
    int64_t end = begin + random_piece < plan.fill.end ? begin + random_piece : plan.fill.end;
    bool plain = true;
    for (int64_t block = begin + GA_THREAD; block < end; block += GA_BLOCK) {
        double x[count];
        uint32_t w[G::words];
        G::block(plan.fill.source, plan.fill.schedule, uint64_t(block), 0, w);
        make_elements<G>(plan.fill.source, uint64_t(block), kind, w, x);
        finish_block(call, plan.paired, block * count - plan.fill.shift, x, &plain);
    }
    if (plain || judge.count == 0)
        return;
    GA_ROLLED
    for (int64_t block = begin + GA_THREAD; block < end; block += GA_BLOCK)
        refuse_bad(call, judge, block * count - plan.fill.shift, count);
}

/* ---- launches ---- */

static bool
lies_paired(const ga_random_call *call)
{
    uintptr_t bits = reinterpret_cast<uintptr_t>(call->dst);
    for (const auto &parameter : call->parameters)
        if (parameter.data && parameter.strides[0] != 0)
            bits |= parameter.strides[0] == 8 ? reinterpret_cast<uintptr_t>(parameter.data) : 1;
    for (int k = 0; k < GA_RANDOM_PARAMETERS; k++)
        bits |= call->parameters[k].data && call->types[k] != GA_f64 ? 1 : 0;
    return call->ndim <= 1 && bits % 16 == 0;
}

template <class G, class K>
static int
launch_scaled(const ga_random_call *call, const random_judge *judge, const K &kind, ga_stream *stream)
{
    constexpr int64_t a_block = random_elements<G, K>;
    scaled_plan<G> plan = {{call->source, G::expand(call->source), call->size, 0, 0, 0, call->dst}, false};
    plan.fill.shift = int64_t(call->source.skip) * 2 / K::words * K::elements + call->first;
    plan.fill.begin = plan.fill.shift / a_block;
    plan.fill.end = (call->size + plan.fill.shift + a_block - 1) / a_block;
    plan.paired = lies_paired(call) && plan.fill.shift % 2 == 0;
    int64_t grid = (plan.fill.end - plan.fill.begin + random_piece - 1) / random_piece;
    return ga_launch((random_scaled<G, K>), grid, stream, plan, *call, *judge, kind);
}

template <class K>
static int
scale_with(const ga_random_call *call, const random_judge *judge, const K &kind, ga_stream *stream)
{
    return call->source.wide ? launch_scaled<ga_philox64>(call, judge, kind, stream)
                             : launch_scaled<ga_philox32>(call, judge, kind, stream);
}

int
ga_random_scaled(const ga_random_call *call, const random_judge *judge, ga_stream *stream)
{
    if (call->dtype != GA_f64)
        return ga_kernel_fail(GA_ERR_TYPE, "random: no numbers of dtype %d have parameters of their own", int(call->dtype));
    switch (call->op) {
    case GA_RANDOM_each_uniform:
        return scale_with(call, judge, ga_random_uniform64{0, 1}, stream);
    case GA_RANDOM_each_normal:
        return scale_with(call, judge, ga_random_normal64{0, 1, ga_random_known_series()}, stream);
    default:
        return scale_with(call, judge, ga_random_exponential<double>{0, 1, ga_random_known_series()}, stream);
    }
}
