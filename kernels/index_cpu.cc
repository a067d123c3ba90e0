/* gather and scatter on the CPU: items picked by index arrays. The pair of index_cuda.cu; owns ga_index_gather and
 * ga_index_scatter.
 *
 * Dimensions of the selection are points, along which indices differ, or slices. A segment is a run of points along the
 * innermost of theirs; its indices become offsets once, for all slices that a block moves. Of the slices one dimension
 * makes lines, which move as a whole where memory has them side by side.
 *
 * Of points that name one element the last is written: where that can happen, a block takes all points, in the order of
 * their places, for its part of the slices. A bad index is found before anything is written. Includes fault.h, line_cpu.h
 * and slots.h. */
#include "../csrc/core/call/index.h"
#include "fault.h"
#include "line_cpu.h"
#include "port.cuh"
#include "slots.h"

static const int64_t segment_length = 1024;
static const int64_t block_items = 32768; /* worth a thread's while */
static const int64_t scattered_lines = 64; /* elements of a line with gaps: the cache keeps what lies between them */

struct index_dim {
    int64_t size, array, other, place;
    int64_t index[GA_INDEX_ARRAYS]; /* strides */
};

struct index_walk {
    const ga_index_call *call;
    ga_fault *fault;
    char *array, *other;
    bool inside; /* no index is out of range */
    int32_t itemsize, npoints, nslices;
    index_dim point[GA_ITER_DIMS + 1], slice[GA_ITER_DIMS + 1]; /* the last: segments are cut of it; it makes the lines */
    int64_t cuts, segments;     /* of the innermost points; of all */
    int64_t part, parts, outer; /* elements of a line that move together; how many of them; lines */
    int64_t span, spans;        /* segments of a block; blocks for all of them */
};

/* ---- indices to offsets ---- */

static void report_index(const index_walk &w, int k, int64_t i)
{
    int32_t empty = 0;
    if (!__atomic_compare_exchange_n(&w.fault->state, &empty, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    w.fault->axis = w.call->index[k].axis;
    w.fault->index = i;
    w.fault->length = w.call->index[k].length;
    w.fault->function = w.call->function;
    __atomic_store_n(&w.fault->state, 2, __ATOMIC_RELEASE);
}

/* An index that is not within the axis, counted from either end: within it in any case. */
static __attribute__((noinline)) int64_t resolve_far(const index_walk &w, int k, int64_t i)
{
    int64_t n = w.call->index[k].length;
    if (w.call->mode == GA_INDEX_WRAP) {
        i %= n;
        return i < 0 ? i + n : i;
    }
    if (w.call->mode == GA_INDEX_RAISE && !w.call->checked)
        report_index(w, k, i);
    return i < 0 ? 0 : n - 1;
}

struct index_run {
    const char *first;
    int64_t stride, n, length, step, wrap; /* wrap: what a negative index is counted from */
};

GA_FN int64_t wrap_index(const index_run &run, int64_t i)
{
    return i + (i >> 63 & run.wrap); /* without a branch */
}

/* Whether indices are all within the axis. Loops without branches, for the sake of vectors; `stride` again, because
 * compilers know it where the function is inlined. */
GA_FN bool are_inside(const index_run &run, int64_t stride)
{
    uint64_t outside = 0;
    for (int64_t i = 0; i < run.n; i++) {
        const uint64_t at = uint64_t(wrap_index(run, line_get<int64_t>(run.first + i * stride)));
        outside |= at | (uint64_t(run.length) - 1 - at); /* of either the highest bit is set */
    }
    return outside >> 63 == 0;
}

/* What indices that are within the axis mean in bytes. */
GA_FN void add_inside(const index_run &run, int64_t stride, int64_t *__restrict__ offset)
{
    for (int64_t i = 0; i < run.n; i++)
        offset[i] += wrap_index(run, line_get<int64_t>(run.first + i * stride)) * run.step;
}

/* Indices of the next segment are on their way while this one's items, which lie anywhere, are moved. */
static void fetch_next(const index_run &run)
{
    const int64_t bytes = run.n * int64_t(sizeof(int64_t)), line = 64;
    for (int64_t at = 0; at < bytes; at += line)
        __builtin_prefetch(run.first + bytes + at, 0, 2);
}

static __attribute__((noinline)) bool find_inside(const index_run &run)
{
    constexpr int64_t size = sizeof(int64_t);
    return run.stride == size ? are_inside(run, size) : are_inside(run, run.stride);
}

static __attribute__((noinline)) void add_indices(const index_walk &w, int k, const index_run &run, int64_t *offset)
{
    constexpr int64_t size = sizeof(int64_t);
    if (run.stride == size)
        fetch_next(run);
    if (!w.inside && !find_inside(run))
        for (int64_t i = 0; i < run.n; i++) {
            const int64_t given = line_get<int64_t>(run.first + i * run.stride), at = wrap_index(run, given);
            offset[i] += (at >= 0 && at < run.length ? at : resolve_far(w, k, given)) * run.step;
        }
    else if (run.stride == size)
        add_inside(run, size, offset);
    else
        add_inside(run, run.stride, offset);
}

struct index_segment {
    int64_t n, other; /* points; offset of the first in `other` */
    int64_t offset[segment_length]; /* in `array` */
};

/* Where a segment begins in the array, and in each of the index arrays. */
struct index_start {
    int64_t array, at[GA_INDEX_ARRAYS];
};

static index_start locate_segment(const index_walk &w, int64_t number, index_segment *s)
{
    const index_dim &inner = w.point[w.npoints - 1];
    int64_t rest = number / w.cuts, first = (number - rest * w.cuts) * segment_length;
    index_start start = {first * inner.array, {}};
    s->n = inner.size - first < segment_length ? inner.size - first : segment_length;
    s->other = first * inner.other;
    for (int k = 0; k < w.call->narrays; k++)
        start.at[k] = first * inner.index[k];
    for (int d = w.npoints - 2; d >= 0; d--) {
        const index_dim &dim = w.point[d];
        int64_t outer = rest / dim.size, i = rest - outer * dim.size;
        start.array += i * dim.array;
        s->other += i * dim.other;
        for (int k = 0; k < w.call->narrays; k++)
            start.at[k] += i * dim.index[k];
        rest = outer;
    }
    return start;
}

static index_run take_run(const index_walk &w, const index_start &start, int k, int64_t n)
{
    const ga_index_array &index = w.call->index[k];
    return {reinterpret_cast<const char *>(index.data) + start.at[k], w.point[w.npoints - 1].index[k], n, index.length,
            index.step, w.call->mode == GA_INDEX_CLIP ? 0 : index.length};
}

static void resolve_segment(const index_walk &w, int64_t number, index_segment *s)
{
    const int64_t step = w.point[w.npoints - 1].array;
    const index_start start = locate_segment(w, number, s);
    for (int64_t i = 0; i < s->n; i++)
        s->offset[i] = start.array + i * step;
    for (int k = 0; k < w.call->narrays; k++)
        add_indices(w, k, take_run(w, start, k, s->n), s->offset);
}

/* ---- moving ---- */

template <class T, bool gathers> static inline void move_items(const index_segment &s, char *array, char *other, int64_t step)
{
    constexpr int64_t ahead = 16; /* stores one after the other do not wait for memory together by themselves */
    int64_t i = 0;
    for (; !gathers && i + ahead < s.n; i++) {
        __builtin_prefetch(array + s.offset[i + ahead], 1);
        line_put(array + s.offset[i], line_get<T>(other + i * step));
    }
    for (; i < s.n; i++)
        if (gathers)
            line_put(other + i * step, line_get<T>(array + s.offset[i]));
        else
            line_put(array + s.offset[i], line_get<T>(other + i * step));
}

static int64_t magnitude_of(int64_t x)
{
    return x < 0 ? -x : x;
}

/* A segment of lines of n items: line by line, or item by item where points lie closer. */
template <class T, bool gathers>
static void move_lines(const index_walk &w, const index_segment &s, char *array, char *other, int64_t n)
{
    const index_dim &line = w.slice[w.nslices - 1];
    const int64_t step = w.point[w.npoints - 1].other;
    if (n == 1 || (line.array != int64_t(sizeof(T)) && magnitude_of(step) < magnitude_of(line.other))) {
        for (int64_t j = 0; j < n; j++)
            move_items<T, gathers>(s, array + j * line.array, other + j * line.other, step);
        return;
    }
    for (int64_t i = 0; i < s.n; i++)
        if (gathers)
            line_copy<T>(array + s.offset[i], line.array, other + i * step, line.other, n);
        else
            line_copy<T>(other + i * step, line.other, array + s.offset[i], line.array, n);
}

/* A block has a part of one line of the slices, for some segments. */
template <class T, bool gathers> GA_KERNEL move_block(const index_walk &w)
{
    GA_AWAIT();
    int64_t rest = GA_BLOCK_ID / w.spans, first = (GA_BLOCK_ID - rest * w.spans) * w.span;
    int64_t last = first + w.span < w.segments ? first + w.span : w.segments;
    int64_t number = rest / w.parts, start = (rest - number * w.parts) * w.part;
    const index_dim &line = w.slice[w.nslices - 1];
    int64_t n = line.size - start < w.part ? line.size - start : w.part;
    char *array = w.array + start * line.array, *other = w.other + start * line.other;
    for (int d = w.nslices - 2; d >= 0; d--) {
        int64_t outer = number / w.slice[d].size, i = number - outer * w.slice[d].size;
        array += i * w.slice[d].array;
        other += i * w.slice[d].other;
        number = outer;
    }
    for (int64_t i = first; i < last; i++) {
        index_segment s;
        resolve_segment(w, i, &s);
        move_lines<T, gathers>(w, s, array, other + s.other, n);
    }
}

/* Indices alone, for what they report. */
GA_KERNEL check_segment(const index_walk &w)
{
    GA_AWAIT();
    index_segment s;
    const index_start start = locate_segment(w, GA_BLOCK_ID, &s);
    for (int k = 0; k < w.call->narrays; k++)
        if (!find_inside(take_run(w, start, k, s.n)))
            return resolve_segment(w, GA_BLOCK_ID, &s);
}

/* ---- planning ---- */

static index_dim describe_dim(const ga_index_call *call, int d)
{
    index_dim dim = {call->shape[d], call->array.strides[d], call->other.data ? call->other.strides[d] : 0, call->place[d], {}};
    for (int k = 0; k < call->narrays; k++)
        dim.index[k] = call->index[k].strides[d];
    return dim;
}

static bool is_point(const ga_index_call *call, int d, bool gathers)
{
    bool point = !gathers && call->place[d];
    for (int k = 0; k < call->narrays; k++)
        point |= call->index[k].strides[d] != 0;
    return point;
}

/* The last point's places are closest; the last slice is the one whose elements lie closest. */
static void insert_dim(index_dim *dims, int *count, const index_dim &dim, bool by_place)
{
    int at = (*count)++;
    for (; at > 0; at--) {
        const index_dim &before = dims[at - 1];
        if (by_place ? before.place >= dim.place : magnitude_of(before.array) >= magnitude_of(dim.array))
            break;
        dims[at] = before;
    }
    dims[at] = dim;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* A line side by side in memory that is as long as an item can be is one. */
static void widen_items(index_walk *w)
{
    index_dim *line = &w->slice[w->nslices - 1];
    int64_t bytes = line->size * w->itemsize;
    if (line->array != w->itemsize || line->other != w->itemsize || bytes > 16 || (bytes & (bytes - 1)) != 0)
        return;
    w->itemsize = int32_t(bytes);
    line->size = 1;
}

static void cut_walk(index_walk *w, bool in_turn)
{
    const index_dim *line = &w->slice[w->nslices - 1], *inner = &w->point[w->npoints - 1];
    w->cuts = ceil_div(inner->size, segment_length);
    w->segments = w->cuts;
    w->outer = 1;
    for (int d = 0; d < w->npoints - 1; d++)
        w->segments *= w->point[d].size;
    for (int d = 0; d < w->nslices - 1; d++)
        w->outer *= w->slice[d].size;
    w->part = line->array == w->itemsize ? block_items : scattered_lines;
    w->part = line->size < w->part ? line->size : w->part;
    w->parts = ceil_div(line->size, w->part);
    int64_t length = inner->size < segment_length ? inner->size : segment_length;
    w->span = in_turn ? w->segments : ceil_div(block_items, length * w->part);
    w->spans = ceil_div(w->segments, w->span);
}

static void plan_walk(const ga_index_call *call, bool gathers, index_walk *w)
{
    const index_dim single = {1, 0, 0, 0, {}};
    w->call = call;
    w->fault = nullptr;
    w->inside = call->checked && call->mode == GA_INDEX_RAISE;
    w->array = static_cast<char *>(call->array.data);
    w->other = static_cast<char *>(call->other.data);
    w->itemsize = call->itemsize;
    w->npoints = w->nslices = 0;
    for (int d = 0; d < call->ndim; d++) {
        bool point = is_point(call, d, gathers);
        insert_dim(point ? w->point : w->slice, point ? &w->npoints : &w->nslices, describe_dim(call, d), point);
    }
    if (w->npoints == 0)
        w->point[w->npoints++] = single;
    if (w->nslices == 0)
        w->slice[w->nslices++] = single;
    widen_items(w);
    cut_walk(w, !gathers && !call->unique);
}

template <bool gathers> static int run_walk(const index_walk &w, ga_stream *stream)
{
    int64_t blocks = w.outer * w.parts * w.spans;
    switch (w.itemsize) {
    case 1:
        return ga_launch((move_block<uint8_t, gathers>), blocks, stream, w);
    case 2:
        return ga_launch((move_block<uint16_t, gathers>), blocks, stream, w);
    case 4:
        return ga_launch((move_block<uint32_t, gathers>), blocks, stream, w);
    case 8:
        return ga_launch((move_block<uint64_t, gathers>), blocks, stream, w);
    default:
        return ga_launch((move_block<line_pair, gathers>), blocks, stream, w);
    }
}

int ga_index_gather(const ga_index_call *given, ga_stream *stream)
{
    ga_index_call call = *given;
    index_walk w;
    if (call.size == 0)
        return 0;
    memset(call.place, 0, sizeof call.place);
    plan_walk(&call, true, &w);
    if (!call.checked && ga_fault_record(stream, &w.fault))
        return -1;
    if (run_walk<true>(w, stream))
        return -1;
    return call.checked ? 0 : ga_fault_settle(stream);
}

int ga_index_scatter(const ga_index_call *call, ga_stream *stream)
{
    index_walk w;
    ga_scalar value = call->other.value;
    if (call->size == 0)
        return 0;
    plan_walk(call, false, &w);
    if (!call->other.data)
        w.other = reinterpret_cast<char *>(value.bytes);
    if (!call->checked) {
        if (ga_fault_record(stream, &w.fault) || ga_launch(check_segment, w.segments, stream, w) || ga_fault_settle(stream))
            return -1;
        w.inside = true;
    }
    return run_walk<false>(w, stream);
}
