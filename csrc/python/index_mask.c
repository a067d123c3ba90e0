/* Masks: as index arrays of the places where they are true, and the short way of a number assigned under a single mask,
 * which needs no places. */
#include "index_advanced.h"

#include <string.h>

#include "choose.h"
#include "select.h"

static int64_t
mask_length(const ga_index_item *item, int i)
{
    return item->host != NULL ? (int64_t)PyArray_DIM(item->host, i) : item->array->shape[i];
}

static int
check_shape(const ga_index_plan *plan, const ga_index_item *item, int axis)
{
    for (int i = 0; i < item->ndim; i++) {
        int64_t has = mask_length(item, i), length = plan->array->shape[axis + i];
        if (has == length || has == 0) /* NumPy lets an empty mask pass */
            continue;
        PyErr_Format(PyExc_IndexError,
                     "boolean index did not match indexed array along axis %d; size of axis is "
                     "%lld but size of "
                     "corresponding boolean axis is %lld",
                     axis + i, (long long)length, (long long)has);
        return -1;
    }
    return 0;
}

/* A mask without dimensions: an index array of one zero, or of none, that picks from no axis. */
static int
add_truth(ga_index_plan *plan, const ga_index_item *item)
{
    PyObject *object = item->host != NULL ? (PyObject *)item->host : (PyObject *)item->array;
    int truth = PyObject_IsTrue(object);
    npy_intp length = truth;
    if (truth < 0)
        return -1;
    ga_index_item zeros = {.host = (PyArrayObject *)PyArray_ZEROS(1, &length, NPY_INT64, 0),
                           .ndim = 1};
    int rc = zeros.host == NULL ? -1 : ga_index_add(plan, &zeros, -1);
    ga_index_item_clear(&zeros);
    return rc;
}

static int
add_host_places(ga_index_plan *plan, const ga_index_item *item, int axis)
{
    int rc = -1;
    PyObject *places = PyArray_Nonzero(item->host);
    if (places == NULL)
        return -1;
    for (int i = 0; i < item->ndim; i++) {
        ga_index_item one = {.host = (PyArrayObject *)PyTuple_GET_ITEM(places, i), .ndim = 1};
        if (ga_index_add(plan, &one, axis + i) < 0)
            goto done;
    }
    plan->mask_points = PyArray_SIZE((PyArrayObject *)PyTuple_GET_ITEM(places, 0));
    rc = 0;
done:
    Py_DECREF(places);
    return rc;
}

static int
add_device_places(ga_index_plan *plan, const ga_index_item *item, int axis)
{
    int rc = -1;
    GaArray *places = NULL;
    if (ga_select_nonzero(plan->state, item->array, &places) < 0)
        return -1;
    for (int i = 0; i < item->ndim; i++) {
        ga_index_item one = {.ndim = 1};
        one.array = ga_array_view(plan->state, places, NULL, 1, places->shape + 1,
                                  places->strides + 1, i * places->strides[0]);
        rc = one.array == NULL ? -1 : ga_index_add(plan, &one, axis + i);
        ga_index_item_clear(&one);
        if (rc < 0)
            goto done;
        plan->picks[plan->npicks - 1].checked = true;
    }
    plan->mask_points = places->shape[1];
done:
    Py_DECREF(places);
    return rc;
}

int
ga_index_add_mask(ga_index_plan *plan, const ga_index_item *item, int axis)
{
    if (item->ndim == 0)
        return add_truth(plan, item);
    if (check_shape(plan, item, axis) < 0)
        return -1;
    return item->host != NULL ? add_host_places(plan, item, axis)
                              : add_device_places(plan, item, axis);
}

GaArray *
ga_index_single_mask(GaState *state, const GaArray *array, PyObject *key)
{
    if (PyTuple_Check(key) && PyTuple_GET_SIZE(key) == 1)
        key = PyTuple_GET_ITEM(key, 0);
    if (!GA_ARRAY_CHECK(state, key))
        return NULL;
    GaArray *mask = (GaArray *)key;
    bool fits = mask->dtype == GA_b1 && mask->ndim > 0 && mask->ndim <= array->ndim &&
                ga_array_device(mask) == ga_array_device(array);
    for (int i = 0; fits && i < mask->ndim; i++)
        fits = mask->shape[i] == array->shape[i];
    return fits ? mask : NULL;
}

int
ga_index_fill_masked(GaState *state, GaArray *array, GaArray *mask, const ga_scalar *number)
{
    int64_t strides[GA_MAXDIMS] = {0}; /* the mask is repeated along the axes that it does not name */
    memcpy(strides, mask->strides, (size_t)mask->ndim * sizeof *strides);
    GaArray *spread = ga_array_view(state, mask, NULL, array->ndim, array->shape, strides, 0);
    int rc = spread != NULL ? ga_choose_fill(state, array, number, spread) : -1;
    Py_XDECREF(spread);
    return rc;
}
