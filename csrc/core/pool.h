/* Free lists in front of a device's allocator: size classes, no driver call on a hit. Blocks are
 * handed out again in the order of the stream that frees them: a block is kept under the stream it
 * was last used on.
 *
 * Size classes: multiples of 512 bytes up to 1 MiB, then four classes an octave; blocks above
 * 256 MiB are not kept here but go back to the backend's own pool. Callers hold the one lock of
 * the core (in Python: the GIL). */
#ifndef GA_POOL_H
#define GA_POOL_H

#include "device.h"

typedef struct ga_pool ga_pool;

typedef struct {
    int64_t live_bytes, live_blocks; /* handed out now */
    int64_t peak_bytes;              /* highest live_bytes so far */
    int64_t cached_bytes;            /* in the free lists */
    int64_t allocations, hits;       /* calls, and those served by a free list */
    int64_t limit_bytes;             /* of live and cached bytes together; 0 for none */
} ga_pool_stats;

/* Called when memory runs out, before the second try: returns 1 if something may have been given
 * back. Set by csrc/python (garbage collector); NULL for none. */
typedef int (*ga_pool_reclaim_fn)(void *context);

int ga_pool_new(ga_device *device, ga_pool **out);
/* *capacity receives the block's true size, to be given back to ga_pool_free. nbytes 0 gives a
 * NULL pointer. Out of memory: drops the caches, reclaims, tries again, then GA_ERR_MEMORY
 * naming asked, free and total bytes. */
int ga_pool_alloc(ga_pool *pool, size_t nbytes, ga_stream *stream, void **out, size_t *capacity);
void ga_pool_free(ga_pool *pool, void *ptr, size_t capacity, ga_stream *stream);
/* Whether the slot of the pool's device that just failed in this thread found no memory, and some was given back
 * since: the caller may try once more. */
bool ga_pool_relieve(ga_pool *pool);
/* Memory beyond the limit counts as not there. Starts as GPUARRAY_MEMORY_LIMIT; 0 for none. */
void ga_pool_set_limit(ga_pool *pool, int64_t nbytes);
/* The peak starts anew from what is live now. */
void ga_pool_reset_peak(ga_pool *pool);
/* Empties the free lists and trims the backend's pool. */
int ga_pool_trim(ga_pool *pool);
void ga_pool_get_stats(const ga_pool *pool, ga_pool_stats *out);
void ga_pool_set_reclaim(ga_pool_reclaim_fn reclaim, void *context);
/* A stream is about to be destroyed: its cached blocks go back to the backend. */
void ga_pool_forget_stream(ga_pool *pool, ga_stream *stream);

#endif
