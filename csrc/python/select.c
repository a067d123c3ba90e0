/* Selection by a mask: nonzero and a[mask]. The mask becomes contiguous bytes; the backend counts,
 * the host learns how many, the backend writes. Includes select.h. */
#include "arguments.h"
#include "dense.h"
#include "select.h"

#include "module.h"
#include "transfer.h"

/* One selection under way. */
typedef struct {
    GaState *state;
    GaArray *mask;  /* owned: C-contiguous bool */
    GaArray *tiles; /* owned: the backend's workspace */
    ga_select_call call;
} selection;

static GaArray *
make_vector(GaState *state, GaArray *like, PyArray_Descr *descr, int ndim, const int64_t *shape)
{
    return ga_array_new(state, ga_array_device(like), descr, ndim, shape, 'C');
}

/* `a` itself where it is C-contiguous and its address suits elements of its size, else a copy. */
static GaArray *
take_contiguous(GaState *state, GaArray *a)
{
    int64_t size = ga_array_itemsize(a), alignment = size < 8 ? size : 8;
    uint64_t address = (uint64_t)(uintptr_t)a->buffer->ptr + (uint64_t)a->offset;
    if ((a->flags & GA_ARRAY_C) && (address & (uint64_t)(alignment - 1)) == 0)
        return (GaArray *)Py_NewRef(a);
    return ga_transfer_copy(state, a, NULL, NULL, 'C');
}

static int
launch_selection(selection *s, int64_t *count, ga_stream *stream)
{
    const ga_device *device = ga_array_device(s->mask);
    int rc;
    Py_BEGIN_ALLOW_THREADS /* the count waits for the device */
    rc = device->backend->select(&s->call, count, stream);
    Py_END_ALLOW_THREADS
    if (rc == 0)
        return 0;
    ga_fail_backend(device->backend);
    return ga_raise_int();
}

static int
count_selected(selection *s)
{
    ga_stream *stream;
    char *mask, *tiles;
    if (ga_array_pointer(s->mask, GA_READ, &stream, &mask) < 0 ||
        ga_array_pointer(s->tiles, GA_WRITE, &stream, &tiles) < 0)
        return -1;
    s->call.mask = (const uint8_t *)mask;
    s->call.size = s->mask->size;
    s->call.tiles = (int64_t *)(void *)tiles;
    return launch_selection(s, &s->call.count, stream);
}

/* The first call: afterwards s->call.count is known. */
static int
begin_selection(selection *s, GaState *state, GaArray *mask)
{
    memset(s, 0, sizeof *s);
    s->state = state;
    GaArray *truth = ga_transfer_cast(state, mask, state->descrs[GA_b1]);
    if (truth == NULL)
        return -1;
    s->mask = take_contiguous(state, truth);
    Py_DECREF(truth);
    if (s->mask == NULL)
        return -1;
    int64_t entries = GA_SELECT_ENTRIES(s->mask->size);
    s->tiles = make_vector(state, s->mask, state->descrs[GA_i64], 1, &entries);
    return s->tiles == NULL ? -1 : count_selected(s);
}

static void
end_selection(selection *s)
{
    Py_XDECREF(s->mask);
    Py_XDECREF(s->tiles);
}

/* The second call: writes what was counted to `result`; src NULL for positions. */
static int
write_selected(selection *s, GaArray *src, GaArray *result)
{
    ga_stream *stream;
    char *pointer, *from = NULL;
    if (result->size == 0)
        return 0;
    if (ga_array_pointer(s->mask, GA_READ, &stream, &pointer) < 0)
        return -1;
    s->call.mask = (const uint8_t *)pointer;
    if (ga_array_pointer(s->tiles, GA_READ, &stream, &pointer) < 0)
        return -1;
    s->call.tiles = (int64_t *)(void *)pointer;
    if (src != NULL && ga_array_pointer(src, GA_READ, &stream, &from) < 0)
        return -1;
    if (ga_array_pointer(result, GA_WRITE, &stream, &pointer) < 0)
        return -1;
    s->call.src = from;
    s->call.itemsize = (int32_t)ga_array_itemsize(result);
    s->call.dst = pointer;
    return launch_selection(s, NULL, stream);
}

int
ga_select_nonzero(GaState *state, GaArray *mask, GaArray **indices)
{
    selection s;
    *indices = NULL;
    int rc = begin_selection(&s, state, mask);
    if (rc == 0) {
        int64_t shape[2] = {mask->ndim, s.call.count};
        s.call.ndim = mask->ndim;
        memcpy(s.call.shape, s.mask->shape, (size_t)mask->ndim * sizeof *shape);
        *indices = make_vector(state, mask, state->descrs[GA_i64], 2, shape);
        rc = *indices == NULL ? -1 : write_selected(&s, NULL, *indices);
    }
    if (rc < 0)
        Py_CLEAR(*indices);
    end_selection(&s);
    return rc;
}

int
ga_select_elements(GaState *state, GaArray *a, GaArray *mask, GaArray **elements)
{
    selection s;
    *elements = NULL;
    GaArray *source = take_contiguous(state, a);
    int rc = source == NULL ? -1 : begin_selection(&s, state, mask);
    if (rc == 0) {
        *elements = make_vector(state, a, a->descr, 1, &s.call.count);
        rc = *elements == NULL ? -1 : write_selected(&s, source, *elements);
    }
    if (rc < 0)
        Py_CLEAR(*elements);
    if (source != NULL)
        end_selection(&s);
    Py_XDECREF(source);
    return rc;
}

/* ---- for Python ---- */

static int
check_array(GaState *state, const char *function, PyObject *object)
{
    if (GA_ARRAY_CHECK(state, object))
        return 0;
    PyErr_Format(PyExc_TypeError, "%s: expected an ndarray, got %.200s", function,
                 Py_TYPE(object)->tp_name);
    return -1;
}

static PyObject *
select_nonzero(PyObject *module, PyObject *object)
{
    GaState *state = PyModule_GetState(module);
    GaArray *indices;
    if (check_array(state, "nonzero", object) < 0 ||
        ga_select_nonzero(state, (GaArray *)object, &indices) < 0)
        return NULL;
    return (PyObject *)indices;
}

/* One result of several selections by a mask: elements of an array, or of None the positions. */
static GaArray *
make_selected(selection *s, PyObject *object)
{
    if (object == Py_None) {
        GaArray *positions = make_vector(s->state, s->mask, s->state->descrs[GA_i64], 1, &s->call.count);
        s->call.ndim = 1;
        s->call.shape[0] = s->mask->size;
        if (positions != NULL && write_selected(s, NULL, positions) < 0)
            Py_CLEAR(positions);
        return positions;
    }
    GaArray *a = ga_dense_take(s->state, "_select_each", object), *elements = NULL;
    if (a != NULL && a->size != s->mask->size)
        PyErr_SetString(PyExc_ValueError, "_select_each: arrays and mask must have one size");
    else if (a != NULL)
        elements = make_vector(s->state, a, a->descr, 1, &s->call.count);
    if (elements != NULL && write_selected(s, a, elements) < 0)
        Py_CLEAR(elements);
    return elements;
}

static PyObject *
select_each(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    selection s = {0};
    PyObject *results = NULL;
    if (!ga_arguments_count("_select_each", nargs, 1, PY_SSIZE_T_MAX) || check_array(state, "_select_each", args[0]) < 0)
        return NULL;
    if (begin_selection(&s, state, (GaArray *)args[0]) == 0)
        results = PyTuple_New(nargs - 1);
    for (Py_ssize_t i = 1; results != NULL && i < nargs; i++) {
        GaArray *selected = make_selected(&s, args[i]);
        if (selected == NULL)
            Py_CLEAR(results);
        else
            PyTuple_SET_ITEM(results, i - 1, (PyObject *)selected);
    }
    end_selection(&s);
    return results;
}

static PyObject *
select_elements(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    GaArray *elements;
    if (!ga_arguments_count("_select", nargs, 2, 2) ||
        check_array(state, "_select", args[0]) < 0 || check_array(state, "_select", args[1]) < 0)
        return NULL;
    GaArray *a = (GaArray *)args[0], *mask = (GaArray *)args[1];
    if (a->ndim != mask->ndim ||
        memcmp(a->shape, mask->shape, (size_t)a->ndim * sizeof *a->shape) != 0) {
        PyErr_SetString(PyExc_ValueError, "_select: array and mask must have one shape");
        return NULL;
    }
    return ga_select_elements(state, a, mask, &elements) < 0 ? NULL : (PyObject *)elements;
}

static PyMethodDef select_functions[] = {
    {"_nonzero", select_nonzero, METH_O,
     "_nonzero($module, a, /)\n--\n\nIndices of the true elements: an array of shape (ndim, "
     "count)."},
    {"_select", (PyCFunction)(void (*)(void))select_elements, METH_FASTCALL,
     "_select($module, a, mask, /)\n--\n\nThe elements of `a` where a mask of its shape is true."},
    {"_select_each", (PyCFunction)(void (*)(void))select_each, METH_FASTCALL,
     "_select_each($module, mask, /, *arrays)\n--\n\nA tuple: the elements of each contiguous array where the mask is true, "
     "or in the place of None the positions."},
    {NULL, NULL, 0, NULL},
};

int
ga_select_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, select_functions);
}
