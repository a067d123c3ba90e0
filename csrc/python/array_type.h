/* The pieces of the ndarray type, each from the file named beside it; array_type.c puts them
 * together. Every table ends with an entry of zeros. Methods have NumPy's parameter names, kept in
 * their docstrings as __text_signature__. */
#ifndef GAPY_ARRAY_TYPE_H
#define GAPY_ARRAY_TYPE_H

#include "array.h"

extern PyType_Slot ga_convert_slots[];   /* array_convert.c: bool int float hash len repr ... */
extern PyType_Slot ga_index_slots[];     /* index_set.c: subscripts */
extern PyMethodDef ga_convert_methods[]; /* array_convert.c: __complex__ __format__ ... */
extern PyMethodDef ga_copy_methods[];    /* array_copy.c: copy astype to_device ... */
extern PyMethodDef ga_pickle_methods[];  /* array_pickle.c: __reduce__ */
extern PyMethodDef ga_item_methods[];    /* array_item.c: item tolist tobytes fill */
extern PyMethodDef ga_shape_methods[];   /* array_shape.c: reshape transpose squeeze ... */
extern PyMethodDef ga_resize_methods[];  /* array_resize.c: resize */
extern PyMethodDef ga_dtype_methods[];   /* array_view.c: view */
extern PyMethodDef ga_reduce_methods[];  /* array_reduce.c: sum prod mean argmax ... */
extern PyMethodDef ga_flags_methods[];   /* array_flags.c: setflags */
extern PyGetSetDef ga_attrs_getset[];    /* array_attrs.c */
extern PyGetSetDef ga_parts_getset[];    /* array_parts.c: real imag */

#define GA_FASTCALL(function) \
    ((PyCFunction)(void (*)(void))(function)), METH_FASTCALL | METH_KEYWORDS

static inline GaState *
ga_array_state(PyObject *array)
{
    return ga_state(Py_TYPE(array));
}

/* Keeps the scalar flag: a 0-d result of a method of a flagged array is flagged too. Steals and
 * returns result; NULL passes. */
PyObject *ga_array_return(GaArray *self, GaArray *result);
/* What a view method works on: `self`, or for a flagged array an ordinary copy, since scalars share
 * no memory. New reference. */
GaArray *ga_array_viewable(GaState *state, GaArray *self);

/* Arguments that methods share; array_args.c. */
/* `order=`: a letter of `allowed`, in either case; `fallback` where not given. 0 with an
 * exception. */
char ga_array_order(PyObject *arg, const char *allowed, char fallback);
/* Integers given as one argument or several, as in reshape(2, 3) and reshape((2, 3)), negative ones
 * too: their number, at most GA_MAXDIMS, or -1. */
int ga_array_integers(PyObject *const *args, Py_ssize_t nargs, int64_t *out);
/* One axis, counted from the end if negative. AxisError. */
int ga_array_axis(GaState *state, PyObject *arg, int ndim, int64_t *axis);
/* Lengths or strides as a tuple of Python ints. */
PyObject *ga_array_tuple(int ndim, const int64_t *values);
/* 0 where an attribute may be set: value is not NULL (`del`), `a` not flagged. AttributeError. */
int ga_array_settable(GaArray *a, const char *name, PyObject *value);

/* iter(array); array_iter.c */
PyObject *ga_iter_new(PyObject *array);
/* array.flags; array_flags.c */
PyObject *ga_flags_new(GaState *state, GaArray *array);
/* Transposed view; naxes < 0 reverses the axes. array_shape.c */
PyObject *ga_shape_transpose(GaState *state, GaArray *a, int naxes, const int64_t *axes);
/* Shape and strides of `a` seen in another dtype by NumPy's rules for the last axis;
 * array_view.c. */
int ga_dtype_view_layout(GaArray *a, PyArray_Descr *descr, int64_t *shape, int64_t *strides);
/* The function gpuarray/__init__.py registered under this name; borrowed, NotImplementedError if
 * there is none. forward.c */
PyObject *ga_forward_find(GaState *state, const char *name);
/* Calls that function with `first` put before the arguments of a vectorcall. forward.c */
PyObject *ga_forward_call(GaState *state, const char *name, PyObject *first, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames);

#endif
