/* Programs of the user's in CUDA C++: compiled when they are first asked for, and launches of their kernels. */
#ifndef GA_CALL_PROGRAM_H
#define GA_CALL_PROGRAM_H

#include "base.h"

/* A compiled program; opaque. It may be run on the device it was made for alone. */
typedef struct ga_program ga_program;

/* The source and options as NVRTC takes them, NUL-terminated. `expressions` are instantiations of
 * templates that are wanted, such as "scale<float>", and names of their kernels from then on. The
 * compiler's words go to `log`, cut off after log_size bytes, also where it fails (GA_ERR_VALUE).
 * */
typedef struct {
    int device;
    int32_t noptions, nexpressions;
    const char *source;
    const char *const *options, *const *expressions;
    char *log;
    size_t log_size;
} ga_program_source;

/* One launch of the kernel `name`; arguments[i] points at the value of the i-th parameter, which is copied. */
typedef struct {
    ga_program *program;
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t shared_nbytes;
    void **arguments;
} ga_program_launch;

#endif
