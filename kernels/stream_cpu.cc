/* Streams and events of the CPU backend. Work on the CPU is over when a call returns, so a stream only carries its
 * device and an event only the time of its record; both are objects all the same, so that the core needs no special
 * case. Owns them; includes slots.h and runtime.cuh only. */
#include <stdlib.h>
#include <time.h>

#include "runtime.cuh"
#include "slots.h"

struct ga_stream {
    uintptr_t handle; /* of a wrapped stream, handed back as it came */
    bool owned;       /* false for the default stream, which is never freed */
};

struct ga_event {
    double seconds; /* clock at the last record; negative before the first */
};

static ga_stream default_stream = {0, false};

static double read_clock()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

static int check_device(int device)
{
    return device == 0 ? 0 : ga_kernel_fail(GA_ERR_VALUE, "there is one CPU device, numbered 0; got %d", device);
}

static int make_stream(int device, uintptr_t handle, ga_stream **out)
{
    if (check_device(device))
        return -1;
    ga_stream *stream = static_cast<ga_stream *>(malloc(sizeof *stream));
    if (!stream)
        return ga_kernel_fail(GA_ERR_MEMORY, "no memory for a stream");
    *stream = {handle, true};
    *out = stream;
    return 0;
}

int ga_stream_default(int device, ga_stream **out)
{
    *out = &default_stream;
    return check_device(device);
}

int ga_stream_create(int device, bool, ga_stream **out)
{
    return make_stream(device, 0, out);
}

int ga_stream_wrap(int device, uintptr_t handle, ga_stream **out)
{
    return make_stream(device, handle, out);
}

int ga_stream_destroy(ga_stream *stream)
{
    if (stream && stream->owned)
        free(stream);
    return 0;
}

int ga_stream_counters(ga_stream *, uint32_t **out)
{
    *out = nullptr;
    return 0;
}

int ga_stream_sync(ga_stream *)
{
    return 0;
}

int ga_stream_query(ga_stream *, bool *done)
{
    *done = true;
    return 0;
}

int ga_stream_wait(ga_stream *, ga_event *)
{
    return 0;
}

uintptr_t ga_stream_handle(const ga_stream *stream)
{
    return stream ? stream->handle : 0;
}

int ga_event_create(int device, bool, ga_event **out)
{
    if (check_device(device))
        return -1;
    ga_event *event = static_cast<ga_event *>(malloc(sizeof *event));
    if (!event)
        return ga_kernel_fail(GA_ERR_MEMORY, "no memory for an event");
    event->seconds = -1;
    *out = event;
    return 0;
}

int ga_event_destroy(ga_event *event)
{
    free(event);
    return 0;
}

int ga_event_record(ga_event *event, ga_stream *)
{
    event->seconds = read_clock();
    return 0;
}

int ga_event_sync(ga_event *)
{
    return 0;
}

int ga_event_query(ga_event *, bool *done)
{
    *done = true;
    return 0;
}

int ga_event_elapsed(const ga_event *from, const ga_event *to, float *milliseconds)
{
    if (from->seconds < 0 || to->seconds < 0)
        return ga_kernel_fail(GA_ERR_VALUE, "elapsed time needs two events that were recorded");
    *milliseconds = float((to->seconds - from->seconds) * 1e3);
    return 0;
}
