/* Stream and Event: the objects, for each other and for export.c. */
#ifndef GAPY_STREAM_OBJECT_H
#define GAPY_STREAM_OBJECT_H

#include "gapy.h"

/* A `with` block that is open on a stream. */
typedef struct {
    unsigned long thread;
    ga_stream *previous;
} ga_stream_entry;

typedef struct {
    PyObject_HEAD
    ga_device *device;
    ga_stream *stream;        /* owned, also where it stands for somebody else's cudaStream_t */
    ga_stream_entry *entries; /* innermost last; owned */
    int entry_count;
} GaStream;

typedef struct {
    PyObject_HEAD
    bool timing;
    ga_device *device; /* NULL before the first record */
    ga_event *event;   /* owned; NULL before the first record */
} GaEvent;

extern PyType_Spec ga_event_spec; /* event_object.c */

#endif
