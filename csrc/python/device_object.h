/* The Device type. Instances are handles: the ga_device behind lives as long as the process. */
#ifndef GAPY_DEVICE_OBJECT_H
#define GAPY_DEVICE_OBJECT_H

#include "gapy.h"

typedef struct {
    PyObject_HEAD
    ga_device *device;
    PyObject *previous; /* list of the default devices that open `with` blocks replaced; NULL before
                           the first */
} GaDevice;

extern PyMethodDef ga_device_functions[]; /* device_functions.c */

/* Waits, without the GIL, for all streams of the device that this thread can name: the current one
 * and the default one. */
int ga_device_synchronize(ga_device *device);
/* (free, total) bytes. */
PyObject *ga_device_memory(ga_device *device);
/* None gives the default device; raises. */
int ga_device_argument(GaState *state, PyObject *arg, ga_device **out);
/* The arguments of a function whose one, optional parameter is `device`. */
int ga_device_parse(PyObject *module, PyObject *args, PyObject *kwargs, const char *format,
                    ga_device **out);

#define GA_KEYWORD_FUNCTION(function) \
    (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS
#define GA_DEVICE_PARAMETER \
    "\n\nParameters\n----------\ndevice : Device or str, optional\n    By default the default " \
    "device."

#endif
