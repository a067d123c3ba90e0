/* mean: a sum and one division, which the sum's kernels do where they can. As in NumPy integers add
 * up in float64, float16 in float32, and so do bfloat16 and float8; the result is divided in place
 * of the sum's dtype. */
#include "reduce_plan.h"

#include "convert.h"
#include "dtype.h"
#include "transfer.h"

static bool
is_short_float(const GaArray *x)
{
    return x->dtype == GA_f16 || ga_registry_is_stored(x->dtype);
}

/* dtype= of the sum: given, or what the operand's kind asks for; borrowed, NULL for the operand's
 * own. */
static PyObject *
sum_dtype(const GaState *state, const GaArray *x, const ga_reduce_args *args)
{
    char kind = ga_registry_dtype(x->dtype)->kind;
    if (args->dtype != NULL && args->dtype != Py_None)
        return args->dtype;
    if (kind == 'b' || kind == 'i' || kind == 'u')
        return (PyObject *)state->descrs[GA_f64];
    return is_short_float(x) ? (PyObject *)state->descrs[GA_f32] : NULL;
}

static PyObject *
count_masked(GaState *state, GaArray *x, const ga_reduce_args *args)
{
    GaArray *mask = NULL, *wide = NULL;
    PyObject *count = NULL;
    int64_t strides[GA_MAXDIMS];
    if (ga_operand_take_mask(state, args->where, ga_array_device(x), &mask) != GA_CALL_OK)
        return NULL;
    if (ga_layout_broadcast_strides(x->ndim, x->shape, mask->ndim, mask->shape, mask->strides,
                                    strides) < 0) {
        (void)ga_raise();
        goto done;
    }
    wide = ga_array_view(state, mask, NULL, x->ndim, x->shape, strides, 0);
    ga_reduce_args counting = {
        .axis = args->axis, .keepdims = args->keepdims, .axis_given = args->axis_given};
    if (wide != NULL)
        count = ga_ufunc_reduce(state, GA_UF_add, (PyObject *)wide, &counting);
done:
    Py_XDECREF(wide);
    Py_XDECREF(mask);
    return count;
}

static PyObject *
count_elements(GaState *state, GaArray *x, const ga_reduce_args *args)
{
    uint64_t axes;
    int64_t count = 1;
    if (args->where != NULL && args->where != Py_None && args->where != Py_True)
        return count_masked(state, x, args);
    if (ga_convert_axes(state, args->axis, x->ndim, &axes) < 0)
        return NULL;
    if (x->ndim == 0 && args->axis != NULL && PyLong_Check(args->axis)) { /* sum takes axis 0 */
        (void)ga_raise_axis(state, PyLong_AsLong(args->axis), 0);
        return NULL;
    }
    for (int i = 0; i < x->ndim; i++)
        count *= axes >> i & 1u ? x->shape[i] : 1;
    if (count == 0 && PyErr_WarnEx(PyExc_RuntimeWarning, "Mean of empty slice.", 2) < 0)
        return NULL;
    return PyLong_FromLongLong(count);
}

static PyObject *
cast_quotient(GaState *state, GaArray *quotient, PyArray_Descr *descr)
{
    GaArray *cast = ga_transfer_cast(state, quotient, descr);
    if (cast != NULL && cast->ndim == 0)
        ga_array_as_scalar(cast);
    return (PyObject *)cast;
}

/* quotient in the dtype NumPy gives, into out= if there is one. */
static PyObject *
finish_mean(GaState *state, const GaArray *x, GaArray *sum, PyObject *quotient,
            const ga_reduce_args *args)
{
    bool half = is_short_float(x) && (args->dtype == NULL || args->dtype == Py_None);
    if (args->out == NULL || args->out == Py_None)
        return cast_quotient(state, (GaArray *)quotient, half ? x->descr : sum->descr);
    if (ga_transfer_assign(state, (GaArray *)args->out, (GaArray *)quotient) < 0)
        return NULL;
    return Py_NewRef(args->out);
}

/* Whether the kernels may divide their sums: those are float32 or float64, and so is the mean. */
static bool
divides_at_once(const GaArray *x, const ga_reduce_args *args)
{
    char kind = ga_registry_dtype(x->dtype)->kind;
    bool real = x->dtype == GA_f32 || x->dtype == GA_f64 || kind == 'b' || kind == 'i' || kind == 'u';
    bool plain = args->dtype == NULL || args->dtype == Py_None;
    return real && plain && (args->out == NULL || args->out == Py_None);
}

/* The sum divided by `count`, an int or an array. */
static PyObject *
divide_sum(GaState *state, GaArray *x, const ga_reduce_args *args, ga_reduce_args *summing, PyObject *count)
{
    PyObject *sum, *quotient = NULL, *result = NULL;
    if (PyLong_Check(count) && divides_at_once(x, args))
        summing->divisor = PyLong_AsLongLong(count);
    sum = ga_ufunc_reduce(state, GA_UF_add, (PyObject *)x, summing);
    if (sum == NULL || summing->divisor != 0)
        return sum;
    quotient = ga_ufunc_binary(state, GA_UF_divide, sum, count, NULL);
    if (quotient != NULL)
        result = finish_mean(state, x, (GaArray *)sum, quotient, args);
    Py_XDECREF(quotient);
    Py_DECREF(sum);
    return result;
}

PyObject *
ga_ufunc_mean(GaState *state, PyObject *object, const ga_reduce_args *args)
{
    GaArray *x = NULL;
    PyObject *count = NULL, *result = NULL;
    enum ga_call_status status = ga_operand_take_array(state, object, NULL, &x);
    if (status == GA_CALL_FOREIGN)
        return Py_NewRef(Py_NotImplemented);
    if (status != GA_CALL_OK)
        return NULL;
    ga_reduce_args summing = *args;
    summing.dtype = sum_dtype(state, x, args);
    summing.initial = NULL;
    count = count_elements(state, x, args);
    if (count != NULL)
        result = divide_sum(state, x, args, &summing, count);
    Py_XDECREF(count);
    Py_DECREF(x);
    return result;
}
