/* Indexing between Python and the core: basic indices become ga_view_item and views; keys with arrays, lists or masks
 * go on to index_advanced.h. */
#ifndef GAPY_INDEX_H
#define GAPY_INDEX_H

#include "../core/view.h"
#include "array.h"

#define GA_INDEX_ITEMS (2 * GA_MAXDIMS)

typedef struct {
    int nitems;
    bool advanced;      /* holds an array, a list or a mask */
    bool full_integer;  /* integers only, one for every axis: reading gives a scalar */
    bool array_integer; /* an integer came as a 0-d array: reading gives a copy, as in NumPy */
    ga_view_item items[GA_INDEX_ITEMS];
    bool is_array[GA_INDEX_ITEMS]; /* an array, list or mask stands here: its item is not filled */
} ga_index;

/* What is assigned: an array in a dtype of its own, on the destination's device, or one element. */
typedef struct {
    GaArray *array; /* owned; NULL: number */
    ga_scalar number;
} ga_index_value;

/* index_parse.c. 0, or -1 with IndexError or what an item's __index__ raised. */
int ga_index_parse(GaState *state, PyObject *key, int ndim, ga_index *out);
/* index_get.c: view selected by a basic index. */
GaArray *ga_index_view(GaState *state, GaArray *a, const ga_index *index);
/* index_get.c: array[key] and array[i]. */
PyObject *ga_index_get(PyObject *array, PyObject *key);
PyObject *ga_index_get_row(PyObject *array, Py_ssize_t i);
/* index_set.c: array[key] = value; value NULL is `del`. */
int ga_index_set(PyObject *array, PyObject *key, PyObject *value);
/* index_set.c: dst[...] = value for any Python value, broadcast and converted as NumPy does. */
int ga_index_assign(GaState *state, GaArray *dst, PyObject *value);
/* index_set.c: any Python value for the elements of dst; warns of a lost imaginary part. */
int ga_index_take_value(GaState *state, GaArray *dst, PyObject *value, ga_index_value *out);
/* index_set.c: numbers that travel in the launch instead of through an array. */
bool ga_index_is_number(PyObject *value, const PyArray_Descr *to);

#endif
