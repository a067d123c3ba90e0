/* empty_like, zeros_like, ones_like, full_like: shape, dtype, axis order and device of a prototype.
 * Of a prototype that is not ours only the layout is read; its data are not moved. */
#include <string.h>

#include "convert.h"
#include "create.h"
#include "dtype.h"
#include "transfer.h"

/* What is taken over. */
typedef struct {
    PyArray_Descr *descr; /* owned */
    ga_device *device;    /* NULL: none of its own */
    int ndim;
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    bool fortran; /* F but not C contiguous: what order 'A' asks */
} prototype;

static void
read_array(const GaArray *a, prototype *out)
{
    out->descr = (PyArray_Descr *)Py_NewRef(a->descr);
    out->device = ga_array_device(a);
    out->ndim = a->ndim;
    memcpy(out->shape, a->shape, (size_t)a->ndim * sizeof *a->shape);
    memcpy(out->strides, a->strides, (size_t)a->ndim * sizeof *a->strides);
    out->fortran = (a->flags & GA_ARRAY_F) && !(a->flags & GA_ARRAY_C);
}

static int
read_prototype(GaState *state, PyObject *object, prototype *out)
{
    if (GA_ARRAY_CHECK(state, object)) {
        read_array((GaArray *)object, out);
        return 0;
    }
    if (PyList_Check(object) || PyTuple_Check(object)) { /* may hold our arrays */
        GaArray *array;
        PyArrayObject *host = NULL;
        if (ga_convert_any(state, object, NULL, NULL, 'K', GA_COPY_IF_NEEDED, &array, &host) < 0)
            return -1;
        if (array != NULL) {
            read_array(array, out);
            Py_DECREF(array);
            return 0;
        }
        Py_DECREF(host);
    }
    PyArrayObject *host = (PyArrayObject *)PyArray_FromAny(object, NULL, 0, 0, 0, NULL);
    if (host == NULL)
        return -1;
    out->descr = (PyArray_Descr *)Py_NewRef(PyArray_DESCR(host));
    out->device = NULL;
    out->ndim = PyArray_NDIM(host);
    for (int i = 0; i < out->ndim; i++) {
        out->shape[i] = PyArray_DIM(host, i);
        out->strides[i] = PyArray_STRIDE(host, i);
    }
    out->fortran = PyArray_IS_F_CONTIGUOUS(host) && !PyArray_IS_C_CONTIGUOUS(host);
    Py_DECREF(host);
    return 0;
}

/* shape=: order 'K' holds only while the number of dimensions stays the same, as in NumPy. */
static int
replace_shape(prototype *p, PyObject *arg, char *order)
{
    if (ga_arguments_given(arg) == NULL)
        return 0;
    int ndim = ga_convert_shape(arg, p->shape);
    if (ndim < 0)
        return -1;
    if (ndim != p->ndim && *order == 'K')
        *order = 'C';
    p->ndim = ndim;
    return 0;
}

static GaArray *
make_like(GaState *state, const prototype *p, const ga_create_target *target, char order)
{
    int64_t strides[GA_MAXDIMS];
    PyArray_Descr *descr = target->descr;
    ga_device *device = target->device != NULL ? target->device : p->device;
    if (device == NULL && (device = ga_create_target_device(target)) == NULL)
        return NULL;
    if (order == 'K') {
        ga_layout_strides_like(p->ndim, p->shape, p->strides, (int64_t)PyDataType_ELSIZE(descr),
                               strides);
        return ga_array_new_strided(state, device, descr, p->ndim, p->shape, strides);
    }
    bool fortran = order == 'F' || (order == 'A' && p->fortran);
    return ga_array_new(state, device, descr, p->ndim, p->shape, fortran ? 'F' : 'C');
}

/* The prototype's dtype where none was asked for, in native byte order; `plain` where no device
 * holds it. */
static int
adopt_descr(const prototype *p, ga_create_target *target)
{
    if (target->descr != NULL || target->plain)
        return 0;
    if (!ga_dtype_held(p->descr) && target->device != NULL)
        return ga_transfer_refuse_dtype(p->descr);
    target->plain = !ga_dtype_held(p->descr);
    target->descr = ga_convert_native(p->descr);
    return target->descr == NULL ? -1 : 0;
}

enum { PROTOTYPE, DTYPE, ORDER, SUBOK, SHAPE, DEVICE, PARAMETERS };

/* The bound arguments to an uninitialised array; *plain is set instead where NumPy should answer.
 */
static GaArray *
empty_of(GaState *state, PyObject *object, PyObject **values, bool *plain)
{
    GaArray *a = NULL;
    ga_create_target target = {0};
    prototype p = {0};
    char order;
    *plain = false;
    if (ga_create_target_parse(state, values[DTYPE], values[DEVICE], NULL, &target) < 0)
        return NULL;
    if (ga_convert_order(values[ORDER], 'K', &order) < 0 || read_prototype(state, object, &p) < 0 ||
        adopt_descr(&p, &target) < 0)
        goto done;
    *plain = target.plain;
    if (!target.plain && replace_shape(&p, values[SHAPE], &order) == 0)
        a = make_like(state, &p, &target, order);
done:
    Py_XDECREF(p.descr);
    ga_create_target_clear(&target);
    return a;
}

/* number NULL: nothing is filled. */
static PyObject *
make_filled(PyObject *module, const ga_signature *signature, PyObject *const *args,
            Py_ssize_t nargs, PyObject *kwnames, PyObject *number)
{
    PyObject *values[PARAMETERS];
    bool plain;
    GaState *state = PyModule_GetState(module);
    if (ga_arguments_bind(signature, args, nargs, kwnames, values) < 0)
        return NULL;
    GaArray *a = empty_of(state, values[PROTOTYPE], values, &plain);
    if (plain)
        return ga_create_by_numpy(state, signature->function, args, nargs, kwnames);
    if (a != NULL && number != NULL && ga_create_fill(state, a, number) < 0)
        Py_CLEAR(a);
    return (PyObject *)a;
}

static PyObject *
create_empty_like(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "empty_like", 1, 5, {" prototype", "dtype", "order", "subok", "shape", "device"}};
    return make_filled(module, &signature, args, nargs, kwnames, NULL);
}

static PyObject *
create_zeros_like(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "zeros_like", 1, 5, {" a", "dtype", "order", "subok", "shape", "device"}};
    PyObject *zero = PyLong_FromLong(0);
    PyObject *result =
        zero == NULL ? NULL : make_filled(module, &signature, args, nargs, kwnames, zero);
    Py_XDECREF(zero);
    return result;
}

static PyObject *
create_ones_like(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "ones_like", 1, 5, {" a", "dtype", "order", "subok", "shape", "device"}};
    PyObject *one = PyLong_FromLong(1);
    PyObject *result =
        one == NULL ? NULL : make_filled(module, &signature, args, nargs, kwnames, one);
    Py_XDECREF(one);
    return result;
}

static PyObject *
create_full_like(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "full_like", 2, 6, {" a", "fill_value", "dtype", "order", "subok", "shape", "device"}};
    PyObject *values[PARAMETERS + 1];
    bool plain;
    GaState *state = PyModule_GetState(module);
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    /* From dtype on, the parameters stand one place further than in the others. */
    GaArray *a = empty_of(state, values[0], values + 1, &plain);
    if (plain)
        return ga_create_by_numpy(state, "full_like", args, nargs, kwnames);
    if (a != NULL && ga_create_fill(state, a, values[1]) < 0)
        Py_CLEAR(a);
    return (PyObject *)a;
}

#define LIKE_TEXT \
    "dtype : dtype, optional\n    By default the prototype's.\norder : {'C', 'F', 'A', 'K'}, " \
    "optional\n" \
    "    'K' keeps the order of the prototype's axes.\nsubok : bool, optional\n    Accepted; " \
    "there are no subclasses.\n" \
    "shape : int or sequence of ints, optional\n    Another shape than the prototype's.\n" \
    "device : Device or str, optional\n    By default the " \
    "prototype's.\n\nReturns\n-------\nndarray"

PyMethodDef ga_create_like_functions[] = {
    {"empty_like", GA_CREATE_FUNCTION(create_empty_like),
     "empty_like($module, prototype, /, dtype=None, order='K', subok=True, shape=None, *, "
     "device=None)\n--\n\n"
     "Return a new array laid out like another, without setting its elements.\n\n"
     "Parameters\n----------\nprototype : array_like\n    Gives shape, dtype, order and "
     "device.\n" LIKE_TEXT},
    {"zeros_like", GA_CREATE_FUNCTION(create_zeros_like),
     "zeros_like($module, a, /, dtype=None, order='K', subok=True, shape=None, *, "
     "device=None)\n--\n\n"
     "Return a new array of zeros laid out like another.\n\n"
     "Parameters\n----------\na : array_like\n    Gives shape, dtype, order and "
     "device.\n" LIKE_TEXT},
    {"ones_like", GA_CREATE_FUNCTION(create_ones_like),
     "ones_like($module, a, /, dtype=None, order='K', subok=True, shape=None, *, "
     "device=None)\n--\n\n"
     "Return a new array of ones laid out like another.\n\n"
     "Parameters\n----------\na : array_like\n    Gives shape, dtype, order and "
     "device.\n" LIKE_TEXT},
    {"full_like", GA_CREATE_FUNCTION(create_full_like),
     "full_like($module, a, /, fill_value, dtype=None, order='K', subok=True, shape=None, *, "
     "device=None)\n--\n\n"
     "Return a new array filled with a value, laid out like another.\n\n"
     "Parameters\n----------\na : array_like\n    Gives shape, dtype, order and device.\n"
     "fill_value : scalar or array_like\n    Broadcast to the shape.\n" LIKE_TEXT},
    {NULL, NULL, 0, NULL},
};
