/* Writing by index: the value becomes an ndarray on the destination's device, or one element in its
 * dtype, and is assigned to the view that the index selects. Nothing is written when the value does
 * not convert or does not broadcast. */
#include "index.h"

#include "array_type.h"
#include "convert.h"
#include "dtype.h"
#include "index_advanced.h"
#include "transfer.h"

static bool
is_complex(const PyArray_Descr *descr)
{
    return descr->kind == 'c';
}

/* Complex NumPy scalars may need a warning: they go through an array. */
bool
ga_index_is_number(PyObject *value, const PyArray_Descr *to)
{
    if (PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value))
        return !(PyArray_IsScalar(value, ComplexFloating) && !is_complex(to));
    return PyArray_IsScalar(value, Number)
               ? !PyArray_IsScalar(value, ComplexFloating) || is_complex(to)
               : PyArray_IsScalar(value, Bool);
}

/* Assignment drops leading axes of length one that the destination has not; other misfits are
 * NumPy's ValueError. */
static GaArray *
fit_source(GaState *state, GaArray *dst, GaArray *src)
{
    int drop = 0;
    while (src->ndim - drop > dst->ndim && src->shape[drop] == 1)
        drop++;
    int ndim = src->ndim - drop;
    bool fits = ndim <= dst->ndim;
    for (int i = 0; fits && i < ndim; i++) {
        int64_t length = src->shape[drop + i];
        fits = length == 1 || length == dst->shape[dst->ndim - ndim + i];
    }
    if (!fits) {
        char from[256], to[256];
        ga_layout_format(src->ndim, src->shape, from, sizeof from);
        ga_layout_format(dst->ndim, dst->shape, to, sizeof to);
        PyErr_Format(PyExc_ValueError,
                     "could not broadcast input array from shape %s into shape %s", from, to);
        return NULL;
    }
    if (drop == 0)
        return (GaArray *)Py_NewRef(src);
    return ga_array_view(state, src, NULL, ndim, src->shape + drop, src->strides + drop, 0);
}

static int
assign_array(GaState *state, GaArray *dst, GaArray *src)
{
    GaArray *fitted = fit_source(state, dst, src);
    int rc = fitted == NULL ? -1 : ga_transfer_assign(state, dst, fitted);
    Py_XDECREF(fitted);
    return rc;
}

/* Lists are read in the destination's dtype, so that NumPy's range checks apply; arrays keep theirs
 * and are converted on the device, unless no device holds it. */
static GaArray *
convert_value(GaState *state, GaArray *dst, PyObject *value)
{
    PyArray_Descr *descr = dst->descr;
    if (PyArray_Check(value) &&
        ga_dtype_of(PyArray_DESCR((PyArrayObject *)value)) != GA_DTYPE_COUNT)
        descr = NULL;
    else if (PyArray_CheckScalar(value) ||
             PyObject_HasAttrString(value, "__cuda_array_interface__"))
        descr = NULL;
    return ga_convert_array(state, value, descr, ga_array_device(dst), 'K', GA_COPY_IF_NEEDED);
}

int
ga_index_take_value(GaState *state, GaArray *dst, PyObject *value, ga_index_value *out)
{
    *out = (ga_index_value){.array = NULL};
    if (ga_index_is_number(value, dst->descr))
        return ga_convert_scalar(state, value, dst->descr, &out->number);
    out->array = GA_ARRAY_CHECK(state, value) ? (GaArray *)Py_NewRef(value)
                                              : convert_value(state, dst, value);
    if (out->array == NULL)
        return -1;
    if (ga_transfer_warn_complex(state, out->array->descr, dst->descr) == 0)
        return 0;
    Py_CLEAR(out->array);
    return -1;
}

int
ga_index_assign(GaState *state, GaArray *dst, PyObject *value)
{
    ga_index_value taken;
    if (!(dst->flags & GA_ARRAY_WRITEABLE)) {
        PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
        return -1;
    }
    if (ga_index_take_value(state, dst, value, &taken) < 0)
        return -1;
    int rc = taken.array == NULL ? ga_transfer_fill(state, dst, &taken.number)
                                 : assign_array(state, dst, taken.array);
    Py_XDECREF(taken.array);
    return rc;
}

static int
refuse_set(GaArray *a, PyObject *value)
{
    if (a->flags & GA_ARRAY_SCALAR) {
        PyErr_Format(PyExc_TypeError, "a scalar of dtype %S does not support item assignment",
                     a->descr);
        return -1;
    }
    if (value == NULL) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    if (!(a->flags & GA_ARRAY_WRITEABLE)) {
        PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
        return -1;
    }
    return 0;
}

int
ga_index_set(PyObject *array, PyObject *key, PyObject *value)
{
    GaState *state = ga_array_state(array);
    GaArray *a = (GaArray *)array;
    ga_index index;
    if (refuse_set(a, value) < 0 || ga_index_parse(state, key, a->ndim, &index) < 0)
        return -1;
    if (index.advanced)
        return ga_index_set_advanced(state, a, key, &index, value);
    GaArray *view = ga_index_view(state, a, &index);
    int rc = view == NULL ? -1 : ga_index_assign(state, view, value);
    Py_XDECREF(view);
    return rc;
}

PyType_Slot ga_index_slots[] = {
    {Py_mp_subscript, ga_index_get},
    {Py_mp_ass_subscript, ga_index_set},
    {Py_sq_item, ga_index_get_row},
    {0, NULL},
};
