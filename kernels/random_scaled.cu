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

GA_FN double
scale_number(enum ga_random_op op, double x, const element_parameters &p)
{
    switch (op) {
    case GA_RANDOM_each_uniform:
        return p.value[0] + (p.value[1] - p.value[0]) * x;
    case GA_RANDOM_each_normal:
        return ga_random_fused(p.value[1], x, p.value[0]);
    default:
        return ga_random_fused(p.value[0], x, 0.0);
    }
}

GA_FN double
finish_number(const ga_random_call &call, const random_judge &judge, double x, const element_parameters &p)
{
    return accept_parameters(judge, p) ? scale_number(call.op, x, p) : ga_nan<double>;
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
finish_pair(const ga_random_call &call, const random_judge &judge, int64_t i, const double *x)
{
    scaled_pair a = read_pair(call, 0, i), b = read_pair(call, 1, i), out;
    GA_UNROLL
    for (int e = 0; e < 2; e++)
        out.value[e] = finish_number(call, judge, x[e], {{a.value[e], b.value[e], 0}});
    *reinterpret_cast<scaled_pair *>(static_cast<double *>(call.dst) + i) = out;
}

/* ---- kernel ---- */

template <class G, class K>
GA_KERNEL
random_scaled(GA_PARAM scaled_plan<G> plan, GA_PARAM ga_random_call call, GA_PARAM random_judge judge, K kind)
{
    GA_AWAIT();
    constexpr int count = random_elements<G, K>;
    int64_t begin = plan.fill.begin + GA_BLOCK_ID * random_piece;
    int64_t end = begin + random_piece < plan.fill.end ? begin + random_piece : plan.fill.end;
    double *dst = static_cast<double *>(call.dst);
    for (int64_t block = begin + GA_THREAD; block < end; block += GA_BLOCK) {
        double out[count];
        int64_t first = block * count - plan.fill.shift;
        uint32_t w[G::words];
        G::block(plan.fill.source, plan.fill.schedule, uint64_t(block), 0, w);
        make_elements<G>(plan.fill.source, uint64_t(block), kind, w, out);
        GA_UNROLL
        for (int e = 0; e < count; e += 2) {
            int64_t i = first + e;
            if (plan.paired && i >= 0 && i + 1 < call.size) {
                finish_pair(call, judge, i, out + e);
                continue;
            }
            GA_UNROLL
            for (int k = 0; k < 2; k++)
                if (i + k >= 0 && i + k < call.size)
                    dst[i + k] = finish_number(call, judge, out[e + k], read_parameters(call, i + k));
        }
    }
}

/* ---- launches ---- */

static bool
lies_paired(const ga_random_call *call)
{
    uintptr_t bits = reinterpret_cast<uintptr_t>(call->dst);
    for (const auto &parameter : call->parameters)
        if (parameter.data && parameter.strides[0] != 0)
            bits |= parameter.strides[0] == 8 ? reinterpret_cast<uintptr_t>(parameter.data) : 1;
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
