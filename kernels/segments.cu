/* Reductions of slices: from a ga_segments_call to one launch, after a conversion where the dtype is another. Owns
 * ga_segments_run. Includes iterate.cuh, kinds.h, left.h, slots.h. */
#include <stdlib.h>

#include "iterate.cuh"
#include "kinds.h"
#include "left.h"
#include "slots.h"

static ga_segments_launch find_kernel(const ga_scan_call *call)
{
    switch (ga_kind_serving(call->op, call->dtype)) {
#define GA_DTYPE(id, ...) \
    case GA_##id:         \
        return ga_segments_kernel_##id(call->op);
#include "../csrc/tables/dtypes.def"
    default:
        return nullptr;
    }
}

static void fill_stage(const ga_segments_call *call, ga_segments_stage *s)
{
    const ga_scan_call *scan = &call->scan;
    memset(s, 0, sizeof *s);
    ga_reduce_stage *w = &s->walk;
    w->src = static_cast<const char *>(scan->src);
    w->dst = static_cast<char *>(scan->dst);
    w->src_dtype = scan->src_dtype;
    w->direct = true;
    w->nkeep = scan->nkeep;
    w->outputs = scan->keep_size;
    for (int d = 0; d < scan->nkeep; d++)
        w->dim[d] = {scan->keep_shape[d], scan->src_keep[d], scan->dst_keep[d], 0, 0, false};
    w->dim[scan->nkeep] = {scan->axis_size, scan->src_axis, scan->dst_axis, 0, 1, true};
    s->starts = call->starts;
    s->segments = call->segments;
}

/* Threads for the slices that would be if all were equally long; where lanes lie side by side, one each. */
static int choose_width(const ga_segments_call *call)
{
    const ga_scan_call *scan = &call->scan;
    bool beside = scan->nkeep > 0 && llabs(scan->src_keep[scan->nkeep - 1]) < llabs(scan->src_axis);
    int64_t each = scan->axis_size / call->segments;
    int width = 1;
    if (GA_BLOCK == 1 || (beside && scan->keep_size >= 32))
        return 1;
    while (width < GA_BLOCK && width * 16 < each)
        width *= 2;
    return width;
}

static int run_tree(ga_segments_launch launch, const ga_segments_call *call, ga_stream *stream)
{
    ga_segments_stage s;
    fill_stage(call, &s);
    s.walk.width = choose_width(call);
    int64_t each = call->scan.axis_size / call->segments + 16;
    s.walk.span = GA_BLOCK == 1 ? (GA_REDUCE_CPU_PIECE + each - 1) / each : GA_BLOCK / s.walk.width;
    int64_t items = call->scan.keep_size * call->segments;
    return launch(&s, (items + s.walk.span - 1) / s.walk.span, stream);
}

static int run_ordered(const ga_segments_call *call, ga_stream *stream)
{
    ga_left_stage s = {};
    fill_stage(call, &s.slices);
    s.slices.walk.nred = 1;
    s.op = call->scan.op;
    return ga_left_run(&s, call->scan.dtype, call->scan.axis_size / call->segments, stream);
}

/* The lanes one after the other in memory of our own, which the caller frees. */
static int convert_source(ga_scan_call *call, void **copy, ga_stream *stream)
{
    int64_t keep[GA_ITER_DIMS] = {}, axis = ga_map_itemsize(call->dtype), stride = axis * call->axis_size;
    for (int d = call->nkeep - 1; d >= 0; d--) {
        keep[d] = stride;
        stride *= call->keep_shape[d];
    }
    if (ga_runtime_alloc(size_t(stride), stream, copy))
        return -1;
    return ga_scan_convert(call, *copy, keep, axis, stream);
}

int ga_segments_run(const ga_segments_call *asked, ga_stream *stream)
{
    ga_segments_call call = *asked;
    ga_segments_launch launch = call.scan.ordered ? nullptr : find_kernel(&call.scan);
    void *copy = nullptr;
    if (!launch && !(call.scan.ordered && ga_left_has(call.scan.op, call.scan.dtype)))
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "reduceat: ufunc %d has no loop for dtype %d", int(call.scan.op),
                              int(call.scan.dtype));
    if (call.scan.keep_size * call.segments == 0)
        return 0;
    int status = call.scan.src_dtype == call.scan.dtype ? 0 : convert_source(&call.scan, &copy, stream);
    status = status ? status : launch ? run_tree(launch, &call, stream) : run_ordered(&call, stream);
    return copy && ga_runtime_free(copy, stream) ? -1 : status;
}
