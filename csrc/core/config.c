/* Reads the environment once. Owns the one ga_config and a copy of the strings in it, so that a
 * later change of the environment is neither seen nor harmful. Includes the C library only. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char device_name[32];

/* Whether the comma separated `list` holds `word`. */
static bool
list_contains(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (list != NULL && *list != '\0') {
        size_t item = strcspn(list, ",");
        if (item == length && strncmp(list, word, length) == 0) {
            return true;
        }
        list += item + (list[item] == ',');
    }
    return false;
}

static void
read_environment(ga_config *config)
{
    const char *device = getenv("GPUARRAY_DEVICE");
    const char *debug = getenv("GPUARRAY_DEBUG");
    const char *pool = getenv("GPUARRAY_POOL");
    if (device != NULL && device[0] != '\0') {
        snprintf(device_name, sizeof device_name, "%s", device);
        config->device = device_name;
    }
    config->debug_poison = list_contains(debug, "poison");
    config->debug_sync = list_contains(debug, "sync");
    config->no_cache = pool != NULL && strcmp(pool, "0") == 0;
}

const ga_config *
ga_config_get(void)
{
    static ga_config config;
    static bool is_read;
    if (!is_read) {
        read_environment(&config);
        is_read = true;
    }
    return &config;
}
