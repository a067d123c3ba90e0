/* Opens the backend libraries that lie beside _core. Owns their handles; they are never closed. */
#ifndef GA_LOADER_H
#define GA_LOADER_H

#include "backend.h"

/* Folder that holds libga_cpu.so and libga_cuda.so; called once at import, before anything else.
 * Copies the string. */
int ga_loader_set_folder(const char *folder);
/* "cpu" or "cuda". Opens it at the first call; a refusal is remembered and reported again
 * (GA_ERR_DEVICE, with the backend's own reason; a missing library says how to build it). */
int ga_loader_open(const char *name, const ga_backend **out);
/* Why `name` is not available, or NULL if it is. Opens it if need be. */
const char *ga_loader_reason(const char *name);

#endif
