/* The index arrays of a key. What comes from the host (lists, tuples, numpy arrays) is checked here, before anything
 * runs; what lives on a device is checked by the kernels. */
#include "index_advanced.h"

#include "convert_steps.h"
#include "guard.h"
#include "transfer.h"

static int
refuse_dtype(void)
{
    PyErr_SetString(PyExc_IndexError,
                    "arrays used as indices must be of integer (or boolean) type");
    return -1;
}

/* An array of ours, brought to the device in int64 or as the mask it is. */
static int
take_array(GaState *state, GaArray *a, ga_device *device, ga_index_item *out)
{
    char kind = a->descr->kind;
    if (kind != 'b' && kind != 'i' && kind != 'u')
        return refuse_dtype();
    out->mask = kind == 'b';
    out->ndim = a->ndim;
    PyArray_Descr *descr = state->descrs[out->mask ? GA_b1 : GA_i64];
    bool fits = a->dtype == (out->mask ? GA_b1 : GA_i64) && ga_array_device(a) == device &&
                ga_transfer_aligned(a);
    out->array = fits ? (GaArray *)Py_NewRef(a) : ga_transfer_copy(state, a, descr, device, 'K');
    return out->array == NULL ? -1 : 0;
}

static int
take_numpy(PyArrayObject *host, ga_index_item *out)
{
    if (!PyArray_ISBOOL(host) && !PyArray_ISINTEGER(host))
        return refuse_dtype();
    out->mask = PyArray_ISBOOL(host);
    out->ndim = PyArray_NDIM(host);
    out->host = (PyArrayObject *)PyArray_FROMANY((PyObject *)host, out->mask ? NPY_BOOL : NPY_INT64,
                                                 0, 0, NPY_ARRAY_ALIGNED | NPY_ARRAY_FORCECAST);
    return out->host == NULL ? -1 : 0;
}

/* Lists and other objects; an empty list is an empty integer array. */
static int
take_object(PyObject *object, ga_index_item *out)
{
    PyArrayObject *host = (PyArrayObject *)PyArray_FROM_O(object);
    if (host == NULL)
        return -1;
    if (PyArray_SIZE(host) == 0 && !PyArray_Check(object)) {
        PyArrayObject *empty = (PyArrayObject *)PyArray_Cast(host, NPY_INT64);
        Py_SETREF(host, empty);
    }
    int rc = host == NULL ? -1 : take_numpy(host, out);
    Py_XDECREF(host);
    return rc;
}

int
ga_index_item_take(GaState *state, PyObject *object, ga_device *device, ga_index_item *out)
{
    *out = (ga_index_item){.host = NULL};
    if (GA_ARRAY_CHECK(state, object))
        return take_array(state, (GaArray *)object, device, out);
    if (PyArray_Check(object))
        return take_numpy((PyArrayObject *)object, out);
    bool sequence = PyList_Check(object) || PyTuple_Check(object);
    if (!sequence || ga_convert_find_array(state, object) == NULL)
        return take_object(object, out);
    GaArray *gathered = ga_convert_array(state, object, NULL, device, 'C', GA_COPY_IF_NEEDED);
    int rc = gathered == NULL ? -1 : take_array(state, gathered, device, out);
    Py_XDECREF(gathered);
    return rc;
}

void
ga_index_item_clear(ga_index_item *item)
{
    Py_CLEAR(item->host);
    Py_CLEAR(item->array);
}

static int
refuse_index(int64_t index, int axis, int64_t length)
{
    PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld",
                 (long long)index, axis, (long long)length);
    return -1;
}

/* The first index in C order that is out of range is the one named. */
static int
check_host(PyArrayObject *host, int axis, int64_t length)
{
    PyArrayObject *flat =
        (PyArrayObject *)PyArray_FROMANY((PyObject *)host, NPY_INT64, 0, 0, NPY_ARRAY_CARRAY_RO);
    if (flat == NULL)
        return -1;
    const int64_t *index = PyArray_DATA(flat);
    npy_intp size = PyArray_SIZE(flat), i = 0;
    while (i < size && index[i] >= -length && index[i] < length)
        i++;
    int rc = i < size ? refuse_index(index[i], axis, length) : 0;
    Py_DECREF(flat);
    return rc;
}

static int
check_device(GaState *state, GaArray *array, int axis, int64_t length)
{
    PyArrayObject *host = ga_transfer_to_numpy(state, array, true);
    int rc = host == NULL ? -1 : check_host(host, axis, length);
    Py_XDECREF(host);
    return rc;
}

int
ga_index_add(ga_index_plan *plan, const ga_index_item *item, int axis)
{
    ga_device *device = ga_array_device(plan->array);
    ga_index_pick *pick = &plan->picks[plan->npicks];
    *pick = (ga_index_pick){.axis = axis, .length = 1};
    if (axis >= 0) {
        pick->length = plan->array->shape[axis];
        pick->step = plan->array->strides[axis];
    }
    if (item->host != NULL && ga_guard_send(plan->state, item->host, device) < 0)
        return -1;
    pick->array = item->array != NULL
                      ? (GaArray *)Py_NewRef(item->array)
                      : ga_transfer_from_numpy(plan->state, item->host, NULL, device, 'K');
    if (pick->array == NULL)
        return -1;
    plan->npicks++;
    pick->checked = plan->mode != GA_INDEX_RAISE;
    if (item->host != NULL && !pick->checked)
        pick->host = (PyArrayObject *)Py_NewRef(item->host);
    return 0;
}

/* Everything is out of range of an axis without elements: no kernel can clamp to it. */
static int
check_pick(ga_index_plan *plan, ga_index_pick *pick)
{
    if (pick->host == NULL && (pick->checked || pick->length > 0))
        return 0;
    int rc = pick->host != NULL ? check_host(pick->host, pick->axis, pick->length)
                                : check_device(plan->state, pick->array, pick->axis, pick->length);
    pick->checked = true;
    Py_CLEAR(pick->host);
    return rc;
}

int
ga_index_check_host(ga_index_plan *plan)
{
    for (int k = 0; k < plan->npicks; k++) {
        if (check_pick(plan, &plan->picks[k]) < 0)
            return -1;
    }
    return 0;
}

int
ga_index_check_now(ga_index_plan *plan)
{
    for (int k = 0; k < plan->npicks; k++) {
        ga_index_pick *pick = &plan->picks[k];
        if (!pick->checked && check_device(plan->state, pick->array, pick->axis, pick->length) < 0)
            return -1;
        pick->checked = true;
    }
    return 0;
}
