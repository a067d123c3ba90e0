/* loader.c with the fake backends of tests/c/backends.
 * Each case runs in a process of its own, because the loader asks every library once. */
#define _POSIX_C_SOURCE 200809L
#include "alone.h"
#include "check_status.h"

static const char *program;

static void
test_found(void)
{
    const ga_backend *backend = NULL, *again = NULL;
    CHECK(ga_loader_reason("cpu") == NULL && ga_loader_reason("cuda") == NULL);
    CHECK(ga_loader_open("cpu", &backend) == 0 && strcmp(backend->name, "cpu") == 0);
    CHECK(ga_loader_open("cpu", &again) == 0 && again == backend);
    CHECK(ga_loader_open("cuda", &backend) == 0 && strcmp(backend->name, "cuda") == 0);
    CHECK_FAILS(ga_loader_open("tpu", &backend), GA_ERR_VALUE, "there is no backend 'tpu'");
    CHECK(ga_loader_reason("tpu") != NULL);
}

static void
test_refused(void)
{
    const ga_backend *backend = NULL;
    setenv("GA_FAKE_REFUSES", "1", 1);
    CHECK_FAILS(ga_loader_open("cuda", &backend), GA_ERR_DEVICE,
                "the cuda backend cannot be used: the fake refuses");
    unsetenv("GA_FAKE_REFUSES");
    CHECK(strcmp(ga_loader_reason("cuda"), "the fake refuses") == 0);
    CHECK(backend == NULL);
}

static void
test_missing(void)
{
    const ga_backend *backend = NULL;
    CHECK(ga_loader_set_folder("/nowhere") == 0);
    CHECK_FAILS(ga_loader_open("cuda", &backend), GA_ERR_DEVICE,
                "the cuda backend cannot be used: /nowhere/libga_cuda.so does not exist: ");
    CHECK(ga_loader_reason("cpu") != NULL);
}

static void
test_not_a_library(void)
{
    char path[64] = "/tmp/gpuarray-test-XXXXXX", file[128];
    const ga_backend *backend = NULL;
    CHECK(mkdtemp(path) != NULL);
    snprintf(file, sizeof file, "%s/libga_cpu.so", path);
    CHECK(link(program, file) == 0 || symlink(program, file) == 0);
    CHECK(ga_loader_set_folder(path) == 0);
    CHECK_FAILS(ga_loader_open("cpu", &backend), GA_ERR_DEVICE, "the cpu backend cannot be used: ");
    unlink(file);
    rmdir(path);
}

int
main(int argc, char **argv)
{
    program = argv[0];
    CHECK(argc == 1);
    use_fakes(argv[0]);
    run_alone(test_found);
    run_alone(test_refused);
    run_alone(test_missing);
    run_alone(test_not_a_library);
    return check_report();
}
