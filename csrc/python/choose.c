/* where(condition, x, y) and assignment under a mask, as ufunc calls whose launch is the choose slot: the stages of
 * ufunc_call.h take the operands, broadcast and convert them and separate them from the output. Includes choose.h. */
#include "arguments.h"
#include "array_type.h"
#include "choose.h"

#include "dtype.h"
#include "index.h"
#include "module.h"
#include "transfer.h"
#include "ufunc_call.h"

/* The condition as bytes that are true where they are not zero. */
static enum ga_call_status
read_condition(ga_call *call)
{
    if (ga_array_itemsize(call->mask) == 1 && !ga_registry_is_stored(call->mask->dtype))
        return GA_CALL_OK; /* a float's negative zero is not zero as a byte */
    GaArray *truth = ga_transfer_cast(call->state, call->mask, call->state->descrs[GA_b1]);
    if (truth == NULL)
        return GA_CALL_ERROR;
    Py_SETREF(call->mask, truth);
    return GA_CALL_OK;
}

/* A loop that takes and gives one dtype. descr is borrowed. */
static void
fill_loop(ga_resolution *loop, PyArray_Descr *descr, enum ga_dtype dtype)
{
    *loop = (ga_resolution){.widened = false};
    for (int i = 0; i < 4; i++) {
        loop->descrs[i] = descr;
        loop->dtypes[i] = dtype;
    }
}

/* ---- a new array: where ---- */

typedef struct {
    ga_call call;
    ga_resolution loop;    /* of times and stored dtypes */
    PyArray_Descr *common; /* owned: the dtype of such a loop */
    PyObject *wrapped[2];  /* owned */
} where_call;

static bool
is_time(const ga_input *in)
{
    return in->code == (enum ga_operand_code)GA_M8 || in->code == (enum ga_operand_code)GA_m8;
}

/* What promotes otherwise in NumPy's where than in its maximum, or has units. */
static bool
is_special(const ga_input *in)
{
    return is_time(in) || ga_registry_is_stored((enum ga_dtype)in->code);
}

/* Numbers are promoted as maximum's operands are. Of times and the dtypes of ml_dtypes NumPy is asked each time. */
static enum ga_call_status
promote_operands(where_call *where)
{
    ga_call *call = &where->call;
    PyObject *given[2];
    if (!is_special(&call->in[0]) && !is_special(&call->in[1]))
        return ga_call_resolve(call);
    for (int i = 0; i < 2; i++)
        given[i] = call->in[i].descr != NULL ? (PyObject *)call->in[i].descr : call->in[i].number;
    where->common = (PyArray_Descr *)PyObject_CallMethod(call->state->numpy, "result_type", "OO",
                                                         given[0], given[1]);
    if (where->common == NULL)
        return GA_CALL_ERROR;
    fill_loop(&where->loop, where->common, ga_dtype_of(where->common));
    call->loop = &where->loop;
    return where->loop.dtypes[0] != GA_DTYPE_COUNT ? GA_CALL_OK : GA_CALL_FOREIGN;
}

/* Unlike a ufunc, where takes any Python int that 64 bits hold and cuts it to the result's dtype. */
static enum ga_call_status
wrap_number(where_call *where, int i)
{
    ga_input *in = &where->call.in[i];
    enum ga_dtype dtype = where->call.loop->dtypes[i];
    int overflow = 0, spare = 64 - 8 * ga_registry_dtype(dtype)->itemsize;
    if (in->code != GA_CODE_INT || ga_number_outside(in->number, dtype) == 0)
        return GA_CALL_OK;
    int64_t low = PyLong_AsLongLongAndOverflow(in->number, &overflow);
    uint64_t bits = overflow > 0 ? PyLong_AsUnsignedLongLong(in->number) : (uint64_t)low;
    if (overflow < 0)
        PyErr_SetString(PyExc_OverflowError, "where: a Python int has more than 64 bits");
    if (PyErr_Occurred())
        return GA_CALL_ERROR;
    bits <<= spare;
    where->wrapped[i] = ga_registry_dtype(dtype)->kind == 'u'
                            ? PyLong_FromUnsignedLongLong(bits >> spare)
                            : PyLong_FromLongLong((int64_t)bits >> spare);
    in->number = where->wrapped[i];
    return in->number != NULL ? GA_CALL_OK : GA_CALL_ERROR;
}

static enum ga_call_status
run_where(where_call *where, PyObject *const *inputs)
{
    ga_call *call = &where->call;
    enum ga_call_status status = ga_call_take_operands(call, inputs);
    if (status == GA_CALL_OK)
        status = read_condition(call);
    if (status == GA_CALL_OK)
        status = promote_operands(where);
    for (int i = 0; i < 2 && status == GA_CALL_OK; i++)
        status = wrap_number(where, i);
    if (status == GA_CALL_OK)
        status = ga_call_broadcast(call);
    if (status == GA_CALL_OK)
        status = ga_call_make_outputs(call);
    if (status == GA_CALL_OK)
        status = ga_call_cast_inputs(call);
    if (status == GA_CALL_OK)
        status = ga_call_separate(call);
    return status == GA_CALL_OK && ga_launch_call(call) < 0 ? GA_CALL_ERROR : status;
}

/* What cannot be chosen here: by symbols while a function is traced (gpuarray/_symbols.py), or by NumPy. */
static PyObject *
leave_where(GaState *state, PyObject *const *args)
{
    for (int i = 0; i < 3; i++) {
        if (ga_operand_symbolic(state, args[i]))
            return ga_forward_call(state, "where_traced", args[0], args + 1, 2, NULL);
    }
    Py_RETURN_NOTIMPLEMENTED;
}

/* NotImplemented where no device holds an operand's data. */
static PyObject *
choose_where(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    where_call where = {.common = NULL};
    ga_ufunc_options options = {.casting = NPY_SAME_KIND_CASTING, .order = 'K'};
    PyObject *result = NULL;
    if (!ga_arguments_count("_where", nargs, 3, 3))
        return NULL;
    options.where = args[0];
    ga_call_begin(&where.call, PyModule_GetState(module), GA_UF_maximum, &options);
    where.call.chooses = true;
    enum ga_call_status status = run_where(&where, args + 1);
    if (status == GA_CALL_OK)
        result = Py_NewRef(where.call.out[0]);
    else if (status == GA_CALL_FOREIGN)
        result = leave_where(where.call.state, args);
    ga_call_clear(&where.call);
    Py_XDECREF(where.common);
    Py_XDECREF(where.wrapped[0]);
    Py_XDECREF(where.wrapped[1]);
    return result;
}

/* ---- into an array: the elements that the mask spares are chosen from the array itself ---- */

static void
begin_update(ga_call *call, ga_resolution *loop, GaState *state, GaArray *dst, GaArray *mask)
{
    ga_ufunc_options options = {.casting = NPY_UNSAFE_CASTING, .order = 'K'};
    options.out[0] = (PyObject *)dst;
    ga_call_begin(call, state, GA_UF_maximum, &options);
    fill_loop(loop, dst->descr, dst->dtype);
    call->chooses = true;
    call->device = ga_array_device(dst);
    call->loop = loop;
    call->in[1].array = (GaArray *)Py_NewRef(dst);
    call->mask = (GaArray *)Py_NewRef(mask);
}

/* Takes the references that the call holds. */
static int
finish_update(ga_call *call)
{
    enum ga_call_status status = read_condition(call);
    if (status == GA_CALL_OK)
        status = ga_call_broadcast(call);
    if (status == GA_CALL_OK)
        status = ga_call_make_outputs(call);
    if (status == GA_CALL_OK)
        status = ga_call_separate(call);
    if (status == GA_CALL_OK && ga_launch_call(call) < 0)
        status = GA_CALL_ERROR;
    if (status == GA_CALL_OK)
        status = ga_call_store_outputs(call);
    ga_call_clear(call);
    return status == GA_CALL_OK ? 0 : -1;
}

int
ga_choose_into(GaState *state, GaArray *dst, GaArray *value, GaArray *mask)
{
    ga_call call;
    ga_resolution loop;
    GaArray *cast = ga_transfer_cast(state, value, dst->descr);
    if (cast == NULL)
        return -1;
    begin_update(&call, &loop, state, dst, mask);
    call.in[0].array = cast;
    return finish_update(&call);
}

int
ga_choose_fill(GaState *state, GaArray *dst, const ga_scalar *value, GaArray *mask)
{
    ga_call call;
    ga_resolution loop;
    begin_update(&call, &loop, state, dst, mask);
    call.in[0].value = *value;
    return finish_update(&call);
}

static bool
check_arrays(GaState *state, PyObject *dst, PyObject *mask)
{
    PyObject *wrong = !GA_ARRAY_CHECK(state, dst)    ? dst
                      : !GA_ARRAY_CHECK(state, mask) ? mask
                                                     : NULL;
    if (wrong != NULL)
        PyErr_Format(PyExc_TypeError, "_copy_masked: expected an ndarray, got %.200s",
                     Py_TYPE(wrong)->tp_name);
    return wrong == NULL;
}

static PyObject *
choose_into(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    if (!ga_arguments_count("_copy_masked", nargs, 3, 3) ||
        !check_arrays(state, args[0], args[2]))
        return NULL;
    GaArray *dst = (GaArray *)args[0], *mask = (GaArray *)args[2];
    ga_index_value value;
    if (ga_index_take_value(state, dst, args[1], &value) < 0)
        return NULL;
    int rc = value.array != NULL ? ga_choose_into(state, dst, value.array, mask)
                                 : ga_choose_fill(state, dst, &value.number, mask);
    Py_XDECREF(value.array);
    return rc < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef choose_functions[] = {
    {"_where", (PyCFunction)(void (*)(void))choose_where, METH_FASTCALL,
     "_where($module, condition, x, y, /)\n--\n\nElements of x where the condition is true, of y "
     "elsewhere."},
    {"_copy_masked", (PyCFunction)(void (*)(void))choose_into, METH_FASTCALL,
     "_copy_masked($module, dst, value, mask, /)\n--\n\ndst[...] = value where the mask is true, "
     "converted without regard to casting rules; all on one device."},
    {NULL, NULL, 0, NULL},
};

int
ga_choose_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, choose_functions);
}
