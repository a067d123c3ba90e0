/* Fourier transforms by cuFFT: how a call's strides become plans. The pair of fft_cpu.cc.
 *
 * cuFFT takes axes that lie in one another (a stride for the innermost, whole multiples of it for the others) and one
 * batch axis. What fits goes as it lies, up to GA_FFT_RUNS executions over further batch axes; the rest is copied to
 * dense memory of the device's pool, or from it. Everything is allocated before the first execution, so that a call
 * that fails for want of memory may be made again. Data are aligned to complex elements, as cuFFT asks, also where they
 * are real. Owns ga_fft_run. */
#include <string.h>

#include "fft_columns_cuda.h"
#include "fft_plans_cuda.h"
#include "runtime_cuda.cuh"

/* One operand: its elements over the transformed axes, outermost first, and over the batch axes. */
struct fft_side {
    enum ga_dtype dtype;
    char *data;
    int64_t size; /* bytes of an element */
    int64_t shape[GA_FFT_RANK], strides[GA_FFT_RANK], batch[GA_ITER_DIMS];
    void *temporary;
};

static bool is_complex(enum ga_dtype dtype)
{
    return dtype == GA_c64 || dtype == GA_c128;
}

static bool is_double(enum ga_dtype dtype)
{
    return dtype == GA_f64 || dtype == GA_c128;
}

static cudaDataType_t type_of(enum ga_dtype dtype)
{
    if (is_complex(dtype))
        return is_double(dtype) ? CUDA_C_64F : CUDA_C_32F;
    return is_double(dtype) ? CUDA_R_64F : CUDA_R_32F;
}

static int64_t alignment_of(enum ga_dtype dtype)
{
    return is_double(dtype) ? 16 : 8;
}

static int64_t count_batch(const ga_fft_call *call)
{
    int64_t count = 1;
    for (int d = 0; d < call->nbatch; d++)
        count *= call->batch_shape[d];
    return count;
}

/* ---- operands ---- */

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Places in the call of the axes, in the order in which src lies; the halved one, if there is one, stays last. */
static void order_axes(const ga_fft_call *call, int *order)
{
    int sorted = call->src_dtype == call->dst_dtype ? call->rank : call->rank - 1;
    for (int i = 0; i < call->rank; i++) {
        int at = i;
        for (; i < sorted && at > 0 && magnitude(call->src_strides[order[at - 1]]) < magnitude(call->src_strides[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static fft_side make_side(const ga_fft_call *call, bool source)
{
    fft_side side = {source ? call->src_dtype : call->dst_dtype, static_cast<char *>(source ? call->src : call->dst),
                     0, {0}, {0}, {0}, nullptr};
    int order[GA_FFT_RANK];
    order_axes(call, order);
    side.size = (is_complex(side.dtype) ? 2 : 1) * (is_double(side.dtype) ? 8 : 4);
    for (int i = 0; i < call->rank; i++) {
        side.shape[i] = call->shape[order[i]];
        side.strides[i] = (source ? call->src_strides : call->dst_strides)[order[i]];
    }
    if (call->src_dtype != call->dst_dtype && is_complex(side.dtype))
        side.shape[call->rank - 1] = side.shape[call->rank - 1] / 2 + 1;
    memcpy(side.batch, source ? call->src_batch : call->dst_batch, sizeof side.batch);
    return side;
}

/* Whether the axes lie in one another; fills what the plan is told of them. */
static bool embed_axes(const fft_side *side, int rank, ga_fft_layout *out)
{
    int64_t step = side->size;
    if (side->shape[rank - 1] > 1)
        step = side->strides[rank - 1];
    if (step <= 0 || step % side->size)
        return false;
    out->stride = step / side->size;
    for (int i = rank - 1; i > 0; i--) {
        int64_t stride = side->shape[i - 1] > 1 ? side->strides[i - 1] : side->shape[i] * step;
        if (stride <= 0 || stride % step || stride / step < side->shape[i])
            return false;
        out->embed[i] = stride / step;
        step = stride;
    }
    out->embed[0] = side->shape[0];
    return true;
}

/* Whether a batch axis can be the plan's. */
static bool set_batch(const fft_side *side, int64_t count, int64_t stride, ga_fft_layout *out)
{
    if (count > 1 && (stride <= 0 || stride % side->size))
        return false;
    out->dist = count > 1 ? stride / side->size : side->shape[0] * out->embed[0];
    return true;
}

/* Whether every execution begins at an aligned element; the batch axis `taken` is the plan's. */
static bool is_aligned(const fft_side *side, int nbatch, int taken)
{
    int64_t to = alignment_of(side->dtype);
    bool aligned = reinterpret_cast<uintptr_t>(side->data) % uint64_t(to) == 0;
    for (int d = 0; d < nbatch; d++)
        aligned = aligned && (d == taken || side->batch[d] % to == 0);
    return aligned;
}

/* ---- as it lies ---- */

static int find_longest(const ga_fft_call *call)
{
    int longest = 0;
    for (int d = 1; d < call->nbatch; d++)
        if (call->batch_shape[d] > call->batch_shape[longest])
            longest = d;
    return longest;
}

static bool fits_axis(const fft_side *side, const ga_fft_call *call, int axis, ga_fft_layout *out)
{
    int64_t count = call->nbatch ? call->batch_shape[axis] : 1;
    return embed_axes(side, call->rank, out) && set_batch(side, count, side->batch[axis], out)
           && is_aligned(side, call->nbatch, axis);
}

/* A place for each point of the batch axes but `taken`. */
static void list_places(const ga_fft_call *call, const fft_side *in, const fft_side *out, int taken,
                        ga_fft_places *places)
{
    places->count = 1;
    places->in[0] = in->data;
    places->out[0] = out->data;
    for (int d = 0; d < call->nbatch; d++) {
        int inner = places->count;
        for (int64_t i = 1; d != taken && i < call->batch_shape[d]; i++)
            for (int k = 0; k < inner; k++, places->count++) {
                places->in[places->count] = static_cast<char *>(places->in[k]) + i * in->batch[d];
                places->out[places->count] = static_cast<char *>(places->out[k]) + i * out->batch[d];
            }
    }
}

static void begin_key(const ga_fft_call *call, const fft_side *in, const fft_side *out, ga_fft_key *key)
{
    memset(key, 0, sizeof *key);
    key->in_type = type_of(in->dtype);
    key->out_type = type_of(out->dtype);
    key->rank = call->rank;
    const fft_side *signals = is_complex(in->dtype) ? out : in; /* either, of a complex transform */
    for (int i = 0; i < call->rank; i++)
        key->shape[i] = signals->shape[i];
}

/* Whether the call's own memory will do; fills key and places then. */
static bool plan_in_place(const ga_fft_call *call, const fft_side *in, const fft_side *out, ga_fft_key *key,
                          ga_fft_places *places)
{
    int taken = find_longest(call);
    int64_t longest = call->nbatch ? call->batch_shape[taken] : 1;
    begin_key(call, in, out, key);
    key->batch = longest;
    if (count_batch(call) / longest > GA_FFT_RUNS || !fits_axis(in, call, taken, &key->in)
        || !fits_axis(out, call, taken, &key->out))
        return false;
    list_places(call, in, out, taken, places);
    return true;
}

/* ---- through dense memory ---- */

/* From so many signals in a row on, a real transform of an axis whose elements lie apart takes longer than that of rows
 * with turned copies before and after it (2048 x 2048 float32: 88 us instead of 45). */
static const int64_t least_turned = 256;

static bool lies_apart(const fft_side *side, int rank)
{
    return side->strides[rank - 1] != side->size;
}

static bool wants_rows(const ga_fft_call *call, const fft_side *src, const fft_side *dst)
{
    return src->dtype != dst->dtype && call->shape[call->rank - 1] >= least_turned
           && (lies_apart(src, call->rank) || lies_apart(dst, call->rank));
}

/* Whether all batch axes count as one. */
static bool is_even(const fft_side *side, const ga_fft_call *call)
{
    for (int d = 0; d + 1 < call->nbatch; d++)
        if (side->batch[d] != side->batch[d + 1] * call->batch_shape[d + 1])
            return false;
    return true;
}

static bool fits_batch(const fft_side *side, const ga_fft_call *call, ga_fft_layout *out)
{
    int last = call->nbatch ? call->nbatch - 1 : 0;
    return is_even(side, call) && embed_axes(side, call->rank, out)
           && set_batch(side, count_batch(call), side->batch[last], out) && is_aligned(side, 0, 0);
}

/* The same elements in dense memory, C order, at `data`; returns their number. */
static int64_t lay_dense(const fft_side *side, const ga_fft_call *call, fft_side *dense)
{
    int64_t count = 1;
    *dense = *side;
    for (int i = call->rank - 1; i >= 0; i--) {
        dense->strides[i] = count * side->size;
        count *= side->shape[i];
    }
    for (int d = call->nbatch - 1; d >= 0; d--) {
        dense->batch[d] = count * side->size;
        count *= call->batch_shape[d];
    }
    return count;
}

/* Dimension d of a side, batch axes first. */
static int64_t stride_of(const ga_fft_call *call, const fft_side *side, int d)
{
    return d < call->nbatch ? side->batch[d] : side->strides[d - call->nbatch];
}

/* Puts a dimension in front of those over which the target takes smaller steps: transposed copies want it so. */
static void insert_dimension(ga_cast_call *cast, int64_t length, int64_t from, int64_t to)
{
    int at = cast->ndim++;
    for (; at > 0 && magnitude(cast->dst.strides[at - 1]) < magnitude(to); at--) {
        cast->shape[at] = cast->shape[at - 1];
        cast->src.strides[at] = cast->src.strides[at - 1];
        cast->dst.strides[at] = cast->dst.strides[at - 1];
    }
    cast->shape[at] = length;
    cast->src.strides[at] = from;
    cast->dst.strides[at] = to;
    cast->size *= length;
}

static int copy_side(const ga_fft_call *call, const fft_side *from, const fft_side *to, ga_stream *stream)
{
    ga_cast_call cast;
    memset(&cast, 0, sizeof cast);
    cast.in = cast.out = from->dtype;
    cast.num = cast.den = cast.size = 1;
    for (int d = 0; d < call->nbatch + call->rank; d++)
        insert_dimension(&cast, d < call->nbatch ? call->batch_shape[d] : from->shape[d - call->nbatch],
                         stride_of(call, from, d), stride_of(call, to, d));
    cast.src.data = from->data;
    cast.dst.data = to->data;
    return ga_cast_run(&cast, stream);
}

static int make_dense(const fft_side *side, const ga_fft_call *call, ga_stream *stream, fft_side *dense)
{
    int64_t count = lay_dense(side, call, dense);
    if (ga_runtime_alloc(size_t(count * side->size), stream, &dense->temporary))
        return -1;
    dense->data = static_cast<char *>(dense->temporary);
    return 0;
}

/* Whether one execution takes a side as it lies. */
static bool may_stay(const fft_side *side, const ga_fft_call *call, bool as_rows)
{
    ga_fft_layout layout;
    return fits_batch(side, call, &layout) && !(as_rows && lies_apart(side, call->rank));
}

/* `in` and `out` laid so that one execution does; what fits stays where it is. */
static int settle_sides(const ga_fft_call *call, const fft_side *src, const fft_side *dst, fft_side *in, fft_side *out,
                        ga_stream *stream)
{
    bool as_rows = wants_rows(call, src, dst);
    if (!may_stay(src, call, as_rows)
        && (make_dense(src, call, stream, in) || copy_side(call, src, in, stream)))
        return -1;
    if (may_stay(dst, call, as_rows))
        return 0;
    if (in->temporary && src->dtype == dst->dtype) { /* in place */
        *out = *in;
        out->temporary = nullptr;
        return 0;
    }
    return make_dense(dst, call, stream, out);
}

static int run_settled(const ga_fft_call *call, const fft_side *in, const fft_side *out, ga_stream *stream)
{
    ga_fft_key key;
    ga_fft_places places = {1, {in->data}, {out->data}};
    begin_key(call, in, out, &key);
    key.batch = count_batch(call);
    if (!fits_batch(in, call, &key.in) || !fits_batch(out, call, &key.out))
        return ga_kernel_fail(GA_ERR_DEVICE, "fft: a temporary has an odd layout");
    return ga_fft_execute(&key, call->inverse, &places, stream);
}

static int run_densely(const ga_fft_call *call, const fft_side *src, const fft_side *dst, ga_stream *stream)
{
    fft_side in = *src, out = *dst;
    int status = settle_sides(call, src, dst, &in, &out, stream);
    status = status ? status : run_settled(call, &in, &out, stream);
    if (status == 0 && out.data != dst->data)
        status = copy_side(call, &out, dst, stream);
    return (ga_runtime_free(in.temporary, stream) | ga_runtime_free(out.temporary, stream) | status) ? -1 : 0;
}

/* ---- columns ---- */

/* With all that would cost a pass of its own after them. */
static int run_columns(const ga_fft_call *call, ga_fft_columns *columns, ga_stream *stream)
{
    *call->scaled = true;
    *call->ended = call->signals > 0 && columns->columns == call->signals / 2 + 1;
    if (*call->ended)
        columns->real_column = call->signals % 2 ? 0 : int32_t(call->signals / 2);
    return ga_fft_run_columns(columns, stream);
}

static void move_to_batch(ga_fft_call *call, int axis, int64_t length)
{
    call->batch_shape[call->nbatch] = length;
    call->src_batch[call->nbatch] = call->src_strides[axis];
    call->dst_batch[call->nbatch++] = call->dst_strides[axis];
}

/* The call without an axis, and the transform of that axis alone of what comes out. */
static void split_call(const ga_fft_call *call, int axis, ga_fft_call *others, ga_fft_call *alone)
{
    *others = *alone = *call;
    others->rank = 0;
    others->scale = 1;
    alone->rank = 1;
    alone->inverse = call->inverse && call->src_dtype == call->dst_dtype;
    alone->src = call->dst;
    alone->src_dtype = call->dst_dtype;
    memcpy(alone->src_strides, call->dst_strides, sizeof call->dst_strides);
    memcpy(alone->src_batch, call->dst_batch, sizeof call->dst_batch);
    for (int i = 0; i < call->rank; i++) {
        if (i == axis)
            continue;
        bool halved = i == call->rank - 1 && call->src_dtype != call->dst_dtype;
        move_to_batch(alone, i, halved ? call->shape[i] / 2 + 1 : call->shape[i]);
        others->shape[others->rank] = call->shape[i];
        others->src_strides[others->rank] = call->src_strides[i];
        others->dst_strides[others->rank++] = call->dst_strides[i];
    }
    alone->shape[0] = call->shape[axis];
    alone->src_strides[0] = alone->dst_strides[0] = call->dst_strides[axis];
    others->src_batch[others->nbatch] = call->src_strides[axis];
    others->dst_batch[others->nbatch] = call->dst_strides[axis];
    others->batch_shape[others->nbatch++] = call->shape[axis];
}

/* Whether a call over two axes ends with columns; the other comes before it. Three axes are better left to cuFFT. */
static bool find_columns(const ga_fft_call *call, const ga_stream *stream, ga_fft_call *others,
                         ga_fft_columns *columns)
{
    int whole = call->src_dtype == call->dst_dtype ? call->rank : call->rank - 1;
    for (int axis = 0; axis < whole && call->rank == 2 && is_complex(call->dst_dtype); axis++) {
        ga_fft_call alone;
        split_call(call, axis, others, &alone);
        if (ga_fft_describe_columns(&alone, stream, columns))
            return true;
    }
    return false;
}

/* ---- calls ---- */

static int run_in_library(const ga_fft_call *call, ga_stream *stream)
{
    ga_fft_key key;
    ga_fft_places places;
    fft_side src = make_side(call, true), dst = make_side(call, false);
    if (!wants_rows(call, &src, &dst) && plan_in_place(call, &src, &dst, &key, &places))
        return ga_fft_execute(&key, call->inverse, &places, stream);
    return run_densely(call, &src, &dst, stream);
}

static int run_call(const ga_fft_call *call, ga_stream *stream)
{
    ga_fft_call others;
    ga_fft_columns columns;
    if (call->rank == 1 && ga_fft_describe_columns(call, stream, &columns))
        return run_columns(call, &columns, stream);
    if (find_columns(call, stream, &others, &columns))
        return run_call(&others, stream) || run_columns(call, &columns, stream) ? -1 : 0;
    return run_in_library(call, stream);
}

int ga_fft_run(const ga_fft_call *call, ga_stream *stream)
{
    if (ga_cuda_enter(stream->device) || ga_fft_open())
        return -1;
    return count_batch(call) == 0 ? 0 : run_call(call, stream);
}
