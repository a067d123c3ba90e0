/* The memory layout of DLPack, versions 0 (legacy) and 1, as its specification fixes it, and what export and import
 * share.
 *
 * A producer hands out a managed tensor in a capsule. Whoever takes it renames the capsule to "used_...", and then
 * owns it: one call of its deleter gives the memory back. A capsule that nobody renamed does that when it dies. */
#ifndef GAPY_DLPACK_H
#define GAPY_DLPACK_H

#include "array.h"

#define GA_DLPACK_LEGACY "dltensor"
#define GA_DLPACK_VERSIONED "dltensor_versioned"
#define GA_DLPACK_MAJOR 1 /* newer major versions may have another layout */
#define GA_DLPACK_MINOR 0

enum ga_dlpack_device_type {
    GA_DLPACK_CPU = 1,
    GA_DLPACK_CUDA = 2,
    GA_DLPACK_PINNED = 3,   /* host memory that CUDA can reach */
    GA_DLPACK_MANAGED = 13, /* CUDA memory that the host can reach */
};

enum ga_dlpack_code {
    GA_DLPACK_INT = 0,
    GA_DLPACK_UINT = 1,
    GA_DLPACK_FLOAT = 2,
    GA_DLPACK_BFLOAT = 4,
    GA_DLPACK_COMPLEX = 5,
    GA_DLPACK_BOOL = 6,
    GA_DLPACK_FLOAT8_E4M3FN = 10,
    GA_DLPACK_FLOAT8_E5M2 = 12,
};

enum ga_dlpack_flag { GA_DLPACK_READ_ONLY = 1, GA_DLPACK_COPIED = 2 };

typedef struct {
    int32_t type, index;
} ga_dlpack_device;

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} ga_dlpack_dtype;

typedef struct {
    void *data;
    ga_dlpack_device device;
    int32_t ndim;
    ga_dlpack_dtype dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL for C order */
    uint64_t byte_offset;
} ga_dlpack_tensor;

typedef struct ga_dlpack_legacy {
    ga_dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct ga_dlpack_legacy *self);
} ga_dlpack_legacy;

typedef struct ga_dlpack_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct ga_dlpack_versioned *self);
    uint64_t flags;
    ga_dlpack_tensor tensor;
} ga_dlpack_versioned;

extern PyMethodDef ga_dlpack_methods[]; /* export_dlpack.c: __dlpack__ __dlpack_device__ */

#endif
