/* A piece of device memory with a reference count; what arrays and their views share.
 *
 * Owns: the memory (from the pool), or a deleter for imported memory. Remembers on which streams
 * it was last written and read, so that ga_buffer_acquire, the ONLY way to a device pointer, can
 * order streams: when another stream appears, an event is recorded on the old one and waited for
 * on the new one. One-stream programs never record an event. Callers hold the one lock of the
 * core (in Python: the GIL). */
#ifndef GA_BUFFER_H
#define GA_BUFFER_H

#include "device.h"

#define GA_BUFFER_READERS 4

typedef struct ga_buffer {
    int64_t references;
    ga_device *device;
    void *ptr;
    size_t nbytes;   /* asked for */
    size_t capacity; /* of the pool's block; 0 for imported memory */
    bool readonly;
    void (*deleter)(void *owner); /* imported memory; NULL when the pool's */
    void *owner;
    /* The stream of the last write, or of the allocation; NULL: imported and never written. */
    ga_stream *writer;
    /* Since the last write, without the writer's own; the oldest is waited for when full. */
    ga_stream *readers[GA_BUFFER_READERS];
    /* Of the pool's memory only (live.h): neighbours in the device's list, and where it was made or NULL. */
    struct ga_buffer *previous, *next;
    char *origin;
} ga_buffer;

enum ga_access { GA_READ = 1, GA_WRITE = 2, GA_READWRITE = 3 };

int ga_buffer_new(ga_device *device, size_t nbytes, ga_stream *stream, ga_buffer **out);
/* Wraps foreign memory. On success deleter(owner) is called once, when the last reference is gone
 * and what the streams did with it is over: at the release, or at a later call (retire.h); on
 * failure the caller keeps ownership. deleter may be NULL. */
int ga_buffer_wrap(ga_device *device, void *ptr, size_t nbytes, bool readonly,
                   void (*deleter)(void *), void *owner, ga_buffer **out);
static inline ga_buffer *
ga_buffer_retain(ga_buffer *buffer)
{
    buffer->references++;
    return buffer;
}
void ga_buffer_release(ga_buffer *buffer); /* NULL is allowed */

/* The pointer (NULL for 0 bytes), ordered for `access` on `stream` (of the buffer's device). Fails
 * if an event cannot be recorded, and with GA_ERR_VALUE for a write to read-only memory. */
int ga_buffer_acquire(ga_buffer *buffer, enum ga_access access, ga_stream *stream, void **out);
/* Waits on the host until everything that wrote (and for GA_WRITE read) the buffer is done. */
int ga_buffer_sync(ga_buffer *buffer, enum ga_access access);
/* A stream is about to be destroyed and has been synchronised: buffers that name it treat it as
 * done from now on. Call it for every stream but the default ones, after ga_pool_forget_stream. */
void ga_buffer_forget_stream(ga_stream *stream);

#endif
