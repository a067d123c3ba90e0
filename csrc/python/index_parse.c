/* Reads an index expression. Integers are whatever Python or NumPy takes for one, flagged integer
 * arrays among them; a 0-d integer array without the flag is an integer whose result is a copy, as
 * in NumPy. Booleans are masks, never integers. Arrays, lists and masks are only noted here. */
#include "index.h"

#include "array_type.h"

enum item_kind { ITEM_BASIC, ITEM_ADVANCED, ITEM_ERROR };

static enum item_kind
refuse_item(void)
{
    PyErr_SetString(
        PyExc_IndexError,
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
        "boolean arrays are valid indices");
    return ITEM_ERROR;
}

static enum item_kind
parse_integer(PyObject *object, ga_view_item *item)
{
    Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_IndexError);
    if (value == -1 && PyErr_Occurred())
        return ITEM_ERROR;
    item->kind = GA_VIEW_INTEGER;
    item->start = value;
    return ITEM_BASIC;
}

static enum item_kind
parse_slice(PyObject *object, ga_view_item *item)
{
    const PySliceObject *slice = (const PySliceObject *)object;
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(object, &start, &stop, &step) < 0)
        return ITEM_ERROR;
    item->kind = GA_VIEW_SLICE;
    item->has_start = slice->start != Py_None;
    item->has_stop = slice->stop != Py_None;
    item->start = start;
    item->stop = stop;
    item->step = step;
    return ITEM_BASIC;
}

/* Our own arrays: a flagged integer, an integer without axes, an index array or mask, or nothing
 * that indexes. */
static enum item_kind
parse_array(GaArray *a, ga_view_item *item, bool *array_integer)
{
    char kind = a->descr->kind;
    if (kind != 'b' && kind != 'i' && kind != 'u')
        return refuse_item();
    if (kind == 'b' || a->ndim > 0)
        return ITEM_ADVANCED;
    *array_integer |= !(a->flags & GA_ARRAY_SCALAR);
    return parse_integer((PyObject *)a, item);
}

static enum item_kind
parse_numpy(PyArrayObject *a, ga_view_item *item, bool *array_integer)
{
    if (PyArray_NDIM(a) > 0 || !PyArray_ISINTEGER(a))
        return ITEM_ADVANCED;
    *array_integer = true;
    return parse_integer((PyObject *)a, item);
}

static enum item_kind
parse_other(PyObject *object, ga_view_item *item, bool *array_integer)
{
    if (PyArray_Check(object))
        return parse_numpy((PyArrayObject *)object, item, array_integer);
    if (PyBool_Check(object) || PyArray_IsScalar(object, Bool))
        return ITEM_ADVANCED;
    if (PyIndex_Check(object))
        return parse_integer(object, item);
    if (PyUnicode_Check(object) || PyBytes_Check(object) || PyArray_IsScalar(object, Generic) ||
        !PySequence_Check(object))
        return refuse_item();
    return ITEM_ADVANCED;
}

static enum item_kind
parse_item(GaState *state, PyObject *object, ga_view_item *item, bool *array_integer)
{
    if (PyLong_CheckExact(object))
        return parse_integer(object, item);
    if (PySlice_Check(object))
        return parse_slice(object, item);
    if (object == Py_None || object == Py_Ellipsis) {
        item->kind = object == Py_None ? GA_VIEW_NEWAXIS : GA_VIEW_ELLIPSIS;
        return ITEM_BASIC;
    }
    if (GA_ARRAY_CHECK(state, object))
        return parse_array((GaArray *)object, item, array_integer);
    return parse_other(object, item, array_integer);
}

int
ga_index_parse(GaState *state, PyObject *key, int ndim, ga_index *out)
{
    PyObject *const *objects = &key;
    Py_ssize_t count = 1;
    int integers = 0;
    if (PyTuple_Check(key)) {
        objects = &PyTuple_GET_ITEM(key, 0);
        count = PyTuple_GET_SIZE(key);
    }
    if (count > GA_INDEX_ITEMS) {
        PyErr_SetString(PyExc_IndexError, "too many indices for array");
        return -1;
    }
    out->nitems = (int)count;
    out->advanced = out->array_integer = false;
    for (Py_ssize_t i = 0; i < count; i++) {
        enum item_kind kind = parse_item(state, objects[i], &out->items[i], &out->array_integer);
        if (kind == ITEM_ERROR)
            return -1;
        out->is_array[i] = kind == ITEM_ADVANCED;
        out->advanced |= out->is_array[i];
        integers += kind == ITEM_BASIC && out->items[i].kind == GA_VIEW_INTEGER;
    }
    out->full_integer = !out->advanced && integers == count && integers == ndim;
    return 0;
}
