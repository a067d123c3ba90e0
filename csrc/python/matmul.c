/* matmul from end to end: operands, NumPy's loop dtype, the rules for vectors and batches, the
 * result. A result that shares memory with an operand (a @= b) is computed aside and copied in, so
 * that `a` stays the same object. Owns the product's references. */
#include "matmul.h"

#include "../core/overlap.h"
#include "dtype.h"
#include "reduce_plan.h"
#include "transfer.h"

#define SIGNATURE "(n?,k),(k,m?)->(n?,m?)"
#define BLAS_WORTH 8192 /* multiplications */

static void
clear_product(ga_product *p)
{
    Py_CLEAR(p->x);
    Py_CLEAR(p->y);
    Py_CLEAR(p->result);
    Py_CLEAR(p->temp);
    Py_CLEAR(p->descr);
}

static enum ga_call_status
take_operands(ga_product *p, PyObject *x, PyObject *y, PyObject *out)
{
    ga_device *device;
    PyObject *all[3] = {x, y, out};
    if (ga_operand_device(p->state, all, 3, &device) < 0)
        return GA_CALL_ERROR;
    enum ga_call_status status = ga_operand_take_array(p->state, x, device, &p->x);
    if (status == GA_CALL_OK)
        status = ga_operand_take_array(p->state, y, ga_array_device(p->x), &p->y);
    return status;
}

/* NumPy's dtypes for (x, y) -> out as a tuple. */
static PyObject *
ask_numpy(const ga_product *p, const GaArray *out, const ga_matmul_options *options)
{
    PyObject *answer = NULL, *keywords = PyDict_New(), *args = NULL, *method = NULL;
    PyObject *function = PyObject_GetAttrString(p->state->numpy, "matmul");
    if (function == NULL || keywords == NULL)
        goto done;
    method = PyObject_GetAttrString(function, "resolve_dtypes");
    args = Py_BuildValue("((OOO))", p->x->descr, p->y->descr,
                         out != NULL ? (PyObject *)out->descr : Py_None);
    if (method == NULL || args == NULL)
        goto done;
    if (options->casting != NULL && PyDict_SetItemString(keywords, "casting", options->casting) < 0)
        goto done;
    if (options->dtype != NULL) {
        PyObject *signature = Py_BuildValue("(OOO)", Py_None, Py_None, options->dtype);
        int rc = signature != NULL ? PyDict_SetItemString(keywords, "signature", signature) : -1;
        Py_XDECREF(signature);
        if (rc < 0)
            goto done;
    }
    answer = PyObject_Call(method, args, keywords);
done:
    Py_XDECREF(method);
    Py_XDECREF(args);
    Py_XDECREF(keywords);
    Py_XDECREF(function);
    return answer;
}

static enum ga_call_status
resolve_product(ga_product *p, const GaArray *out, const ga_matmul_options *options)
{
    bool plain = p->x->dtype == p->y->dtype && p->x->dtype < GA_M8 &&
                 (out == NULL || out->dtype == p->x->dtype);
    if (plain && options->dtype == NULL && options->casting == NULL) {
        p->descr = (PyArray_Descr *)Py_NewRef(p->x->descr);
        return GA_CALL_OK;
    }
    bool kept = options->keeps && p->x->dtype == GA_bf16 && p->y->dtype == GA_bf16;
    if (kept && !ga_array_device(p->x)->is_cpu) {
        p->descr = (PyArray_Descr *)Py_NewRef(p->x->descr);
        return GA_CALL_OK;
    }
    PyObject *answer = ask_numpy(p, out, options);
    if (answer == NULL)
        return GA_CALL_ERROR;
    p->descr = (PyArray_Descr *)Py_NewRef(PyTuple_GET_ITEM(answer, 0));
    Py_DECREF(answer);
    return ga_dtype_of(p->descr) == GA_DTYPE_COUNT ? GA_CALL_FOREIGN : GA_CALL_OK;
}

static int
refuse_operand(int operand)
{
    PyErr_Format(PyExc_ValueError,
                 "matmul: Input operand %d does not have enough dimensions (has 0, gufunc core "
                 "with signature " SIGNATURE " requires 1)",
                 operand);
    return -1;
}

static int
measure_product(ga_product *p)
{
    const GaArray *x = p->x, *y = p->y;
    if (x->ndim == 0 || y->ndim == 0)
        return refuse_operand(x->ndim == 0 ? 0 : 1);
    p->x_vector = x->ndim == 1;
    p->y_vector = y->ndim == 1;
    int y_inner = p->y_vector ? 0 : y->ndim - 2;
    p->k = x->shape[x->ndim - 1];
    p->m = p->x_vector ? 1 : x->shape[x->ndim - 2];
    p->n = p->y_vector ? 1 : y->shape[y->ndim - 1];
    if (y->shape[y_inner] != p->k) {
        PyErr_Format(PyExc_ValueError,
                     "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
                     "signature " SIGNATURE " (size %lld is different from %lld)",
                     (long long)y->shape[y_inner], (long long)p->k);
        return -1;
    }
    int ndims[2] = {p->x_vector ? 0 : x->ndim - 2, p->y_vector ? 0 : y->ndim - 2};
    const int64_t *shapes[2] = {x->shape, y->shape};
    return ga_layout_broadcast(2, ndims, shapes, &p->nbatch, p->batch_shape) < 0 ? ga_raise_int()
                                                                                 : 0;
}

static int
cast_operand(const ga_product *p, GaArray **slot, PyArray_Descr *descr)
{
    if (PyArray_EquivTypes((*slot)->descr, descr))
        return 0;
    GaArray *cast = ga_transfer_cast(p->state, *slot, descr);
    if (cast == NULL)
        return -1;
    Py_SETREF(*slot, cast);
    return 0;
}

/* NumPy's BLAS multiplies float16 as float32 on the CPU device, rounded once at the end, where that is worth two
 * conversions. */
static bool
borrows_blas(const ga_product *p)
{
    return ga_array_device(p->x)->is_cpu && ga_dtype_of(p->descr) == GA_f16 && p->k > 0 &&
           p->m * p->n >= BLAS_WORTH / p->k;
}

/* The dtype in which operands are multiplied: that of the result, which of bfloat16 and float8 is
 * float32. These a GPU multiplies as bfloat16, or where both are float8 as float16: either holds
 * their values exactly and is what tensor cores take. Borrowed. */
static PyArray_Descr *
operand_descr(const ga_product *p)
{
    if (borrows_blas(p))
        return p->state->descrs[GA_f32];
    bool stored = ga_registry_is_stored(p->x->dtype) && ga_registry_is_stored(p->y->dtype);
    if (!stored || ga_array_device(p->x)->is_cpu || ga_dtype_of(p->descr) != GA_f32)
        return p->descr;
    if (p->x->dtype == GA_bf16)
        return p->x->descr;
    return p->y->dtype == GA_bf16 ? p->y->descr : p->state->descrs[GA_f16];
}

static int
cast_operands(ga_product *p)
{
    PyArray_Descr *descr = operand_descr(p);
    Py_INCREF(descr); /* an operand that goes may have been its only owner */
    int rc = cast_operand(p, &p->x, descr) < 0 ? -1 : cast_operand(p, &p->y, descr);
    Py_DECREF(descr);
    return rc;
}

static bool
shares_memory(const GaArray *a, const GaArray *b)
{
    if (ga_array_device(a) != ga_array_device(b))
        return false;
    ga_extent one = {(const char *)a->buffer->ptr + a->offset, a->ndim, a->shape, a->strides,
                     ga_array_itemsize(a)};
    ga_extent two = {(const char *)b->buffer->ptr + b->offset, b->ndim, b->shape, b->strides,
                     ga_array_itemsize(b)};
    return ga_overlap_bounds(&one, &two);
}

/* The dtype of what the loop writes. Borrowed. */
static PyArray_Descr *
product_descr(const ga_product *p)
{
    return borrows_blas(p) ? p->state->descrs[GA_f32] : p->descr;
}

/* Whether the loop may write into the result itself. */
static bool
writes_directly(const ga_product *p, const GaArray *out)
{
    if (out == NULL)
        return product_descr(p) == p->descr;
    return PyArray_EquivTypes(out->descr, product_descr(p)) && !shares_memory(out, p->x) &&
           !shares_memory(out, p->y);
}

static int
make_result(ga_product *p, GaArray *out, char order)
{
    int64_t shape[GA_MAXDIMS];
    int ndim = p->nbatch;
    if (ndim + !p->x_vector + !p->y_vector > GA_MAXDIMS) {
        PyErr_SetString(PyExc_ValueError, "matmul: the result has too many dimensions");
        return -1;
    }
    memcpy(shape, p->batch_shape, sizeof(int64_t) * (size_t)ndim);
    if (!p->x_vector)
        shape[ndim++] = p->m;
    if (!p->y_vector)
        shape[ndim++] = p->n;
    if (out != NULL && ga_reduce_plan_check_out("matmul", out, ndim, shape) < 0)
        return -1;
    ga_device *device = ga_array_device(p->x);
    p->result = out != NULL ? (GaArray *)Py_NewRef(out)
                            : ga_array_new(p->state, device, p->descr, ndim, shape, order);
    if (p->result == NULL || writes_directly(p, out))
        return p->result != NULL ? 0 : -1;
    p->temp = ga_array_new(p->state, device, product_descr(p), ndim, shape, order);
    return p->temp != NULL ? 0 : -1;
}

static enum ga_call_status
run_stages(ga_product *p, PyObject *x, PyObject *y, const ga_matmul_options *options)
{
    GaArray *out;
    if (ga_reduce_plan_out(p->state, "matmul", options->out, &out) < 0)
        return GA_CALL_ERROR;
    enum ga_call_status status = take_operands(p, x, y, options->out);
    if (status != GA_CALL_OK)
        return status;
    status = resolve_product(p, out, options);
    if (status != GA_CALL_OK)
        return status;
    if (measure_product(p) < 0 || cast_operands(p) < 0 ||
        make_result(p, out, options->order) < 0 || ga_matmul_launch(p) < 0)
        return GA_CALL_ERROR;
    if (p->temp != NULL && ga_transfer_assign(p->state, p->result, p->temp) < 0)
        return GA_CALL_ERROR;
    if (out == NULL && p->result->ndim == 0)
        ga_array_as_scalar(p->result);
    return GA_CALL_OK;
}

PyObject *
ga_matmul_run(GaState *state, PyObject *x, PyObject *y, const ga_matmul_options *options)
{
    ga_product p = {.state = state};
    enum ga_call_status status = run_stages(&p, x, y, options);
    PyObject *result = NULL;
    if (status == GA_CALL_OK)
        result = Py_NewRef(p.result);
    else if (status == GA_CALL_FOREIGN)
        result = Py_NewRef(Py_NotImplemented);
    clear_product(&p);
    return result;
}

PyObject *
ga_matmul(GaState *state, PyObject *x, PyObject *y, PyObject *out)
{
    ga_matmul_options options = {.out = out, .order = 'C'};
    return ga_matmul_run(state, x, y, &options);
}
