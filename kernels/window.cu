/* Filters over a window: plans and slabs of a call; the kernels are those of window_groups.cu. Owns ga_window_run.
 * A GPU goes by window_tiles_cuda.cu for most boxes, by window_lines_cuda.cu for long ones along one axis, for ranks of
 * few neighbours by window_ranks_cuda.cu. Includes window.cuh, window_lines.h, window_ranks.h, window_stage.h,
 * window_tiles.h, slots.h. */
#include "slots.h"
#include "window.cuh"
#include "window_lines.h"
#include "window_ranks.h"
#include "window_stage.h"
#include "window_tiles.h"

/* Box places that a block looks at on the CPU; elements of a block on the GPU. */
static const int64_t cpu_places = 65536, gpu_piece = 4 * GA_BLOCK;

static const ga_window_kit *find_kit(enum ga_dtype dtype)
{
    switch (dtype) {
#define GA_DTYPE(id, ...) \
    case GA_##id:         \
        return ga_window_kit_##id();
#include "../csrc/tables/dtypes.def"
    default:
        return nullptr;
    }
}

static ga_window_launch find_launch(const ga_window_call *call)
{
    const ga_window_kit *kit = find_kit(call->dtype);
    if (!kit)
        return nullptr;
    switch (call->op) {
    case GA_WINDOW_SUM:
        return kit->sum;
    case GA_WINDOW_WIDE_SUM:
        return kit->wide_sum;
    case GA_WINDOW_RANK:
        return kit->rank;
    default:
        return kit->extremum;
    }
}

/* Axes of the call from the last one: each is a dimension of the walk, and one of the window unless it is plain. */
static int fill_axes(const ga_window_call *call, window_plan *plan)
{
    int window = GA_WINDOW_AXES;
    plan->ndim = call->ndim;
    for (int a = 0; a < GA_WINDOW_AXES; a++)
        plan->axes[a] = {1, 0, 1, 0};
    for (int d = 0; d < call->ndim; d++) {
        const ga_window_axis &axis = call->axes[call->ndim - 1 - d];
        bool plain = ga_window_is_plain(&axis);
        plan->dims[d] = {ga_divider_make(axis.size), plain ? axis.src_stride : 0, axis.dst_stride, -1};
        if (plain)
            continue;
        if (window == 0)
            return ga_kernel_fail(GA_ERR_UNSUPPORTED, "windows have at most %d axes longer than one", GA_WINDOW_AXES);
        plan->dims[d].window = --window;
        plan->axes[window] = {axis.src_size, axis.src_stride, axis.window, axis.start};
    }
    return 0;
}

static int64_t choose_piece(const ga_window_call *call)
{
    if (GA_BLOCK > 1)
        return gpu_piece;
    int64_t piece = cpu_places / call->count;
    return piece < 64 ? 64 : piece;
}

static int run_slab(const ga_window_call *call, ga_window_launch launch, ga_stream *stream)
{
    window_plan plan;
    memset(&plan, 0, sizeof plan);
    if (fill_axes(call, &plan))
        return -1;
    plan.border = call->border;
    plan.size = call->size;
    plan.piece = choose_piece(call);
    plan.rank = call->rank;
    plan.divisor = call->divisor;
    plan.outside = call->outside;
    plan.src = static_cast<const char *>(call->src);
    plan.dst = static_cast<char *>(call->dst);
    if (GA_BLOCK > 1 && call->weights_on_host)
        memcpy(plan.few, call->weights, size_t(call->count) * sizeof(double));
    else
        plan.weights = call->weights;
    plan.mask = call->mask;
    plan.largest = call->op == GA_WINDOW_MAXIMUM;
    return launch(&plan, stream);
}

/* The part of an axis of dst from `first` on, `size` long. */
static void cut_axis(const ga_window_call *call, int axis, int64_t first, int64_t size, ga_window_call *out)
{
    const ga_window_axis &whole = call->axes[axis];
    ga_window_axis *part = &out->axes[axis];
    *out = *call;
    part->size = size;
    out->size = call->size / whole.size * size;
    out->dst = static_cast<char *>(call->dst) + first * whole.dst_stride;
    if (ga_window_is_plain(&whole)) {
        part->src_size = size;
        out->src = static_cast<const char *>(call->src) + first * whole.src_stride;
    } else {
        part->start += first;
    }
}

/* Walks count with 31 bits: what is longer goes in slabs of the first axis, or of those below it. */
static int run_slabs(const ga_window_call *call, int axis, ga_window_launch launch, ga_stream *stream)
{
    if (call->size < GA_WALK_LIMIT)
        return run_slab(call, launch, stream);
    ga_window_call slab;
    int64_t whole = call->axes[axis].size, step = (GA_WALK_LIMIT - 1) / (call->size / whole);
    step = step < 1 ? 1 : step;
    for (int64_t first = 0; first < whole; first += step) {
        cut_axis(call, axis, first, whole - first < step ? whole - first : step, &slab);
        if (run_slabs(&slab, axis + 1, launch, stream))
            return -1;
    }
    return 0;
}

int ga_window_run(const ga_window_call *call, ga_stream *stream)
{
    ga_window_launch launch = find_launch(call);
    if (!launch)
        return ga_kernel_fail(GA_ERR_TYPE, "filter: no loop for dtype %d", int(call->dtype));
    if (call->size == 0)
        return 0;
    if constexpr (GA_BLOCK > 1) {
        int status;
        if (ga_window_tiles(call, stream, &status) || ga_window_ranks(call, stream, &status))
            return status;
        if (ga_window_has_lines(call))
            return ga_window_lines(call, stream);
    }
    return run_slabs(call, 0, launch, stream);
}
