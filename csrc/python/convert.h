/* From any Python object to an ndarray, and from one element to a Python object. */
#ifndef GAPY_CONVERT_H
#define GAPY_CONVERT_H

#include "array.h"

enum ga_copy_mode { GA_COPY_IF_NEEDED, GA_COPY_ALWAYS, GA_COPY_NEVER };

/* ndarray, numpy.ndarray, scalars, nested sequences (which may hold our arrays and scalars,
 * gathered on the device), objects with
 * __dlpack__, __cuda_array_interface__ or __array__. descr NULL: by content; device NULL: the
 * object's, else the default device. New reference (may be the object itself). order: 'C' 'F' 'A'
 * 'K'. Data that no device holds: TypeError naming the dtype. GA_COPY_NEVER: ValueError when a copy
 * is needed. */
GaArray *ga_convert_array(GaState *state, PyObject *object, PyArray_Descr *descr, ga_device *device,
                          char order, enum ga_copy_mode copy);
/* As ga_convert_array, but data that no device holds (strings, objects, records) come back in *host
 * as NumPy made them, unless a device was named. Exactly one of the two is set on success. */
int ga_convert_any(GaState *state, PyObject *object, PyArray_Descr *descr, ga_device *device,
                   char order, enum ga_copy_mode copy, GaArray **array, PyArrayObject **host);
/* What from_dlpack does: a producer's memory, which stays where it is unless a device is named. */
GaArray *ga_convert_dlpack(GaState *state, PyObject *object, PyArray_Descr *descr,
                           ga_device *device, char order, enum ga_copy_mode copy);
/* The same dtype in native byte order; new reference. */
PyArray_Descr *ga_convert_native(PyArray_Descr *descr);
/* A Python or NumPy number as one element of `dtype` (conversion by NumPy: OverflowError for a
 * Python int that does not fit). */
int ga_convert_scalar(GaState *state, PyObject *number, PyArray_Descr *descr, ga_scalar *out);
/* The Python object that NumPy's item() gives for an element. */
PyObject *ga_convert_item(PyArray_Descr *descr, const ga_scalar *value);
/* `device=` argument: None gives NULL; a Device, an ndarray's .device, a string. */
int ga_convert_device(GaState *state, PyObject *arg, ga_device **out);
/* New reference to the Device object of a device. */
PyObject *ga_convert_device_object(GaState *state, ga_device *device);
/* Shape argument: an int or a sequence of ints; returns ndim or -1. shape has room for GA_MAXDIMS.
 */
int ga_convert_shape(PyObject *arg, int64_t *shape);
/* `axis=` argument of a reduction: None or NULL (all axes), int or tuple, negative allowed, no repeats;
 * returns a bit mask. AxisError; an array without dimensions lets 0 and -1 pass, as NumPy does, not (0,). */
int ga_convert_axes(GaState *state, PyObject *arg, int ndim, uint64_t *mask);
/* `order=` argument: NULL and None give `fallback`; 'C' 'F' 'A' 'K' in either case of letters. */
int ga_convert_order(PyObject *arg, char fallback, char *out);

#endif
