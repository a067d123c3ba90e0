/* Finds vendor libraries and lists them. Owns the folders that library_path told. Nothing is
 * linked: a library is opened when a call needs it, and a missing one disturbs those calls alone.
 * Includes library_cuda.h, cublas_cuda.h, cusolver_cuda.h, fft.h, slots.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cublas_cuda.h"
#include "cusolver_cuda.h"
#include "fft.h"
#include "library_cuda.h"
#include "slots.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards told_folders */
static char *told_folders;                               /* joined by ':' */

int ga_library_path(const char *folders)
{
    char *copy = folders ? strdup(folders) : nullptr;
    if (folders && !copy)
        return ga_kernel_fail(GA_ERR_MEMORY, "no memory for the library folders");
    pthread_mutex_lock(&lock);
    free(told_folders);
    told_folders = copy;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *open_in(const char *folder, size_t length, const char *below, const char *file)
{
    char path[4096];
    if (length == 0 || snprintf(path, sizeof path, "%.*s%s/%s", int(length), folder, below, file) >= int(sizeof path))
        return nullptr;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_told(const char *file)
{
    void *library = nullptr;
    pthread_mutex_lock(&lock);
    for (const char *at = told_folders; at && !library;) {
        size_t length = strcspn(at, ":");
        library = open_in(at, length, "", file);
        at = at[length] ? at + length + 1 : nullptr;
    }
    pthread_mutex_unlock(&lock);
    return library;
}

static void *open_in_toolkit(const char *file)
{
    const char *places[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (const char *place : places) {
        void *library = place ? open_in(place, strlen(place), "/lib64", file) : nullptr;
        if (library)
            return library;
    }
    return nullptr;
}

bool ga_library_open(ga_library *library)
{
    library->handle = open_told(library->file);
    if (!library->handle)
        library->handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    const char *why = library->handle ? nullptr : dlerror();
    if (!library->handle)
        library->handle = open_in_toolkit(library->file);
    if (!library->handle)
        snprintf(library->reason, sizeof library->reason, "not found (%s); it comes with: pip install %s",
                 why ? why : library->file, library->wheel);
    return library->handle;
}

void *ga_library_symbol(ga_library *library, const char *name)
{
    void *symbol = dlsym(library->handle, name);
    if (!symbol)
        snprintf(library->reason, sizeof library->reason, "%s has no function %s", library->file, name);
    return symbol;
}

/* A line of the list, by the file that uses the library; returns its length. */
static int describe(const char *name, void (*tell)(char *, size_t), char *buf, size_t nbytes)
{
    char line[512];
    tell(line, sizeof line);
    return snprintf(buf, nbytes, "%s\t%s\n", name, line);
}

int ga_library_list(char *buf, size_t nbytes)
{
    size_t used = size_t(describe("cuBLAS", ga_cublas_describe, buf, nbytes));
    if (used < nbytes)
        used += size_t(describe("cuSOLVER", ga_cusolver_describe, buf + used, nbytes - used));
    if (used < nbytes)
        used += size_t(describe("cuFFT", ga_fft_describe, buf + used, nbytes - used));
    if (used >= nbytes)
        return ga_kernel_fail(GA_ERR_VALUE, "the buffer for the list of libraries is too short");
    return 0;
}
