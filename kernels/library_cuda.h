/* Vendor libraries opened on first use: how files of the CUDA build find them. */
#ifndef GA_LIBRARY_CUDA_H
#define GA_LIBRARY_CUDA_H

#include <library_types.h>
#include <stddef.h>
#include <stdio.h>

#define GA_LIBRARY_TEXT_OF(x) #x
/* The number behind a macro as text, for file names that end with a version. */
#define GA_LIBRARY_TEXT(x) GA_LIBRARY_TEXT_OF(x)

/* One library: its file, such as libcublas.so.13, and the wheel that brings it. `reason` says why
 * it, or a function of it, is not there. */
struct ga_library {
    const char *file, *wheel;
    void *handle;
    char reason[512];
};

/* Opens it: in the folders of library_path, by the system's loader, then in CUDA_HOME, CUDA_PATH and /usr/local/cuda.
 * False with a reason that names the wheel when it is nowhere. */
bool ga_library_open(ga_library *library);
/* Address of a function; NULL with a reason when there is none of this name. */
void *ga_library_symbol(ga_library *library, const char *name);

template <class F> bool ga_library_find(ga_library *library, const char *name, F *out)
{
    *out = reinterpret_cast<F>(ga_library_symbol(library, name));
    return *out;
}

/* "13.1.0" by the library's own function, such as cublasGetProperty. */
template <class F> void ga_library_version(F get_property, char *buf, size_t nbytes)
{
    int major = 0, minor = 0, patch = 0;
    get_property(MAJOR_VERSION, &major);
    get_property(MINOR_VERSION, &minor);
    get_property(PATCH_LEVEL, &patch);
    snprintf(buf, nbytes, "%d.%d.%d", major, minor, patch);
}

#endif
