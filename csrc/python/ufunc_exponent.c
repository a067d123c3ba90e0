/* Negative exponents of integers, which NumPy refuses. For an array of them that takes a look at
 * the device, in calls of power and in its reductions alike. */
#include "reduce_plan.h"

#include "transfer.h"

bool
ga_exponent_counts(enum ga_ufunc op, enum ga_dtype dtype)
{
    return op == GA_UF_power && ga_registry_dtype(dtype)->kind == 'i';
}

enum ga_call_status
ga_exponent_check_number(const ga_scalar *value, enum ga_dtype dtype)
{
    int top = ga_registry_dtype(dtype)->itemsize - 1;
    if ((value->bytes[top] & 0x80) == 0)
        return GA_CALL_OK;
    PyErr_SetString(PyExc_ValueError, "Integers to negative integer powers are not allowed.");
    return GA_CALL_ERROR;
}

enum ga_call_status
ga_exponent_check(GaState *state, GaArray *exponents, GaArray *mask, PyArray_Descr *descr)
{
    ga_scalar value;
    enum ga_call_status status = GA_CALL_ERROR;
    PyObject *zero = PyLong_FromLong(0), *smallest = NULL;
    ga_reduce_args args = {.initial = zero, .where = (PyObject *)mask, .dtype = (PyObject *)descr};
    if (zero != NULL)
        smallest = ga_ufunc_reduce(state, GA_UF_minimum, (PyObject *)exponents, &args);
    if (smallest != NULL && ga_transfer_item((GaArray *)smallest, 0, &value) == 0)
        status = ga_exponent_check_number(&value, ((GaArray *)smallest)->dtype);
    Py_XDECREF(smallest);
    Py_XDECREF(zero);
    return status;
}

/* What a reduction raises to: every element, but for the first along the axis where nothing comes before it. */
static GaArray *
view_exponents(const ga_reduction *r)
{
    int64_t shape[GA_MAXDIMS], offset = 0;
    GaArray *x = r->x;
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    if (!r->has_initial && r->axes != 0) {
        int axis = __builtin_ctzll(r->axes);
        offset = shape[axis] > 1 ? x->strides[axis] : 0;
        shape[axis] -= shape[axis] > 0;
    }
    return ga_array_view(r->state, x, NULL, x->ndim, shape, x->strides, offset);
}

static enum ga_call_status
check_view(const ga_reduction *r, GaArray *exponents, GaArray *mask)
{
    enum ga_call_status status = GA_CALL_ERROR;
    if (exponents != NULL)
        status = ga_exponent_check(r->state, exponents, mask, r->loop->descrs[1]);
    Py_XDECREF(exponents);
    return status;
}

enum ga_call_status
ga_exponent_check_reduction(const ga_reduction *r, GaArray *mask)
{
    bool raises = r->axes != 0 || r->has_initial;
    if (!raises || !ga_exponent_counts(r->ufunc->op, r->loop->dtypes[1]))
        return GA_CALL_OK;
    return check_view(r, view_exponents(r), mask);
}

/* Truth along the axis, in as many dimensions as the source, of what reduceat raises to: all of a
 * slice but its first. */
static PyArrayObject *
mark_exponents(const ga_reduction *r, int axis, PyArrayObject *starts)
{
    npy_intp shape[GA_MAXDIMS], count = PyArray_SIZE(starts), length = r->x->shape[axis];
    const int64_t *first = PyArray_DATA(starts);
    for (int i = 0; i < r->x->ndim; i++)
        shape[i] = i == axis ? length : 1;
    PyArrayObject *marks = (PyArrayObject *)PyArray_ZEROS(r->x->ndim, shape, NPY_BOOL, 0);
    for (npy_intp i = 0; marks != NULL && i < count; i++) {
        int64_t last = i + 1 < count ? first[i + 1] : length;
        if (last > first[i] + 1)
            memset((char *)PyArray_DATA(marks) + first[i] + 1, 1, (size_t)(last - first[i] - 1));
    }
    return marks;
}

enum ga_call_status
ga_exponent_check_slices(const ga_reduction *r, PyArrayObject *starts)
{
    enum ga_call_status status = GA_CALL_ERROR;
    GaArray *mask = NULL;
    if (!ga_exponent_counts(r->ufunc->op, r->loop->dtypes[1]))
        return GA_CALL_OK;
    PyArrayObject *marks = mark_exponents(r, __builtin_ctzll(r->axes), starts);
    if (marks != NULL)
        mask = ga_transfer_from_numpy(r->state, marks, NULL, ga_array_device(r->x), 'C');
    if (mask != NULL)
        status = check_view(r, (GaArray *)Py_NewRef((PyObject *)r->x), mask);
    Py_XDECREF(mask);
    Py_XDECREF(marks);
    return status;
}
