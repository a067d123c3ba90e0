/* Distributions element by element: two kernels, which differ in what they compute, not in types.
 * Owns ga_random_elements.
 *
 * Parameters are read through their strides, in C order of the result; one that is the same for
 * all travels in the launch, and where all are, gamma and discrete distributions have ways of their own. Includes random_continuous.cuh, random_discrete.cuh and
 * random_parts.h. */
#include "random_continuous.cuh"
#include "random_discrete.cuh"
#include "random_parts.h"

/* Elements of a block. */
static const int64_t elements_piece = 1024;

struct element_parameters {
    double value[GA_RANDOM_PARAMETERS];
};

GA_FN element_parameters
read_parameters(const ga_random_call &call, int64_t i)
{
    element_parameters p;
    int64_t offset[GA_RANDOM_PARAMETERS] = {0, 0, 0};
    GA_ROLLED
    for (int d = call.ndim - 1; d >= 0; d--) {
        int64_t rest = d > 0 ? i / call.shape[d] : 0, here = i - rest * call.shape[d];
        for (int k = 0; k < GA_RANDOM_PARAMETERS; k++)
            offset[k] += here * call.parameters[k].strides[d];
        i = rest;
    }
    GA_UNROLL
    for (int k = 0; k < GA_RANDOM_PARAMETERS; k++) {
        const char *data = static_cast<const char *>(call.parameters[k].data);
        p.value[k] = data ? *reinterpret_cast<const double *>(data + offset[k])
                          : call.parameters[k].value.d;
    }
    return p;
}

GA_KERNEL
random_continuous(GA_PARAM ga_random_call call)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * elements_piece;
    int64_t last = first + elements_piece < call.size ? first + elements_piece : call.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        ga_draws draws = ga_draws_at(&call.source, call.first + i);
        element_parameters p = read_parameters(call, i);
        double x = ga_draw_continuous(call.op, &draws, p.value[0], p.value[1], p.value[2]);
        if (call.dtype == GA_f32)
            static_cast<float *>(call.dst)[i] = float(x);
        else
            static_cast<double *>(call.dst)[i] = x;
    }
}

GA_KERNEL
random_discrete(GA_PARAM ga_random_call call)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * elements_piece;
    int64_t last = first + elements_piece < call.size ? first + elements_piece : call.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        ga_draws draws = ga_draws_at(&call.source, call.first + i);
        element_parameters p = read_parameters(call, i);
        static_cast<int64_t *>(call.dst)[i] =
            ga_draw_discrete(call.op, &draws, p.value[0], p.value[1], p.value[2]);
    }
}

int
ga_random_elements(const ga_random_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + elements_piece - 1) / elements_piece;
    bool discrete = call->op >= GA_RANDOM_poisson;
    bool fits = discrete ? call->dtype == GA_i64 || call->dtype == GA_u64
                         : call->dtype == GA_f32 || call->dtype == GA_f64;
    if (!fits)
        return ga_kernel_fail(GA_ERR_TYPE, "random: the distribution has no numbers of dtype %d",
                              int(call->dtype));
    int status = 0;
    if (discrete)
        return ga_random_table(call, stream, &status)
                   ? status
                   : ga_launch(random_discrete, blocks, stream, *call);
    if (ga_random_is_gamma(call))
        return ga_random_gamma(call, stream);
    return ga_launch(random_continuous, blocks, stream, *call);
}
