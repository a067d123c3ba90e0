/* Methods that give the same elements another shape: views wherever the layout allows, copies where
 * NumPy copies. */
#include "array_type.h"

#include "../core/view.h"
#include "arguments.h"
#include "convert.h"
#include "transfer.h"

#define SELF ((GaArray *)self)

/* 'A' is Fortran order for arrays that are contiguous in that order only. */
static char
settle_order(const GaArray *a, char order)
{
    if (order != 'A')
        return order;
    return (a->flags & GA_ARRAY_F) && !(a->flags & GA_ARRAY_C) ? 'F' : 'C';
}

/* The copy's memory is dense in `order`, so it can be seen in any shape. */
static GaArray *
reshape_copy(GaState *state, GaArray *a, int ndim, const int64_t *shape, char order)
{
    int64_t strides[GA_MAXDIMS];
    GaArray *copy = ga_transfer_copy(state, a, NULL, NULL, order);
    if (copy == NULL)
        return NULL;
    ga_layout_strides(ndim, shape, ga_array_itemsize(a), order, strides);
    GaArray *view = ga_array_view(state, copy, NULL, ndim, shape, strides, 0);
    Py_DECREF(copy);
    return view;
}

/* View or copy in another shape as NumPy's reshape; copy is -1 (if needed), 0 (never) or 1
 * (always). */
static GaArray *
reshape_array(GaState *state, GaArray *a, int ndim, const int64_t *asked, char order, int copy)
{
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    order = settle_order(a, order);
    if (ga_layout_resolve_shape(a->size, ndim, asked, shape) < 0)
        return (GaArray *)ga_raise();
    bool scalar = (a->flags & GA_ARRAY_SCALAR) != 0;
    if (copy != 1 && !scalar &&
        ga_layout_reshape(a->ndim, a->shape, a->strides, ga_array_itemsize(a), ndim, shape, order,
                          strides))
        return ga_array_view(state, a, NULL, ndim, shape, strides, 0);
    if (copy == 0) {
        PyErr_SetString(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
        return NULL;
    }
    return reshape_copy(state, a, ndim, shape, order);
}

static PyObject *
reshape(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature keywords = {"reshape", 0, 0, {"order", "copy", NULL}};
    PyObject *values[2];
    int64_t asked[GA_MAXDIMS];
    if (ga_arguments_bind(&keywords, args + nargs, 0, kwnames, values) < 0)
        return NULL;
    if (nargs == 0) {
        PyErr_SetString(PyExc_TypeError, "reshape() takes exactly 1 argument (0 given)");
        return NULL;
    }
    int ndim = ga_array_integers(args, nargs, asked);
    char order = ga_array_order(values[0], "CFA", 'C');
    int copy = ga_arguments_given(values[1]) == NULL ? -1 : PyObject_IsTrue(values[1]);
    if (ndim < 0 || order == 0 || PyErr_Occurred())
        return NULL;
    return ga_array_return(SELF,
                           reshape_array(ga_array_state(self), SELF, ndim, asked, order, copy));
}

static int
parse_order(const char *function, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    const ga_signature signature = {function, 0, 1, {"order", NULL}};
    PyObject *value;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, &value) < 0)
        return 0;
    return ga_array_order(value, "CFAK", 'C');
}

/* A copy in the order in which NumPy's iterator goes through the array, where repeated elements come as in C order. */
static GaArray *
copy_in_order(GaState *state, GaArray *a)
{
    int64_t strides[GA_MAXDIMS];
    const int64_t *models[1] = {a->strides};
    ga_layout_strides_common(a->ndim, a->shape, 1, models, ga_array_itemsize(a), strides);
    GaArray *copy = ga_array_new_strided(state, ga_array_device(a), a->descr, a->ndim, a->shape, strides);
    if (copy != NULL && ga_transfer_assign(state, copy, a) < 0)
        Py_CLEAR(copy);
    return copy;
}

static PyObject *
flatten_copy(GaState *state, GaArray *a, char order)
{
    int64_t stride = ga_array_itemsize(a), size = a->size;
    GaArray *copy = order == 'K' ? copy_in_order(state, a) : ga_transfer_copy(state, a, NULL, NULL, order);
    if (copy != NULL && ga_array_set_layout(copy, 1, &size, &stride) < 0)
        Py_CLEAR(copy);
    return (PyObject *)copy;
}

static PyObject *
flatten(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    char order = (char)parse_order("flatten", args, nargs, kwnames);
    return order == 0 ? NULL : flatten_copy(ga_array_state(self), SELF, settle_order(SELF, order));
}

static PyObject *
ravel(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    char order = settle_order(SELF, (char)parse_order("ravel", args, nargs, kwnames));
    if (order == 0)
        return NULL;
    bool c = (SELF->flags & GA_ARRAY_C) != 0, f = (SELF->flags & GA_ARRAY_F) != 0;
    bool dense = (c && order != 'F') || (f && order != 'C') || (order == 'K' && ga_transfer_dense(SELF));
    if (!dense || (SELF->flags & GA_ARRAY_SCALAR))
        return flatten_copy(ga_array_state(self), SELF, order);
    int64_t stride = ga_array_itemsize(SELF);
    return (PyObject *)ga_array_view(ga_array_state(self), SELF, NULL, 1, &SELF->size, &stride, 0);
}

static PyObject *
return_view(GaState *state, GaArray *a, const ga_view *view)
{
    return (PyObject *)ga_array_view(state, a, NULL, view->ndim, view->shape, view->strides,
                                     view->offset);
}

PyObject *
ga_shape_transpose(GaState *state, GaArray *a, int naxes, const int64_t *axes)
{
    ga_view view;
    if (a->flags & GA_ARRAY_SCALAR && naxes <= 0)
        return Py_NewRef(a);
    if (ga_view_transpose(a->ndim, a->shape, a->strides, naxes < 0 ? a->ndim : naxes,
                          naxes < 0 ? NULL : axes, &view) < 0)
        return ga_raise();
    return return_view(state, a, &view);
}

static int
parse_axes(GaState *state, GaArray *a, PyObject *const *items, Py_ssize_t count, int64_t *axes)
{
    if (count != a->ndim) {
        PyErr_SetString(PyExc_ValueError, "axes don't match array");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (ga_array_axis(state, items[i], a->ndim, &axes[i]) < 0)
            return -1;
        for (Py_ssize_t j = 0; j < i; j++) {
            if (axes[j] == axes[i]) {
                PyErr_SetString(PyExc_ValueError, "repeated axis in transpose");
                return -1;
            }
        }
    }
    return 0;
}

static PyObject *
transpose(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = ga_array_state(self);
    int64_t axes[GA_MAXDIMS];
    PyObject *sequence = NULL, *result = NULL;
    if (nargs == 0 || (nargs == 1 && args[0] == Py_None))
        return ga_shape_transpose(state, SELF, -1, NULL);
    if (nargs == 1 && PySequence_Check(args[0]) && !PyIndex_Check(args[0])) {
        sequence = PySequence_Fast(args[0], "transpose: axes must be integers");
        if (sequence == NULL)
            return NULL;
        args = PySequence_Fast_ITEMS(sequence);
        nargs = PySequence_Fast_GET_SIZE(sequence);
    }
    if (parse_axes(state, SELF, args, nargs, axes) == 0)
        result = ga_shape_transpose(state, SELF, (int)nargs, axes);
    Py_XDECREF(sequence);
    return result;
}

static PyObject *
swapaxes(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = ga_array_state(self);
    int64_t axes[GA_MAXDIMS], first, second;
    if (nargs != 2) {
        PyErr_Format(PyExc_TypeError, "swapaxes() takes exactly 2 arguments (%zd given)", nargs);
        return NULL;
    }
    if (ga_array_axis(state, args[0], SELF->ndim, &first) < 0 ||
        ga_array_axis(state, args[1], SELF->ndim, &second) < 0)
        return NULL;
    for (int i = 0; i < SELF->ndim; i++)
        axes[i] = i;
    axes[first] = second;
    axes[second] = first;
    return ga_shape_transpose(state, SELF, SELF->ndim, axes);
}

static PyObject *
squeeze(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"squeeze", 0, 1, {"axis", NULL}};
    GaState *state = ga_array_state(self);
    PyObject *axis;
    uint64_t mask = 0;
    int64_t axes[GA_MAXDIMS];
    int naxes = 0;
    ga_view view;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, &axis) < 0)
        return NULL;
    bool all = ga_arguments_given(axis) == NULL;
    if (!all && ga_convert_axes(state, axis, SELF->ndim, &mask) < 0)
        return NULL;
    if (SELF->flags & GA_ARRAY_SCALAR)
        return Py_NewRef(self);
    for (int i = 0; i < SELF->ndim; i++) {
        if (mask >> i & 1)
            axes[naxes++] = i;
    }
    if (ga_view_squeeze(SELF->ndim, SELF->shape, SELF->strides, all ? -1 : naxes, axes, &view) < 0)
        return ga_raise();
    return view.ndim == SELF->ndim ? Py_NewRef(self) : return_view(state, SELF, &view);
}

static PyObject *
diagonal(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"diagonal", 0, 3, {"offset", "axis1", "axis2", NULL}};
    GaState *state = ga_array_state(self);
    PyObject *values[3];
    int64_t axis1 = 0, axis2 = 1;
    ga_view view;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    if (SELF->ndim < 2) {
        PyErr_SetString(PyExc_ValueError, "diag requires an array of at least two dimensions");
        return NULL;
    }
    Py_ssize_t offset = values[0] == NULL ? 0 : PyNumber_AsSsize_t(values[0], PyExc_OverflowError);
    if (offset == -1 && PyErr_Occurred())
        return NULL;
    if ((values[1] != NULL && ga_array_axis(state, values[1], SELF->ndim, &axis1) < 0) ||
        (values[2] != NULL && ga_array_axis(state, values[2], SELF->ndim, &axis2) < 0))
        return NULL;
    if (ga_view_diagonal(SELF->ndim, SELF->shape, SELF->strides, offset, axis1, axis2, &view) < 0)
        return ga_raise();
    PyObject *result = return_view(state, SELF, &view);
    if (result != NULL)
        ((GaArray *)result)->flags &= ~(uint32_t)GA_ARRAY_WRITEABLE; /* as NumPy has it */
    return result;
}

#define POSITIONAL(function) ((PyCFunction)(void (*)(void))(function)), METH_FASTCALL

PyMethodDef ga_shape_methods[] = {
    {"reshape", GA_FASTCALL(reshape),
     "reshape($self, /, *shape, order='C', copy=None)\n--\n\nThe elements in another shape, as a "
     "view where possible."},
    {"ravel", GA_FASTCALL(ravel),
     "ravel($self, /, order='C')\n--\n\nThe elements in one axis, as a view where possible."},
    {"flatten", GA_FASTCALL(flatten),
     "flatten($self, /, order='C')\n--\n\nA copy of the elements in one axis."},
    {"transpose", POSITIONAL(transpose),
     "transpose($self, /, *axes)\n--\n\nView with the axes in another order."},
    {"swapaxes", POSITIONAL(swapaxes),
     "swapaxes($self, axis1, axis2, /)\n--\n\nView with two axes exchanged."},
    {"squeeze", GA_FASTCALL(squeeze),
     "squeeze($self, /, axis=None)\n--\n\nView without axes of length one."},
    {"diagonal", GA_FASTCALL(diagonal),
     "diagonal($self, /, offset=0, axis1=0, axis2=1)\n--\n\nRead-only view of a diagonal, as the "
     "last axis."},
    {NULL, NULL, 0, NULL},
};
