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

/* convert_import.c: an ndarray over NumPy's memory on the CPU device, which it keeps alive. The
 * dtype must be ours. */
GaArray *ga_convert_wrap_numpy(GaState *state, PyArrayObject *source, ga_device *device);
/* An ndarray over another library's CUDA memory, ordered after the work on it; `interface` is its
 * __cuda_array_interface__. */
GaArray *ga_convert_wrap_cuda(GaState *state, PyObject *owner, PyObject *interface);

#endif
