/* Device memory and copies. Owns a memory pool for each device (its cache is given back by trim
 * alone) and the page-locked buffers through which short copies go.
 *
 * A copy returns when the host memory may be touched again, be it pageable or page-locked. Short
 * ones pass through a page-locked buffer: upwards nothing waits (the buffer is guarded by an event
 * until the device has read it), downwards only the stream is waited for. One element and large
 * blocks have ways of their own. Trimming also forgets the plans of fft.h. Includes copies_cuda.h,
 * fft.h. */
#include <stdlib.h>
#include <string.h>

#include "copies_cuda.h"
#include "fft.h"

static const int most_devices = 64;
static const size_t short_copy = size_t(64) << 10;
static const int most_buffers = 16; /* for a device; more are made only while all are in flight */

struct staging {
    staging *next;
    cudaEvent_t read; /* the device is done with the buffer */
    char *bytes;
};

/* Buffers wait in a queue, the one used longest ago in front. */
struct device_memory {
    cudaMemPool_t pool;
    staging *first, *last;
    int buffers;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards memory_of */
static device_memory memory_of[most_devices];

static int make_pool(int device, cudaMemPool_t *out)
{
    cudaMemPoolProps properties;
    uint64_t keep = UINT64_MAX;
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    if (ga_cuda_check(cudaMemPoolCreate(out, &properties), "making a memory pool"))
        return -1;
    return ga_cuda_check(cudaMemPoolSetAttribute(*out, cudaMemPoolAttrReleaseThreshold, &keep),
                         "setting up a memory pool");
}

int ga_cuda_pool(int device, cudaMemPool_t *out)
{
    device_memory *memory = &memory_of[device];
    int status = 0;
    pthread_mutex_lock(&lock);
    if (!memory->pool)
        status = make_pool(device, &memory->pool);
    *out = memory->pool;
    pthread_mutex_unlock(&lock);
    return status;
}

int ga_runtime_alloc(size_t nbytes, ga_stream *stream, void **out)
{
    cudaMemPool_t pool;
    *out = nullptr;
    if (nbytes == 0)
        return 0;
    if (ga_cuda_enter(stream->device) || ga_cuda_pool(stream->device, &pool))
        return -1;
    return ga_cuda_check(cudaMallocFromPoolAsync(out, nbytes, pool, stream->handle), "allocating device memory");
}

int ga_runtime_free(void *ptr, ga_stream *stream)
{
    if (!ptr)
        return 0;
    if (ga_cuda_enter(stream->device))
        return -1;
    return ga_cuda_check(cudaFreeAsync(ptr, stream->handle), "freeing device memory");
}

int ga_runtime_trim(int device)
{
    cudaMemPool_t pool;
    if (ga_cuda_enter(device) || ga_cuda_pool(device, &pool))
        return -1;
    /* The pool can give back only what is free as the device sees it now. */
    if (ga_cuda_check(cudaDeviceSynchronize(), "waiting for the device"))
        return -1;
    ga_fft_forget(device);
    return ga_cuda_check(cudaMemPoolTrimTo(pool, 0), "giving memory back");
}

static int make_buffer(staging **out)
{
    staging *buffer = static_cast<staging *>(calloc(1, sizeof *buffer));
    if (!buffer)
        return ga_kernel_fail(GA_ERR_MEMORY, "no memory for a page-locked buffer");
    if (ga_cuda_check(cudaEventCreateWithFlags(&buffer->read, cudaEventDisableTiming), "making an event")
        || ga_cuda_check(cudaHostAlloc(reinterpret_cast<void **>(&buffer->bytes), short_copy, cudaHostAllocPortable),
                         "page-locking memory")) {
        if (buffer->read)
            cudaEventDestroy(buffer->read);
        free(buffer);
        return -1;
    }
    *out = buffer;
    return 0;
}

/* The oldest buffer if the device is done with it or if there are enough; otherwise NULL, and the caller makes one. */
static staging *take_oldest(device_memory *memory)
{
    staging *buffer = nullptr;
    pthread_mutex_lock(&lock);
    if (memory->first && (memory->buffers >= most_buffers || cudaEventQuery(memory->first->read) == cudaSuccess)) {
        buffer = memory->first;
        memory->first = buffer->next;
    } else {
        memory->buffers++;
        cudaGetLastError(); /* "not ready" is no error */
    }
    pthread_mutex_unlock(&lock);
    return buffer;
}

static int take_buffer(int device, staging **out)
{
    *out = take_oldest(&memory_of[device]);
    if (!*out)
        return make_buffer(out);
    return ga_cuda_check(cudaEventSynchronize((*out)->read), "waiting for the device");
}

static void return_buffer(int device, staging *buffer)
{
    device_memory *memory = &memory_of[device];
    pthread_mutex_lock(&lock);
    buffer->next = nullptr;
    if (memory->first)
        memory->last->next = buffer;
    else
        memory->first = buffer;
    memory->last = buffer;
    pthread_mutex_unlock(&lock);
}

static int copy_short_up(void *dst, const void *src, size_t nbytes, ga_stream *stream)
{
    staging *buffer;
    if (take_buffer(stream->device, &buffer))
        return -1;
    memcpy(buffer->bytes, src, nbytes);
    int status =
        ga_cuda_check(cudaMemcpyAsync(dst, buffer->bytes, nbytes, cudaMemcpyHostToDevice, stream->handle),
                      "copying to the device")
                || ga_cuda_check(cudaEventRecord(buffer->read, stream->handle), "recording an event")
            ? -1
            : 0;
    return_buffer(stream->device, buffer);
    return status;
}

static int copy_short_down(void *dst, const void *src, size_t nbytes, ga_stream *stream)
{
    staging *buffer;
    if (take_buffer(stream->device, &buffer))
        return -1;
    int status =
        ga_cuda_check(cudaMemcpyAsync(buffer->bytes, src, nbytes, cudaMemcpyDeviceToHost, stream->handle),
                      "copying to the host")
                || ga_cuda_check(cudaStreamSynchronize(stream->handle), "waiting for the device")
            ? -1
            : 0;
    if (status == 0)
        memcpy(dst, buffer->bytes, nbytes);
    return_buffer(stream->device, buffer);
    return status;
}

/* As CUDA does it. */
static int copy_long(void *dst, const void *src, size_t nbytes, cudaMemcpyKind kind, ga_stream *stream)
{
    return ga_cuda_check(cudaMemcpyAsync(dst, src, nbytes, kind, stream->handle), "copying memory")
                   || ga_cuda_check(cudaStreamSynchronize(stream->handle), "waiting for the device")
               ? -1
               : 0;
}

int ga_runtime_copy(void *dst, const void *src, size_t nbytes, enum ga_copy_kind kind, ga_stream *stream)
{
    if (nbytes == 0)
        return 0;
    if (ga_cuda_enter(stream->device))
        return -1;
    if (kind == GA_COPY_ON_DEVICE)
        return ga_cuda_check(cudaMemcpyAsync(dst, src, nbytes, cudaMemcpyDeviceToDevice, stream->handle),
                             "copying on the device");
    int status = kind == GA_COPY_TO_HOST && nbytes <= GA_PEEK_BYTES ? ga_cuda_peek(dst, src, nbytes, stream)
                 : nbytes > short_copy                              ? ga_cuda_transfer(dst, src, nbytes, kind, stream)
                                                                    : 1;
    if (status <= 0)
        return status;
    if (nbytes <= short_copy)
        return kind == GA_COPY_TO_DEVICE ? copy_short_up(dst, src, nbytes, stream)
                                         : copy_short_down(dst, src, nbytes, stream);
    return copy_long(dst, src, nbytes, kind == GA_COPY_TO_DEVICE ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                     stream);
}

/* Lets `later` wait for what `earlier` holds now. */
static int order_streams(ga_stream *earlier, ga_stream *later)
{
    cudaEvent_t event;
    if (ga_cuda_enter(earlier->device)
        || ga_cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event"))
        return -1;
    int status = ga_cuda_check(cudaEventRecord(event, earlier->handle), "recording an event");
    if (status == 0 && (status = ga_cuda_enter(later->device)) == 0)
        status = ga_cuda_check(cudaStreamWaitEvent(later->handle, event, 0), "ordering two streams");
    cudaEventDestroy(event); /* CUDA keeps it until the wait is over */
    return status;
}

int ga_runtime_copy_peer(void *dst, ga_stream *dst_stream, const void *src, ga_stream *src_stream, size_t nbytes)
{
    if (nbytes == 0)
        return 0;
    if (order_streams(src_stream, dst_stream) || ga_cuda_enter(dst_stream->device)
        || ga_cuda_check(cudaMemcpyPeerAsync(dst, dst_stream->device, src, src_stream->device, nbytes,
                                             dst_stream->handle),
                         "copying between devices"))
        return -1;
    return order_streams(dst_stream, src_stream);
}
