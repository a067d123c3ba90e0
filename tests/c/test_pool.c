/* pool.c: size classes, reuse by stream, running out of memory, poison. */
#define _POSIX_C_SOURCE 200809L
#include "../../csrc/core/pool.h"
#include "check_status.h"
#include "fake_backend.h"

enum { MIB = 1 << 20 };

static ga_device device;
static ga_stream side = {'b'};
static void *held;
static size_t held_capacity;

static void *
take(size_t nbytes, ga_stream *stream, size_t *capacity)
{
    void *ptr = NULL;
    CHECK(ga_pool_alloc(device.pool, nbytes, stream, &ptr, capacity) == 0);
    return ptr;
}

static const struct {
    size_t nbytes, capacity;
} class_cases[] = {
    {0, 0},
    {1, 512},
    {512, 512},
    {513, 1024},
    {MIB, MIB},
    {MIB + 1, MIB + MIB / 4},
    {MIB + MIB / 4, MIB + MIB / 4},
    {MIB + MIB / 4 + 1, MIB + MIB / 2},
    {2 * MIB, 2 * MIB},
    {2 * MIB + 1, 2 * MIB + MIB / 2},
    {7 * MIB + 1, 8 * MIB},
    {256 * MIB - 1, 256 * MIB},
    {256 * MIB + 1, 256 * MIB + 512},
};

/* Each block is found again, once, by any size of its class; those above 256 MiB are not kept. */
static void
test_classes(void)
{
    for (size_t i = 0; i < sizeof class_cases / sizeof class_cases[0]; i++) {
        size_t capacity, again;
        ga_pool_stats before, after;
        void *ptr = take(class_cases[i].nbytes, device.default_stream, &capacity);
        CHECK(capacity == class_cases[i].capacity && (ptr == NULL) == (capacity == 0));
        ga_pool_get_stats(device.pool, &before);
        ga_pool_free(device.pool, ptr, capacity, device.default_stream);
        void *second = take(capacity, device.default_stream, &again);
        ga_pool_get_stats(device.pool, &after);
        CHECK(after.hits - before.hits == (capacity > 0 && capacity <= 256 * MIB));
        CHECK(again == capacity);
        ga_pool_free(device.pool, second, again, device.default_stream);
    }
    CHECK(ga_pool_trim(device.pool) == 0 && fake.used == 0 && fake.allocs == fake.frees);
}

static void
test_streams(void)
{
    size_t capacity;
    void *first = take(1000, device.default_stream, &capacity);
    ga_pool_free(device.pool, first, capacity, &side);
    void *other = take(1000, device.default_stream, &capacity);
    CHECK(other != first);
    void *same = take(1000, &side, &capacity);
    CHECK(same == first);
    ga_pool_free(device.pool, other, capacity, device.default_stream);
    ga_pool_free(device.pool, same, capacity, &side);
    int frees = fake.frees;
    ga_pool_forget_stream(device.pool, &side);
    CHECK(fake.frees == frees + 1);
    ga_pool_stats stats;
    ga_pool_get_stats(device.pool, &stats);
    CHECK(stats.cached_bytes == 1024 && stats.live_bytes == 0 && stats.live_blocks == 0);
    CHECK(ga_pool_trim(device.pool) == 0);
}

static int
release_held(void *context)
{
    (*(int *)context)++;
    if (held == NULL) {
        return 0;
    }
    ga_pool_free(device.pool, held, held_capacity, device.default_stream);
    held = NULL;
    return 1;
}

static void
test_out_of_memory(void)
{
    size_t capacity, second;
    void *ptr;
    int asked = 0;
    fake.limit = 4 * MIB;
    ga_pool_set_reclaim(release_held, &asked);
    ptr = take(3 * MIB, device.default_stream, &capacity);
    ga_pool_free(device.pool, ptr, capacity, device.default_stream);
    held =
        take(2 * MIB, device.default_stream, &held_capacity); /* fits once the cache is dropped */
    CHECK(asked == 0 && fake.used == 2 * MIB);
    ptr = take(3 * MIB, device.default_stream,
               &capacity); /* fits once the held block is given back */
    CHECK(asked == 1 && held == NULL && fake.used == 3 * MIB);
    void *none = &second;
    CHECK_FAILS(
        ga_pool_alloc(device.pool, 2 * MIB, device.default_stream, &none, &second), GA_ERR_MEMORY,
        "out of memory on fake: asked for 2097152 bytes, 1048576 bytes free of 4194304 in total");
    CHECK(none == NULL && second == 0 && asked == 2);
    CHECK_FAILS(ga_pool_alloc(device.pool, SIZE_MAX, device.default_stream, &none, &second),
                GA_ERR_MEMORY, "out of memory on fake");
    ga_pool_free(device.pool, ptr, capacity, device.default_stream);
    ga_pool_stats stats;
    ga_pool_get_stats(device.pool, &stats);
    CHECK(stats.live_bytes == 0 && stats.live_blocks == 0);
    CHECK(ga_pool_trim(device.pool) == 0 && fake.used == 0);
    ga_pool_set_reclaim(NULL, NULL);
    fake.limit = 0;
}

/* What is cached counts, and goes first; the backend itself has room all the time. */
static void
test_limit(void)
{
    size_t capacity, second;
    void *none = NULL;
    ga_pool_set_limit(device.pool, 4 * MIB);
    void *ptr = take(3 * MIB, device.default_stream, &capacity);
    CHECK_FAILS(ga_pool_alloc(device.pool, 2 * MIB, device.default_stream, &none, &second),
                GA_ERR_MEMORY, "out of memory on fake: asked for 2097152 bytes, -3145728 bytes free of 0 in "
                "total, 3145728 bytes in live arrays under a limit of 4194304 bytes");
    ga_pool_free(device.pool, ptr, capacity, device.default_stream);
    int frees = fake.frees;
    ptr = take(4 * MIB, device.default_stream, &capacity);
    CHECK(fake.frees == frees + 1 && fake.used == 4 * MIB);
    ga_pool_set_limit(device.pool, 0);
    none = take(MIB, device.default_stream, &second);
    ga_pool_free(device.pool, none, second, device.default_stream);
    ga_pool_free(device.pool, ptr, capacity, device.default_stream);
    CHECK(ga_pool_trim(device.pool) == 0 && fake.used == 0);
}

/* After a slot failed: only for want of memory, and only if some was given back. */
static void
test_relief(void)
{
    size_t capacity;
    fake_fail(GA_ERR_DEVICE, "the fake is lost");
    void *ptr = take(MIB, device.default_stream, &capacity);
    ga_pool_free(device.pool, ptr, capacity, device.default_stream);
    CHECK(!ga_pool_relieve(device.pool) && fake.used == MIB);
    fake_fail(GA_ERR_MEMORY, "the fake has no more");
    CHECK(ga_pool_relieve(device.pool) && fake.used == 0);
    CHECK(!ga_pool_relieve(device.pool));
}

static void
test_poison(void)
{
    size_t capacity;
    unsigned char *ptr = take(100, device.default_stream, &capacity);
    CHECK(ptr[0] == 0xFF && ptr[99] == 0xFF);
    memset(ptr, 0, 100);
    ga_pool_free(device.pool, ptr, capacity, device.default_stream);
    unsigned char *again = take(100, device.default_stream, &capacity);
    CHECK(again == ptr && again[50] == 0xFF);
    ga_pool_free(device.pool, again, capacity, device.default_stream);
    CHECK(ga_pool_trim(device.pool) == 0);
}

int
main(void)
{
    setenv("GPUARRAY_DEBUG", "poison", 1);
    setenv("GPUARRAY_POOL", "1", 1);
    device.backend = &fake_backend;
    device.default_stream = &fake_default_streams[0];
    snprintf(device.name, sizeof device.name, "fake");
    CHECK(ga_pool_new(&device, &device.pool) == 0);
    test_classes();
    test_streams();
    test_out_of_memory();
    test_limit();
    test_relief();
    test_poison();
    return check_report();
}
