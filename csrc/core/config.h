/* All environment variables the core reads, in one place; read once, at ga_config_get's first
 * call. */
#ifndef GA_CONFIG_H
#define GA_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *device; /* GPUARRAY_DEVICE: name of the default device, NULL if unset */
    /* GPUARRAY_DEBUG, words joined by commas. */
    bool debug_poison; /* "poison": new and freed memory is filled with NaN patterns */
    bool debug_sync;   /* "sync": every launch is waited for */
    int64_t memory_limit; /* GPUARRAY_MEMORY_LIMIT: bytes, K M G T may follow; 0 for none */
    bool no_cache;     /* GPUARRAY_POOL=0: no free lists, each allocation goes to the backend */
} ga_config;

const ga_config *ga_config_get(void);

#endif
