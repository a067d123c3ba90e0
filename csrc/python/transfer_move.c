/* The moves that transfer.c puts together: one launch family, one linear copy, one crossing between
 * devices. Here alone backends are called for copies between arrays; the GIL is released
 * around large ones on the CPU device and around those that wait. Operands satisfy what
 * transfer_move.h asks of them. */
#include "transfer_move.h"

#include <string.h>

#include "../core/iter.h"
#include "dtype.h"
#include "launch.h"

/* One assignment on one device, seen in the destination's shape. src NULL: fill with `value`. */
typedef struct {
    ga_device *device;
    ga_stream *stream;
    enum ga_dtype in, out;
    int64_t num, den;
    int ndim;
    const int64_t *shape;
    char *src, *dst;
    const int64_t *src_strides, *dst_strides;
    ga_scalar value;
} cast_job;

static int
launch_cast(const cast_job *job, const ga_iter *it)
{
    ga_cast_call call = {.in = job->in,
                         .out = job->out,
                         .ndim = it->ndim,
                         .size = it->size,
                         .num = job->num,
                         .den = job->den};
    memcpy(call.shape, it->shape, sizeof call.shape);
    call.src.data = job->src == NULL ? NULL : job->src + it->offsets[0];
    call.src.value = job->value;
    memcpy(call.src.strides, it->strides[0], sizeof call.src.strides);
    call.dst.data = job->dst + it->offsets[1];
    memcpy(call.dst.strides, it->strides[1], sizeof call.dst.strides);
    return ga_launch_cast(job->device, &call, job->stream);
}

static int
run_cast(const cast_job *job)
{
    static const int64_t no_strides[GA_MAXDIMS];
    /* The destination comes last: where both sides step alike, as in a transposed copy, its
     * consecutive axis becomes the innermost one. */
    const int64_t *strides[] = {job->src == NULL ? no_strides : job->src_strides, job->dst_strides};
    ga_iter it;
    ga_iter_begin(&it, job->ndim, job->shape, 2, strides, true);
    do {
        if (launch_cast(job, &it) < 0)
            return -1;
    } while (ga_iter_next(&it));
    return 0;
}

int
ga_transfer_move_cast(GaArray *dst, GaArray *src, const int64_t *src_strides)
{
    cast_job job = {.device = ga_array_device(dst),
                    .in = src->dtype,
                    .out = dst->dtype,
                    .ndim = dst->ndim,
                    .shape = dst->shape,
                    .src_strides = src_strides,
                    .dst_strides = dst->strides};
    if (ga_dtype_time_factor(src->descr, dst->descr, &job.num, &job.den) < 0 ||
        ga_array_pointer(src, GA_READ, &job.stream, &job.src) < 0 ||
        ga_array_pointer(dst, GA_WRITE, &job.stream, &job.dst) < 0)
        return -1;
    return run_cast(&job);
}

/* A little memory of the CPU device, filled where it stands: a call into the backend costs more. */
static bool
fill_little(GaArray *dst, char *to, const ga_scalar *value)
{
    static const ga_scalar zero;
    size_t itemsize = (size_t)ga_array_itemsize(dst), nbytes = (size_t)dst->size * itemsize;
    if (!ga_array_device(dst)->is_cpu || !(dst->flags & GA_ARRAY_C) || nbytes > 4096)
        return false;
    if (memcmp(value, &zero, itemsize) == 0) {
        memset(to, 0, nbytes);
        return true;
    }
    memcpy(to, value, itemsize);
    for (size_t done = itemsize; done < nbytes; done *= 2)
        memcpy(to + done, to, done < nbytes - done ? done : nbytes - done);
    return true;
}

int
ga_transfer_move_value(GaArray *dst, const ga_scalar *value)
{
    cast_job job = {.device = ga_array_device(dst),
                    .in = dst->dtype,
                    .out = dst->dtype,
                    .num = 1,
                    .den = 1,
                    .ndim = dst->ndim,
                    .shape = dst->shape,
                    .dst_strides = dst->strides,
                    .value = *value};
    if (ga_array_pointer(dst, GA_WRITE, &job.stream, &job.dst) < 0)
        return -1;
    return fill_little(dst, job.dst, value) ? 0 : run_cast(&job);
}

int
ga_transfer_move_bytewise(GaArray *dst, GaArray *src)
{
    int64_t shape[GA_MAXDIMS], dst_strides[GA_MAXDIMS], src_strides[GA_MAXDIMS];
    int ndim = dst->ndim;
    if (ndim == GA_MAXDIMS) {
        PyErr_Format(PyExc_ValueError, "misaligned arrays can have %d dimensions at most, got %d",
                     GA_MAXDIMS - 1, ndim);
        return -1;
    }
    size_t nbytes = (size_t)ndim * sizeof *shape;
    memcpy(shape, dst->shape, nbytes);
    memcpy(dst_strides, dst->strides, nbytes);
    memcpy(src_strides, src->strides, nbytes);
    shape[ndim] = ga_array_itemsize(dst);
    dst_strides[ndim] = src_strides[ndim] = 1;
    cast_job job = {.device = ga_array_device(dst),
                    .in = GA_u8,
                    .out = GA_u8,
                    .num = 1,
                    .den = 1,
                    .ndim = ndim + 1,
                    .shape = shape,
                    .src_strides = src_strides,
                    .dst_strides = dst_strides};
    if (ga_array_pointer(src, GA_READ, &job.stream, &job.src) < 0 ||
        ga_array_pointer(dst, GA_WRITE, &job.stream, &job.dst) < 0)
        return -1;
    return run_cast(&job);
}

int
ga_transfer_move_linear(GaArray *dst, GaArray *src)
{
    const ga_backend *backend = ga_array_device(dst)->backend;
    ga_stream *stream;
    char *to, *from;
    if (ga_array_pointer(src, GA_READ, &stream, &from) < 0 ||
        ga_array_pointer(dst, GA_WRITE, &stream, &to) < 0)
        return -1;
    size_t nbytes = (size_t)(dst->size * ga_array_itemsize(dst));
    int rc;
    if (ga_array_device(dst)->is_cpu && dst->size >= GA_RELEASE_SIZE) {
        Py_BEGIN_ALLOW_THREADS
        rc = backend->copy(to, from, nbytes, GA_COPY_ON_DEVICE, stream);
        Py_END_ALLOW_THREADS
    } else
        rc = backend->copy(to, from, nbytes, GA_COPY_ON_DEVICE, stream);
    if (rc < 0) {
        ga_fail_backend(backend);
        return ga_raise_int();
    }
    return 0;
}

int
ga_transfer_move_across(GaArray *dst, GaArray *src)
{
    ga_device *to_device = ga_array_device(dst), *from_device = ga_array_device(src);
    ga_stream *to_stream, *from_stream;
    char *to, *from;
    if (ga_array_pointer(src, GA_READ, &from_stream, &from) < 0 ||
        ga_array_pointer(dst, GA_WRITE, &to_stream, &to) < 0)
        return -1;
    size_t nbytes = (size_t)(src->size * ga_array_itemsize(src));
    const ga_backend *backend = from_device->is_cpu ? to_device->backend : from_device->backend;
    int rc;
    Py_BEGIN_ALLOW_THREADS
    if (from_device->is_cpu)
        rc = backend->copy(to, from, nbytes, GA_COPY_TO_DEVICE, to_stream);
    else if (to_device->is_cpu)
        rc = backend->copy(to, from, nbytes, GA_COPY_TO_HOST, from_stream);
    else
        rc = backend->copy_peer(to, to_stream, from, from_stream, nbytes);
    Py_END_ALLOW_THREADS
    if (rc < 0) {
        ga_fail_backend(backend);
        return ga_raise_int();
    }
    return 0;
}
