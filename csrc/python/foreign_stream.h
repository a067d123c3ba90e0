/* Streams of other libraries, as exchange protocols name them: an integer, of which 1 is CUDA's legacy default stream
 * and 2 the per-thread default one. */
#ifndef GAPY_FOREIGN_STREAM_H
#define GAPY_FOREIGN_STREAM_H

#include "gapy.h"

enum ga_foreign_order {
    GA_FOREIGN_FIRST, /* our current stream waits for theirs: memory comes in */
    GA_FOREIGN_LAST   /* theirs waits for ours: memory goes out */
};

/* The number of a stream from a Python integer; `protocol` names who said it. ValueError for 0, which several
 * meanings compete for, and for negative numbers; TypeError for what is no integer. */
int ga_foreign_stream_parse(PyObject *number, const char *protocol, uintptr_t *handle);
/* Orders the thread's current stream of the device and theirs by an event; neither is waited for on the host. */
int ga_foreign_stream_order(ga_device *device, uintptr_t handle, enum ga_foreign_order order);

#endif
