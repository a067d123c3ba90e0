/* The ufunc call from end to end, for everything that is not on the operators' fast path
 * (ufunc_fast.c): take the operands, resolve the loop, convert, make the outputs, launch, store.
 * Owns the call's references from begin to end. A call that fails before the launch has changed
 * nothing. */
#include "ufunc_call.h"

#include "convert.h"
#include "dtype.h"
#include "transfer.h"

void
ga_call_clear(ga_call *call)
{
    for (int i = 0; i < 2; i++) {
        ga_operand_clear(&call->in[i]);
        Py_CLEAR(call->out[i]);
        Py_CLEAR(call->temp[i]);
    }
    Py_CLEAR(call->mask);
}

void
ga_call_begin(ga_call *call, GaState *state, enum ga_ufunc op, const ga_ufunc_options *options)
{
    call->state = state;
    call->ufunc = (GaUfunc *)state->ufuncs[op];
    call->op = op;
    call->nin = call->ufunc->info->nin;
    call->nout = call->ufunc->info->nout;
    call->chooses = false;
    call->options = *options;
    call->device = NULL;
    call->mask = NULL;
    call->loop = NULL;
    for (int i = 0; i < 2; i++) {
        call->in[i] = (ga_input){.array = NULL};
        call->out[i] = (GaArray *)Py_XNewRef(options->out[i]);
        call->temp[i] = NULL;
    }
}

enum ga_call_status
ga_call_take_operands(ga_call *call, PyObject *const *inputs)
{
    PyObject *all[GA_MAXARGS] = {inputs[0], call->nin > 1 ? inputs[1] : NULL, call->options.where,
                                 call->options.out[0], call->options.out[1]};
    if (ga_operand_device(call->state, all, GA_MAXARGS, &call->device) < 0)
        return GA_CALL_ERROR;
    for (int i = 0; i < call->nin; i++) {
        enum ga_call_status status =
            ga_operand_take(call->state, inputs[i], call->device, &call->in[i]);
        if (status != GA_CALL_OK)
            return status;
        if (call->device == NULL && call->in[i].array != NULL)
            call->device = ga_array_device(call->in[i].array);
    }
    if (call->device == NULL && ga_device_default(&call->device) < 0)
        return (enum ga_call_status)ga_raise_int();
    if (call->options.where == NULL)
        return GA_CALL_OK;
    return (call->chooses ? ga_operand_take_array : ga_operand_take_mask)(
        call->state, call->options.where, call->device, &call->mask);
}

/* An unsafe casting may drop imaginary parts on either side of the loop. */
static enum ga_call_status
warn_of_casts(const ga_call *call)
{
    PyArray_Descr *const *loop = call->loop->descrs;
    for (int i = 0; call->options.casting == NPY_UNSAFE_CASTING && i < call->nin + call->nout; i++) {
        bool input = i < call->nin;
        const GaArray *out = input ? NULL : call->out[i - call->nin];
        const PyArray_Descr *given = input ? call->in[i].descr : out != NULL ? out->descr : NULL;
        if (given != NULL && ga_transfer_warn_complex(call->state, input ? given : loop[i],
                                                      input ? loop[i] : given) < 0)
            return GA_CALL_ERROR;
    }
    return GA_CALL_OK;
}

enum ga_call_status
ga_call_resolve(ga_call *call)
{
    ga_question question = {.casting = call->options.casting};
    for (int i = 0; i < 4; i++) {
        question.codes[i] = GA_CODE_NONE;
        question.signature[i] = call->options.signature[i];
    }
    for (int i = 0; i < call->nin; i++) {
        question.codes[i] = call->in[i].code;
        question.descrs[i] = call->in[i].descr;
    }
    for (int i = 0; i < call->nout; i++) {
        if (call->out[i] != NULL) {
            question.codes[call->nin + i] = (enum ga_operand_code)call->out[i]->dtype;
            question.descrs[call->nin + i] = call->out[i]->descr;
        }
    }
    enum ga_call_status status = ga_resolve_loop(call->ufunc, &question, &call->loop);
    return status == GA_CALL_OK ? warn_of_casts(call) : status;
}

/* Sign of (first - second) when one of a comparison's operands is a Python int outside the other's
 * dtype, else 0. */
static int
compare_outside(const ga_call *call)
{
    if (call->op != GA_UF_equal && call->op != GA_UF_not_equal && call->op != GA_UF_less &&
        call->op != GA_UF_less_equal && call->op != GA_UF_greater &&
        call->op != GA_UF_greater_equal)
        return 0;
    for (int i = 0; i < 2; i++) {
        /* A bool array is compared in int64, where NumPy refuses what does not fit. */
        bool constant =
            call->in[i].code == GA_CODE_INT && call->in[1 - i].code != (enum ga_operand_code)GA_b1;
        int side = constant ? ga_number_outside(call->in[i].number, call->loop->dtypes[i]) : 0;
        if (side != 0)
            return i == 0 ? side : -side;
    }
    return 0;
}

/* Such a comparison has one answer for every element: equal(0, 0) or not_equal(0, 0) writes it. */
static void
make_constant(ga_call *call, int sign)
{
    bool less = call->op == GA_UF_less || call->op == GA_UF_less_equal;
    bool greater = call->op == GA_UF_greater || call->op == GA_UF_greater_equal;
    bool answer = call->op == GA_UF_not_equal || (less && sign < 0) || (greater && sign > 0);
    call->op = answer ? GA_UF_equal : GA_UF_not_equal;
    for (int i = 0; i < 2; i++) {
        Py_CLEAR(call->in[i].array);
        call->in[i].value = (ga_scalar){.bytes = {0}};
    }
}

static enum ga_call_status
pack_number(ga_call *call, int i)
{
    ga_input *in = &call->in[i];
    enum ga_call_status status = ga_number_pack(in->number, call->loop->dtypes[i], &in->value);
    if (status != GA_CALL_FOREIGN)
        return status;
    if (ga_convert_scalar(call->state, in->number, call->loop->descrs[i], &in->value) == 0)
        return GA_CALL_OK;
    /* add(2**70, 1): without arrays NumPy turns to Python's integers. */
    bool alone = call->in[0].array == NULL && (call->nin == 1 || call->in[1].array == NULL);
    if (!alone || !PyErr_ExceptionMatches(PyExc_OverflowError))
        return GA_CALL_ERROR;
    PyErr_Clear();
    return GA_CALL_FOREIGN;
}

/* Loops of bools and times have no kernels that convert. */
bool
ga_loop_reads(const ga_resolution *loop, const GaUfunc *ufunc, int i, enum ga_dtype dtype)
{
    bool converts = !loop->widened;
    for (int k = 0; k < ufunc->info->nin; k++)
        converts &= ga_registry_widens(GA_b1, loop->dtypes[k]);
    return converts && ga_registry_widens(dtype, loop->dtypes[i]);
}

enum ga_call_status
ga_call_cast_inputs(ga_call *call)
{
    const bool plain = !call->chooses && call->options.formula == NULL;
    for (int i = 0; i < call->nin; i++) {
        ga_input *in = &call->in[i];
        if (in->array == NULL) {
            enum ga_call_status status = pack_number(call, i);
            if (status != GA_CALL_OK)
                return status;
            continue;
        }
        PyArray_Descr *descr = call->loop->descrs[i];
        bool same = in->array->dtype == call->loop->dtypes[i] && !PyDataType_ISDATETIME(descr);
        if (same || PyArray_EquivTypes(in->array->descr, descr))
            continue;
        if (plain && ga_loop_reads(call->loop, call->ufunc, i, in->array->dtype))
            continue;
        GaArray *cast = ga_transfer_cast(call->state, in->array, descr);
        if (cast == NULL)
            return GA_CALL_ERROR;
        Py_SETREF(in->array, cast);
    }
    return GA_CALL_OK;
}

/* The exponents in the shape of the call, as the mask has it. */
static GaArray *
broadcast_exponents(ga_call *call)
{
    int64_t strides[GA_MAXDIMS];
    GaArray *given = call->in[1].array;
    if (call->mask == NULL)
        return (GaArray *)Py_NewRef(given);
    if (ga_layout_broadcast_strides(call->ndim, call->shape, given->ndim, given->shape,
                                    given->strides, strides) < 0)
        return (GaArray *)ga_raise();
    return ga_array_view(call->state, given, NULL, call->ndim, call->shape, strides, 0);
}

/* Exponents where nothing is computed do not count. */
static enum ga_call_status
check_exponent(ga_call *call)
{
    PyArray_Descr *descr = call->loop->descrs[1];
    if (!ga_exponent_counts(call->op, call->loop->dtypes[1]))
        return GA_CALL_OK;
    for (int i = 0; i < call->ndim; i++) {
        if (call->shape[i] == 0)
            return GA_CALL_OK;
    }
    if (call->in[1].array == NULL)
        return ga_exponent_check_number(&call->in[1].value, call->loop->dtypes[1]);
    GaArray *exponents = broadcast_exponents(call);
    enum ga_call_status status = exponents == NULL ? GA_CALL_ERROR
                                                   : ga_exponent_check(call->state, exponents, call->mask, descr);
    Py_XDECREF(exponents);
    return status;
}

static enum ga_call_status
run_stages(ga_call *call, PyObject *const *inputs)
{
    enum ga_call_status status = ga_call_take_operands(call, inputs);
    if (status == GA_CALL_OK)
        status = ga_call_resolve(call);
    if (status == GA_CALL_OK)
        status = ga_call_broadcast(call);
    if (status == GA_CALL_OK)
        status = ga_call_make_outputs(call);
    int constant = status == GA_CALL_OK ? compare_outside(call) : 0;
    if (status == GA_CALL_OK && constant == 0)
        status = ga_call_cast_inputs(call);
    if (status == GA_CALL_OK)
        status = check_exponent(call);
    if (status == GA_CALL_OK)
        status = ga_call_separate(call);
    if (status == GA_CALL_OK && constant != 0)
        make_constant(call, constant);
    if (status == GA_CALL_OK && ga_launch_call(call) < 0)
        status = GA_CALL_ERROR;
    return status == GA_CALL_OK ? ga_call_store_outputs(call) : status;
}

/* Hands out one output; without dimensions and not the caller's own it stands for a scalar. */
static PyObject *
give_output(ga_call *call, int i)
{
    GaArray *out = call->out[i];
    call->out[i] = NULL;
    if (call->options.out[i] == NULL && out->ndim == 0)
        ga_array_as_scalar(out);
    return (PyObject *)out;
}

static PyObject *
give_outputs(ga_call *call)
{
    if (call->nout == 1)
        return give_output(call, 0);
    PyObject *pair = PyTuple_New(2);
    for (int i = 0; pair != NULL && i < 2; i++)
        PyTuple_SET_ITEM(pair, i, give_output(call, i));
    return pair;
}

enum ga_call_status
ga_call_run(GaState *state, GaUfunc *ufunc, PyObject *const *inputs,
            const ga_ufunc_options *options, PyObject **result)
{
    ga_call call;
    ga_call_begin(&call, state, ufunc->op, options);
    enum ga_call_status status = run_stages(&call, inputs);
    if (status == GA_CALL_OK) {
        *result = give_outputs(&call);
        status = *result != NULL ? GA_CALL_OK : GA_CALL_ERROR;
    }
    ga_call_clear(&call);
    return status;
}
