/* The list of a device's live buffers, linked through them. Owns the hook that says where a buffer is made, and the
 * texts it gave (freed with their buffers). Includes the core and the C library. */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

enum { EXPLAINED = 3, ENTRY_BYTES = 160, PATH_BYTES = 100 };

static ga_live_origin_fn origin_callback;
static void *origin_context;

void
ga_live_add(ga_buffer *buffer)
{
    ga_device *device = buffer->device;
    buffer->next = device->buffers;
    if (device->buffers != NULL) {
        device->buffers->previous = buffer;
    }
    device->buffers = buffer;
    if (origin_callback != NULL) {
        buffer->origin = origin_callback(origin_context);
    }
}

void
ga_live_remove(ga_buffer *buffer)
{
    if (buffer->previous != NULL) {
        buffer->previous->next = buffer->next;
    } else {
        buffer->device->buffers = buffer->next;
    }
    if (buffer->next != NULL) {
        buffer->next->previous = buffer->previous;
    }
    free(buffer->origin);
}

void
ga_live_set_origin(ga_live_origin_fn origin, void *context)
{
    origin_callback = origin;
    origin_context = context;
}

int
ga_live_largest(const ga_device *device, ga_live_entry *out, int max)
{
    int count = 0;
    for (const ga_buffer *buffer = device->buffers; buffer != NULL; buffer = buffer->next) {
        int place = count < max ? count++ : max;
        for (; place > 0 && out[place - 1].nbytes < buffer->nbytes; place--) {
            if (place < max) {
                out[place] = out[place - 1];
            }
        }
        if (place < max) {
            out[place] = (ga_live_entry){buffer->nbytes, buffer->origin};
        }
    }
    return count;
}

/* Of a long path the end tells more. */
static void
describe_entry(const ga_live_entry *entry, char *text)
{
    const char *origin = entry->origin != NULL ? entry->origin : "";
    size_t length = strlen(origin);
    bool cut = length > PATH_BYTES;
    snprintf(text, ENTRY_BYTES, "%zu bytes%s%s%s", entry->nbytes, length > 0 ? " made at " : "",
             cut ? "..." : "", cut ? origin + length - PATH_BYTES : origin);
}

int
ga_live_explain(const ga_device *device)
{
    ga_live_entry largest[EXPLAINED];
    char text[EXPLAINED * ENTRY_BYTES] = "", entry[ENTRY_BYTES];
    const char *message;
    enum ga_status status = ga_status_get(&message);
    int count = ga_live_largest(device, largest, EXPLAINED);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(text);
        describe_entry(&largest[i], entry);
        snprintf(text + used, sizeof text - used, "%s%s", i == 0 ? "; the largest: " : ", ", entry);
    }
    const char *advice = origin_callback == NULL && count > 0
                             ? " (gpuarray.set_memory_tracing(True) says where arrays are made)"
                             : "";
    return ga_fail(status, "%s%s%s", message, text, advice);
}
