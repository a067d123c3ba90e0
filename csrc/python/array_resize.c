/* ndarray.resize: the one method that gives an array new memory in place. Views that exist keep the
 * old memory. */
#include "array_type.h"

#include "arguments.h"
#include "transfer.h"

static int
check_resizable(GaArray *a, bool refcheck)
{
    const char *why = NULL;
    if (a->flags & GA_ARRAY_SCALAR || a->base != NULL || !(a->flags & GA_ARRAY_WRITEABLE))
        why = "cannot resize this array: it does not own its data";
    else if (!(a->flags & (GA_ARRAY_C | GA_ARRAY_F)))
        why = "resize only works on single-segment arrays";
    else if (refcheck && (Py_REFCNT(a) > 2 || a->buffer->references > 1))
        why = "cannot resize an array that references or is referenced by another array in this "
              "way. Use the resize function "
              "or refcheck=False";
    if (why != NULL)
        PyErr_SetString(PyExc_ValueError, why);
    return why == NULL ? 0 : -1;
}

/* The first `count` elements in memory order, as one axis. */
static GaArray *
view_head(GaState *state, GaArray *a, int64_t count)
{
    int64_t stride = ga_array_itemsize(a);
    return ga_array_view(state, a, NULL, 1, &count, &stride, 0);
}

static int
copy_head(GaState *state, GaArray *dst, GaArray *src)
{
    int64_t count = dst->size < src->size ? dst->size : src->size;
    GaArray *to = view_head(state, dst, count), *from = view_head(state, src, count);
    int rc = to == NULL || from == NULL ? -1 : ga_transfer_assign(state, to, from);
    Py_XDECREF(to);
    Py_XDECREF(from);
    return rc;
}

static int
resize_to(GaState *state, GaArray *a, int ndim, const int64_t *shape)
{
    int rc = -1;
    ga_scalar zero = {.u = 0};
    char order = a->flags & GA_ARRAY_C ? 'C' : 'F';
    GaArray *fresh = ga_array_new(state, ga_array_device(a), a->descr, ndim, shape, order);
    if (fresh == NULL || ga_transfer_fill(state, fresh, &zero) < 0 ||
        copy_head(state, fresh, a) < 0)
        goto done;
    if (ga_array_set_layout(a, ndim, fresh->shape, fresh->strides) < 0)
        goto done;
    ga_buffer *old = a->buffer;
    a->buffer = fresh->buffer;
    a->offset = fresh->offset;
    fresh->buffer = old;
    rc = 0;
done:
    Py_XDECREF(fresh);
    return rc;
}

static int
parse_new_shape(PyObject *const *args, Py_ssize_t nargs, int64_t *shape)
{
    int ndim = ga_array_integers(args, nargs, shape);
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "negative dimensions not allowed");
            return -1;
        }
    }
    return ndim;
}

static PyObject *
resize(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature keywords = {"resize", 0, 0, {"refcheck", NULL}};
    PyObject *refcheck;
    int64_t shape[GA_MAXDIMS];
    if (ga_arguments_bind(&keywords, args + nargs, 0, kwnames, &refcheck) < 0)
        return NULL;
    if (nargs == 0 || (nargs == 1 && args[0] == Py_None))
        Py_RETURN_NONE;
    int checked = refcheck == NULL ? 1 : PyObject_IsTrue(refcheck);
    int ndim = checked < 0 ? -1 : parse_new_shape(args, nargs, shape);
    if (ndim < 0 || check_resizable((GaArray *)self, checked != 0) < 0)
        return NULL;
    if (resize_to(ga_array_state(self), (GaArray *)self, ndim, shape) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef ga_resize_methods[] = {
    {"resize", GA_FASTCALL(resize),
     "resize($self, /, *new_shape, refcheck=True)\n--\n\nGive the array another size in place, "
     "filling with zeros."},
    {NULL, NULL, 0, NULL},
};
