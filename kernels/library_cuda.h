/* Vendor libraries opened on first use: how files of the CUDA build find them. */
#ifndef GA_LIBRARY_CUDA_H
#define GA_LIBRARY_CUDA_H

#include <stddef.h>

/* Opens a library by its file name, such as libcublas.so.13: in the folders of library_path, by the system's loader, then
 * in CUDA_HOME, CUDA_PATH and /usr/local/cuda. NULL when there is none; the reason is in `why`. */
void *ga_library_open(const char *file, char *why, size_t nbytes);

#endif
