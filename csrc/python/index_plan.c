/* From a parsed key to a plan: NumPy's axis order. Slices, newaxis and ellipsis give dimensions of the selection in the
 * order they stand in. The index arrays, and the integers beside them, share dimensions, which take the place of the
 * first of them if all stand next to each other, and come first otherwise. Integers become part of the offset. */
#include "index_advanced.h"

#include <string.h>

void
ga_index_plan_begin(GaState *state, GaArray *array, const char *function, ga_index_plan *plan)
{
    plan->state = state;
    plan->array = array;
    plan->function = function;
    plan->mode = GA_INDEX_RAISE;
    plan->mask_points = -1;
    plan->whole_mask = plan->unique = false;
    plan->offset = 0;
    plan->npicks = plan->ndim = plan->where = plan->npoint = 0;
}

void
ga_index_plan_clear(ga_index_plan *plan)
{
    for (int k = 0; k < plan->npicks; k++) {
        Py_CLEAR(plan->picks[k].array);
        Py_CLEAR(plan->picks[k].host);
    }
    plan->npicks = 0;
}

/* ---- items ---- */

typedef struct {
    int axis;       /* of the array, which comes next */
    int ellipsis;   /* axes that an ellipsis stands for */
    bool seen;      /* an index array or an integer */
    bool closed;    /* and something else after it */
    bool separated; /* and another one after that */
} key_reader;

static int
add_dimension(ga_index_plan *plan, int64_t length, int64_t stride)
{
    if (plan->ndim == GA_MAXDIMS) {
        PyErr_Format(PyExc_IndexError, "the result would have more than %d dimensions", GA_MAXDIMS);
        return -1;
    }
    plan->shape[plan->ndim] = length;
    plan->strides[plan->ndim++] = stride;
    return 0;
}

static void
note_pick(ga_index_plan *plan, key_reader *reader)
{
    if (!reader->seen)
        plan->where = plan->ndim;
    reader->separated |= reader->closed;
    reader->seen = true;
}

/* An integer or a slice along one axis, by the rules of basic indexing. */
static int
add_basic(ga_index_plan *plan, key_reader *reader, const ga_view_item *item)
{
    const GaArray *a = plan->array;
    int64_t length = a->shape[reader->axis];
    ga_view view;
    if (item->kind == GA_VIEW_INTEGER) {
        if (item->start < -length || item->start >= length) {
            PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld",
                         (long long)item->start, reader->axis, (long long)length);
            return -1;
        }
        note_pick(plan, reader);
        plan->offset += (item->start + (item->start < 0 ? length : 0)) * a->strides[reader->axis++];
        return 0;
    }
    reader->closed = reader->seen;
    if (ga_view_index(1, &length, &a->strides[reader->axis], 1, item, &view) < 0)
        return ga_raise_int();
    plan->offset += view.offset;
    reader->axis++;
    return add_dimension(plan, view.shape[0], view.strides[0]);
}

static int
add_axes(ga_index_plan *plan, key_reader *reader, int count)
{
    const GaArray *a = plan->array;
    for (int i = 0; i < count; i++, reader->axis++) {
        if (add_dimension(plan, a->shape[reader->axis], a->strides[reader->axis]) < 0)
            return -1;
    }
    return 0;
}

static int
add_item(ga_index_plan *plan, key_reader *reader, const ga_view_item *item)
{
    if (item->kind == GA_VIEW_INTEGER || item->kind == GA_VIEW_SLICE)
        return add_basic(plan, reader, item);
    reader->closed = reader->seen;
    if (item->kind == GA_VIEW_NEWAXIS)
        return add_dimension(plan, 1, 0);
    return add_axes(plan, reader, reader->ellipsis);
}

static int
add_array(ga_index_plan *plan, key_reader *reader, const ga_index_item *item)
{
    note_pick(plan, reader);
    int axis = reader->axis;
    reader->axis += item->mask ? item->ndim : 1;
    return item->mask ? ga_index_add_mask(plan, item, axis) : ga_index_add(plan, item, axis);
}

/* ---- the whole key ---- */

/* Axes that the items use up; finds what an ellipsis stands for. */
static int
count_axes(const ga_index_plan *plan, const ga_index *index, const ga_index_item *arrays,
           key_reader *reader)
{
    int used = 0, ellipses = 0;
    for (int i = 0; i < index->nitems; i++) {
        if (index->is_array[i])
            used += arrays[i].mask ? arrays[i].ndim : 1;
        else {
            enum ga_view_kind kind = index->items[i].kind;
            used += kind == GA_VIEW_INTEGER || kind == GA_VIEW_SLICE;
            ellipses += kind == GA_VIEW_ELLIPSIS;
        }
    }
    if (ellipses > 1) {
        PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
        return -1;
    }
    if (used > plan->array->ndim) {
        PyErr_Format(PyExc_IndexError,
                     "too many indices for array: array is %d-dimensional, but %d were indexed",
                     plan->array->ndim, used);
        return -1;
    }
    reader->ellipsis = plan->array->ndim - used;
    return 0;
}

static int
read_items(ga_index_plan *plan, const ga_index *index, const ga_index_item *arrays)
{
    key_reader reader = {.axis = 0};
    if (count_axes(plan, index, arrays, &reader) < 0)
        return -1;
    for (int i = 0; i < index->nitems; i++) {
        int rc = index->is_array[i] ? add_array(plan, &reader, &arrays[i])
                                    : add_item(plan, &reader, &index->items[i]);
        if (rc < 0)
            return -1;
    }
    if (add_axes(plan, &reader, plan->array->ndim - reader.axis) < 0)
        return -1;
    if (reader.separated)
        plan->where = 0;
    return ga_index_plan_finish(plan);
}

int
ga_index_plan_key(ga_index_plan *plan, PyObject *key, const ga_index *index)
{
    int rc = -1, taken = 0;
    ga_index_item *arrays = PyMem_Calloc((size_t)index->nitems + 1, sizeof *arrays);
    if (arrays == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; taken < index->nitems; taken++) {
        PyObject *object = PyTuple_Check(key) ? PyTuple_GET_ITEM(key, taken) : key;
        if (index->is_array[taken] &&
            ga_index_item_take(plan->state, object, ga_array_device(plan->array), &arrays[taken]) <
                0)
            goto done;
    }
    rc = read_items(plan, index, arrays);
done:
    for (int i = 0; i < taken; i++)
        ga_index_item_clear(&arrays[i]);
    PyMem_Free(arrays);
    return rc;
}

/* ---- shapes ---- */

static int
refuse_shapes(const ga_index_plan *plan)
{
    char text[1024] = "", shape[256];
    for (int k = 0; k < plan->npicks; k++) {
        const GaArray *array = plan->picks[k].array;
        ga_layout_format(array->ndim, array->shape, shape, sizeof shape);
        if (strlen(text) + strlen(shape) + 2 < sizeof text)
            strcat(strcat(text, " "), shape);
    }
    ga_status_clear();
    PyErr_Format(PyExc_IndexError,
                 "shape mismatch: indexing arrays could not be broadcast together with shapes%s",
                 text);
    return -1;
}

/* Makes room for the dimensions of the index arrays at `where`. */
static int
insert_points(ga_index_plan *plan, const int64_t *shape)
{
    int after = plan->ndim - plan->where;
    if (plan->ndim + plan->npoint > GA_MAXDIMS) {
        PyErr_Format(PyExc_IndexError, "the result would have %d dimensions, %d is the limit",
                     plan->ndim + plan->npoint, GA_MAXDIMS);
        return -1;
    }
    int64_t *at = plan->shape + plan->where, *stride_at = plan->strides + plan->where;
    memmove(at + plan->npoint, at, (size_t)after * sizeof *at);
    memmove(stride_at + plan->npoint, stride_at, (size_t)after * sizeof *at);
    for (int i = 0; i < plan->npoint; i++) {
        at[i] = shape[i];
        stride_at[i] = 0;
    }
    plan->ndim += plan->npoint;
    return ga_layout_size(plan->ndim, plan->shape, 1, &plan->size) < 0 ? ga_raise_int() : 0;
}

static int
spread_pick(const ga_index_plan *plan, const int64_t *shape, ga_index_pick *pick)
{
    memset(pick->strides, 0, (size_t)plan->ndim * sizeof *pick->strides);
    return ga_layout_broadcast_strides(plan->npoint, shape, pick->array->ndim, pick->array->shape,
                                       pick->array->strides, pick->strides + plan->where);
}

int
ga_index_plan_finish(ga_index_plan *plan)
{
    int ndims[GA_MAXDIMS];
    const int64_t *shapes[GA_MAXDIMS];
    int64_t shape[GA_MAXDIMS], points;
    for (int k = 0; k < plan->npicks; k++) {
        ndims[k] = plan->picks[k].array->ndim;
        shapes[k] = plan->picks[k].array->shape;
    }
    if (ga_layout_broadcast(plan->npicks, ndims, shapes, &plan->npoint, shape) < 0)
        return refuse_shapes(plan);
    if (insert_points(plan, shape) < 0)
        return -1;
    for (int k = 0; k < plan->npicks; k++) {
        if (spread_pick(plan, shape, &plan->picks[k]) < 0)
            return ga_raise_int();
    }
    if (ga_layout_size(plan->npoint, shape, 1, &points) < 0)
        return ga_raise_int();
    plan->unique = points <= 1 || points == plan->mask_points;
    if (points == 0)
        return 0; /* indices that were broadcast away are not looked at, as in NumPy */
    if (ga_index_check_host(plan) < 0)
        return -1;
    return plan->size == 0 ? ga_index_check_now(plan) : 0; /* no kernel looks at them */
}
