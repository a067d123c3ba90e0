/* The steps of ga_convert_array that stand in files of their own; for convert*.c only. */
#ifndef GAPY_CONVERT_STEPS_H
#define GAPY_CONVERT_STEPS_H

#include "convert.h"

/* convert_sequence.c: whether a list or tuple holds ndarrays of ours at any depth; the first one
 * found, borrowed, or NULL. */
GaArray *ga_convert_find_array(GaState *state, PyObject *sequence);
/* Nested sequences that hold our arrays, put together on the device. */
GaArray *ga_convert_gather(GaState *state, PyObject *sequence, PyArray_Descr *descr,
                           ga_device *device);

/* Everything known of a block of foreign memory; data points at the first element. */
typedef struct {
    PyObject *owner;      /* borrowed */
    PyArray_Descr *descr; /* borrowed */
    char *data;
    bool readonly;
    int ndim;
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
} ga_foreign_block;

/* convert_import.c: an ndarray over a block, whose owner it keeps alive. */
GaArray *ga_convert_wrap_block(GaState *state, const ga_foreign_block *block, ga_device *device);
/* convert_import.c: the current stream was made to wait for a producer: to our other streams that is a write on it. */
int ga_convert_note_producer(GaArray *a);
/* convert_import.c: an ndarray over NumPy's memory on the CPU device, which it keeps alive. The
 * dtype must be ours. */
GaArray *ga_convert_wrap_numpy(GaState *state, PyArrayObject *source, ga_device *device);
/* An ndarray over another library's CUDA memory, ordered after the work on it; `interface` is its
 * __cuda_array_interface__. */
GaArray *ga_convert_wrap_cuda(GaState *state, PyObject *owner, PyObject *interface);

/* convert_dlpack.c: an ndarray over the memory of a producer of DLPack, on the device where that lies; moved to the
 * host by the producer where `to_host`. *fresh: nobody else has the memory. */
GaArray *ga_convert_wrap_dlpack(GaState *state, PyObject *producer, bool to_host, bool may_copy,
                                bool *fresh);

#endif
