/* Fourier transforms by cuFFT: how a call's strides become plans. Includes fft_sides_cuda.h.
 *
 * cuFFT takes axes that lie in one another (a stride for the innermost, whole multiples of it for the others) and one
 * batch axis. What fits goes as it lies, up to GA_FFT_RUNS executions over further batch axes; the rest is copied to
 * dense memory of the device's pool, or from it. Everything is allocated before the first execution, so that a call
 * that fails for want of memory may be made again. Data are aligned to complex elements, as cuFFT asks, also where they
 * are real. Owns ga_fft_run_library. */
#include "fft_sides_cuda.h"

#include <string.h>

/* ---- as it lies ---- */

static int find_longest(const ga_fft_call *call)
{
    int longest = 0;
    for (int d = 1; d < call->nbatch; d++)
        if (call->batch_shape[d] > call->batch_shape[longest])
            longest = d;
    return longest;
}

static bool fits_axis(const ga_fft_side *side, const ga_fft_call *call, int axis, ga_fft_layout *out)
{
    int64_t count = call->nbatch ? call->batch_shape[axis] : 1;
    return ga_fft_embed_axes(side, call->rank, out) && ga_fft_set_batch(side, count, side->batch[axis], out)
           && ga_fft_is_aligned(side, call->nbatch, axis);
}

/* A place for each point of the batch axes but `taken`. */
static void list_places(const ga_fft_call *call, const ga_fft_side *in, const ga_fft_side *out, int taken,
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

static void begin_key(const ga_fft_call *call, const ga_fft_side *in, const ga_fft_side *out, ga_fft_key *key)
{
    memset(key, 0, sizeof *key);
    key->in_type = ga_fft_type_of(in->dtype);
    key->out_type = ga_fft_type_of(out->dtype);
    key->rank = call->rank;
    const ga_fft_side *signals = ga_fft_is_complex(in->dtype) ? out : in; /* either, of a complex transform */
    for (int i = 0; i < call->rank; i++)
        key->shape[i] = signals->shape[i];
}

/* Whether the call's own memory will do; fills key and places then. */
static bool plan_in_place(const ga_fft_call *call, const ga_fft_side *in, const ga_fft_side *out, ga_fft_key *key,
                          ga_fft_places *places)
{
    int taken = find_longest(call);
    int64_t longest = call->nbatch ? call->batch_shape[taken] : 1;
    begin_key(call, in, out, key);
    key->batch = longest;
    if (ga_fft_count_batch(call) / longest > GA_FFT_RUNS || !fits_axis(in, call, taken, &key->in)
        || !fits_axis(out, call, taken, &key->out))
        return false;
    list_places(call, in, out, taken, places);
    return true;
}

/* ---- through dense memory ---- */

/* From so many signals in a row on, a real transform of an axis whose elements lie apart takes longer than that of rows
 * with turned copies before and after it (2048 x 2048 float32: 88 us instead of 45). */
static const int64_t least_turned = 256;

static bool lies_apart(const ga_fft_side *side, int rank)
{
    return side->strides[rank - 1] != side->size;
}

static bool wants_rows(const ga_fft_call *call, const ga_fft_side *src, const ga_fft_side *dst)
{
    return src->dtype != dst->dtype && call->shape[call->rank - 1] >= least_turned
           && (lies_apart(src, call->rank) || lies_apart(dst, call->rank));
}

/* Whether all batch axes count as one. */
static bool is_even(const ga_fft_side *side, const ga_fft_call *call)
{
    for (int d = 0; d + 1 < call->nbatch; d++)
        if (side->batch[d] != side->batch[d + 1] * call->batch_shape[d + 1])
            return false;
    return true;
}

static bool fits_batch(const ga_fft_side *side, const ga_fft_call *call, ga_fft_layout *out)
{
    int last = call->nbatch ? call->nbatch - 1 : 0;
    return is_even(side, call) && ga_fft_embed_axes(side, call->rank, out)
           && ga_fft_set_batch(side, ga_fft_count_batch(call), side->batch[last], out) && ga_fft_is_aligned(side, 0, 0);
}

/* The same elements in dense memory, C order, at `data`; returns their number. */
static int64_t lay_dense(const ga_fft_side *side, const ga_fft_call *call, ga_fft_side *dense)
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
static int64_t stride_of(const ga_fft_call *call, const ga_fft_side *side, int d)
{
    return d < call->nbatch ? side->batch[d] : side->strides[d - call->nbatch];
}

/* Puts a dimension in front of those over which the target takes smaller steps: transposed copies want it so. */
static void insert_dimension(ga_cast_call *cast, int64_t length, int64_t from, int64_t to)
{
    int at = cast->ndim++;
    for (; at > 0 && ga_fft_magnitude(cast->dst.strides[at - 1]) < ga_fft_magnitude(to); at--) {
        cast->shape[at] = cast->shape[at - 1];
        cast->src.strides[at] = cast->src.strides[at - 1];
        cast->dst.strides[at] = cast->dst.strides[at - 1];
    }
    cast->shape[at] = length;
    cast->src.strides[at] = from;
    cast->dst.strides[at] = to;
    cast->size *= length;
}

static int copy_side(const ga_fft_call *call, const ga_fft_side *from, const ga_fft_side *to, ga_stream *stream)
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

static int make_dense(const ga_fft_side *side, const ga_fft_call *call, ga_stream *stream, ga_fft_side *dense)
{
    int64_t count = lay_dense(side, call, dense);
    if (ga_runtime_alloc(size_t(count * side->size), stream, &dense->temporary))
        return -1;
    dense->data = static_cast<char *>(dense->temporary);
    return 0;
}

/* Whether one execution takes a side as it lies. */
static bool may_stay(const ga_fft_side *side, const ga_fft_call *call, bool as_rows)
{
    ga_fft_layout layout;
    return fits_batch(side, call, &layout) && !(as_rows && lies_apart(side, call->rank));
}

/* `in` and `out` laid so that one execution does; what fits stays where it is. */
static int settle_sides(const ga_fft_call *call, const ga_fft_side *src, const ga_fft_side *dst, ga_fft_side *in,
                        ga_fft_side *out, ga_stream *stream)
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

static int run_settled(const ga_fft_call *call, const ga_fft_side *in, const ga_fft_side *out, ga_stream *stream)
{
    ga_fft_key key;
    ga_fft_places places = {1, {in->data}, {out->data}};
    begin_key(call, in, out, &key);
    key.batch = ga_fft_count_batch(call);
    if (!fits_batch(in, call, &key.in) || !fits_batch(out, call, &key.out))
        return ga_kernel_fail(GA_ERR_DEVICE, "fft: a temporary has an odd layout");
    return ga_fft_execute(&key, call->inverse, &places, stream);
}

static int run_densely(const ga_fft_call *call, const ga_fft_side *src, const ga_fft_side *dst, ga_stream *stream)
{
    ga_fft_side in = *src, out = *dst;
    int status = settle_sides(call, src, dst, &in, &out, stream);
    status = status ? status : run_settled(call, &in, &out, stream);
    if (status == 0 && out.data != dst->data)
        status = copy_side(call, &out, dst, stream);
    return (ga_runtime_free(in.temporary, stream) | ga_runtime_free(out.temporary, stream) | status) ? -1 : 0;
}

/* ---- the call ---- */

int ga_fft_run_library(const ga_fft_call *call, ga_stream *stream)
{
    ga_fft_key key;
    ga_fft_places places;
    ga_fft_side src = ga_fft_make_side(call, true), dst = ga_fft_make_side(call, false);
    if (!wants_rows(call, &src, &dst) && plan_in_place(call, &src, &dst, &key, &places))
        return ga_fft_execute(&key, call->inverse, &places, stream);
    return run_densely(call, &src, &dst, stream);
}
