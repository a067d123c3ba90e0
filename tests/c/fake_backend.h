/* A backend for tests: host memory, streams and events that only write down what is asked of them.
 *
 * Owns one log of calls, a line each, with streams named by letters (default stream 'a', the
 * next ones 'b', 'c'...), e.g. "record b; wait a; ". Memory can be limited: fake.limit counts
 * the bytes it hands out at one time. Whatever the core never calls is not there. Included by
 * one source file of a program. */
#ifndef GA_TESTS_FAKE_BACKEND_H
#define GA_TESTS_FAKE_BACKEND_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../csrc/core/backend.h"

#ifndef FAKE_NAME
#define FAKE_NAME "cpu"
#endif

enum { FAKE_STREAMS = 8, FAKE_DEVICES = 2 };

struct ga_stream {
    char letter;
};

struct ga_event {
    int device;
};

static struct {
    char log[4096];
    size_t limit, used; /* bytes; limit 0: none */
    int allocs, frees, trims;
    bool event_fails, event_waits; /* events cannot be recorded; are never over */
    int events;                    /* made and not destroyed */
    enum ga_status status;
    const char *message;
} fake;

static ga_stream fake_default_streams[FAKE_DEVICES] = {{'a'}, {'A'}};

static inline void
fake_write(const char *format, ...)
{
    size_t length = strlen(fake.log);
    va_list args;
    va_start(args, format);
    vsnprintf(fake.log + length, sizeof fake.log - length, format, args);
    va_end(args);
}

/* Whether the log reads `text`; starts a new one. */
static inline bool
fake_logged(const char *text)
{
    bool same = strcmp(fake.log, text) == 0;
    if (!same) {
        fprintf(stderr, "    log: %s\n", fake.log);
    }
    fake.log[0] = '\0';
    return same;
}

static inline int
fake_fail(enum ga_status status, const char *message)
{
    fake.status = status;
    fake.message = message;
    return -1;
}

static const char *
fake_last_error(enum ga_status *status)
{
    *status = fake.status;
    return fake.message;
}

static int
fake_device_count(int *out)
{
    *out = strcmp(FAKE_NAME, "cpu") == 0 ? 1 : FAKE_DEVICES;
    return 0;
}

static int
fake_device_info(int device, ga_device_info *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "fake %d", device);
    out->total_memory = (int64_t)fake.limit;
    out->free_memory = (int64_t)(fake.limit - fake.used);
    return 0;
}

/* A block remembers its size in front of it. */
static int
fake_alloc(size_t nbytes, ga_stream *stream, void **out)
{
    (void)stream;
    if (fake.limit != 0 && nbytes > fake.limit - fake.used) {
        return fake_fail(GA_ERR_MEMORY, "the fake has no more");
    }
    size_t *block = malloc(nbytes + 64);
    if (block == NULL) {
        return fake_fail(GA_ERR_MEMORY, "the host has no more");
    }
    *block = nbytes;
    fake.used += nbytes;
    fake.allocs++;
    *out = (char *)block + 64;
    return 0;
}

static int
fake_free(void *ptr, ga_stream *stream)
{
    size_t *block = (size_t *)(void *)((char *)ptr - 64);
    (void)stream;
    fake.used -= *block;
    fake.frees++;
    free(block);
    return 0;
}

static int
fake_trim(int device)
{
    (void)device;
    fake.trims++;
    return 0;
}

static int
fake_stream_default(int device, ga_stream **out)
{
    *out = &fake_default_streams[device];
    return 0;
}

static int
fake_stream_sync(ga_stream *stream)
{
    fake_write("sync %c; ", stream->letter);
    return 0;
}

static int
fake_stream_wait(ga_stream *stream, ga_event *event)
{
    (void)event;
    fake_write("wait %c; ", stream->letter);
    return 0;
}

static int
fake_event_create(int device, bool timing, ga_event **out)
{
    static ga_event events[FAKE_DEVICES];
    (void)timing;
    events[device].device = device;
    *out = &events[device];
    fake.events++;
    return 0;
}

static int
fake_event_destroy(ga_event *event)
{
    (void)event;
    fake.events--;
    return 0;
}

static int
fake_event_query(ga_event *event, bool *done)
{
    (void)event;
    *done = !fake.event_waits;
    return 0;
}

static int
fake_event_sync(ga_event *event)
{
    fake_write("sync event %d; ", event->device);
    return 0;
}

static int
fake_event_record(ga_event *event, ga_stream *stream)
{
    (void)event;
    if (fake.event_fails) {
        return fake_fail(GA_ERR_DEVICE, "the fake records nothing");
    }
    fake_write("record %c; ", stream->letter);
    return 0;
}

/* Only what the pool's poison asks for: fills bytes. */
static int
fake_cast(const ga_cast_call *call, ga_stream *stream)
{
    (void)stream;
    memset(call->dst.data, call->src.value.bytes[0], (size_t)call->size);
    return 0;
}

static const ga_backend fake_backend = {
    .abi = GA_ABI,
    .name = FAKE_NAME,
    .build = "fake",
    .last_error = fake_last_error,
    .device_count = fake_device_count,
    .device_info = fake_device_info,
    .alloc = fake_alloc,
    .free = fake_free,
    .trim = fake_trim,
    .stream_default = fake_stream_default,
    .stream_sync = fake_stream_sync,
    .stream_wait = fake_stream_wait,
    .event_create = fake_event_create,
    .event_destroy = fake_event_destroy,
    .event_record = fake_event_record,
    .event_sync = fake_event_sync,
    .event_query = fake_event_query,
    .cast = fake_cast,
};

#endif
