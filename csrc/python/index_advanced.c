/* Reading and writing through index arrays and masks: the entry. A result is a copy. Kernels move whole elements, so an
 * array at addresses its dtype does not allow is read from, or written by way of, an aligned copy. What is written
 * never reads what it overwrites: values and index arrays in the same memory are copied first. */
#include "index_advanced.h"

#include <string.h>

#include "convert.h"
#include "select.h"
#include "transfer.h"

static PyObject *
get_planned(GaState *state, GaArray *array, PyObject *key, const ga_index *index)
{
    ga_index_plan plan;
    ga_index_plan_begin(state, array, "indexing", &plan);
    GaArray *result = NULL;
    if (ga_index_plan_key(&plan, key, index) == 0)
        result = ga_index_gather(&plan);
    ga_index_plan_clear(&plan);
    return (PyObject *)result;
}

PyObject *
ga_index_get_advanced(GaState *state, GaArray *array, PyObject *key, const ga_index *index)
{
    GaArray *mask = ga_index_single_mask(state, array, key);
    GaArray *elements = NULL;
    if (mask != NULL && mask->ndim == array->ndim)
        return ga_select_elements(state, array, mask, &elements) < 0 ? NULL : (PyObject *)elements;
    if (ga_transfer_aligned(array))
        return get_planned(state, array, key, index);
    GaArray *aligned = ga_transfer_copy(state, array, NULL, NULL, 'K');
    PyObject *result = aligned == NULL ? NULL : get_planned(state, aligned, key, index);
    Py_XDECREF(aligned);
    return result;
}

/* ---- writing ---- */

static bool
share_memory(const GaArray *a, const GaArray *b)
{
    const char *a_low = a->buffer->ptr, *b_low = b->buffer->ptr;
    return a_low < b_low + b->buffer->nbytes && b_low < a_low + a->buffer->nbytes;
}

/* Index arrays apart from the memory that is written. */
static int
separate_picks(ga_index_plan *plan)
{
    for (int k = 0; k < plan->npicks; k++) {
        ga_index_pick *pick = &plan->picks[k];
        if (!share_memory(plan->array, pick->array))
            continue;
        GaArray *copy = ga_transfer_copy(plan->state, pick->array, NULL, NULL, 'C');
        if (copy == NULL)
            return -1;
        Py_SETREF(pick->array, copy);
        if (ga_layout_broadcast_strides(plan->npoint, plan->shape + plan->where, copy->ndim,
                                        copy->shape, copy->strides,
                                        pick->strides + plan->where) < 0)
            return ga_raise_int();
    }
    return 0;
}

static int
refuse_values(const ga_index_plan *plan, const GaArray *values)
{
    char from[256], to[256];
    ga_status_clear();
    PyErr_Format(PyExc_ValueError,
                 "shape mismatch: value array of shape %s could not be broadcast to indexing "
                 "result of shape %s",
                 ga_layout_format(values->ndim, values->shape, from, sizeof from),
                 ga_layout_format(plan->ndim, plan->shape, to, sizeof to));
    return -1;
}

/* Strides of the values in the selection's shape; axes of length one in front that it has not are dropped. */
static int
fit_values(const ga_index_plan *plan, const GaArray *values, int64_t *strides)
{
    int drop = 0;
    while (values->ndim - drop > plan->ndim && values->shape[drop] == 1)
        drop++;
    if (values->ndim - drop <= plan->ndim &&
        ga_layout_broadcast_strides(plan->ndim, plan->shape, values->ndim - drop,
                                    values->shape + drop, values->strides + drop, strides) == 0)
        return 0;
    return refuse_values(plan, values);
}

/* Under a mask of all the array's dimensions NumPy takes values in one dimension only. */
static int
refuse_dimensions(const GaArray *values)
{
    PyErr_Format(PyExc_TypeError,
                 "boolean array indexing assignment requires a 0 or 1-dimensional input, input has "
                 "%d dimensions",
                 values->ndim);
    return -1;
}

static int
assign_values(ga_index_plan *plan, GaArray *values)
{
    int64_t strides[GA_MAXDIMS];
    int rc = -1;
    ga_device *device = ga_array_device(plan->array);
    if (plan->whole_mask && values->ndim > 1)
        return refuse_dimensions(values);
    GaArray *cast = ga_array_device(values) == device
                        ? ga_transfer_cast(plan->state, values, plan->array->descr)
                        : ga_transfer_copy(plan->state, values, plan->array->descr, device, 'K');
    if (cast != NULL && (share_memory(plan->array, cast) || !ga_transfer_aligned(cast))) {
        GaArray *copy = ga_transfer_copy(plan->state, cast, NULL, NULL, 'K');
        Py_SETREF(cast, copy);
    }
    if (cast != NULL && fit_values(plan, cast, strides) == 0)
        rc = ga_index_scatter(plan, cast, strides, NULL);
    Py_XDECREF(cast);
    return rc;
}

int
ga_index_assign_plan(ga_index_plan *plan, PyObject *value)
{
    ga_index_value taken;
    if (separate_picks(plan) < 0 ||
        ga_index_take_value(plan->state, plan->array, value, &taken) < 0)
        return -1;
    int rc = taken.array == NULL ? ga_index_scatter(plan, NULL, NULL, &taken.number)
                                 : assign_values(plan, taken.array);
    Py_XDECREF(taken.array);
    return rc;
}

static int
set_planned(GaState *state, GaArray *array, PyObject *key, const ga_index *index, PyObject *value)
{
    ga_index_plan plan;
    ga_index_plan_begin(state, array, "indexed assignment", &plan);
    int rc = ga_index_plan_key(&plan, key, index);
    plan.whole_mask = index->nitems == 1 && plan.mask_points >= 0 && plan.npicks == array->ndim;
    if (rc == 0)
        rc = ga_index_assign_plan(&plan, value);
    ga_index_plan_clear(&plan);
    return rc;
}

/* A number under a single mask. 1: done; 0: not this case. */
static int
set_masked(GaState *state, GaArray *array, PyObject *key, PyObject *value)
{
    ga_scalar number = {.u = 0};
    GaArray *mask = ga_index_single_mask(state, array, key);
    if (mask == NULL || !ga_index_is_number(value, array->descr))
        return 0;
    if (ga_convert_scalar(state, value, array->descr, &number) < 0)
        return -1;
    return ga_index_fill_masked(state, array, mask, &number) < 0 ? -1 : 1;
}

int
ga_index_set_advanced(GaState *state, GaArray *array, PyObject *key, const ga_index *index,
                      PyObject *value)
{
    if (!ga_transfer_aligned(array)) {
        GaArray *aligned = ga_transfer_copy(state, array, NULL, NULL, 'K');
        int rc = aligned == NULL ? -1 : set_planned(state, aligned, key, index, value);
        if (rc == 0)
            rc = ga_transfer_assign(state, array, aligned);
        Py_XDECREF(aligned);
        return rc;
    }
    int masked = set_masked(state, array, key, value);
    if (masked != 0)
        return masked < 0 ? -1 : 0;
    return set_planned(state, array, key, index, value);
}
