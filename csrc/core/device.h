/* Devices "cpu" and "cuda:N". Owns one ga_device for each that was ever named; they live as long
 * as the process, so pointers to them are compared and kept freely. */
#ifndef GA_DEVICE_H
#define GA_DEVICE_H

#include "backend.h"

struct ga_pool;

typedef struct ga_device {
    const ga_backend *backend;
    int index; /* 0 for "cpu" */
    bool is_cpu;
    char name[24]; /* "cpu", "cuda:0" */
    ga_stream *default_stream;
    struct ga_pool *pool;
    struct ga_buffer *buffers; /* the live ones of the pool, latest first (live.h) */
    ga_event *event; /* orders two of the device's streams, over and over; NULL until needed */
} ga_device;

/* "cpu", "cuda" (cuda:0), "cuda:N", "gpu" as "cuda". GA_ERR_VALUE for other words and for an N
 * that is not there, GA_ERR_DEVICE where the backend cannot be used. */
int ga_device_open(const char *name, ga_device **out);
/* Where arrays go when nobody says: GPUARRAY_DEVICE, else cuda:0 if there is one, else cpu; or
 * what was set. */
int ga_device_default(ga_device **out);
void ga_device_set_default(ga_device *device);
/* Number of devices: cpu plus every CUDA device; makes and fills up to `max` of them (max 0 counts
 * without making any). Never fails for want of CUDA. */
int ga_device_list(ga_device **out, int max, int *count);

/* The stream on which the calling thread works on a device: the default one unless set. Setting
 * returns the previous; NULL sets the default one again. */
ga_stream *ga_device_stream(const ga_device *device);
ga_stream *ga_device_set_stream(const ga_device *device, ga_stream *stream);

#endif
