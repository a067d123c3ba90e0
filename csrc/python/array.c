/* Life of an ndarray: made with memory of its own, as a view, or over a finished buffer; freed; and
 * the one way to its device pointer.
 *
 * Array objects come from a free list (linked through `buffer`) since `a + b` on small arrays is
 * mostly object making. ndarray has no subclasses, so all objects have one size. What is on the
 * list owns nothing. */
#include "array.h"

#include "dtype.h"

#define FREE_ARRAYS_MAX 128

static GaArray *
alloc_array(GaState *state)
{
    GaArray *a = state->free_arrays;
    if (a == NULL)
        return (GaArray *)state->array_type->tp_alloc(state->array_type, 0);
    state->free_arrays = (GaArray *)(void *)a->buffer;
    state->free_count--;
    a->buffer = NULL;
    return (GaArray *)PyObject_Init((PyObject *)a, state->array_type);
}

static bool
keep_array(PyTypeObject *type, GaArray *a)
{
    GaState *state = PyModule_GetState(PyType_GetModule(type));
    if (state == NULL || state->free_count >= FREE_ARRAYS_MAX)
        return false;
    a->buffer = (ga_buffer *)(void *)state->free_arrays;
    state->free_arrays = a;
    state->free_count++;
    return true;
}

void
ga_array_dealloc(PyObject *self)
{
    GaArray *a = (GaArray *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (a->weakrefs != NULL)
        PyObject_ClearWeakRefs(self);
    ga_buffer_release(a->buffer);
    a->buffer = NULL;
    if (a->shape != a->dims)
        PyMem_Free(a->shape);
    a->shape = NULL;
    Py_CLEAR(a->descr);
    Py_CLEAR(a->base);
    if (!keep_array(type, a))
        type->tp_free(self);
    Py_DECREF(type);
}

void
ga_array_free_list_clear(GaState *state)
{
    while (state->free_arrays != NULL) {
        GaArray *a = state->free_arrays;
        state->free_arrays = (GaArray *)(void *)a->buffer;
        PyObject_Free(a);
    }
    state->free_count = 0;
}

/* Points shape and strides at room for ndim entries; the previous room, if any, is the caller's.
 * Changes nothing on failure. */
static int
set_room(GaArray *a, int ndim)
{
    int64_t *room = a->dims;
    int64_t *strides = a->dims + GA_INLINE_DIMS;
    if (ndim > GA_INLINE_DIMS) {
        room = PyMem_Malloc(2 * (size_t)ndim * sizeof(int64_t));
        if (room == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        strides = room + ndim;
    }
    a->ndim = ndim;
    a->shape = room;
    a->strides = strides;
    return 0;
}

/* An array without memory: the caller sets buffer, offset, strides and base. */
static GaArray *
begin_array(GaState *state, PyArray_Descr *descr, int ndim, const int64_t *shape)
{
    int64_t size;
    if (ga_layout_size(ndim, shape, (int64_t)PyDataType_ELSIZE(descr), &size) < 0)
        return (GaArray *)ga_raise();
    GaArray *a = alloc_array(state);
    if (a == NULL)
        return NULL;
    a->buffer = NULL;
    a->offset = 0;
    a->size = size;
    a->dtype = ga_dtype_of(descr);
    a->descr = (PyArray_Descr *)Py_NewRef(descr);
    a->flags = 0;
    a->base = NULL;
    a->weakrefs = NULL;
    a->shape = a->dims;
    if (set_room(a, ndim) < 0) {
        Py_DECREF(a);
        return NULL;
    }
    for (int i = 0; i < ndim; i++)
        a->shape[i] = shape[i];
    return a;
}

static void
copy_strides(GaArray *a, const int64_t *strides)
{
    for (int i = 0; i < a->ndim; i++)
        a->strides[i] = strides[i];
}

static void
update_flags(GaArray *a)
{
    int64_t itemsize = ga_array_itemsize(a);
    a->flags &= ~(uint32_t)(GA_ARRAY_C | GA_ARRAY_F);
    if (ga_layout_is_c(a->ndim, a->shape, a->strides, itemsize))
        a->flags |= GA_ARRAY_C;
    if (ga_layout_is_f(a->ndim, a->shape, a->strides, itemsize))
        a->flags |= GA_ARRAY_F;
}

int
ga_array_set_layout(GaArray *a, int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t *old = a->shape == a->dims ? NULL : a->shape;
    if (set_room(a, ndim) < 0)
        return -1;
    a->size = 1;
    for (int i = 0; i < ndim; i++) {
        a->shape[i] = shape[i];
        a->strides[i] = strides[i];
        a->size *= shape[i];
    }
    PyMem_Free(old);
    update_flags(a);
    return 0;
}

/* Memory for the array as laid out, from the pool; drops the array on failure. */
static GaArray *
own_memory(GaArray *a, ga_device *device)
{
    size_t nbytes = (size_t)a->size * (size_t)ga_array_itemsize(a);
    if (ga_buffer_new(device, nbytes, ga_device_stream(device), &a->buffer) < 0) {
        a->buffer = NULL;
        Py_DECREF(a);
        return (GaArray *)ga_raise();
    }
    a->flags |= GA_ARRAY_WRITEABLE;
    update_flags(a);
    return a;
}

GaArray *
ga_array_new(GaState *state, ga_device *device, PyArray_Descr *descr, int ndim,
             const int64_t *shape, char order)
{
    GaArray *a = begin_array(state, descr, ndim, shape);
    if (a == NULL)
        return NULL;
    ga_layout_strides(ndim, shape, ga_array_itemsize(a), order, a->strides);
    return own_memory(a, device);
}

GaArray *
ga_array_new_strided(GaState *state, ga_device *device, PyArray_Descr *descr, int ndim,
                     const int64_t *shape, const int64_t *strides)
{
    if (strides == NULL)
        return ga_array_new(state, device, descr, ndim, shape, 'C');
    GaArray *a = begin_array(state, descr, ndim, shape);
    if (a == NULL)
        return NULL;
    copy_strides(a, strides);
    return own_memory(a, device);
}

/* As in NumPy a view of a view names the array that owns the memory, unless that was imported. */
static PyObject *
owner_of(GaArray *parent)
{
    if (parent->base != NULL && Py_TYPE(parent->base) == Py_TYPE(parent))
        return parent->base;
    return (PyObject *)parent;
}

/* Takes over the reference to buffer, also on failure. */
static GaArray *
finish_view(GaState *state, ga_buffer *buffer, PyArray_Descr *descr, int ndim, const int64_t *shape,
            const int64_t *strides, int64_t offset, bool writeable, PyObject *base)
{
    GaArray *a = begin_array(state, descr, ndim, shape);
    if (a == NULL) {
        ga_buffer_release(buffer);
        return NULL;
    }
    a->buffer = buffer;
    a->offset = offset;
    if (strides != NULL)
        copy_strides(a, strides);
    else
        ga_layout_strides(ndim, shape, ga_array_itemsize(a), 'C', a->strides);
    a->base = Py_XNewRef(base);
    if (writeable)
        a->flags |= GA_ARRAY_WRITEABLE;
    update_flags(a);
    return a;
}

GaArray *
ga_array_view(GaState *state, GaArray *parent, PyArray_Descr *descr, int ndim, const int64_t *shape,
              const int64_t *strides, int64_t offset)
{
    return finish_view(state, ga_buffer_retain(parent->buffer),
                       descr != NULL ? descr : parent->descr, ndim, shape, strides,
                       parent->offset + offset, (parent->flags & GA_ARRAY_WRITEABLE) != 0,
                       owner_of(parent));
}

GaArray *
ga_array_from_buffer(GaState *state, ga_buffer *buffer, PyArray_Descr *descr, int ndim,
                     const int64_t *shape, const int64_t *strides, int64_t offset, bool writeable,
                     PyObject *base)
{
    return finish_view(state, buffer, descr, ndim, shape, strides, offset,
                       writeable && !buffer->readonly, base);
}

GaArray *
ga_array_as_scalar(GaArray *a)
{
    if (a != NULL) {
        a->flags |= GA_ARRAY_SCALAR;
        a->flags &= ~(uint32_t)GA_ARRAY_WRITEABLE;
        Py_CLEAR(a->base); /* the buffer lives on without it */
    }
    return a;
}

int
ga_array_pointer(GaArray *a, enum ga_access access, ga_stream **stream, char **out)
{
    if ((access & GA_WRITE) && !(a->flags & GA_ARRAY_WRITEABLE)) {
        PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
        return -1;
    }
    void *start;
    *stream = ga_device_stream(a->buffer->device);
    if (ga_buffer_acquire(a->buffer, access, *stream, &start) < 0)
        return ga_raise_int();
    *out = (char *)start + a->offset;
    return 0;
}
