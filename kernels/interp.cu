/* Lines between points. Owns ga_interp_run.
 *
 * A value's place is a binary search of a fixed number of steps, so that a thread searches for several values at once and
 * waits for memory once a step. On the GPU a block has every `stride`th point in shared memory, where the first steps
 * are taken; the rest of the way is `stride` neighbours. Includes port.cuh and slots.h. */
#include "port.cuh"
#include "slots.h"

static const int coarse_most = GA_BLOCK == 1 ? 1 : 2048;
static const int64_t interp_piece = 4096; /* values of a block */
static const int lookups = 4;             /* values that a thread looks up at once */

struct interp_plan {
    ga_interp_call call;
    int64_t stride; /* between the points in shared memory */
    int coarse;     /* how many they are */
};

/* One search among `count` points of a table from `at` on, for each value: at then counts those that are not greater. The
 * table ends at `size`. */
GA_FN void search_points(const double *table, int64_t size, int64_t count, const double (&x)[lookups],
                         int64_t (&at)[lookups])
{
    for (int64_t length = count, half; length > 0; length -= half) {
        half = (length + 1) / 2;
        GA_UNROLL
        for (int k = 0; k < lookups; k++) {
            int64_t place = at[k] + half - 1;
            if (place < size && table[place] <= x[k])
                at[k] += half;
        }
    }
}

/* One part of the value at x, of which `after` points are not greater. */
GA_FN double value_on_line(const ga_interp_call &call, double x, int64_t after, int part)
{
    const int64_t last = call.points - 1, at = after - 1, step = call.parts;
    if (x != x)
        return last == 0 ? call.fp[part] : part == 0 ? x : 0.0;
    if (after == 0)
        return call.left[part];
    const double f0 = call.fp[at * step + part], x0 = call.xp[at];
    if (at == last)
        return x > x0 ? call.right[part] : f0;
    if (x == x0)
        return f0;
    const double f1 = call.fp[after * step + part], x1 = call.xp[after], slope = (f1 - f0) / (x1 - x0);
    double value = slope * (x - x0) + f0;
    if (value != value) /* an infinite end: from the other one */
        value = slope * (x - x1) + f1;
    return value != value && f0 == f1 ? f0 : value;
}

/* Values first, first + GA_BLOCK... of x, as many as `lookups` and the piece have. */
template <class X> GA_FN void interpolate_values(const interp_plan &plan, const double *coarse, int64_t first, int64_t end)
{
    const ga_interp_call &call = plan.call;
    double x[lookups];
    int64_t at[lookups] = {};
    GA_UNROLL
    for (int k = 0; k < lookups; k++) {
        int64_t i = first + int64_t(k) * GA_BLOCK;
        x[k] = double(static_cast<const X *>(call.x)[i < end ? i : end - 1]);
    }
    search_points(coarse, plan.coarse, plan.coarse, x, at);
    if (plan.stride > 1) {
        GA_UNROLL
        for (int k = 0; k < lookups; k++)
            at[k] = at[k] > 0 ? (at[k] - 1) * plan.stride : 0;
        search_points(call.xp, call.points, plan.stride, x, at);
    }
    GA_UNROLL
    for (int k = 0; k < lookups; k++) {
        int64_t i = first + int64_t(k) * GA_BLOCK;
        for (int part = 0; i < end && part < call.parts; part++)
            call.dst[i * call.parts + part] = value_on_line(call, x[k], at[k], part);
    }
}

template <class X> GA_KERNEL interpolate_lines(GA_PARAM interp_plan plan)
{
    GA_SHARED double coarse[coarse_most];
    for (int k = GA_THREAD; k < plan.coarse; k += GA_BLOCK)
        coarse[k] = plan.call.xp[k * plan.stride];
    GA_SYNC();
    int64_t first = GA_BLOCK_ID * interp_piece;
    int64_t end = first + interp_piece < plan.call.size ? first + interp_piece : plan.call.size;
    for (int64_t i = first + GA_THREAD; i < end; i += lookups * GA_BLOCK)
        interpolate_values<X>(plan, coarse, i, end);
}

int ga_interp_run(const ga_interp_call *call, ga_stream *stream)
{
    interp_plan plan = {*call, (call->points + coarse_most - 1) / coarse_most, 0};
    plan.coarse = int((call->points + plan.stride - 1) / plan.stride);
    int64_t blocks = (call->size + interp_piece - 1) / interp_piece;
    if (call->dtype == GA_f32)
        return ga_launch(interpolate_lines<float>, blocks, stream, plan);
    return ga_launch(interpolate_lines<double>, blocks, stream, plan);
}
