/* Calls for which bfloat16 or float8 has no kernel: inputs are converted to float32, the loop of
 * float32 runs, and results are rounded once, which is what ml_dtypes computes. Inputs have been
 * rounded to the loop's dtypes before, as NumPy does; outputs may be any memory that the loop of
 * those dtypes could write. */
#include "choose.h"
#include "convert.h"
#include "transfer.h"
#include "ufunc_call.h"

static PyArray_Descr *
widened_descr(const GaState *state, const ga_resolution *loop, int i)
{
    return ga_registry_is_stored(loop->dtypes[i]) ? state->descrs[GA_f32] : loop->descrs[i];
}

/* The loop of the call with float32 where it was widened; its dtypes are borrowed. */
static ga_resolution
widen_loop(const ga_call *call)
{
    ga_resolution loop = {.widened = false};
    for (int i = 0; i < call->nin + call->nout; i++) {
        loop.descrs[i] = widened_descr(call->state, call->loop, i);
        loop.dtypes[i] = ga_registry_widened(call->loop->dtypes[i]);
    }
    return loop;
}

static int
widen_input(const ga_call *call, int i, ga_input *out)
{
    const ga_input *in = &call->in[i];
    PyArray_Descr *descr = call->loop->descrs[i];
    *out = (ga_input){.value = in->value};
    if (in->array != NULL) {
        out->array =
            ga_transfer_cast(call->state, in->array, widened_descr(call->state, call->loop, i));
        return out->array != NULL ? 0 : -1;
    }
    if (!ga_registry_is_stored(call->loop->dtypes[i]))
        return 0;
    PyObject *number = ga_convert_item(descr, &in->value);
    if (number == NULL)
        return -1;
    out->value = (ga_scalar){.f = (float)PyFloat_AsDouble(number)};
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

/* Where the caller's result goes. */
static GaArray *
target_of(const ga_call *call, int i)
{
    return call->temp[i] != NULL ? call->temp[i] : call->out[i];
}

/* An array of float32 in the layout of the target, or the target itself where it has its dtype. */
static GaArray *
widen_output(const ga_call *call, int i)
{
    static const ga_scalar zero;
    int64_t strides[GA_MAXDIMS];
    GaArray *target = target_of(call, i);
    if (!ga_registry_is_stored(call->loop->dtypes[call->nin + i]))
        return (GaArray *)Py_NewRef(target);
    PyArray_Descr *descr = call->state->descrs[GA_f32];
    ga_transfer_strides(target, (int64_t)PyDataType_ELSIZE(descr), 'K', strides);
    GaArray *wide =
        ga_array_new_strided(call->state, call->device, descr, target->ndim, target->shape, strides);
    /* What the mask leaves out is never stored, but converted all the same. */
    if (wide != NULL && call->mask != NULL && ga_transfer_fill(call->state, wide, &zero) < 0)
        Py_CLEAR(wide);
    return wide;
}

static int
store_output(const ga_call *call, const ga_call *wide, int i)
{
    GaArray *target = target_of(call, i);
    if (wide->out[i] == target)
        return 0;
    if (call->mask != NULL)
        return ga_choose_into(call->state, target, wide->out[i], call->mask);
    return ga_transfer_assign(call->state, target, wide->out[i]);
}

int
ga_launch_widened(ga_call *call)
{
    int rc = 0;
    ga_resolution loop = widen_loop(call);
    ga_call wide = *call;
    wide.loop = &loop;
    for (int i = 0; i < 2; i++) {
        wide.in[i] = (ga_input){.array = NULL};
        wide.out[i] = wide.temp[i] = NULL;
    }
    wide.mask = (GaArray *)Py_XNewRef(call->mask);
    for (int i = 0; i < call->nin && rc == 0; i++)
        rc = widen_input(call, i, &wide.in[i]);
    for (int i = 0; i < call->nout && rc == 0; i++) {
        wide.out[i] = widen_output(call, i);
        rc = wide.out[i] != NULL ? 0 : -1;
    }
    if (rc == 0)
        rc = ga_launch_call(&wide);
    for (int i = 0; i < call->nout && rc == 0; i++)
        rc = store_output(call, &wide, i);
    ga_call_clear(&wide);
    return rc;
}
