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

/* "1500000", "512M", "2.5G" as bytes; what is no such number counts as 0. */
static int64_t
parse_bytes(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    double value = text != NULL ? strtod(text, &end) : 0;
    if (!(value > 0 && value < 9e18)) {
        return 0;
    }
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    for (const char *u = units; unit != NULL && u <= unit; u++) {
        value *= 1024;
    }
    bool whole = *end == '\0' || (unit != NULL && end[1] == '\0');
    return whole && value < 9e18 ? (int64_t)value : 0;
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
    config->memory_limit = parse_bytes(getenv("GPUARRAY_MEMORY_LIMIT"));
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
