/* live.c: the list of live buffers, the largest of them, where they were made. */
#define _POSIX_C_SOURCE 200809L
#include "../../csrc/core/live.h"
#include "../../csrc/core/pool.h"
#include "check_status.h"
#include "fake_backend.h"

static ga_device device;

static ga_buffer *
make(size_t nbytes)
{
    ga_buffer *buffer = NULL;
    CHECK(ga_buffer_new(&device, nbytes, device.default_stream, &buffer) == 0);
    return buffer;
}

static void
test_largest(void)
{
    static const size_t sizes[] = {100, 500, 300, 0, 500, 200};
    ga_buffer *buffers[6];
    ga_live_entry largest[4];
    for (int i = 0; i < 6; i++) {
        buffers[i] = make(sizes[i]);
    }
    CHECK(ga_live_largest(&device, largest, 4) == 4);
    CHECK(largest[0].nbytes == 500 && largest[1].nbytes == 500);
    CHECK(largest[2].nbytes == 300 && largest[3].nbytes == 200);
    CHECK(largest[0].origin == NULL && ga_live_largest(&device, largest, 0) == 0);
    ga_buffer_release(buffers[4]);
    ga_buffer_release(buffers[0]);
    CHECK(ga_live_largest(&device, largest, 4) == 3 && largest[1].nbytes == 300);
    ga_buffer_release(buffers[5]);
    ga_buffer_release(buffers[1]);
    ga_buffer_release(buffers[2]);
    ga_buffer_release(buffers[3]);
    CHECK(ga_live_largest(&device, largest, 4) == 0 && device.buffers == NULL);
}

static char *
name_place(void *context)
{
    return strdup(context);
}

/* Whether an allocation that fails says this. */
static bool
explains(const char *text)
{
    ga_buffer *buffer = NULL;
    const char *message;
    int rc = ga_buffer_new(&device, 1 << 20, device.default_stream, &buffer);
    return rc == -1 && ga_status_get(&message) == GA_ERR_MEMORY && strstr(message, text) != NULL;
}

static void
test_message(void)
{
    char long_path[300];
    memset(long_path, 'x', sizeof long_path);
    memcpy(long_path + sizeof long_path - 9, "end.py:7", 9);
    ga_buffer *plain = make(100);
    fake.limit = fake.used + 4096;
    CHECK(explains("; the largest: 100 bytes (gpuarray.set_memory_tracing(True)"));
    ga_live_set_origin(name_place, "a.py:3");
    ga_buffer *traced = make(200);
    ga_live_set_origin(name_place, long_path);
    ga_buffer *distant = make(50);
    CHECK(explains("; the largest: 200 bytes made at a.py:3, 100 bytes, 50 bytes made at ...x"));
    CHECK(explains("xxend.py:7"));
    ga_live_set_origin(NULL, NULL);
    fake.limit = 0;
    ga_buffer_release(distant);
    ga_buffer_release(plain);
    ga_buffer_release(traced);
    CHECK(ga_pool_trim(device.pool) == 0 && fake.used == 0);
}

int
main(void)
{
    device.backend = &fake_backend;
    device.default_stream = &fake_default_streams[0];
    snprintf(device.name, sizeof device.name, "fake");
    CHECK(ga_pool_new(&device, &device.pool) == 0);
    test_largest();
    test_message();
    return check_report();
}
