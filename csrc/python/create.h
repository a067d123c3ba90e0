/* What the files create_*.c share: the tables of functions, and how they find a device, a dtype, or
 * NumPy's own answer. */
#ifndef GAPY_CREATE_H
#define GAPY_CREATE_H

#include "arguments.h"
#include "array.h"
#include "convert.h"

#define GA_CREATE_FUNCTION(function) \
    (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

extern PyMethodDef ga_create_fill_functions[];  /* create_fill.c: empty zeros ones full */
extern PyMethodDef ga_create_like_functions[];  /* create_like.c: empty_like ... */
extern PyMethodDef ga_create_array_functions[]; /* create_array.c: array asarray ... asnumpy */
extern PyMethodDef ga_create_asked_functions[]; /* the same, for users: they ask for the copies (guard.h) */
extern PyMethodDef ga_create_range_functions[]; /* create_range.c: arange */
extern PyMethodDef ga_create_dlpack_functions[]; /* create_dlpack.c: from_dlpack */

/* dtype= and device= of one call. */
typedef struct {
    PyArray_Descr *descr; /* owned; NULL where none was asked for */
    ga_device *device;    /* NULL where nobody named one; `like` names its own */
    bool plain;           /* no device holds the dtype and none was named: NumPy answers */
} ga_create_target;

/* Arguments may be NULL. The descr is in native byte order. 0 or -1; after 0 ga_create_target_clear
 * is due. */
int ga_create_target_parse(GaState *state, PyObject *dtype, PyObject *device, PyObject *like,
                           ga_create_target *out);
void ga_create_target_clear(ga_create_target *target);
/* The named device, else the default one; NULL with an exception. */
ga_device *ga_create_target_device(const ga_create_target *target);
/* `copy=`: None as needed, NULL `fallback`. */
int ga_create_copy_mode(PyObject *arg, enum ga_copy_mode fallback, enum ga_copy_mode *out);
/* The same call made to NumPy's function of that name. */
PyObject *ga_create_by_numpy(GaState *state, const char *name, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames);
/* Fills `a` with any value as numpy.copyto(a, value, casting='unsafe') does. */
int ga_create_fill(GaState *state, GaArray *a, PyObject *value);

#endif
