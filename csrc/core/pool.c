/* Free lists in front of a device's allocator. Owns the cached blocks, never those handed out.
 *
 * Invariants: a cached block lies in the list of its size class and of the stream it was last
 * used on, so that it may be handed out on that stream again without waiting; capacity is a
 * function of the size class, which is how a block finds its list. The default stream's lists
 * are part of the pool and found at once; other streams' are made when they free something. List
 * nodes live on the host and are kept for reuse. Callers hold the one lock of the core. */
#include "pool.h"

#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "status.h"

enum {
    UNIT = 512,            /* bytes; capacities are multiples of it */
    LINEAR_CLASSES = 2048, /* one a unit, up to 1 MiB */
    LINEAR_LOG = 11,
    OCTAVES = 8, /* from 1 MiB to 256 MiB, four classes each */
    CLASS_COUNT = LINEAR_CLASSES + 4 * OCTAVES + 1,
    NOT_CACHED = -1
};

typedef struct block {
    struct block *next;
    void *ptr;
} block;

typedef struct stream_lists {
    struct stream_lists *next;
    ga_stream *stream;
    block *heads[CLASS_COUNT];
} stream_lists;

struct ga_pool {
    ga_device *device;
    bool poison, no_cache;
    ga_pool_stats stats;
    block *spare_nodes;
    stream_lists main; /* of the default stream; the others hang behind it */
};

static ga_pool_reclaim_fn reclaim_callback;
static void *reclaim_context;

/* Capacity and class of a size; class 0 is unused, as 0 bytes get no block. */
static int
size_class(size_t nbytes, size_t *capacity)
{
    size_t units = (nbytes + UNIT - 1) / UNIT;
    if (units <= LINEAR_CLASSES) {
        *capacity = units * UNIT;
        return (int)units;
    }
    int octave = 63 - __builtin_clzll((unsigned long long)(units - 1));
    if (octave >= LINEAR_LOG + OCTAVES) {
        *capacity = units * UNIT;
        return NOT_CACHED;
    }
    size_t step = (size_t)1 << (octave - 2);
    size_t steps = (units + step - 1) / step;
    *capacity = steps * step * UNIT;
    return LINEAR_CLASSES + (octave - LINEAR_LOG) * 4 + (int)steps - 4;
}

static stream_lists *
find_lists(ga_pool *pool, const ga_stream *stream)
{
    stream_lists *lists = &pool->main;
    while (lists != NULL && lists->stream != stream) {
        lists = lists->next;
    }
    return lists;
}

static stream_lists *
make_lists(ga_pool *pool, ga_stream *stream)
{
    stream_lists *lists = find_lists(pool, stream);
    if (lists == NULL) {
        lists = calloc(1, sizeof *lists);
        if (lists != NULL) {
            lists->stream = stream;
            lists->next = pool->main.next;
            pool->main.next = lists;
        }
    }
    return lists;
}

static void *
pop_block(ga_pool *pool, block **head)
{
    block *node = *head;
    *head = node->next;
    node->next = pool->spare_nodes;
    pool->spare_nodes = node;
    return node->ptr;
}

static bool
push_block(ga_pool *pool, block **head, void *ptr)
{
    block *node = pool->spare_nodes;
    if (node != NULL) {
        pool->spare_nodes = node->next;
    } else if ((node = malloc(sizeof *node)) == NULL) {
        return false;
    }
    node->ptr = ptr;
    node->next = *head;
    *head = node;
    return true;
}

/* All bits set is NaN in every float dtype. A debugging aid: its own failure is not worth an
 * error. */
static void
poison_block(const ga_pool *pool, void *ptr, size_t capacity, ga_stream *stream)
{
    ga_cast_call fill = {.in = GA_u8, .out = GA_u8, .ndim = 1, .num = 1, .den = 1};
    fill.size = (int64_t)capacity;
    fill.shape[0] = (int64_t)capacity;
    fill.src.value.bytes[0] = 0xFF;
    fill.dst.data = ptr;
    fill.dst.strides[0] = 1;
    (void)pool->device->backend->cast(&fill, stream);
}

int
ga_pool_new(ga_device *device, ga_pool **out)
{
    ga_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        return ga_fail(GA_ERR_MEMORY, "out of memory on the host");
    }
    pool->device = device;
    pool->poison = ga_config_get()->debug_poison;
    pool->no_cache = ga_config_get()->no_cache;
    pool->stats.limit_bytes = ga_config_get()->memory_limit;
    pool->main.stream = device->default_stream;
    *out = pool;
    return 0;
}

static void
empty_class(ga_pool *pool, stream_lists *lists, size_t capacity, block **head)
{
    while (*head != NULL) {
        /* Nobody can act on a failure here, and the block is out of the lists either way. */
        (void)pool->device->backend->free(pop_block(pool, head), lists->stream);
        pool->stats.cached_bytes -= (int64_t)capacity;
    }
}

static size_t
class_capacity(int class)
{
    if (class <= LINEAR_CLASSES) {
        return (size_t) class * UNIT;
    }
    int octave = (class - LINEAR_CLASSES - 1) / 4, steps = (class - LINEAR_CLASSES - 1) % 4 + 5;
    return ((size_t)steps << (octave + LINEAR_LOG - 2)) * UNIT;
}

static void
empty_lists(ga_pool *pool, stream_lists *lists)
{
    for (int class = 1; class < CLASS_COUNT; class ++) {
        empty_class(pool, lists, class_capacity(class), &lists->heads[class]);
    }
}

int
ga_pool_trim(ga_pool *pool)
{
    const ga_backend *backend = pool->device->backend;
    for (stream_lists *lists = &pool->main; lists != NULL; lists = lists->next) {
        empty_lists(pool, lists);
        /* The backend frees in stream order: only after the stream's work is the memory back. */
        if (backend->stream_sync(lists->stream) < 0) {
            return ga_fail_backend(backend);
        }
    }
    return backend->trim(pool->device->index) < 0 ? ga_fail_backend(backend) : 0;
}

static int
fail_memory(const ga_pool *pool, size_t nbytes)
{
    ga_device_info info = {.total_memory = -1, .free_memory = -1};
    char limit[64] = "";
    const ga_device *device = pool->device;
    (void)device->backend->device_info(device->index, &info);
    if (pool->stats.limit_bytes > 0) {
        snprintf(limit, sizeof limit, " under a limit of %lld bytes",
                 (long long)pool->stats.limit_bytes);
    }
    return ga_fail(GA_ERR_MEMORY,
                   "out of memory on %s: asked for %zu bytes, %lld bytes free of %lld in total, "
                   "%lld bytes in live arrays%s",
                   device->name, nbytes, (long long)info.free_memory, (long long)info.total_memory,
                   (long long)pool->stats.live_bytes, limit);
}

static bool
exceeds_limit(const ga_pool *pool, size_t capacity)
{
    const ga_pool_stats *stats = &pool->stats;
    int64_t held = stats->live_bytes + stats->cached_bytes;
    return stats->limit_bytes > 0 && (int64_t)capacity > stats->limit_bytes - held;
}

/* One try: 1 if it succeeded, 0 out of memory, -1 for any other failure (recorded). */
static int
try_backend(const ga_pool *pool, size_t capacity, ga_stream *stream, void **out)
{
    const ga_backend *backend = pool->device->backend;
    enum ga_status status = GA_OK;
    if (exceeds_limit(pool, capacity)) {
        return 0;
    }
    if (backend->alloc(capacity, stream, out) == 0) {
        return 1;
    }
    backend->last_error(&status);
    return status == GA_ERR_MEMORY ? 0 : ga_fail_backend(backend);
}

static bool
reclaim_unreachable(ga_pool *pool)
{
    return reclaim_callback != NULL && reclaim_callback(reclaim_context) && ga_pool_trim(pool) == 0;
}

static int
alloc_backend(ga_pool *pool, size_t nbytes, size_t capacity, ga_stream *stream, void **out)
{
    int got = try_backend(pool, capacity, stream, out);
    if (got == 0 && ga_pool_trim(pool) == 0) {
        got = try_backend(pool, capacity, stream, out);
    }
    if (got == 0 && reclaim_unreachable(pool)) {
        got = try_backend(pool, capacity, stream, out);
    }
    if (got == 0) {
        return fail_memory(pool, nbytes);
    }
    return got < 0 ? -1 : 0;
}

static void
count_alloc(ga_pool_stats *stats, size_t capacity, bool hit)
{
    stats->allocations++;
    stats->live_blocks++;
    stats->live_bytes += (int64_t)capacity;
    if (hit) {
        stats->hits++;
        stats->cached_bytes -= (int64_t)capacity;
    }
    if (stats->live_bytes > stats->peak_bytes) {
        stats->peak_bytes = stats->live_bytes;
    }
}

int
ga_pool_alloc(ga_pool *pool, size_t nbytes, ga_stream *stream, void **out, size_t *capacity)
{
    *out = NULL;
    *capacity = 0;
    if (nbytes == 0) {
        return 0;
    }
    if (nbytes > INT64_MAX - UNIT) {
        return fail_memory(pool, nbytes);
    }
    size_t room = 0;
    int class = size_class(nbytes, &room);
    stream_lists *lists = find_lists(pool, stream);
    bool hit = class != NOT_CACHED && lists != NULL && lists->heads[class] != NULL;
    if (hit) {
        *out = pop_block(pool, &lists->heads[class]);
    } else if (alloc_backend(pool, nbytes, room, stream, out) < 0) {
        return -1;
    }
    *capacity = room;
    count_alloc(&pool->stats, room, hit);
    if (pool->poison) {
        poison_block(pool, *out, room, stream);
    }
    return 0;
}

void
ga_pool_free(ga_pool *pool, void *ptr, size_t capacity, ga_stream *stream)
{
    if (ptr == NULL) {
        return;
    }
    pool->stats.live_blocks--;
    pool->stats.live_bytes -= (int64_t)capacity;
    if (pool->poison) {
        poison_block(pool, ptr, capacity, stream);
    }
    size_t room = 0;
    int class = size_class(capacity, &room);
    stream_lists *lists = class == NOT_CACHED || pool->no_cache ? NULL : make_lists(pool, stream);
    if (lists != NULL && push_block(pool, &lists->heads[class], ptr)) {
        pool->stats.cached_bytes += (int64_t)capacity;
        return;
    }
    (void)pool->device->backend->free(ptr, stream);
}

bool
ga_pool_relieve(ga_pool *pool)
{
    enum ga_status status = GA_OK;
    pool->device->backend->last_error(&status);
    if (status != GA_ERR_MEMORY) {
        return false;
    }
    bool cached = pool->stats.cached_bytes > 0 && ga_pool_trim(pool) == 0;
    return reclaim_unreachable(pool) || cached;
}

void
ga_pool_set_limit(ga_pool *pool, int64_t nbytes)
{
    pool->stats.limit_bytes = nbytes;
}

void
ga_pool_reset_peak(ga_pool *pool)
{
    pool->stats.peak_bytes = pool->stats.live_bytes;
}

void
ga_pool_get_stats(const ga_pool *pool, ga_pool_stats *out)
{
    *out = pool->stats;
}

void
ga_pool_set_reclaim(ga_pool_reclaim_fn reclaim, void *context)
{
    reclaim_callback = reclaim;
    reclaim_context = context;
}

void
ga_pool_forget_stream(ga_pool *pool, ga_stream *stream)
{
    for (stream_lists *lists = &pool->main; lists->next != NULL; lists = lists->next) {
        stream_lists *dead = lists->next;
        if (dead->stream == stream) {
            empty_lists(pool, dead);
            lists->next = dead->next;
            free(dead);
            return;
        }
    }
}
