/* CUDA streams and events. Owns the default stream of each device (CUDA's legacy stream, so that work of other
 * libraries on their default stream is in order with ours). Includes runtime_cuda.cuh. */
#include <stdlib.h>

#include "runtime_cuda.cuh"

struct ga_event {
    cudaEvent_t handle;
    int device;
};

static const int most_devices = 64;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards default_of and what follows */
static ga_stream *default_of[most_devices];              /* never freed */
static const int counted_most = 128; /* streams of a device that get counters */
static uint32_t *counters_of[most_devices]; /* those of all its streams, never freed */
static int counted[most_devices];

static int make_stream(int device, cudaStream_t handle, bool owned, ga_stream **out)
{
    ga_stream *stream = static_cast<ga_stream *>(malloc(sizeof *stream));
    if (!stream)
        return ga_kernel_fail(GA_ERR_MEMORY, "no memory for a stream");
    *stream = {handle, device, owned, nullptr};
    *out = stream;
    return 0;
}

int ga_stream_default(int device, ga_stream **out)
{
    if (ga_cuda_enter(device))
        return -1;
    int status = 0;
    pthread_mutex_lock(&lock);
    if (!default_of[device])
        status = make_stream(device, nullptr, false, &default_of[device]);
    *out = default_of[device];
    pthread_mutex_unlock(&lock);
    return status;
}

int ga_stream_create(int device, bool non_blocking, ga_stream **out)
{
    cudaStream_t handle;
    unsigned flags = non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
    if (ga_cuda_enter(device) || ga_cuda_check(cudaStreamCreateWithFlags(&handle, flags), "making a stream"))
        return -1;
    if (make_stream(device, handle, true, out) == 0)
        return 0;
    cudaStreamDestroy(handle);
    return -1;
}

/* 0 and 1 are both names of the legacy stream; 2, the per-thread stream, is a handle like any other. */
int ga_stream_wrap(int device, uintptr_t handle, ga_stream **out)
{
    if (ga_cuda_enter(device))
        return -1;
    return make_stream(device, reinterpret_cast<cudaStream_t>(handle == 1 ? 0 : handle), false, out);
}

int ga_stream_destroy(ga_stream *stream)
{
    if (!stream || stream == default_of[stream->device])
        return 0;
    int status = 0;
    if (stream->owned && (status = ga_cuda_enter(stream->device)) == 0)
        status = ga_cuda_check(cudaStreamDestroy(stream->handle), "destroying a stream");
    free(stream);
    return status;
}

/* Memory apart from the pool, which words in use would keep from giving its own back. */
static int make_counters(int device)
{
    void *memory = nullptr;
    const size_t nbytes = counted_most * GA_STREAM_COUNTERS * sizeof(uint32_t);
    if (ga_cuda_check(cudaMalloc(&memory, nbytes), "allocating counters")
        || ga_cuda_check(cudaMemset(memory, 0, nbytes), "clearing counters")
        || ga_cuda_check(cudaStreamSynchronize(nullptr), "clearing counters"))
        return -1;
    counters_of[device] = static_cast<uint32_t *>(memory);
    counted[device] = 1;
    return 0;
}

/* The first ones are those of the legacy stream. None is given twice: work on a stream that is gone
 * may not have finished. */
static void take_counters(ga_stream *stream)
{
    int *used = &counted[stream->device];
    int place = stream->handle ? *used : 0;
    if (place >= counted_most)
        return;
    stream->counters = counters_of[stream->device] + place * GA_STREAM_COUNTERS;
    *used += stream->handle != nullptr;
}

int ga_stream_counters(ga_stream *stream, uint32_t **out)
{
    int status = 0;
    *out = nullptr;
    if (!stream->owned && stream->handle)
        return 0;
    pthread_mutex_lock(&lock);
    if (!counters_of[stream->device])
        status = make_counters(stream->device);
    if (status == 0 && !stream->counters)
        take_counters(stream);
    *out = stream->counters;
    pthread_mutex_unlock(&lock);
    return status;
}

int ga_stream_sync(ga_stream *stream)
{
    if (ga_cuda_enter(stream->device))
        return -1;
    return ga_cuda_check(cudaStreamSynchronize(stream->handle), "waiting for the device");
}

/* Turns "not ready" into an answer. */
static int answer_query(cudaError_t error, bool *done)
{
    *done = error == cudaSuccess;
    if (error != cudaErrorNotReady)
        return ga_cuda_check(error, "asking whether work is done");
    cudaGetLastError();
    return 0;
}

int ga_stream_query(ga_stream *stream, bool *done)
{
    if (ga_cuda_enter(stream->device))
        return -1;
    return answer_query(cudaStreamQuery(stream->handle), done);
}

int ga_stream_wait(ga_stream *stream, ga_event *event)
{
    if (ga_cuda_enter(stream->device))
        return -1;
    return ga_cuda_check(cudaStreamWaitEvent(stream->handle, event->handle, 0), "ordering a stream behind an event");
}

uintptr_t ga_stream_handle(const ga_stream *stream)
{
    uintptr_t handle = reinterpret_cast<uintptr_t>(stream->handle);
    return handle ? handle : 1; /* cudaStreamLegacy: exchange protocols read 0 as "unknown" */
}

int ga_event_create(int device, bool timing, ga_event **out)
{
    if (ga_cuda_enter(device))
        return -1;
    ga_event *event = static_cast<ga_event *>(malloc(sizeof *event));
    if (!event)
        return ga_kernel_fail(GA_ERR_MEMORY, "no memory for an event");
    unsigned flags = timing ? cudaEventDefault : cudaEventDisableTiming;
    event->device = device;
    if (ga_cuda_check(cudaEventCreateWithFlags(&event->handle, flags), "making an event")) {
        free(event);
        return -1;
    }
    *out = event;
    return 0;
}

int ga_event_destroy(ga_event *event)
{
    if (!event)
        return 0;
    int status = ga_cuda_enter(event->device);
    if (status == 0)
        status = ga_cuda_check(cudaEventDestroy(event->handle), "destroying an event");
    free(event);
    return status;
}

int ga_event_record(ga_event *event, ga_stream *stream)
{
    if (ga_cuda_enter(stream->device))
        return -1;
    return ga_cuda_check(cudaEventRecord(event->handle, stream->handle), "recording an event");
}

int ga_event_sync(ga_event *event)
{
    if (ga_cuda_enter(event->device))
        return -1;
    return ga_cuda_check(cudaEventSynchronize(event->handle), "waiting for an event");
}

int ga_event_query(ga_event *event, bool *done)
{
    if (ga_cuda_enter(event->device))
        return -1;
    return answer_query(cudaEventQuery(event->handle), done);
}

int ga_event_elapsed(const ga_event *from, const ga_event *to, float *milliseconds)
{
    if (ga_cuda_enter(from->device))
        return -1;
    return ga_cuda_check(cudaEventElapsedTime(milliseconds, from->handle, to->handle), "timing two events");
}
