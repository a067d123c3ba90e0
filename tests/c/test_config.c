/* config.c: the variables, read once. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "../../csrc/core/config.h"
#include "check.h"

int
main(void)
{
    setenv("GPUARRAY_DEVICE", "cuda:3", 1);
    setenv("GPUARRAY_DEBUG", "asynchronous,poison", 1);
    setenv("GPUARRAY_POOL", "0", 1);
    setenv("GPUARRAY_MEMORY_LIMIT", "1.5G", 1);
    const ga_config *config = ga_config_get();
    CHECK(strcmp(config->device, "cuda:3") == 0);
    CHECK(config->debug_poison);
    CHECK(!config->debug_sync);
    CHECK(config->no_cache);
    CHECK(config->memory_limit == (int64_t)3 << 29);
    setenv("GPUARRAY_DEVICE", "cpu", 1);
    CHECK(ga_config_get() == config && strcmp(config->device, "cuda:3") == 0);
    return check_report();
}
