/* The ndarray object: a layout over a ga_buffer.
 *
 * Invariants: shape and strides point at `dims` (ndim <= GA_INLINE_DIMS) or at one heap block;
 * offset counts bytes from buffer->ptr to the first element; descr is native-endian and `dtype` is
 * its ga_dtype; the scalar flag implies ndim == 0, own memory and no writes. `base` keeps what a
 * view came from (an ndarray, or the object that imported memory came from). */
#ifndef GAPY_ARRAY_H
#define GAPY_ARRAY_H

#include "gapy.h"

#define GA_INLINE_DIMS 4

enum ga_array_flags {
    GA_ARRAY_WRITEABLE = 1,
    GA_ARRAY_SCALAR = 2, /* stands for a NumPy scalar (docs/architecture.md) */
    GA_ARRAY_C = 4,      /* contiguous in C order; kept up to date by whoever sets the layout */
    GA_ARRAY_F = 8
};

typedef struct GaArray {
    PyObject_HEAD
    ga_buffer *buffer; /* owned; never NULL in a finished array */
    int64_t offset;
    int64_t size;
    PyArray_Descr *descr; /* owned */
    enum ga_dtype dtype;
    int ndim;
    uint32_t flags;
    int64_t *shape, *strides;
    int64_t dims[2 * GA_INLINE_DIMS];
    PyObject *base; /* owned or NULL */
    PyObject *weakrefs;
} GaArray;

#define GA_ARRAY_CHECK(state, object) PyObject_TypeCheck((PyObject *)(object), (state)->array_type)

static inline ga_device *
ga_array_device(const GaArray *a)
{
    return a->buffer->device;
}
static inline int64_t
ga_array_itemsize(const GaArray *a)
{
    return (int64_t)PyDataType_ELSIZE(a->descr);
}

/* New array with memory of its own, uninitialised. descr is borrowed. strides NULL: C order. order:
 * 'C' or 'F' where strides is NULL. */
GaArray *ga_array_new(GaState *state, ga_device *device, PyArray_Descr *descr, int ndim,
                      const int64_t *shape, char order);
GaArray *ga_array_new_strided(GaState *state, ga_device *device, PyArray_Descr *descr, int ndim,
                              const int64_t *shape, const int64_t *strides);
/* View of `parent` (its buffer, writeability and base) with another layout; `offset` is added to
 * the parent's. descr NULL keeps the parent's. */
GaArray *ga_array_view(GaState *state, GaArray *parent, PyArray_Descr *descr, int ndim,
                       const int64_t *shape, const int64_t *strides, int64_t offset);
/* Array over a finished buffer; takes over the caller's reference to it also on failure. base is
 * borrowed, may be NULL. */
GaArray *ga_array_from_buffer(GaState *state, ga_buffer *buffer, PyArray_Descr *descr, int ndim,
                              const int64_t *shape, const int64_t *strides, int64_t offset,
                              bool writeable, PyObject *base);
/* Marks a fresh 0-d array as standing for a scalar; returns it. NULL passes through. */
GaArray *ga_array_as_scalar(GaArray *a);
/* Gives the array itself another layout over the same memory, from the same first element. */
int ga_array_set_layout(GaArray *a, int ndim, const int64_t *shape, const int64_t *strides);
void ga_array_dealloc(PyObject *self);
void ga_array_free_list_clear(GaState *state);

/* The device pointer of the first element, ordered on the thread's stream: the only way to it.
 * Raises. GA_WRITE on a read-only array is ValueError "assignment destination is read-only". */
int ga_array_pointer(GaArray *a, enum ga_access access, ga_stream **stream, char **out);

#endif
