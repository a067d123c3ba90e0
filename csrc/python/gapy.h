/* What every file of csrc/python includes: Python, NumPy's C API, the core, and the module's state.
 *
 * The one lock of the core is the GIL: core functions are called with it held; it is released only
 * around waits (ga_stream sync, host copies) and large CPU launches, when no core structure is
 * touched. */
#ifndef GAPY_H
#define GAPY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL GA_NUMPY_API
#ifndef GAPY_IMPORT_NUMPY /* module.c alone defines it and calls import_array */
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include "../core/buffer.h"
#include "../core/device.h"
#include "../core/layout.h"
#include "../core/pool.h"
#include "../core/registry.h"
#include "../core/status.h"

/* Owned by the module; reached through ga_state(). */
typedef struct {
    PyTypeObject *array_type;  /* ndarray */
    PyTypeObject *ufunc_type;  /* ufunc */
    PyTypeObject *device_type; /* Device */
    PyTypeObject *stream_type, *event_type;
    PyTypeObject *flags_type, *iter_type;
    PyObject *ufuncs[GA_UFUNC_COUNT];      /* the ufunc objects, owned */
    PyArray_Descr *descrs[GA_DTYPE_COUNT]; /* NumPy's for each of ours; times: generic unit. Those of
                                              ml_dtypes may be NULL: ga_dtype_descr */
    PyObject *folder;                      /* of the package, a str that ends with a slash */
    PyObject *numpy;                       /* the module */
    PyObject *axis_error;                  /* numpy.exceptions.AxisError */
    PyObject *complex_warning;             /* numpy.exceptions.ComplexWarning */
    /* Name -> Python function that methods forward to (forward.c); filled by gpuarray/__init__.py. */
    PyObject *python_functions;
    struct GaArray *free_arrays; /* free list, linked through the buffer field; array.c */
    int free_count;
    bool matmul_tf32; /* set_matmul_precision("tf32") */
    struct {
        int mode;  /* enum ga_guard_mode */
        bool cpu;  /* the CPU device counts as a GPU */
        int asked; /* calls that run now and ask for their copies */
        int64_t copies[2], nbytes[2]; /* by enum ga_guard_way */
    } guard; /* transfer_guard; guard.c */
} GaState;

extern struct PyModuleDef ga_module; /* module.c */

/* State from an object of one of our types, or a subclass of them; never NULL for those. */
static inline GaState *
ga_state(PyTypeObject *type)
{
    return (GaState *)PyModule_GetState(PyType_GetModuleByDef(type, &ga_module));
}

/* Whether Python is ending or has ended: objects are then left to the process's end. Needs no GIL. */
static inline bool
ga_python_ends(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    return !Py_IsInitialized() || Py_IsFinalizing();
#else
    return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

/* error.c: the one place that maps a recorded status to an exception. Both return NULL / -1 for use
 * in return statements. */
PyObject *ga_raise(void);
int ga_raise_int(void);
/* IndexError for a bad index that kernels on the device met before it was last waited for. Call it after waiting. 0 or
 * -1. */
int ga_raise_fault(const ga_device *device);
/* numpy.exceptions.AxisError for an axis that an array of ndim dimensions has not; returns -1. */
int ga_raise_axis(GaState *state, int64_t axis, int ndim);

#endif
