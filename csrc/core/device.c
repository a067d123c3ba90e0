/* The devices of this process. Owns one ga_device a device that was named, in a table by slot:
 * slot 0 is the CPU, slot 1 + n is cuda:n. A device is made when somebody first asks for it, so
 * CUDA is not touched before. Also owns the calling thread's current stream of each slot.
 * Callers hold the one lock of the core, except for the thread's own streams. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "loader.h"
#include "pool.h"
#include "status.h"

enum { CPU_SLOT = 0, FIRST_CUDA_SLOT = 1, MAX_CUDA = 64, SLOT_COUNT = FIRST_CUDA_SLOT + MAX_CUDA };

static ga_device *devices[SLOT_COUNT];
static ga_device *default_device;
static _Thread_local ga_stream *current_streams[SLOT_COUNT]; /* NULL: the default stream */

static int
device_slot(const ga_device *device)
{
    return device->is_cpu ? CPU_SLOT : FIRST_CUDA_SLOT + device->index;
}

static int
count_cuda(const ga_backend **backend, int *count)
{
    if (ga_loader_open("cuda", backend) < 0) {
        return -1;
    }
    if ((*backend)->device_count(count) < 0) {
        return ga_fail_backend(*backend);
    }
    *count = *count < MAX_CUDA ? *count : MAX_CUDA;
    return 0;
}

/* A failure of CUDA counts as no device and leaves the thread's status clear. */
static int
count_usable_cuda(void)
{
    const ga_backend *backend = NULL;
    int count = 0;
    if (count_cuda(&backend, &count) < 0) {
        ga_status_clear();
        return 0;
    }
    return count;
}

static void
describe_devices(char *buf, size_t nbytes)
{
    int cuda = count_usable_cuda();
    if (cuda == 0) {
        snprintf(buf, nbytes, "'cpu'");
    } else if (cuda == 1) {
        snprintf(buf, nbytes, "'cpu' and 'cuda:0'");
    } else {
        snprintf(buf, nbytes, "'cpu' and 'cuda:0' to 'cuda:%d'", cuda - 1);
    }
}

static int
fill_device(ga_device *device, const ga_backend *backend, int slot)
{
    device->backend = backend;
    device->is_cpu = slot == CPU_SLOT;
    device->index = device->is_cpu ? 0 : slot - FIRST_CUDA_SLOT;
    if (device->is_cpu) {
        snprintf(device->name, sizeof device->name, "cpu");
    } else {
        snprintf(device->name, sizeof device->name, "cuda:%d", device->index);
    }
    if (backend->stream_default(device->index, &device->default_stream) < 0) {
        return ga_fail_backend(backend);
    }
    return ga_pool_new(device, &device->pool);
}

static int
make_device(const ga_backend *backend, int slot, ga_device **out)
{
    if (devices[slot] == NULL) {
        ga_device *device = calloc(1, sizeof *device);
        if (device == NULL) {
            return ga_fail(GA_ERR_MEMORY, "out of memory on the host");
        }
        if (fill_device(device, backend, slot) < 0) {
            free(device);
            return -1;
        }
        devices[slot] = device;
    }
    *out = devices[slot];
    return 0;
}

static int
open_cpu(ga_device **out)
{
    const ga_backend *backend = NULL;
    if (ga_loader_open("cpu", &backend) < 0) {
        return -1;
    }
    return make_device(backend, CPU_SLOT, out);
}

static int
open_cuda(long index, const char *name, ga_device **out)
{
    const ga_backend *backend = NULL;
    int count = 0;
    if (count_cuda(&backend, &count) < 0) {
        return -1;
    }
    if (index >= count) {
        char valid[64];
        describe_devices(valid, sizeof valid);
        return ga_fail(GA_ERR_VALUE, "there is no device '%.64s': the devices are %s", name, valid);
    }
    return make_device(backend, FIRST_CUDA_SLOT + (int)index, out);
}

/* The number of a name "cuda", "gpu", "cuda:N" or "gpu:N"; -1 for any other. */
static long
parse_cuda_name(const char *name)
{
    size_t word = strncmp(name, "cuda", 4) == 0 ? 4 : strncmp(name, "gpu", 3) == 0 ? 3 : 0;
    if (word == 0 || name[word] == '\0') {
        return word == 0 ? -1 : 0;
    }
    const char *digits = name + word + 1;
    size_t length = strspn(digits, "0123456789");
    if (name[word] != ':' || length == 0 || digits[length] != '\0') {
        return -1;
    }
    return strtol(digits, NULL, 10);
}

int
ga_device_open(const char *name, ga_device **out)
{
    if (strcmp(name, "cpu") == 0) {
        return open_cpu(out);
    }
    long index = parse_cuda_name(name);
    if (index >= 0) {
        return open_cuda(index, name, out);
    }
    char valid[64];
    describe_devices(valid, sizeof valid);
    return ga_fail(GA_ERR_VALUE, "'%.64s' is not a device: the devices are %s", name, valid);
}

int
ga_device_default(ga_device **out)
{
    if (default_device == NULL) {
        const char *asked = ga_config_get()->device;
        const char *name = asked != NULL ? asked : count_usable_cuda() > 0 ? "cuda:0" : "cpu";
        if (ga_device_open(name, &default_device) < 0) {
            return -1;
        }
    }
    *out = default_device;
    return 0;
}

void
ga_device_set_default(ga_device *device)
{
    default_device = device;
}

int
ga_device_list(ga_device **out, int max, int *count)
{
    int cuda = count_usable_cuda();
    *count = FIRST_CUDA_SLOT + cuda;
    if (max > 0 && open_cpu(&out[CPU_SLOT]) < 0) {
        return -1;
    }
    for (int slot = FIRST_CUDA_SLOT; slot < *count && slot < max; slot++) {
        if (open_cuda(slot - FIRST_CUDA_SLOT, "cuda", &out[slot]) < 0) {
            return -1;
        }
    }
    return 0;
}

ga_stream *
ga_device_stream(const ga_device *device)
{
    ga_stream *stream = current_streams[device_slot(device)];
    return stream != NULL ? stream : device->default_stream;
}

ga_stream *
ga_device_set_stream(const ga_device *device, ga_stream *stream)
{
    ga_stream *previous = ga_device_stream(device);
    current_streams[device_slot(device)] = stream;
    return previous;
}
