/* buffer.c: which events and waits an access costs, in the fake backend's log, and what happens
 * to memory at the end. */
#include "../../csrc/core/buffer.h"
#include "../../csrc/core/pool.h"
#include "../../csrc/core/retire.h"
#include "check_status.h"
#include "fake_backend.h"

static ga_device device;
static ga_stream *const a = &fake_default_streams[0];
static ga_stream others[6] = {{'b'}, {'c'}, {'d'}, {'e'}, {'f'}, {'g'}};
static ga_stream *const b = &others[0], *const c = &others[1];

static bool
acquire(ga_buffer *buffer, enum ga_access access, ga_stream *stream)
{
    void *ptr = NULL;
    return ga_buffer_acquire(buffer, access, stream, &ptr) == 0 && ptr == buffer->ptr;
}

static ga_buffer *
make(ga_stream *stream)
{
    ga_buffer *buffer = NULL;
    CHECK(ga_buffer_new(&device, 100, stream, &buffer) == 0);
    return buffer;
}

static void
test_one_stream(void)
{
    ga_buffer *buffer = make(a);
    CHECK(acquire(buffer, GA_WRITE, a) && acquire(buffer, GA_READ, a) &&
          acquire(buffer, GA_READWRITE, a));
    CHECK(ga_buffer_retain(buffer) == buffer);
    ga_buffer_release(buffer);
    CHECK(acquire(buffer, GA_READ, a));
    ga_buffer_release(buffer);
    ga_buffer_release(NULL);
    CHECK(fake_logged(""));
}

static void
test_two_streams(void)
{
    ga_buffer *buffer = make(a);
    CHECK(acquire(buffer, GA_READ, b) && fake_logged("record a; wait b; "));
    CHECK(acquire(buffer, GA_READ, b) && fake_logged(""));
    CHECK(acquire(buffer, GA_READ, a) && fake_logged(""));
    CHECK(acquire(buffer, GA_WRITE, a) && fake_logged("record b; wait a; "));
    CHECK(acquire(buffer, GA_WRITE, a) && fake_logged(""));
    CHECK(acquire(buffer, GA_WRITE, b) && fake_logged("record a; wait b; "));
    CHECK(acquire(buffer, GA_READ, a) && fake_logged("record b; wait a; "));
    /* The writer reads on after the reader came: its reads have to be waited for too. */
    CHECK(acquire(buffer, GA_READ, b) && acquire(buffer, GA_WRITE, a) &&
          fake_logged("record b; wait a; "));
    ga_buffer_release(buffer);
    CHECK(fake_logged(""));
}

static void
test_many_readers(void)
{
    ga_buffer *buffer = make(a);
    for (int i = 0; i < GA_BUFFER_READERS; i++) {
        CHECK(acquire(buffer, GA_READ, &others[i]));
    }
    fake.log[0] = '\0';
    CHECK(acquire(buffer, GA_READ, &others[4]) &&
          fake_logged("record a; wait f; record b; wait f; "));
    CHECK(acquire(buffer, GA_WRITE, a));
    CHECK(fake_logged("record c; wait a; record d; wait a; record e; wait a; record f; wait a; "));
    ga_buffer_release(buffer);
}

/* The block goes back in the order of the stream that wrote last, after the readers. */
static void
test_release(void)
{
    ga_buffer *buffer = make(b);
    void *ptr = buffer->ptr;
    CHECK(acquire(buffer, GA_READ, a) && acquire(buffer, GA_READ, c));
    fake.log[0] = '\0';
    ga_buffer_release(buffer);
    CHECK(fake_logged("record a; wait b; record c; wait b; "));
    buffer = make(b);
    CHECK(buffer->ptr == ptr);
    fake.event_fails = true;
    CHECK_FAILS(acquire(buffer, GA_WRITE, c) ? 0 : -1, GA_ERR_DEVICE, "the fake records nothing");
    CHECK(buffer->writer == b);
    fake.event_fails = false;
    ga_buffer_release(buffer);
    CHECK(fake_logged(""));
}

static void
test_dead_stream(void)
{
    ga_buffer *buffer = make(c);
    CHECK(acquire(buffer, GA_READ, b));
    ga_pool_forget_stream(device.pool, c);
    ga_buffer_forget_stream(c);
    fake.log[0] = '\0';
    CHECK(acquire(buffer, GA_READ, a) && fake_logged(""));
    CHECK(ga_buffer_sync(buffer, GA_READ) == 0 && fake_logged(""));
    CHECK(ga_buffer_sync(buffer, GA_WRITE) == 0 && fake_logged("sync b; sync a; "));
    ga_buffer_release(buffer);
    CHECK(fake_logged("record b; wait a; "));
}

static void
count_call(void *owner)
{
    (*(int *)owner)++;
}

static void
test_wrapped(void)
{
    char memory[16];
    int calls = 0;
    ga_buffer *buffer = NULL;
    CHECK(ga_buffer_wrap(&device, memory, sizeof memory, true, count_call, &calls, &buffer) == 0);
    CHECK(acquire(buffer, GA_READ, a) && acquire(buffer, GA_READ, b) && fake_logged(""));
    CHECK_FAILS(acquire(buffer, GA_WRITE, a) ? 0 : -1, GA_ERR_VALUE,
                "the array's memory is read-only");
    ga_buffer_retain(buffer);
    ga_buffer_release(buffer);
    CHECK(calls == 0 && fake_logged(""));
    ga_buffer_release(buffer);
    CHECK(calls == 1 && fake_logged("record b; wait a; record a; "));
}

static ga_buffer *
wrap(int *calls, char *memory)
{
    ga_buffer *buffer = NULL;
    CHECK(ga_buffer_wrap(&device, memory, 1, false, count_call, calls, &buffer) == 0);
    return buffer;
}

/* Memory that is still used goes back later, and nobody waits for it. */
static void
test_retired(void)
{
    char memory = 0;
    int calls = 0, events = fake.events;
    ga_buffer *unused = wrap(&calls, &memory), *buffer = wrap(&calls, &memory);
    ga_buffer_release(unused);
    CHECK(calls == 1 && fake_logged(""));
    CHECK(acquire(buffer, GA_WRITE, b));
    fake.event_waits = true;
    ga_buffer_release(buffer);
    ga_retire_collect();
    CHECK(calls == 1 && fake_logged("record b; "));
    fake.event_waits = false;
    ga_buffer_release(make(a));
    CHECK(calls == 2 && fake.events == events);
    fake.log[0] = '\0';
}

static void
test_retired_without_events(void)
{
    char memory = 0;
    int calls = 0;
    ga_buffer *buffer = wrap(&calls, &memory);
    CHECK(acquire(buffer, GA_WRITE, a));
    fake.event_fails = true;
    ga_buffer_release(buffer);
    fake.event_fails = false;
    CHECK(calls == 1 && fake_logged("sync a; "));
}

static void
test_many_retired(void)
{
    char memory = 0;
    int calls = 0;
    fake.event_waits = true;
    for (int i = 0; i < 257; i++) {
        ga_buffer *buffer = wrap(&calls, &memory);
        CHECK(acquire(buffer, GA_READ, a));
        ga_buffer_release(buffer);
    }
    CHECK(calls == 0 && strstr(fake.log, "sync event 0") != NULL);
    fake.event_waits = false;
    ga_retire_collect();
    CHECK(calls == 257);
    fake.log[0] = '\0';
}

static void
test_empty_and_full(void)
{
    ga_buffer *buffer = NULL;
    CHECK(ga_buffer_new(&device, 0, a, &buffer) == 0 && buffer->ptr == NULL);
    CHECK(acquire(buffer, GA_WRITE, a));
    ga_buffer_release(buffer);
    fake.limit = fake.used + 1;
    CHECK_FAILS(ga_buffer_new(&device, 1 << 20, a, &buffer), GA_ERR_MEMORY,
                "out of memory on fake");
    fake.limit = 0;
    fake.log[0] = '\0';
}

int
main(void)
{
    device.backend = &fake_backend;
    device.default_stream = a;
    snprintf(device.name, sizeof device.name, "fake");
    CHECK(ga_pool_new(&device, &device.pool) == 0);
    test_one_stream();
    test_two_streams();
    test_many_readers();
    test_release();
    test_dead_stream();
    test_wrapped();
    test_retired();
    test_retired_without_events();
    test_many_retired();
    test_empty_and_full();
    CHECK(ga_pool_trim(device.pool) == 0 && fake.used == 0);
    return check_report();
}
