/* Coefficients of the splines through values: recursive filters along an axis, one thread a line,
 * in place. Owns ga_spline_run.
 *
 * For each pole z of the inverse filter a line is run through forwards, c[i] += z c[i - 1], and
 * backwards, c[i] = z (c[i + 1] - c[i]); see Unser, Aldroubi, Eden (1991). How the line goes on
 * behind its ends decides how each run begins: as a sum over one period, which ends early where
 * powers of z are spent. Includes border.cuh, slots.h, iterate.cuh (the divider),
 * csrc/core/call/resample.h. */
#include "../csrc/core/call/resample.h"
#include "border.cuh"
#include "iterate.cuh"
#include "slots.h"

static const int64_t spline_piece = GA_BLOCK == 1 ? 8 : 32; /* lines of a block: few, since there are few lines */
static const int ahead = 16; /* elements that are on their way to a thread at once, before it writes between them */
static const double spent = 1e-20;

struct spline_plan {
    ga_walk<1> walk;
    int64_t lines, length, stride, period;
    int border, poles;
    double pole[2], gain;
    char *data;
};

struct spline_line {
    char *data;
    int64_t stride;
    GA_METHOD double &operator[](int64_t i) const { return *reinterpret_cast<double *>(data + i * stride); }
};

/* Sum of z^k c[-k] over k from 0 on, the line going on for ever. */
GA_FN double begin_forwards(const spline_plan &plan, const spline_line &c, double z)
{
    double sum = c[0], power = z;
    int64_t k = 1;
    for (; k < plan.length && fabs(power) > spent; k++, power *= z) /* what settle_index finds, in fewer steps */
        sum += power * c[plan.border == GA_BORDER_WRAP ? plan.length - k : k - (plan.border == GA_BORDER_REFLECT)];
    for (; k < plan.period && fabs(power) > spent; k++, power *= z)
        sum += power * c[settle_index(-k, plan.length, plan.border)];
    return k < plan.period ? sum : sum / (1 - power);
}

GA_FN double begin_backwards(const spline_plan &plan, const spline_line &c, double z)
{
    int64_t last = plan.length - 1;
    if (plan.border == GA_BORDER_MIRROR)
        return (z * c[last - 1] + c[last]) * z / (z * z - 1);
    if (plan.border == GA_BORDER_REFLECT)
        return c[last] * z / (z - 1);
    double sum = c[last], power = z;
    int64_t k = 1;
    for (; k < plan.period && fabs(power) > spent; k++, power *= z)
        sum += power * c[k - 1];
    return k < plan.period ? -z * sum : z * sum / (power - 1);
}

GA_FN void run_forwards(const spline_plan &plan, const spline_line &c, double z, double gain)
{
    double before = gain * begin_forwards(plan, c, z), x[ahead];
    c[0] = before;
    for (int64_t i = 1; i < plan.length; i += ahead) {
        GA_UNROLL
        for (int n = 0; n < ahead; n++)
            x[n] = i + n < plan.length ? c[i + n] : 0;
        GA_UNROLL
        for (int n = 0; n < ahead; n++)
            if (i + n < plan.length)
                c[i + n] = before = gain * x[n] + z * before;
    }
}

GA_FN void run_backwards(const spline_plan &plan, const spline_line &c, double z)
{
    double behind = begin_backwards(plan, c, z), x[ahead];
    c[plan.length - 1] = behind;
    for (int64_t i = plan.length - 2; i >= 0; i -= ahead) {
        GA_UNROLL
        for (int n = 0; n < ahead; n++)
            x[n] = i >= n ? c[i - n] : 0;
        GA_UNROLL
        for (int n = 0; n < ahead; n++)
            if (i >= n)
                c[i - n] = behind = z * (behind - x[n]);
    }
}

GA_FN void filter_line(const spline_plan &plan, const spline_line &c)
{
    GA_ROLLED
    for (int p = 0; p < plan.poles; p++) {
        run_forwards(plan, c, plan.pole[p], p == 0 ? plan.gain : 1);
        run_backwards(plan, c, plan.pole[p]);
    }
}

GA_KERNEL spline_lines(GA_PARAM spline_plan plan)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * spline_piece;
    int64_t last = first + spline_piece < plan.lines ? first + spline_piece : plan.lines;
    ga_cursor<1> cursor;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK) {
        cursor.seek(plan.walk, uint32_t(i));
        filter_line(plan, {plan.data + cursor.offset[0], plan.stride});
    }
}

/* The roots inside the unit circle of the sampled B-spline's polynomial. */
static void set_poles(int order, spline_plan *plan)
{
    plan->poles = order / 2;
    switch (order) {
    case 2:
        plan->pole[0] = sqrt(8.0) - 3;
        break;
    case 3:
        plan->pole[0] = sqrt(3.0) - 2;
        break;
    case 4:
        plan->pole[0] = sqrt(664 - sqrt(438976.0)) + sqrt(304.0) - 19;
        plan->pole[1] = sqrt(664 + sqrt(438976.0)) - sqrt(304.0) - 19;
        break;
    default:
        plan->pole[0] = sqrt(67.5 - sqrt(4436.25)) + sqrt(26.25) - 6.5;
        plan->pole[1] = sqrt(67.5 + sqrt(4436.25)) - sqrt(26.25) - 6.5;
    }
    plan->gain = 1;
    for (int p = 0; p < plan->poles; p++)
        plan->gain *= (1 - plan->pole[p]) * (1 - 1 / plan->pole[p]);
}

static void set_border(enum ga_resample_mode mode, int64_t length, spline_plan *plan)
{
    bool wraps = mode == GA_RESAMPLE_GRID_WRAP, reflects = mode == GA_RESAMPLE_REFLECT;
    plan->border = wraps ? GA_BORDER_WRAP : reflects ? GA_BORDER_REFLECT : GA_BORDER_MIRROR;
    plan->period = wraps ? length : reflects ? 2 * length : 2 * length - 2;
}

int ga_spline_run(const ga_spline_call *call, ga_stream *stream)
{
    spline_plan plan;
    memset(&plan, 0, sizeof plan);
    if (call->size >= GA_WALK_LIMIT)
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "spline: more than 2^31 lines");
    if (call->length < 2)
        return 0;
    set_poles(call->order, &plan);
    set_border(call->mode, call->length, &plan);
    plan.walk.ndim = call->nlines;
    for (int d = 0; d < call->nlines; d++) {
        plan.walk.shape[d] = ga_divider_make(call->shape[call->nlines - 1 - d]);
        plan.walk.strides[d][0] = call->strides[call->nlines - 1 - d];
    }
    plan.lines = call->size;
    plan.length = call->length;
    plan.stride = call->stride;
    plan.data = static_cast<char *>(call->data);
    return ga_launch(spline_lines, (plan.lines + spline_piece - 1) / spline_piece, stream, plan);
}
