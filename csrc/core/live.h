/* Which buffers of a device are alive and, while tracing is on, where they were made: for the message of an allocation
 * that fails, and for those who look for a leak. Buffers of the pool alone; imported memory is its owner's. */
#ifndef GA_LIVE_H
#define GA_LIVE_H

#include "buffer.h"

/* The place in the program that is making a buffer, as text from malloc; NULL if it is not known. */
typedef char *(*ga_live_origin_fn)(void *context);

typedef struct {
    size_t nbytes;
    const char *origin; /* the buffer's; NULL where it was made without tracing */
} ga_live_entry;

/* buffer.c says what begins and ends. */
void ga_live_add(ga_buffer *buffer);
void ga_live_remove(ga_buffer *buffer);

/* Tracing: asked for each new buffer from now on; NULL for none. */
void ga_live_set_origin(ga_live_origin_fn origin, void *context);
/* The largest first; returns how many of at most `max` were filled in. */
int ga_live_largest(const ga_device *device, ga_live_entry *out, int max);
/* Adds the largest to the recorded message of an allocation that failed; returns -1. */
int ga_live_explain(const ga_device *device);

#endif
