/* Fills with random numbers: uniform, normal, exponential, integers. Owns ga_random_run.
 *
 * The other operations stand in random_scaled.cu, random_elements.cu, random_poisson.cu, random_gamma.cu,
 * random_table.cu, random_rows.cu, random_order.cu and random_short_orders.cu. Includes random_fill.cuh,
 * random_judge.h, random_parts.h and slots.h. */
#include "random_fill.cuh"
#include "random_judge.h"
#include "random_parts.h"
#include "slots.h"

template <class T, int bits>
static int
fill_integers32(const ga_random_call *call, uint64_t width, ga_stream *stream)
{
    uint32_t threshold = uint32_t(((uint64_t(1) << bits) - width) % width);
    ga_random_integer32<T, bits> kind = {T(call->parameters[0].value.u), width, threshold};
    return fill_with(call, kind, stream);
}

/* Of a range that bytes do not divide into evenly, one byte in five would be refused, and a warp waits for all of
 * its threads; so our own generator takes two bytes a number. */
static int
fill_bytes(const ga_random_call *call, uint64_t width, ga_stream *stream)
{
    if (call->source.wide || 256 % width == 0)
        return fill_integers32<uint8_t, 8>(call, width, stream);
    uint32_t threshold = uint32_t(65536 % width);
    ga_random_integer32<uint8_t, 16> kind = {uint8_t(call->parameters[0].value.u), width, threshold};
    return launch_fill<ga_philox32>(call, kind, stream);
}

/* The width of the word that a number is made of follows NumPy. */
static int
fill_integers(const ga_random_call *call, ga_stream *stream)
{
    uint64_t low = call->parameters[0].value.u, width = call->parameters[1].value.u;
    switch (call->dtype) {
    case GA_b1:
        return fill_with(call, ga_random_bit{}, stream);
    case GA_i8:
    case GA_u8:
        return fill_bytes(call, width, stream);
    case GA_i16:
    case GA_u16:
        return fill_integers32<uint16_t, 16>(call, width, stream);
    case GA_i32:
    case GA_u32:
        return fill_integers32<uint32_t, 32>(call, width, stream);
    case GA_i64:
    case GA_u64:
        if (width != 0 && width <= uint64_t(1) << 32)
            return fill_integers32<uint64_t, 32>(call, width, stream);
        return fill_with(call, ga_random_integer64{low, width, width ? -width % width : 0},
                         stream);
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "random: integers have no dtype %d", int(call->dtype));
    }
}

static int
fill_float32(const ga_random_call *call, double offset, double factor, ga_stream *stream)
{
    switch (call->op) {
    case GA_RANDOM_uniform:
        return fill_with(call, ga_random_uniform32{}, stream);
    case GA_RANDOM_normal:
        return fill_with(call, ga_random_normal32{}, stream);
    default:
        return fill_with(call, ga_random_exponential<float>{offset, factor, ga_random_known_series()}, stream);
    }
}

static int
fill_float64(const ga_random_call *call, double offset, double factor, ga_stream *stream)
{
    switch (call->op) {
    case GA_RANDOM_uniform:
        return fill_with(call, ga_random_uniform64{offset, factor}, stream);
    case GA_RANDOM_normal:
        return fill_with(call, ga_random_normal64{offset, factor, ga_random_known_series()}, stream);
    default:
        return fill_with(call, ga_random_exponential<double>{offset, factor, ga_random_known_series()}, stream);
    }
}

static int
fill_floats(const ga_random_call *call, ga_stream *stream)
{
    double offset = call->parameters[0].value.d, factor = call->parameters[1].value.d;
    if (call->dtype == GA_f32)
        return fill_float32(call, offset, factor, stream);
    if (call->dtype == GA_f64)
        return fill_float64(call, offset, factor, stream);
    return ga_kernel_fail(GA_ERR_TYPE, "random: no such numbers of dtype %d", int(call->dtype));
}

/* Operations by element, whose parameters may have to be judged. */
static int
run_judged(const ga_random_call *call, ga_stream *stream)
{
    random_judge judge;
    if (ga_random_appoint(call, stream, &judge))
        return -1;
    bool scaled = call->op < GA_RANDOM_gamma;
    int status = scaled ? ga_random_scaled(call, &judge, stream) : ga_random_elements(call, &judge, stream);
    return status ? status : ga_random_settle(call, &judge, stream);
}

int
ga_random_run(const ga_random_call *call, ga_stream *stream)
{
    if (call->op == GA_RANDOM_integers)
        return fill_integers(call, stream);
    if (call->op < GA_RANDOM_integers)
        return fill_floats(call, stream);
    if (call->op == GA_RANDOM_order)
        return ga_random_order(call, stream);
    if (call->op >= GA_RANDOM_multinomial)
        return ga_random_rows(call, stream);
    return run_judged(call, stream);
}
