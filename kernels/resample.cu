/* Arrays between their elements: values of B-splines at coordinates, one thread each. Owns
 * ga_interpolate_run.
 *
 * Most coordinates have all of their elements inside the array: the kernels of few axes and usual orders know by two
 * comparisons an axis, and go on with 32-bit numbers, all loads before the arithmetic. What lies at a border is settled
 * by a function that is called, so that the others have all registers; where some elements are the constant it goes the
 * long way, which the kernel for everything else takes throughout. Affine maps are made in tiles, whose elements lie near
 * each other in src, too. Maps that leave axes apart are resample_grid.cu's. Includes iterate.cuh (the divider),
 * resample.cuh, resample_grid.h, slots.h. */
#include "iterate.cuh"
#include "resample.cuh"
#include "resample_grid.h"
#include "slots.h"

static const int64_t interpolate_piece = GA_BLOCK == 1 ? 1024 : 512; /* elements of a block */
static const int tile_elements = 512;
static const int most_columns = 16;                                  /* of a tile that is not one of few rows */

/* Coordinates within [least, most] have all of their elements inside. */
struct inside_plan {
    ga_interpolate_call call;
    double pad, least[GA_RESAMPLE_DIMS], most[GA_RESAMPLE_DIMS], last[GA_RESAMPLE_DIMS];
    int32_t step[GA_RESAMPLE_DIMS]; /* strides of src in elements */
    /* of maps, whose tiles lie on the last two axes of the result: those in front, tiles side by side and below each
     * other, a tile's columns and elements, the result's size, and what a step along these two axes adds */
    ga_divider outer[GA_RESAMPLE_PLACES], across, down, columns;
    int32_t elements, width, height;
    double row[GA_RESAMPLE_DIMS], column[GA_RESAMPLE_DIMS];
};

/* ---- the long way ---- */

/* The coordinates of an element of the result, and where in src the axes that are the same in both lead to. */
GA_FN const char *locate(const ga_interpolate_call &call, int64_t i, double *c)
{
    const char *src = static_cast<const char *>(call.src);
    int64_t place[GA_RESAMPLE_PLACES], rest = i;
    for (int e = call.dst_ndim - 1; e >= 0 && !call.coordinates; e--) {
        int64_t above = e == 0 ? 0 : divide(rest, call.dst_shape[e]);
        place[e] = rest - above * call.dst_shape[e];
        src += place[e] * call.carry[e];
        rest = above;
    }
    for (int d = 0; d < call.ndim; d++) {
        c[d] = call.coordinates ? load_real(call.coordinates, d * call.size + i, call.short_coordinates) : call.offset[d];
        for (int e = 0; e < call.dst_ndim && !call.coordinates; e++)
            c[d] += double(place[e]) * call.matrix[d * call.dst_ndim + e];
        c[d] += double(call.pad);
    }
    return src;
}

/* The sum along the last axis from p on. */
GA_FN double add_line(const ga_interpolate_call &call, const axis_taps<GA_RESAMPLE_ORDER> &taps, const char *p, bool inside)
{
    double sum = 0;
    for (int k = 0; k <= call.order; k++) {
        bool here = inside && taps.index[k] >= 0;
        double x = here ? load_real(p + taps.index[k] * call.strides[call.ndim - 1], 0, call.short_src) : call.outside;
        sum += taps.weight[k] * x;
    }
    return sum;
}

/* The sum over all combinations of the axes' taps: an odometer of those of all but the last axis. */
GA_FN double add_taps(const ga_interpolate_call &call, const axis_taps<GA_RESAMPLE_ORDER> *taps, const char *src)
{
    int digit[GA_RESAMPLE_DIMS] = {0}, last = call.ndim - 1, d;
    double sum = 0;
    do {
        const char *p = src;
        double weight = 1;
        bool inside = true;
        for (d = 0; d < last; d++) {
            int64_t i = taps[d].index[digit[d]];
            weight *= taps[d].weight[digit[d]];
            inside = inside && i >= 0;
            p += i * call.strides[d];
        }
        sum += weight * add_line(call, taps[last], p, inside);
        for (d = last - 1; d >= 0 && digit[d] == call.order; d--)
            digit[d] = 0;
        if (d >= 0)
            digit[d]++;
    } while (d >= 0);
    return sum;
}

GA_FN double interpolate_anywhere(const ga_interpolate_call &call, int64_t i)
{
    axis_taps<GA_RESAMPLE_ORDER> taps[GA_RESAMPLE_DIMS];
    double c[GA_RESAMPLE_DIMS];
    const char *src = locate(call, i, c);
    for (int d = 0; d < call.ndim; d++) {
        if (!settle_coordinate(&c[d], call.shape[d], call.mode))
            return call.outside;
        take_axis(call, d, c[d], &taps[d]);
    }
    return add_taps(call, taps, src);
}

GA_FN_CALL void write_anywhere(const ga_interpolate_call &call, int64_t i)
{
    store_value(call, i, interpolate_anywhere(call, i));
}

GA_KERNEL interpolate(GA_PARAM ga_interpolate_call call)
{
    GA_AWAIT();
    int64_t first = GA_BLOCK_ID * interpolate_piece, end = first + interpolate_piece;
    int64_t last = end < call.size ? end : call.size;
    for (int64_t i = first + GA_THREAD; i < last; i += GA_BLOCK)
        write_anywhere(call, i);
}

/* ---- the short way ---- */

/* What the axes contribute: weights, and how many elements behind src. */
template <int N, int O> struct near_taps {
    double weight[N][O + 1];
    int64_t offset[N][O + 1];
};

/* The sum over (O + 1)^(N - D) elements behind p, along the axes from D on. */
template <int D, int N, int O, class S> GA_FN double add_near(const near_taps<N, O> &taps, const S *p)
{
    if constexpr (D == N) {
        return *p;
    } else {
        double x[O + 1];
        GA_UNROLL
        for (int k = 0; k <= O; k++)
            x[k] = add_near<D + 1, N, O>(taps, p + taps.offset[D][k]);
        double sum = taps.weight[D][0] * x[0];
        GA_UNROLL
        for (int k = 1; k <= O; k++)
            sum += taps.weight[D][k] * x[k];
        return sum;
    }
}

template <int N, int O> GA_FN double add_all_near(const ga_interpolate_call &call, const near_taps<N, O> &taps, const char *src)
{
    return call.short_src ? add_near<0, N, O>(taps, reinterpret_cast<const float *>(src))
                          : add_near<0, N, O>(taps, reinterpret_cast<const double *>(src));
}

/* Taps of coordinates that have all of them inside. */
template <int N, int O> GA_FN void take_inside(const inside_plan &plan, const double *c, near_taps<N, O> *taps)
{
    GA_UNROLL
    for (int d = 0; d < N; d++) {
        const double from = O % 2 ? c[d] : c[d] + 0.5;
        const int32_t base = int32_t(floor(from));
        const int64_t first = int64_t(base - O / 2) * plan.step[d];
        spline_weights(O == 0 ? 0 : from - double(base), O, taps->weight[d]);
        GA_UNROLL
        for (int k = 0; k <= O; k++)
            taps->offset[d][k] = first + k * plan.step[d];
    }
}

/* Taps at a border in a mode that has elements for all; false for coordinates outside. */
template <int N, int O> GA_FN bool take_settled(const inside_plan &plan, double *c, near_taps<N, O> *taps)
{
    const ga_interpolate_call &call = plan.call;
    GA_UNROLL
    for (int d = 0; d < N; d++) {
        axis_taps<O> axis;
        if (!settle_coordinate(&c[d], call.shape[d], call.mode))
            return false;
        take_axis(call, d, c[d], &axis);
        GA_UNROLL
        for (int k = 0; k <= O; k++) {
            taps->weight[d][k] = axis.weight[k];
            taps->offset[d][k] = axis.index[k] * plan.step[d];
        }
    }
    return true;
}

template <int N> struct near_point {
    double c[N];
};

template <int N, int O>
GA_FN_CALL void write_settled(const inside_plan &plan, uint32_t i, const char *src, near_point<N> point)
{
    near_taps<N, O> taps;
    bool found = take_settled(plan, point.c, &taps);
    store_value(plan.call, i, found ? add_all_near(plan.call, taps, src) : plan.call.outside);
}

template <int N, int O>
GA_FN void write_border(const inside_plan &plan, uint32_t i, const char *src, const double *c)
{
    const ga_interpolate_call &call = plan.call;
    near_point<N> point;
    bool outside = false;
    GA_UNROLL
    for (int d = 0; d < N; d++) {
        point.c[d] = c[d];
        outside = outside || c[d] < 0 || c[d] > plan.last[d];
    }
    if (outside && call.mode == GA_RESAMPLE_CONSTANT)
        store_value(call, i, call.outside);
    else if (call.mode == GA_RESAMPLE_GRID_CONSTANT)
        write_anywhere(call, i);
    else
        write_settled<N, O>(plan, i, src, point);
}

/* Element i, whose coordinates are c but for the pad, of what lies at src. */
template <int N, int O>
GA_FN void write_element(const inside_plan &plan, uint32_t i, const char *src, double *c)
{
    near_taps<N, O> taps;
    bool inside = true;
    GA_UNROLL
    for (int d = 0; d < N; d++) {
        c[d] += plan.pad;
        inside = inside && c[d] >= plan.least[d] && c[d] <= plan.most[d];
    }
    if (inside) {
        take_inside(plan, c, &taps);
        store_value(plan.call, i, add_all_near(plan.call, taps, src));
    } else {
        write_border<N, O>(plan, i, src, c);
    }
}

/* At coordinates from memory, a thread a point. */
template <int N, int O> GA_FN void write_points(const inside_plan &plan)
{
    const ga_interpolate_call &call = plan.call;
    int64_t first = GA_BLOCK_ID * interpolate_piece, end = first + interpolate_piece;
    uint32_t last = uint32_t(end < call.size ? end : call.size);
    for (uint32_t i = uint32_t(first) + GA_THREAD; i < last; i += GA_BLOCK) {
        double c[N];
        GA_UNROLL
        for (int d = 0; d < N; d++)
            c[d] = load_real(call.coordinates, d * call.size + i, call.short_coordinates);
        write_element<N, O>(plan, i, static_cast<const char *>(call.src), c);
    }
}

/* What the axes in front of a tile's, at place `outer`, make of coordinates and src. */
template <int N> GA_FN const char *begin_tile(const inside_plan &plan, uint32_t outer, double *from)
{
    const ga_interpolate_call &call = plan.call;
    const char *src = static_cast<const char *>(call.src);
    uint32_t place[GA_RESAMPLE_PLACES - 2];
    GA_UNROLL
    for (int e = GA_RESAMPLE_PLACES - 3; e >= 0; e--) {
        if (e >= call.dst_ndim - 2)
            continue;
        uint32_t above = e == 0 ? 0 : ga_divide_by(plan.outer[e], outer);
        place[e] = outer - above * plan.outer[e].divisor;
        src += place[e] * call.carry[e];
        outer = above;
    }
    GA_UNROLL
    for (int d = 0; d < N; d++) {
        from[d] = call.offset[d];
        GA_UNROLL
        for (int e = 0; e < GA_RESAMPLE_PLACES - 2; e++)
            if (e < call.dst_ndim - 2)
                from[d] += double(place[e]) * call.matrix[d * call.dst_ndim + e];
    }
    return src;
}

/* By an affine map to a result of two axes or more, a tile. */
template <int N, int O> GA_FN void write_tile(const inside_plan &plan)
{
    const ga_interpolate_call &call = plan.call;
    uint32_t number = uint32_t(GA_BLOCK_ID), line = ga_divide_by(plan.across, number);
    uint32_t outer = ga_divide_by(plan.down, line);
    const int columns = int(plan.columns.divisor), last = call.dst_ndim - 1;
    int first_column = int(number - line * plan.across.divisor) * columns;
    int first_row = int(line - outer * plan.down.divisor) * int(ga_divide_by(plan.columns, plan.elements));
    double from[N], c[N];
    const char *src = begin_tile<N>(plan, outer, from);
    GA_ROLLED
    for (int k = GA_THREAD; k < plan.elements; k += GA_BLOCK) {
        int down = int(ga_divide_by(plan.columns, k)), x = first_column + k - down * columns, y = first_row + down;
        if (x >= plan.width || y >= plan.height)
            continue;
        GA_UNROLL
        for (int d = 0; d < N; d++)
            c[d] = from[d] + double(y) * plan.row[d] + double(x) * plan.column[d];
        write_element<N, O>(plan, (outer * uint32_t(plan.height) + y) * uint32_t(plan.width) + x,
                            src + y * call.carry[last - 1] + x * call.carry[last], c);
    }
}

/* One kernel for both, since each has a copy of the long way. With few taps there is time to wait for, which more blocks
 * fill; with many, fewer registers would make each block slower. */
template <int N, int O> GA_KERNEL_BESIDE(N * O < 3 ? 8 : 0) interpolate_mostly_inside(GA_PARAM inside_plan plan)
{
    GA_AWAIT();
    if (plan.call.coordinates)
        write_points<N, O>(plan);
    else
        write_tile<N, O>(plan);
}

/* ---- launches ---- */

/* False where the numbers are too large for a kernel of few axes. */
static bool plan_inside(const ga_interpolate_call *call, inside_plan *plan)
{
    int before = call->order / 2, behind = call->order - before;
    plan->call = *call;
    plan->pad = double(call->pad);
    for (int d = 0; d < call->ndim; d++) {
        double last = double(call->shape[d] - 1), most = last - behind;
        int64_t step = call->strides[d] / (call->short_src ? 4 : 8);
        if (last > INT32_MAX || step != int32_t(step))
            return false;
        plan->step[d] = int32_t(step);
        plan->last[d] = last;
        plan->least[d] = before;
        plan->most[d] = call->order % 2 ? nextafter(most + 1, 0) : most;
    }
    return call->size < GA_WALK_LIMIT;
}

/* The same map to a result with an axis of one element in front. */
static void add_axis(ga_interpolate_call *call)
{
    call->dst_shape[1] = call->dst_shape[0];
    call->carry[1] = call->carry[0];
    call->dst_shape[0] = 1;
    call->carry[0] = 0;
    for (int d = call->ndim - 1; d >= 0; d--) {
        call->matrix[2 * d + 1] = call->matrix[d];
        call->matrix[2 * d] = 0;
    }
    call->dst_ndim = 2;
}

static int64_t count_parts(int64_t n, int64_t part)
{
    return (n + part - 1) / part;
}

/* Tiles, and how many blocks they are: of most_columns, but where the result has fewer columns, or few rows. */
static int64_t plan_map(inside_plan *plan)
{
    ga_interpolate_call *call = &plan->call;
    if (call->dst_ndim == 1)
        add_axis(call);
    int last = call->dst_ndim - 1;
    int64_t width = call->dst_shape[last], height = call->dst_shape[last - 1];
    int64_t columns = width < most_columns ? width : most_columns;
    while (2 * columns <= tile_elements && tile_elements / (2 * columns) >= height)
        columns *= 2;
    int64_t across = count_parts(width, columns), down = count_parts(height, tile_elements / columns);
    plan->columns = ga_divider_make(columns);
    plan->elements = int32_t(tile_elements / columns * columns);
    plan->width = int32_t(width);
    plan->height = int32_t(height);
    plan->across = ga_divider_make(across);
    plan->down = ga_divider_make(down);
    for (int e = 0; e < last - 1; e++)
        plan->outer[e] = ga_divider_make(call->dst_shape[e]);
    for (int d = 0; d < call->ndim; d++) {
        plan->row[d] = call->matrix[d * call->dst_ndim + last - 1];
        plan->column[d] = call->matrix[d * call->dst_ndim + last];
    }
    return across * down * (call->size / (width * height));
}

/* The usual orders of few axes; others take the long way. */
static int launch_inside(const ga_interpolate_call *call, inside_plan *plan, int64_t blocks, ga_stream *stream)
{
    if (!call->coordinates)
        blocks = plan_map(plan);
    switch (call->ndim * 10 + call->order) {
    case 11:
        return ga_launch((interpolate_mostly_inside<1, 1>), blocks, stream, *plan);
    case 20:
        return ga_launch((interpolate_mostly_inside<2, 0>), blocks, stream, *plan);
    case 21:
        return ga_launch((interpolate_mostly_inside<2, 1>), blocks, stream, *plan);
    case 23:
        return ga_launch((interpolate_mostly_inside<2, 3>), blocks, stream, *plan);
    case 31:
        return ga_launch((interpolate_mostly_inside<3, 1>), blocks, stream, *plan);
    case 33:
        return ga_launch((interpolate_mostly_inside<3, 3>), blocks, stream, *plan);
    default:
        return ga_launch(interpolate, count_parts(call->size, interpolate_piece), stream, *call);
    }
}

int ga_interpolate_run(const ga_interpolate_call *call, ga_stream *stream)
{
    int64_t blocks = count_parts(call->size, interpolate_piece);
    inside_plan plan;
    if (call->ndim > GA_RESAMPLE_DIMS || call->dst_ndim > GA_RESAMPLE_PLACES)
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "interpolation of %d axes to %d", int(call->ndim), int(call->dst_ndim));
    if (ga_resample_grid_fits(call))
        return ga_resample_grid_run(call, stream);
    memset(&plan, 0, sizeof plan);
    if (plan_inside(call, &plan))
        return launch_inside(call, &plan, blocks, stream);
    return ga_launch(interpolate, blocks, stream, *call);
}
