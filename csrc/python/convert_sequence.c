/* Nested lists and tuples that hold our arrays: found without touching their data, and put together
 * on the device. A branch without arrays goes through NumPy in one piece. The result's dtype is the
 * promotion of all branches, as in numpy.array. */
#include "convert_steps.h"
#include "transfer.h"

#include <string.h>

GaArray *
ga_convert_find_array(GaState *state, PyObject *sequence)
{
    if (Py_EnterRecursiveCall(" while looking for arrays in a nested sequence")) {
        PyErr_Clear(); /* NumPy reports too deep a nesting in its own words */
        return NULL;
    }
    GaArray *found = NULL;
    PyObject **items = PySequence_Fast_ITEMS(sequence);
    for (Py_ssize_t i = 0; found == NULL && i < PySequence_Fast_GET_SIZE(sequence); i++) {
        if (GA_ARRAY_CHECK(state, items[i]))
            found = (GaArray *)items[i];
        else if (PyList_Check(items[i]) || PyTuple_Check(items[i]))
            found = ga_convert_find_array(state, items[i]);
    }
    Py_LeaveRecursiveCall();
    return found;
}

typedef struct {
    Py_ssize_t count;
    GaArray **parts;      /* owned references, NULL where not yet made */
    PyArray_Descr *descr; /* owned: what they promote to */
} branch;

static int
promote_part(branch *b, const GaArray *part)
{
    PyArray_Descr *descr = b->descr == NULL ? (PyArray_Descr *)Py_NewRef(part->descr)
                                            : PyArray_PromoteTypes(b->descr, part->descr);
    Py_XSETREF(b->descr, descr);
    return descr == NULL ? -1 : 0;
}

static int
check_shape(const branch *b, const GaArray *part)
{
    const GaArray *first = b->parts[0];
    char one[256], other[256];
    if (part->ndim == first->ndim &&
        memcmp(part->shape, first->shape, (size_t)part->ndim * sizeof *part->shape) == 0)
        return 0;
    PyErr_Format(
        PyExc_ValueError,
        "setting an array element with a sequence. The requested array has an inhomogeneous shape: "
        "its items have shapes %s and %s",
        ga_layout_format(first->ndim, first->shape, one, sizeof one),
        ga_layout_format(part->ndim, part->shape, other, sizeof other));
    return -1;
}

static int
make_parts(GaState *state, PyObject *sequence, PyArray_Descr *descr, ga_device *device, branch *b)
{
    for (Py_ssize_t i = 0; i < b->count; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(sequence, i);
        b->parts[i] = ga_convert_array(state, item, descr, device, 'K', GA_COPY_IF_NEEDED);
        if (b->parts[i] == NULL || check_shape(b, b->parts[i]) < 0 ||
            promote_part(b, b->parts[i]) < 0)
            return -1;
    }
    return 0;
}

static GaArray *
stack_parts(GaState *state, const branch *b, ga_device *device)
{
    int64_t shape[GA_MAXDIMS];
    const GaArray *first = b->parts[0];
    if (first->ndim == GA_MAXDIMS) {
        PyErr_Format(PyExc_ValueError, "the arrays in a list can have %d dimensions at most",
                     GA_MAXDIMS - 1);
        return NULL;
    }
    shape[0] = b->count;
    memcpy(shape + 1, first->shape, (size_t)first->ndim * sizeof *shape);
    GaArray *result = ga_array_new(state, device, b->descr, first->ndim + 1, shape, 'C');
    for (Py_ssize_t i = 0; result != NULL && i < b->count; i++) {
        GaArray *place = ga_array_view(state, result, NULL, first->ndim, shape + 1,
                                       result->strides + 1, i * result->strides[0]);
        int rc = place == NULL ? -1 : ga_transfer_assign(state, place, b->parts[i]);
        Py_XDECREF(place);
        if (rc < 0)
            Py_CLEAR(result);
    }
    return result;
}

GaArray *
ga_convert_gather(GaState *state, PyObject *sequence, PyArray_Descr *descr, ga_device *device)
{
    GaArray *result = NULL;
    branch b = {.count = PySequence_Fast_GET_SIZE(sequence)};
    /* Conversions run foreign code: the items must not change under us. */
    PyObject *items = PySequence_Tuple(sequence);
    if (items == NULL)
        return NULL;
    b.parts = PyMem_Calloc((size_t)b.count, sizeof *b.parts);
    if (b.parts == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    if (make_parts(state, items, descr, device, &b) < 0)
        goto done;
    result = stack_parts(state, &b, device);
done:
    for (Py_ssize_t i = 0; b.parts != NULL && i < b.count; i++)
        Py_XDECREF(b.parts[i]);
    PyMem_Free(b.parts);
    Py_XDECREF(b.descr);
    Py_DECREF(items);
    return result;
}
