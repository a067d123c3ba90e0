/* Device memory with a reference count, and the order of streams on it. Owns the buffers and the
 * registry of live streams.
 *
 * How two streams are ordered: the device's one event is recorded on the earlier stream, at the
 * moment the later stream turns up, and the later one waits for it. That covers all the earlier
 * stream did so far, hence more than the access that mattered; in exchange a program with one
 * stream records no event at all. The event may be used again at once, since a wait refers to the
 * record before it.
 *
 * The writer also counts as a reader: its reads are not listed. A listed reader has waited for the
 * writer, so it need not wait again before the next write. A write therefore waits for the writer
 * and all readers, always.
 *
 * A buffer's streams may die before it. Streams other than the default one are in the registry
 * from their first use to ga_buffer_forget_stream; a pointer that is not there names a dead
 * stream, which was synchronised, so there is nothing to wait for. A new stream at a dead one's
 * address is taken for it, which is harmless for the same reason. */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "pool.h"
#include "retire.h"
#include "status.h"

static struct {
    ga_stream **items;
    int count, room;
} live_streams;

static int
find_live(const ga_stream *stream)
{
    for (int i = 0; i < live_streams.count; i++) {
        if (live_streams.items[i] == stream) {
            return i;
        }
    }
    return -1;
}

static int
register_stream(const ga_device *device, ga_stream *stream)
{
    if (stream == device->default_stream || find_live(stream) >= 0) {
        return 0;
    }
    if (live_streams.count == live_streams.room) {
        int room = live_streams.room + 16;
        ga_stream **items = realloc(live_streams.items, (size_t)room * sizeof *items);
        if (items == NULL) {
            return ga_fail(GA_ERR_MEMORY, "out of memory on the host");
        }
        live_streams.items = items;
        live_streams.room = room;
    }
    live_streams.items[live_streams.count++] = stream;
    return 0;
}

static bool
is_live(const ga_device *device, const ga_stream *stream)
{
    return stream == device->default_stream || find_live(stream) >= 0;
}

void
ga_buffer_forget_stream(ga_stream *stream)
{
    int i = find_live(stream);
    if (i >= 0) {
        live_streams.items[i] = live_streams.items[--live_streams.count];
    }
}

/* `later` waits for what `earlier` did so far. */
static int
order_streams(ga_device *device, ga_stream *earlier, ga_stream *later)
{
    const ga_backend *backend = device->backend;
    if (earlier == NULL || earlier == later || !is_live(device, earlier)) {
        return 0;
    }
    if (device->event == NULL && backend->event_create(device->index, false, &device->event) < 0) {
        device->event = NULL;
        return ga_fail_backend(backend);
    }
    if (backend->event_record(device->event, earlier) < 0 ||
        backend->stream_wait(later, device->event) < 0) {
        return ga_fail_backend(backend);
    }
    return 0;
}

static int
sync_stream(const ga_device *device, ga_stream *stream)
{
    if (stream == NULL || !is_live(device, stream) || device->backend->stream_sync(stream) == 0) {
        return 0;
    }
    return ga_fail_backend(device->backend);
}

static ga_buffer *
make_buffer(ga_device *device, size_t nbytes)
{
    ga_buffer *buffer = malloc(sizeof *buffer); /* glibc's calloc does without the thread's cache */
    if (buffer == NULL) {
        ga_fail(GA_ERR_MEMORY, "out of memory on the host");
        return NULL;
    }
    *buffer = (ga_buffer){.references = 1, .device = device, .nbytes = nbytes};
    return buffer;
}

int
ga_buffer_new(ga_device *device, size_t nbytes, ga_stream *stream, ga_buffer **out)
{
    ga_retire_collect();
    ga_buffer *buffer = register_stream(device, stream) < 0 ? NULL : make_buffer(device, nbytes);
    if (buffer == NULL) {
        return -1;
    }
    if (ga_pool_alloc(device->pool, nbytes, stream, &buffer->ptr, &buffer->capacity) < 0) {
        free(buffer);
        return ga_live_explain(device);
    }
    if (buffer->capacity > 0) {
        ga_live_add(buffer);
    }
    /* The block's last user may still run on this stream: another stream has to wait for it as
     * for a write. */
    buffer->writer = stream;
    *out = buffer;
    return 0;
}

int
ga_buffer_wrap(ga_device *device, void *ptr, size_t nbytes, bool readonly, void (*deleter)(void *),
               void *owner, ga_buffer **out)
{
    ga_buffer *buffer = make_buffer(device, nbytes);
    if (buffer == NULL) {
        return -1;
    }
    buffer->ptr = ptr;
    buffer->readonly = readonly;
    buffer->deleter = deleter;
    buffer->owner = owner;
    *out = buffer;
    return 0;
}

/* Orders all users of a buffer before what follows on `home`. */
static void
join_readers(ga_buffer *buffer, ga_stream *home)
{
    for (int i = 0; i < GA_BUFFER_READERS; i++) {
        if (order_streams(buffer->device, buffer->readers[i], home) < 0) {
            /* Without an event the host waits; if that fails too, the device is lost and order
             * no longer matters. */
            (void)sync_stream(buffer->device, buffer->readers[i]);
        }
    }
}

/* Gives the block back on the stream that wrote last, after the readers. */
static void
free_block(ga_buffer *buffer)
{
    ga_device *device = buffer->device;
    ga_stream *home = is_live(device, buffer->writer) ? buffer->writer : device->default_stream;
    join_readers(buffer, home);
    ga_pool_free(device->pool, buffer->ptr, buffer->capacity, home);
}

/* The stream to which imported memory owes its last use, or one of them; NULL where there was none. */
static ga_stream *
last_user(const ga_buffer *buffer)
{
    if (buffer->writer != NULL && is_live(buffer->device, buffer->writer)) {
        return buffer->writer;
    }
    for (int i = 0; i < GA_BUFFER_READERS; i++) {
        if (buffer->readers[i] != NULL && is_live(buffer->device, buffer->readers[i])) {
            return buffer->readers[i];
        }
    }
    return NULL;
}

/* The owner has to get its memory back even from a device that fails. */
static void
return_import(ga_buffer *buffer)
{
    ga_device *device = buffer->device;
    ga_stream *home = last_user(buffer);
    if (home != NULL && !device->is_cpu) {
        join_readers(buffer, home);
        if (ga_retire_after(device, home, buffer->deleter, buffer->owner) == 0) {
            return;
        }
        ga_status_clear();
        (void)ga_buffer_sync(buffer, GA_WRITE);
    }
    buffer->deleter(buffer->owner);
}

void
ga_buffer_release(ga_buffer *buffer)
{
    if (buffer == NULL || --buffer->references > 0) {
        return;
    }
    if (buffer->capacity > 0) {
        ga_live_remove(buffer);
        free_block(buffer);
    } else if (buffer->deleter != NULL) {
        return_import(buffer);
    }
    free(buffer);
}

static bool
is_reader(const ga_buffer *buffer, const ga_stream *stream)
{
    for (int i = 0; i < GA_BUFFER_READERS; i++) {
        if (buffer->readers[i] == stream) {
            return true;
        }
    }
    return false;
}

/* Lists a reader. When the list is full, the newcomer waits for the oldest and thereby speaks
 * for it. */
static int
add_reader(ga_buffer *buffer, ga_stream *stream)
{
    for (int i = 0; i < GA_BUFFER_READERS; i++) {
        if (buffer->readers[i] == NULL) {
            buffer->readers[i] = stream;
            return 0;
        }
    }
    if (order_streams(buffer->device, buffer->readers[0], stream) < 0) {
        return -1;
    }
    memmove(buffer->readers, buffer->readers + 1,
            (GA_BUFFER_READERS - 1) * sizeof buffer->readers[0]);
    buffer->readers[GA_BUFFER_READERS - 1] = stream;
    return 0;
}

static int
begin_read(ga_buffer *buffer, ga_stream *stream)
{
    if (buffer->writer == stream || is_reader(buffer, stream)) {
        return 0;
    }
    if (order_streams(buffer->device, buffer->writer, stream) < 0) {
        return -1;
    }
    return add_reader(buffer, stream);
}

static int
begin_write(ga_buffer *buffer, ga_stream *stream)
{
    if (buffer->readonly) {
        return ga_fail(GA_ERR_VALUE, "the array's memory is read-only");
    }
    if (order_streams(buffer->device, buffer->writer, stream) < 0) {
        return -1;
    }
    for (int i = 0; i < GA_BUFFER_READERS && buffer->readers[i] != NULL; i++) {
        if (order_streams(buffer->device, buffer->readers[i], stream) < 0) {
            return -1;
        }
    }
    memset(buffer->readers, 0, sizeof buffer->readers);
    buffer->writer = stream;
    return 0;
}

int
ga_buffer_acquire(ga_buffer *buffer, enum ga_access access, ga_stream *stream, void **out)
{
    if (register_stream(buffer->device, stream) < 0) {
        return -1;
    }
    int rc = access & GA_WRITE ? begin_write(buffer, stream) : begin_read(buffer, stream);
    if (rc == 0) {
        *out = buffer->ptr;
    }
    return rc;
}

int
ga_buffer_sync(ga_buffer *buffer, enum ga_access access)
{
    int rc = sync_stream(buffer->device, buffer->writer);
    for (int i = 0; (access & GA_WRITE) && i < GA_BUFFER_READERS; i++) {
        if (sync_stream(buffer->device, buffer->readers[i]) < 0) {
            rc = -1;
        }
    }
    return rc;
}
