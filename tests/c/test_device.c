/* device.c with the fake backends of tests/c/backends:
 * one CPU, two CUDA devices. Cases run in processes of their own, because devices live as long
 * as the process. */
#define _POSIX_C_SOURCE 200809L
#include "../../csrc/core/device.h"
#include "../../csrc/core/loader.h"
#include "alone.h"
#include "check_status.h"

static void
test_names(void)
{
    ga_device *cpu = NULL, *first = NULL, *second = NULL, *other = NULL;
    CHECK(ga_device_open("cpu", &cpu) == 0 && cpu->is_cpu && strcmp(cpu->name, "cpu") == 0);
    CHECK(ga_device_open("cuda", &first) == 0 && !first->is_cpu &&
          strcmp(first->name, "cuda:0") == 0);
    CHECK(ga_device_open("cuda:1", &second) == 0 && second->index == 1 && second != first);
    CHECK(ga_device_open("gpu", &other) == 0 && other == first);
    CHECK(ga_device_open("gpu:1", &other) == 0 && other == second);
    CHECK(first->pool != NULL && first->default_stream != second->default_stream);
    CHECK_FAILS(ga_device_open("cuda:2", &other), GA_ERR_VALUE,
                "there is no device 'cuda:2': the devices are 'cpu' and 'cuda:0' to 'cuda:1'");
    const char *wrong[] = {"",      "tpu",     "cuda:", "cuda:x", "cuda:1x",
                           "cuda1", "cuda:-1", "CPU",   "cpu:0",  "gpus"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(ga_device_open(wrong[i], &other) == -1);
    }
    CHECK_FAILS(ga_device_open("tpu", &other), GA_ERR_VALUE,
                "'tpu' is not a device: the devices are 'cpu' and 'cuda:0' to 'cuda:1'");
    CHECK(ga_device_open("cuda:99999999999999999999", &other) == -1);
}

static void
test_default(void)
{
    ga_device *device = NULL, *cpu = NULL, *list[2];
    int count = 0;
    CHECK(ga_device_default(&device) == 0 && strcmp(device->name, "cuda:0") == 0);
    CHECK(ga_device_open("cpu", &cpu) == 0);
    ga_device_set_default(cpu);
    CHECK(ga_device_default(&device) == 0 && device == cpu);
    CHECK(ga_device_list(list, 2, &count) == 0 && count == 3 && list[0] == cpu);
    CHECK(strcmp(list[1]->name, "cuda:0") == 0);
}

static void
test_default_asked(void)
{
    ga_device *device = NULL;
    setenv("GPUARRAY_DEVICE", "cuda:1", 1);
    CHECK(ga_device_default(&device) == 0 && strcmp(device->name, "cuda:1") == 0);
}

/* Without CUDA the default is the CPU, no failure is left behind, and asking for CUDA says why
 * not. */
static void
test_without_cuda(void)
{
    ga_device *device = NULL, *list[2];
    const char *message, *reason = ga_loader_reason("cpu");
    int count = 0;
    setenv("GA_FAKE_REFUSES", "1", 1);
    CHECK(reason == NULL);
    CHECK(ga_device_default(&device) == 0 && device->is_cpu);
    CHECK(ga_status_get(&message) == GA_OK);
    CHECK(ga_device_list(list, 2, &count) == 0 && count == 1 && list[0] == device);
    CHECK_FAILS(ga_device_open("cuda", &device), GA_ERR_DEVICE,
                "the cuda backend cannot be used: the fake refuses");
    CHECK_FAILS(ga_device_open("tpu", &device), GA_ERR_VALUE,
                "'tpu' is not a device: the devices are 'cpu'");
}

static void
test_streams(void)
{
    ga_device *cpu = NULL, *cuda = NULL;
    ga_stream *other = (ga_stream *)(void *)&cpu; /* an address; nobody looks inside */
    CHECK(ga_device_open("cpu", &cpu) == 0 && ga_device_open("cuda:1", &cuda) == 0);
    CHECK(ga_device_stream(cuda) == cuda->default_stream);
    CHECK(ga_device_set_stream(cuda, other) == cuda->default_stream);
    CHECK(ga_device_stream(cuda) == other && ga_device_stream(cpu) == cpu->default_stream);
    CHECK(ga_device_set_stream(cuda, NULL) == other);
    CHECK(ga_device_stream(cuda) == cuda->default_stream);
}

int
main(int argc, char **argv)
{
    CHECK(argc == 1);
    use_fakes(argv[0]);
    unsetenv("GPUARRAY_DEVICE");
    run_alone(test_names);
    run_alone(test_default);
    run_alone(test_default_asked);
    run_alone(test_without_cuda);
    run_alone(test_streams);
    return check_report();
}
