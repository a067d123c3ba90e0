/* How an ndarray shows itself to other libraries: the buffer protocol (CPU device), NumPy's and
 * CUDA's array interfaces, and the copies to and from the host that the user asks for. Tables that
 * array.c concatenates into the type; each ends with an entry of zeros. */
#ifndef GAPY_EXPORT_H
#define GAPY_EXPORT_H

#include "array.h"

extern PyType_Slot ga_export_slots[];   /* bf_getbuffer */
extern PyMethodDef ga_export_methods[]; /* __array__, get, set */
extern PyGetSetDef ga_export_getset[];  /* export_interface.c */

/* A numpy.ndarray over the memory of an array on the CPU device, for whoever reads it on the host. */
PyArrayObject *ga_export_share(GaState *state, GaArray *a);

/* `copy=` of the export protocols: 1 always, 0 never, -1 if needed. */
int ga_export_copy_mode(PyObject *arg, int *copy);
/* What get(order=, out=, stream=) and asnumpy() do; arguments NULL or Py_None where not given. A
 * writable numpy.ndarray. */
PyObject *ga_export_get(GaState *state, GaArray *a, PyObject *stream, PyObject *order,
                        PyObject *out);

#endif
