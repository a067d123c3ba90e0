/* dot: matmul where NumPy's two agree, a product for scalars, and the sum over a's last and b's
 * last but one axis beyond two dimensions, as one matrix product of reshaped operands. */
#include "matmul.h"

#include "reduce_plan.h"
#include "transfer.h"

/* Matrix (rows, columns) with the axis `inner` of `a` as its columns (last) or rows, the other axes
 * in order. */
static GaArray *
flatten_operand(GaState *state, GaArray *a, int inner, bool last)
{
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS], flat[2] = {a->shape[inner], 1};
    int n = last ? 0 : 1, at = last ? a->ndim - 1 : 0;
    for (int i = 0; i < a->ndim; i++) {
        int to = i == inner ? at : n++;
        shape[to] = a->shape[i];
        strides[to] = a->strides[i];
    }
    for (int i = 0; i < a->ndim; i++)
        flat[1] *= i == inner ? 1 : a->shape[i];
    int64_t matrix[2] = {last ? flat[1] : flat[0], last ? flat[0] : flat[1]};
    GaArray *view = ga_array_view(state, a, NULL, a->ndim, shape, strides, 0);
    GaArray *copy = view != NULL ? ga_transfer_copy(state, view, NULL, NULL, 'C') : NULL;
    GaArray *result = copy != NULL ? ga_array_view(state, copy, NULL, 2, matrix, NULL, 0) : NULL;
    Py_XDECREF(copy);
    Py_XDECREF(view);
    return result;
}

static int
check_shapes(const GaArray *x, const GaArray *y, int y_inner)
{
    char first[256], second[256];
    int64_t inner = x->shape[x->ndim - 1];
    if (inner == y->shape[y_inner])
        return 0;
    PyErr_Format(PyExc_ValueError, "shapes %s and %s not aligned: %lld (dim %d) != %lld (dim %d)",
                 ga_layout_format(x->ndim, x->shape, first, sizeof first),
                 ga_layout_format(y->ndim, y->shape, second, sizeof second), (long long)inner,
                 x->ndim - 1, (long long)y->shape[y_inner], y_inner);
    return -1;
}

/* The matrix of all pairs seen in dot's shape: x's outer axes, then y's. */
static PyObject *
shape_result(GaState *state, GaArray *product, const GaArray *x, const GaArray *y)
{
    int64_t shape[2 * GA_MAXDIMS];
    int ndim = 0;
    for (int i = 0; i < x->ndim - 1; i++)
        shape[ndim++] = x->shape[i];
    for (int i = 0; i < y->ndim; i++) {
        if (i != y->ndim - 2)
            shape[ndim++] = y->shape[i];
    }
    if (ndim > GA_MAXDIMS)
        return PyErr_Format(PyExc_ValueError, "dot: the result has %d dimensions, more than %d",
                            ndim, GA_MAXDIMS);
    return (PyObject *)ga_array_view(state, product, NULL, ndim, shape, NULL, 0);
}

static PyObject *
multiply_matrices(GaState *state, GaArray *x, GaArray *y)
{
    const ga_matmul_options options = {.order = 'C', .keeps = true};
    return ga_matmul_run(state, (PyObject *)x, (PyObject *)y, &options);
}

static PyObject *
multiply_flattened(GaState *state, GaArray *x, GaArray *y)
{
    PyObject *product = NULL, *result = NULL;
    GaArray *left = flatten_operand(state, x, x->ndim - 1, true);
    GaArray *right = left != NULL ? flatten_operand(state, y, y->ndim - 2, false) : NULL;
    if (right != NULL)
        product = multiply_matrices(state, left, right);
    if (product != NULL)
        result = shape_result(state, (GaArray *)product, x, y);
    Py_XDECREF(product);
    Py_XDECREF(right);
    Py_XDECREF(left);
    return result;
}

/* NumPy's dot takes an out of exactly the result's dtype and in C order. */
static PyObject *
store_result(GaState *state, PyObject *result, PyObject *out)
{
    GaArray *target, *value = (GaArray *)result;
    if (ga_reduce_plan_out(state, "dot", out, &target) < 0)
        return NULL;
    if (target == NULL)
        return Py_NewRef(result);
    if (!PyArray_EquivTypes(target->descr, value->descr) || !(target->flags & GA_ARRAY_C)) {
        PyErr_Format(PyExc_ValueError, "dot: out must be a C-contiguous array of dtype %R",
                     value->descr);
        return NULL;
    }
    if (ga_reduce_plan_check_out("dot", target, value->ndim, value->shape) < 0 ||
        ga_transfer_assign(state, target, value) < 0)
        return NULL;
    return Py_NewRef(out);
}

static bool
has_blas(enum ga_dtype dtype)
{
    return dtype == GA_f32 || dtype == GA_f64 || dtype == GA_c64 || dtype == GA_c128;
}

/* An array times a number; matrices of the dtypes that BLAS has come in C order, as NumPy's do. */
static PyObject *
multiply_number(GaState *state, GaArray *x, GaArray *y)
{
    PyObject *object = ga_ufunc_binary(state, GA_UF_multiply, (PyObject *)x, (PyObject *)y, NULL);
    const GaArray *product = (GaArray *)object;
    if (object != NULL && product->ndim <= 2 && !(product->flags & GA_ARRAY_C) && has_blas(product->dtype))
        Py_SETREF(object, (PyObject *)ga_transfer_copy(state, (GaArray *)object, NULL, NULL, 'C'));
    return object;
}

static PyObject *
multiply_arrays(GaState *state, GaArray *x, GaArray *y)
{
    if (x->ndim == 0 || y->ndim == 0)
        return multiply_number(state, x, y);
    if (check_shapes(x, y, y->ndim == 1 ? 0 : y->ndim - 2) < 0)
        return NULL;
    if (y->ndim <= 2)
        return multiply_matrices(state, x, y);
    return multiply_flattened(state, x, y);
}

/* Matrix products of bfloat16 and float8 are float32, in matmul as in NumPy; dot's have the operands' dtype. */
static PyObject *
round_product(GaState *state, const GaArray *x, const GaArray *y, GaArray *product)
{
    if (x->dtype != y->dtype || !ga_registry_is_stored(x->dtype))
        return Py_NewRef((PyObject *)product);
    GaArray *rounded = ga_transfer_cast(state, product, x->descr);
    if (rounded != NULL && rounded->ndim == 0 && (product->flags & GA_ARRAY_SCALAR))
        ga_array_as_scalar(rounded);
    return (PyObject *)rounded;
}

PyObject *
ga_dot(GaState *state, PyObject *x, PyObject *y, PyObject *out)
{
    ga_device *device;
    GaArray *left = NULL, *right = NULL;
    PyObject *all[3] = {x, y, out}, *product = NULL, *result = NULL;
    if (ga_operand_device(state, all, 3, &device) < 0)
        return NULL;
    enum ga_call_status status = ga_operand_take_array(state, x, device, &left);
    if (status == GA_CALL_OK)
        status = ga_operand_take_array(state, y, ga_array_device(left), &right);
    if (status == GA_CALL_FOREIGN)
        result = Py_NewRef(Py_NotImplemented);
    if (status == GA_CALL_OK)
        product = multiply_arrays(state, left, right);
    if (product != NULL)
        Py_SETREF(product, round_product(state, left, right, (GaArray *)product));
    if (product != NULL)
        result = store_result(state, product, out);
    Py_XDECREF(product);
    Py_XDECREF(left);
    Py_XDECREF(right);
    return result;
}
