/* argmax and argmin: the position of the first extreme element along one axis, or in the flattened
 * array. */
#include "reduce_plan.h"

#include "convert.h"
#include "dtype.h"
#include "launch.h"
#include "transfer.h"

typedef struct {
    GaState *state;
    const char *name; /* "argmax" */
    bool maximum, keepdims;
    GaArray *x;      /* owned */
    GaArray *result; /* owned: int64 */
    uint64_t axes;
    ga_reduce_plan plan;
} arg_reduction;

static int
take_axis(arg_reduction *r, PyObject *axis)
{
    if (axis != NULL && PyTuple_Check(axis)) {
        PyErr_Format(PyExc_TypeError, "%s(): axis must be an int or None, not a tuple", r->name);
        return -1;
    }
    return ga_convert_axes(r->state, axis, r->x->ndim, &r->axes);
}

static int
check_size(const arg_reduction *r)
{
    bool empty = false;
    for (int i = 0; i < r->plan.nred; i++)
        empty = empty || r->plan.red_shape[i] == 0;
    if (!empty)
        return 0;
    PyErr_Format(PyExc_ValueError, "attempt to get %s of an empty sequence", r->name);
    return -1;
}

static int
make_result(arg_reduction *r)
{
    int64_t shape[GA_MAXDIMS];
    int ndim = ga_reduce_plan_shape(r->x, r->axes, r->keepdims, shape);
    r->result =
        ga_array_new(r->state, ga_array_device(r->x), r->state->descrs[GA_i64], ndim, shape, 'C');
    if (r->result == NULL)
        return -1;
    ga_reduce_plan_target(r->x, r->result, r->axes, r->keepdims, &r->plan);
    return 0;
}

/* The reduced axes keep their order, as positions count in it. */
static int
collapse_reduced(arg_reduction *r, ga_iter *red)
{
    if (ga_reduce_plan_collapse(&r->plan, false, false, red))
        return 0;
    GaArray *compact = ga_reduce_plan_compact(r->state, r->x, r->axes);
    if (compact == NULL)
        return -1;
    Py_SETREF(r->x, compact);
    if (ga_reduce_plan_split(r->x, NULL, ga_reduce_plan_last(&r->plan), &r->plan) < 0)
        return -1;
    (void)ga_reduce_plan_collapse(&r->plan, false, false, red);
    return 0;
}

static int
launch_positions(arg_reduction *r)
{
    ga_iter red, keep;
    ga_argreduce_call launch;
    ga_stream *stream;
    char *src, *dst;
    const int64_t *strides[2] = {r->plan.src_keep, r->plan.dst_keep};
    if (collapse_reduced(r, &red) < 0 || ga_array_pointer(r->x, GA_READ, &stream, &src) < 0 ||
        ga_array_pointer(r->result, GA_WRITE, &stream, &dst) < 0)
        return -1;
    launch.maximum = r->maximum;
    launch.dtype = r->x->dtype;
    launch.nred = red.ndim;
    launch.red_size = red.size;
    memcpy(launch.red_shape, red.shape, sizeof launch.red_shape);
    memcpy(launch.src_red, red.strides[0], sizeof launch.src_red);
    ga_iter_begin(&keep, r->plan.nkeep, r->plan.keep_shape, 2, strides, true);
    do {
        launch.nkeep = keep.ndim;
        launch.keep_size = keep.size;
        memcpy(launch.keep_shape, keep.shape, sizeof launch.keep_shape);
        memcpy(launch.src_keep, keep.strides[0], sizeof launch.src_keep);
        memcpy(launch.dst_keep, keep.strides[1], sizeof launch.dst_keep);
        launch.src = src + red.offsets[0] + keep.offsets[0];
        launch.dst = (int64_t *)(void *)(dst + keep.offsets[1]);
        if (keep.size > 0 && ga_launch_argreduce(ga_array_device(r->x), &launch, stream) < 0)
            return -1;
    } while (ga_iter_next(&keep));
    return 0;
}

/* NumPy computes in `out`, whose numbers therefore must be positions as they are. */
static int
check_cast(const GaArray *out, PyArray_Descr *positions)
{
    if (ga_dtype_can_cast(out->descr, positions, NPY_SAFE_CASTING))
        return 0;
    PyErr_Format(PyExc_TypeError, "Cannot cast array data from %R to %R according to the rule 'safe'", out->descr,
                 positions);
    return -1;
}

static int
run_stages(arg_reduction *r, PyObject *axis, GaArray *out)
{
    if (take_axis(r, axis) < 0 || ga_reduce_plan_split(r->x, NULL, r->axes, &r->plan) < 0 ||
        check_size(r) < 0)
        return -1;
    if (make_result(r) < 0)
        return -1;
    if (out != NULL &&
        (ga_reduce_plan_check_out(r->name, out, r->result->ndim, r->result->shape) < 0 ||
         check_cast(out, r->result->descr) < 0))
        return -1;
    return launch_positions(r);
}

static int
widen_operand(arg_reduction *r)
{
    GaArray *wide = ga_transfer_widen(r->state, r->x);
    if (wide == NULL)
        return -1;
    Py_SETREF(r->x, wide);
    return 0;
}

PyObject *
ga_ufunc_argreduce(GaState *state, bool maximum, PyObject *x, PyObject *axis, PyObject *out,
                   bool keepdims)
{
    PyObject *result = NULL;
    GaArray *target;
    arg_reduction r = {.state = state,
                       .name = maximum ? "argmax" : "argmin",
                       .maximum = maximum,
                       .keepdims = keepdims};
    enum ga_call_status status = ga_operand_take_array(state, x, NULL, &r.x);
    if (status == GA_CALL_FOREIGN)
        return Py_NewRef(Py_NotImplemented);
    if (status != GA_CALL_OK || widen_operand(&r) < 0)
        goto done;
    if (ga_reduce_plan_out(state, r.name, out, &target) < 0 || run_stages(&r, axis, target) < 0)
        goto done;
    if (target == NULL) {
        result = Py_NewRef(r.result);
        if (r.result->ndim == 0)
            ga_array_as_scalar(r.result);
    } else if (ga_transfer_assign(state, target, r.result) == 0) {
        result = Py_NewRef(target);
    }
done:
    Py_XDECREF(r.x);
    Py_XDECREF(r.result);
    return result;
}
