/* _express: a chain of element-wise steps as one launch. gpuarray/_chains.py writes the steps, and
 * sees to it that arrays have dtypes which the kernel reads and that a given result shares no
 * memory with what is read. Includes array.h, core/iter.h, launch.h. */
#include "arguments.h"
#include "array.h"
#include "dtype.h"
#include "launch.h"
#include "module.h"
#include "transfer.h"
#include "ufunc_call.h"

#include "../core/iter.h"

/* Arrays are those read, then the results; owned, NULL where not yet there. */
typedef struct {
    GaState *state;
    ga_device *device;
    int inputs, count, ndim;
    GaArray *arrays[GA_EXPRESSION_ARGS];
    bool made[GA_EXPRESSION_ARGS]; /* here, not the caller's */
    int64_t shape[GA_MAXDIMS];
    int64_t strides[GA_EXPRESSION_ARGS][GA_MAXDIMS];
    ga_expression_call call;
} expression;

static int
refuse(const char *what)
{
    PyErr_Format(PyExc_ValueError, "_express: %s", what);
    return -1;
}

/* Whether a step names places, arrays and numbers that there are. */
static bool
is_step(const expression *e, const ga_expression_step *s, Py_ssize_t numbers)
{
    bool place = s->to < GA_EXPRESSION_PLACES, source = s->x < GA_EXPRESSION_PLACES;
    switch (s->what) {
    case GA_STEP_load:
        return place && s->x < e->inputs;
    case GA_STEP_number:
        return place && s->x < numbers;
    case GA_STEP_store:
        return source && s->to >= e->inputs && s->to < e->count;
    default:
        return s->what < GA_STEP_COUNT && place && source && s->y < GA_EXPRESSION_PLACES &&
               s->z < GA_EXPRESSION_PLACES;
    }
}

static int
take_steps(expression *e, PyObject *object, Py_ssize_t numbers)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0)
        return -1;
    if (size > (Py_ssize_t)sizeof e->call.steps)
        return refuse("too many steps");
    memcpy(e->call.steps, bytes, (size_t)size);
    e->call.count = (int32_t)(size / (Py_ssize_t)sizeof e->call.steps[0]);
    for (int i = 0; i < e->call.count; i++) {
        if (!is_step(e, &e->call.steps[i], numbers))
            return refuse("a step names what is not there");
    }
    return 0;
}

static int
take_numbers(expression *e, PyObject *tuple)
{
    if (PyTuple_GET_SIZE(tuple) > GA_EXPRESSION_NUMBERS)
        return refuse("too many numbers");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        enum ga_call_status status = ga_number_pack(PyTuple_GET_ITEM(tuple, i), e->call.dtype, &e->call.numbers[i]);
        if (status == GA_CALL_FOREIGN)
            return refuse("a number that the dtype does not hold");
        if (status != GA_CALL_OK)
            return -1;
    }
    return 0;
}

static int
take_inputs(expression *e, PyObject *tuple)
{
    e->inputs = (int)PyTuple_GET_SIZE(tuple);
    for (int i = 0; i < e->inputs; i++) {
        GaArray *a = (GaArray *)PyTuple_GET_ITEM(tuple, i);
        if (!GA_ARRAY_CHECK(e->state, a))
            return refuse("what is read must be arrays");
        if (i > 0 && ga_array_device(a) != e->device)
            return refuse("the arrays are on different devices");
        e->device = ga_array_device(a);
        e->arrays[i] = ga_transfer_aligned(a) ? (GaArray *)Py_NewRef(a) : ga_transfer_copy(e->state, a, NULL, NULL, 'K');
        if (e->arrays[i] == NULL)
            return -1;
    }
    return 0;
}

/* The shape of the results, and the strides of what is read in it. */
static int
broadcast_inputs(expression *e)
{
    int ndims[GA_EXPRESSION_ARGS];
    const int64_t *shapes[GA_EXPRESSION_ARGS];
    for (int i = 0; i < e->inputs; i++) {
        ndims[i] = e->arrays[i]->ndim;
        shapes[i] = e->arrays[i]->shape;
    }
    if (ga_layout_broadcast(e->inputs, ndims, shapes, &e->ndim, e->shape) < 0)
        return ga_raise_int();
    for (int i = 0; i < e->inputs; i++) {
        const GaArray *a = e->arrays[i];
        if (ga_layout_broadcast_strides(e->ndim, e->shape, a->ndim, a->shape, a->strides, e->strides[i]) < 0)
            return ga_raise_int();
    }
    return 0;
}

/* An array in the order that a ufunc of what is read would give its result. */
static GaArray *
make_result(expression *e, PyObject *dtype)
{
    int64_t strides[GA_MAXDIMS];
    const int64_t *models[GA_EXPRESSION_ARGS];
    PyArray_Descr *descr = NULL;
    if (ga_dtype_parse(dtype, &descr) < 0 || descr == NULL)
        return NULL;
    for (int i = 0; i < e->inputs; i++)
        models[i] = e->strides[i];
    ga_layout_strides_common(e->ndim, e->shape, e->inputs, models, (int64_t)PyDataType_ELSIZE(descr), strides);
    GaArray *result = ga_array_new_strided(e->state, e->device, descr, e->ndim, e->shape, strides);
    Py_DECREF(descr);
    return result;
}

static bool
fits_result(const expression *e, const GaArray *a)
{
    return a->ndim == e->ndim && memcmp(a->shape, e->shape, sizeof(int64_t) * (size_t)e->ndim) == 0 &&
           ga_array_device(a) == e->device && ga_transfer_aligned(a);
}

static int
take_results(expression *e, PyObject *tuple)
{
    e->count = e->inputs;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *given = PyTuple_GET_ITEM(tuple, i);
        bool made = !GA_ARRAY_CHECK(e->state, given);
        GaArray *a = made ? make_result(e, given) : (GaArray *)Py_NewRef(given);
        if (a == NULL)
            return -1;
        e->arrays[e->count] = a;
        e->made[e->count] = made;
        if (!made && !fits_result(e, a))
            return refuse("a result does not fit");
        memcpy(e->strides[e->count++], a->strides, sizeof(int64_t) * (size_t)a->ndim);
    }
    return 0;
}

static int
find_pointers(expression *e, ga_stream **stream, char **data)
{
    for (int i = 0; i < e->count; i++) {
        if (ga_array_pointer(e->arrays[i], i < e->inputs ? GA_READ : GA_WRITE, stream, &data[i]) < 0)
            return -1;
    }
    return 0;
}

static int
launch_steps(expression *e)
{
    char *data[GA_EXPRESSION_ARGS];
    const int64_t *strides[GA_EXPRESSION_ARGS];
    ga_expression_call *call = &e->call;
    ga_stream *stream = NULL;
    ga_iter it;
    if (find_pointers(e, &stream, data) < 0)
        return -1;
    call->arrays = e->count;
    for (int i = 0; i < e->count; i++) {
        call->dtypes[i] = e->arrays[i]->dtype;
        strides[i] = e->strides[i];
    }
    ga_iter_begin(&it, e->ndim, e->shape, e->count, strides, true);
    do {
        call->ndim = it.ndim;
        call->size = it.size;
        memcpy(call->shape, it.shape, sizeof call->shape);
        for (int i = 0; i < e->count; i++) {
            call->args[i].data = data[i] + it.offsets[i];
            memcpy(call->args[i].strides, it.strides[i], sizeof call->args[i].strides);
        }
        if (it.size > 0 && ga_launch_expression(e->device, call, stream) < 0)
            return -1;
    } while (ga_iter_next(&it));
    return 0;
}

/* What was made here stands for a scalar where it has no axes. */
static PyObject *
give_results(const expression *e)
{
    PyObject *results = PyTuple_New(e->count - e->inputs);
    for (int i = e->inputs; results != NULL && i < e->count; i++) {
        if (e->made[i] && e->ndim == 0)
            ga_array_as_scalar(e->arrays[i]);
        PyTuple_SET_ITEM(results, i - e->inputs, Py_NewRef(e->arrays[i]));
    }
    return results;
}

static int
take_dtype(expression *e, PyObject *object)
{
    PyArray_Descr *descr = NULL;
    if (ga_dtype_parse(object, &descr) < 0)
        return -1;
    e->call.dtype = descr != NULL ? ga_dtype_of(descr) : GA_f64;
    Py_XDECREF(descr);
    return 0;
}

enum { DTYPE, STEPS, ARRAYS, NUMBERS, RESULTS, ARGUMENTS };

static PyObject *
express(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    expression e = {.state = PyModule_GetState(module)};
    PyObject *results = NULL;
    if (!ga_arguments_count("_express", nargs, ARGUMENTS, ARGUMENTS))
        return NULL;
    bool tuples = PyTuple_Check(args[ARRAYS]) && PyTuple_Check(args[NUMBERS]) && PyTuple_Check(args[RESULTS]);
    if (!tuples || PyTuple_GET_SIZE(args[ARRAYS]) == 0 ||
        PyTuple_GET_SIZE(args[ARRAYS]) + PyTuple_GET_SIZE(args[RESULTS]) > GA_EXPRESSION_ARGS)
        return PyErr_Format(PyExc_ValueError, "_express: too few or too many arrays");
    if (take_dtype(&e, args[DTYPE]) == 0 && take_numbers(&e, args[NUMBERS]) == 0 &&
        take_inputs(&e, args[ARRAYS]) == 0 && broadcast_inputs(&e) == 0 && take_results(&e, args[RESULTS]) == 0 &&
        take_steps(&e, args[STEPS], PyTuple_GET_SIZE(args[NUMBERS])) == 0 && launch_steps(&e) == 0)
        results = give_results(&e);
    for (int i = 0; i < GA_EXPRESSION_ARGS; i++)
        Py_XDECREF(e.arrays[i]);
    return results;
}

static PyMethodDef expression_functions[] = {
    {"_express", (PyCFunction)(void (*)(void))express, METH_FASTCALL,
     "_express($module, dtype, steps, arrays, numbers, results, /)\n--\n\nRun steps (bytes, five a step) in a dtype over arrays "
     "and numbers; results are arrays or dtypes."},
    {NULL, NULL, 0, NULL},
};

/* _express_steps: the names of the steps, in the order of their numbers. */
static PyObject *
list_steps(void)
{
    static const char *const names[] = {
        "load", "number", "store", "single", "select",
#define GA_STEP_NAME(name) #name,
        GA_STEPS(GA_STEP_NAME)
#undef GA_STEP_NAME
    };
    PyObject *list = PyTuple_New(GA_STEP_COUNT);
    for (int i = 0; list != NULL && i < GA_STEP_COUNT; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        if (name == NULL)
            Py_CLEAR(list);
        else
            PyTuple_SET_ITEM(list, i, name);
    }
    return list;
}

int
ga_expression_init(PyObject *module, GaState *state)
{
    (void)state;
    PyObject *names = list_steps();
    int rc = names != NULL ? PyModule_AddObjectRef(module, "_express_steps", names) : -1;
    Py_XDECREF(names);
    return rc < 0 ? -1 : PyModule_AddFunctions(module, expression_functions);
}
