/* Opens libga_cpu.so and libga_cuda.so from the folder of _core. Owns the handles: a backend
 * once open stays open, because its streams, pools and static data outlive every caller. A
 * refusal is kept as a sentence and not tried again. Includes the C library and dlfcn.h. */
#include "loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

typedef struct {
    const char *name;
    const char *advice; /* what to do when the library was not built */
    bool tried;
    const ga_backend *backend;
    char reason[768]; /* why backend is NULL after a try */
} library;

static library libraries[] = {
    {.name = "cpu", .advice = "build gpuarray again; every build makes it"},
    {.name = "cuda",
     .advice = "this build has no CUDA backend; install nvcc and build gpuarray again with "
               "GPUARRAY_CUDA=1"},
};

enum { LIBRARY_COUNT = sizeof libraries / sizeof libraries[0], PATH_BYTES = 4096 };

static char library_folder[PATH_BYTES - 64];

int
ga_loader_set_folder(const char *folder)
{
    if (strlen(folder) >= sizeof library_folder) {
        return ga_fail(GA_ERR_VALUE, "the path of gpuarray's folder is longer than %zu bytes",
                       sizeof library_folder - 1);
    }
    snprintf(library_folder, sizeof library_folder, "%s", folder);
    return 0;
}

/* POSIX gives functions as object pointers, which C does not convert. */
static bool
find_symbol(void *handle, const char *symbol, void *function)
{
    void *address = dlsym(handle, symbol);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static const ga_backend *
ask_backend(library *lib, void *handle, const char *path)
{
    ga_backend_open_fn open = NULL;
    ga_backend_why_fn why = NULL;
    if (!find_symbol(handle, "ga_backend_open", (void *)&open) ||
        !find_symbol(handle, "ga_backend_why", (void *)&why)) {
        snprintf(lib->reason, sizeof lib->reason, "%.600s is not a gpuarray backend", path);
        return NULL;
    }
    const ga_backend *backend = open(GA_ABI);
    if (backend == NULL) {
        snprintf(lib->reason, sizeof lib->reason, "%s", why());
    }
    return backend;
}

static void
open_library(library *lib)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/libga_%s.so", library_folder, lib->name);
    lib->tried = true;
    if (access(path, F_OK) != 0) {
        snprintf(lib->reason, sizeof lib->reason, "%.500s does not exist: %s", path, lib->advice);
        return;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(lib->reason, sizeof lib->reason, "%s", dlerror());
        return;
    }
    lib->backend = ask_backend(lib, handle, path);
}

/* NULL for an unknown name. */
static library *
find_library(const char *name)
{
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        if (strcmp(libraries[i].name, name) == 0) {
            if (!libraries[i].tried) {
                open_library(&libraries[i]);
            }
            return &libraries[i];
        }
    }
    return NULL;
}

int
ga_loader_open(const char *name, const ga_backend **out)
{
    library *lib = find_library(name);
    if (lib == NULL) {
        return ga_fail(GA_ERR_VALUE, "there is no backend '%s': there are 'cpu' and 'cuda'", name);
    }
    if (lib->backend == NULL) {
        return ga_fail(GA_ERR_DEVICE, "the %s backend cannot be used: %s", name, lib->reason);
    }
    *out = lib->backend;
    return 0;
}

const char *
ga_loader_reason(const char *name)
{
    library *lib = find_library(name);
    if (lib == NULL) {
        return "there are only the backends 'cpu' and 'cuda'";
    }
    return lib->backend == NULL ? lib->reason : NULL;
}
