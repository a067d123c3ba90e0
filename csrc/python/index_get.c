/* Reading by index: a view for basic indices, a scalar (a flagged copy) when every axis is named by
 * an integer. */
#include "index.h"

#include "array_type.h"
#include "index_advanced.h"
#include "transfer.h"

GaArray *
ga_index_view(GaState *state, GaArray *a, const ga_index *index)
{
    ga_view view;
    if (ga_view_index(a->ndim, a->shape, a->strides, index->nitems, index->items, &view) < 0)
        return (GaArray *)ga_raise();
    return ga_array_view(state, a, NULL, view.ndim, view.shape, view.strides, view.offset);
}

/* Own memory for what a view shows. Steals view; NULL passes. */
static GaArray *
copy_view(GaState *state, GaArray *view)
{
    if (view == NULL)
        return NULL;
    GaArray *copy = ga_transfer_copy(state, view, NULL, NULL, 'K');
    Py_DECREF(view);
    return copy;
}

static PyObject *
get_basic(GaState *state, GaArray *a, const ga_index *index)
{
    GaArray *view = ga_index_view(state, a, index);
    if (index->full_integer)
        return (PyObject *)ga_array_as_scalar(copy_view(state, view));
    return (PyObject *)(index->array_integer ? copy_view(state, view) : view);
}

/* A scalar takes () as itself, `...` and None as ordinary arrays of its value, and nothing else. */
static PyObject *
get_of_scalar(GaState *state, GaArray *a, const ga_index *index)
{
    if (index->nitems == 0)
        return Py_NewRef(a);
    for (int i = 0; i < index->nitems; i++) {
        if (index->items[i].kind != GA_VIEW_ELLIPSIS && index->items[i].kind != GA_VIEW_NEWAXIS) {
            PyErr_SetString(PyExc_IndexError, "invalid index to scalar variable.");
            return NULL;
        }
    }
    GaArray *copy = ga_array_viewable(state, a);
    GaArray *view = copy == NULL ? NULL : ga_index_view(state, copy, index);
    Py_XDECREF(copy);
    return (PyObject *)view;
}

PyObject *
ga_index_get(PyObject *array, PyObject *key)
{
    GaState *state = ga_array_state(array);
    GaArray *a = (GaArray *)array;
    ga_index index;
    if (ga_index_parse(state, key, a->ndim, &index) < 0)
        return NULL;
    if (index.advanced)
        return ga_index_get_advanced(state, a, key, &index);
    return a->flags & GA_ARRAY_SCALAR ? get_of_scalar(state, a, &index)
                                      : get_basic(state, a, &index);
}

PyObject *
ga_index_get_row(PyObject *array, Py_ssize_t i)
{
    GaArray *a = (GaArray *)array;
    if (i < 0) {
        PyErr_SetString(
            PyExc_IndexError,
            "array index out of range"); /* PySequence_GetItem has added the length already */
        return NULL;
    }
    ga_index index;
    index.nitems = 1;
    index.advanced = index.array_integer = false;
    index.full_integer = a->ndim == 1;
    index.items[0] = (ga_view_item){.kind = GA_VIEW_INTEGER, .start = i};
    return get_basic(ga_array_state(array), a, &index);
}
