/* Indexing between Python and the core: basic indices become ga_view_item, anything with arrays,
 * lists or masks goes to the Python functions registered as getitem_advanced and
 * setitem_advanced. */
#ifndef GAPY_INDEX_H
#define GAPY_INDEX_H

#include "../core/view.h"
#include "array.h"

#define GA_INDEX_ITEMS (2 * GA_MAXDIMS)

typedef struct {
    int nitems;
    bool advanced;      /* holds an array, a list or a mask: items are not filled */
    bool full_integer;  /* integers only, one for every axis: reading gives a scalar */
    bool array_integer; /* an integer came as a 0-d array: reading gives a copy, as in NumPy */
    ga_view_item items[GA_INDEX_ITEMS];
} ga_index;

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

#endif
