/* Lines between points. Owns ga_interp_run.
 *
 * Where values are at least as many as points, tables come first: the slope of each line, and
 * buckets of equal width with the points that fall into each. A bucket is a rising function of a
 * number, whatever is rounded in it, so a value's place is among the points of its own bucket,
 * which are one or two where points lie evenly: a binary search goes through them, or through all
 * points where there are no tables. What a search costs on a GPU are its reads of places far apart;
 * a thread searches for several values, so that their reads are under way together. Includes
 * port.cuh and slots.h. */
#include "port.cuh"
#include "slots.h"

static const int64_t interp_piece = 4096;          /* values of a block */
static const int lookups = 4;                      /* values that a thread looks up at once */
static const int64_t buckets_most = int64_t(1) << 24;

/* How many points come before a bucket's, and with them. */
struct alignas(8) interp_bucket {
    uint32_t before, through;
};

/* From a point to the next one. */
struct alignas(16) interp_line {
    double f, slope;
};

struct interp_plan {
    ga_interp_call call;
    interp_bucket *buckets; /* NULL: no tables */
    interp_line *lines;     /* those of a part after those of the other */
    int64_t count;          /* of buckets */
};

GA_FN double slope_of(const ga_interp_call &call, int64_t at, int part)
{
    const double *f = call.fp + at * call.parts + part;
    return (f[call.parts] - f[0]) / (call.xp[at + 1] - call.xp[at]);
}

/* Buckets in a unit of x: 0, and with it a single bucket for all, where the points have no finite extent. */
GA_FN double scale_of(const interp_plan &plan)
{
    double scale = double(plan.count) / (plan.call.xp[plan.call.points - 1] - plan.call.xp[0]);
    return scale > 0 && scale <= 1.7976931348623157e308 ? scale : 0;
}

GA_FN int64_t bucket_of(double x, double first, double scale, int64_t count)
{
    double place = (x - first) * scale;
    return place >= double(count) ? count - 1 : place > 0 ? int64_t(place) : 0;
}

/* ---- tables ---- */

/* How many points are in buckets before `bucket`. */
GA_FN uint32_t count_before(const interp_plan &plan, int64_t bucket, double scale)
{
    const double *xp = plan.call.xp;
    int64_t low = 0, high = plan.call.points;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (bucket_of(xp[middle], xp[0], scale, plan.count) < bucket)
            low = middle + 1;
        else
            high = middle;
    }
    return uint32_t(low);
}

GA_KERNEL make_tables(GA_PARAM interp_plan plan)
{
    GA_AWAIT();
    const int64_t points = plan.call.points, size = points > plan.count ? points : plan.count;
    const double scale = scale_of(plan);
    int64_t first = GA_BLOCK_ID * interp_piece, end = first + interp_piece < size ? first + interp_piece : size;
    for (int64_t i = first + GA_THREAD; i < end; i += GA_BLOCK) {
        for (int part = 0; i < points && part < plan.call.parts; part++)
            plan.lines[part * points + i] = {plan.call.fp[i * plan.call.parts + part],
                                             i + 1 < points ? slope_of(plan.call, i, part) : 0};
        if (i < plan.count)
            plan.buckets[i] = {count_before(plan, i, scale),
                               i + 1 < plan.count ? count_before(plan, i + 1, scale) : uint32_t(points)};
    }
}

/* ---- values ---- */

/* For each value, how many points are not greater: between low and high at first. */
GA_FN void search_points(const double *xp, const double (&x)[lookups], int64_t (&low)[lookups], int64_t (&high)[lookups])
{
    for (bool more = true; more;) {
        double point[lookups];
        more = false;
        GA_UNROLL
        for (int k = 0; k < lookups; k++)
            point[k] = low[k] < high[k] ? xp[(low[k] + high[k]) / 2] : 0;
        GA_UNROLL
        for (int k = 0; k < lookups; k++) {
            int64_t middle = (low[k] + high[k]) / 2;
            if (low[k] >= high[k])
                continue;
            if (point[k] <= x[k])
                low[k] = middle + 1;
            else
                high[k] = middle;
            more |= low[k] < high[k];
        }
    }
}

/* One part of the value at x, of which `after` points are not greater. */
GA_FN double value_on_line(const interp_plan &plan, double x, int64_t after, int part)
{
    const ga_interp_call &call = plan.call;
    const int64_t last = call.points - 1, at = after - 1;
    if (x != x)
        return last == 0 ? call.fp[part] : part == 0 ? x : 0.0;
    if (after == 0)
        return call.left[part];
    const double x0 = call.xp[at];
    if (at == last)
        return x > x0 ? call.right[part] : call.fp[at * call.parts + part];
    const interp_line line = plan.lines ? plan.lines[part * call.points + at]
                                        : interp_line{call.fp[at * call.parts + part], slope_of(call, at, part)};
    if (x == x0)
        return line.f;
    double value = line.slope * (x - x0) + line.f;
    if (value == value)
        return value;
    const double f1 = call.fp[after * call.parts + part]; /* an infinite end: from the other one */
    value = line.slope * (x - call.xp[after]) + f1;
    return value != value && line.f == f1 ? line.f : value;
}

/* Values first, first + GA_BLOCK... of x, as many as `lookups` and the piece have. */
template <class X> GA_FN void interpolate_values(const interp_plan &plan, double scale, int64_t first, int64_t end)
{
    const ga_interp_call &call = plan.call;
    double x[lookups];
    int64_t low[lookups], high[lookups];
    GA_UNROLL
    for (int k = 0; k < lookups; k++) {
        int64_t i = first + int64_t(k) * GA_BLOCK;
        x[k] = double(static_cast<const X *>(call.x)[i < end ? i : end - 1]);
        low[k] = 0;
        high[k] = call.points;
        if (plan.buckets) {
            const interp_bucket bucket = plan.buckets[bucket_of(x[k], call.xp[0], scale, plan.count)];
            low[k] = bucket.before;
            high[k] = bucket.through;
        }
    }
    search_points(call.xp, x, low, high);
    GA_UNROLL
    for (int k = 0; k < lookups; k++) {
        int64_t i = first + int64_t(k) * GA_BLOCK;
        for (int part = 0; i < end && part < call.parts; part++)
            call.dst[i * call.parts + part] = value_on_line(plan, x[k], low[k], part);
    }
}

template <class X> GA_KERNEL interpolate_lines(GA_PARAM interp_plan plan)
{
    GA_AWAIT();
    const double scale = scale_of(plan);
    int64_t first = GA_BLOCK_ID * interp_piece;
    int64_t end = first + interp_piece < plan.call.size ? first + interp_piece : plan.call.size;
    for (int64_t i = first + GA_THREAD; i < end; i += lookups * GA_BLOCK)
        interpolate_values<X>(plan, scale, i, end);
}

/* ---- launches ---- */

static int64_t count_blocks(int64_t size)
{
    return (size + interp_piece - 1) / interp_piece;
}

/* Memory for the tables, and what fills them; the caller frees *memory. */
static int prepare_tables(interp_plan *plan, void **memory, ga_stream *stream)
{
    const int64_t points = plan->call.points, lines = points * plan->call.parts;
    plan->count = points < buckets_most ? points : buckets_most;
    if (plan->call.size < points || points > UINT32_MAX)
        return 0;
    if (ga_runtime_alloc(size_t(lines) * sizeof(interp_line) + size_t(plan->count) * sizeof(interp_bucket), stream, memory))
        return -1;
    plan->lines = static_cast<interp_line *>(*memory);
    plan->buckets = reinterpret_cast<interp_bucket *>(plan->lines + lines);
    return ga_launch(make_tables, count_blocks(points), stream, *plan);
}

int ga_interp_run(const ga_interp_call *call, ga_stream *stream)
{
    interp_plan plan = {*call, nullptr, nullptr, 0};
    void *memory = nullptr;
    int64_t blocks = count_blocks(call->size);
    int status = prepare_tables(&plan, &memory, stream);
    if (status == 0)
        status = call->dtype == GA_f32 ? ga_launch(interpolate_lines<float>, blocks, stream, plan)
                                       : ga_launch(interpolate_lines<double>, blocks, stream, plan);
    return memory && ga_runtime_free(memory, stream) ? -1 : status;
}
