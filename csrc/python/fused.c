/* _fused_key, _fused_function and _fused_call: the parts of gpuarray.fuse that each call goes
 * through. A function is a capsule over a ga_fused_function, which it owns. Called by
 * gpuarray/_fusion.py alone, which answers for the types of arguments. */
#include "fused.h"

#include "arguments.h"
#include "convert.h"
#include "dtype.h"
#include "module.h"
#include "program.h"
#include "ufunc_call.h"

#define CAPSULE "gpuarray.fused"

/* ---- what a call looks like ---- */

enum { KEY_BOOL = 64, KEY_INT = 66, KEY_FLOAT, KEY_COMPLEX, KEY_TYPED };

/* The byte for an argument that is no array; 0 for one that fused functions do not take. */
static uint8_t
code_of_number(PyObject *object)
{
    if (PyFloat_CheckExact(object))
        return KEY_FLOAT;
    if (PyLong_CheckExact(object))
        return KEY_INT;
    if (PyBool_Check(object))
        return (uint8_t)(KEY_BOOL + (object == Py_True)); /* a switch, most often */
    if (PyComplex_CheckExact(object))
        return KEY_COMPLEX;
    if (!PyArray_IsScalar(object, Number) && !PyArray_IsScalar(object, Bool))
        return 0;
    PyArray_Descr *descr = PyArray_DescrFromScalar(object);
    enum ga_dtype dtype = descr != NULL ? ga_dtype_of(descr) : GA_DTYPE_COUNT;
    Py_XDECREF(descr);
    PyErr_Clear();
    return dtype < GA_M8 ? (uint8_t)(KEY_TYPED + dtype) : 0;
}

/* The byte for an array, whose device is *device or becomes it; 0 for one that fused functions do not take. */
static uint8_t
code_of_array(const GaArray *a, ga_device **device)
{
    ga_device *here = ga_array_device(a);
    if (here->is_cpu || (*device != NULL && *device != here) || a->dtype >= GA_M8)
        return 0;
    *device = here;
    return (uint8_t)(1 + a->dtype);
}

static PyObject *
make_key(PyObject *module, PyObject *values)
{
    GaState *state = PyModule_GetState(module);
    ga_device *device = NULL;
    uint8_t key[64];
    Py_ssize_t count = PyTuple_GET_SIZE(values);
    if (count >= (Py_ssize_t)sizeof key)
        Py_RETURN_NONE;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *value = PyTuple_GET_ITEM(values, i);
        bool array = GA_ARRAY_CHECK(state, value);
        key[i] = array ? code_of_array((GaArray *)value, &device) : code_of_number(value);
        if (key[i] == 0)
            Py_RETURN_NONE;
    }
    if (device == NULL)
        Py_RETURN_NONE;
    key[count] = (uint8_t)device->index;
    return PyBytes_FromStringAndSize((const char *)key, count + 1);
}

/* ---- a function ---- */

static void
clear_function(ga_fused_function *function)
{
    for (int i = 0; i < function->noutputs; i++)
        Py_CLEAR(function->outputs[i].descr);
    for (int i = 0; i < function->nnumbers; i++)
        Py_CLEAR(function->numbers[i].descr);
    Py_CLEAR(function->program);
    Py_CLEAR(function->name);
    PyMem_Free(function->steps);
    PyMem_Free(function);
}

static void
free_function(PyObject *capsule)
{
    clear_function(PyCapsule_GetPointer(capsule, CAPSULE));
}

/* Entries of a tuple, of which there may be `most`; -1 with a ValueError. */
static int
count_entries(PyObject *tuple, int most)
{
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    if (count <= most)
        return (int)count;
    PyErr_Format(PyExc_ValueError, "a fused kernel takes %d of these, not %zd", most, count);
    return -1;
}

static int
take_integers(PyObject *tuple, int *out, int *count)
{
    int entries = count_entries(tuple, GA_FUSED_ARRAYS);
    for (int i = 0; i < entries; i++)
        out[i] = (int)PyLong_AsLong(PyTuple_GET_ITEM(tuple, i));
    *count = entries < 0 ? 0 : entries;
    return entries < 0 || PyErr_Occurred() ? -1 : 0;
}

/* (layout, dtype, argument or -1) each. */
static int
take_outputs(ga_fused_function *function, PyObject *tuple)
{
    int count = count_entries(tuple, GA_FUSED_ARRAYS - function->ninputs);
    for (int i = 0; i < count; i++) {
        ga_fused_output *output = &function->outputs[i];
        PyObject *dtype;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(tuple, i), "iOi", &output->layout, &dtype, &output->target) ||
            ga_dtype_parse(dtype, &output->descr) < 0)
            return -1;
        function->noutputs = i + 1;
    }
    return count < 0 ? -1 : 0;
}

/* (argument or -1, dtype, value) each. */
static int
take_numbers(GaState *state, ga_fused_function *function, PyObject *tuple)
{
    int count = count_entries(tuple, GA_FUSED_NUMBERS);
    for (int i = 0; i < count; i++) {
        ga_fused_number *number = &function->numbers[i];
        PyObject *dtype, *value;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(tuple, i), "iOO", &number->index, &dtype, &value) ||
            ga_dtype_parse(dtype, &number->descr) < 0)
            return -1;
        function->nnumbers = i + 1;
        number->dtype = ga_dtype_of(number->descr);
        if (number->index < 0 && ga_convert_scalar(state, value, number->descr, &number->value) < 0)
            return -1;
    }
    return count < 0 ? -1 : 0;
}

/* (whether it keeps order, operands...) each. */
static int
take_step(const ga_fused_function *function, PyObject *tuple, ga_fused_step *step)
{
    int count = count_entries(tuple, GA_FUSED_OPERANDS + 1);
    if (count < 0)
        return -1;
    step->keeps = PyTuple_GET_ITEM(tuple, 0) == Py_True;
    step->count = count - 1;
    for (int i = 0; i < step->count; i++) {
        int operand = (int)PyLong_AsLong(PyTuple_GET_ITEM(tuple, i + 1)), earlier = operand - function->ninputs;
        if (PyErr_Occurred())
            return -1;
        step->operands[i] = operand;
        step->depends |= earlier < 0 ? 1u << operand : function->steps[earlier].depends;
    }
    return 0;
}

static int
take_steps(ga_fused_function *function, PyObject *tuple)
{
    function->nsteps = (int)PyTuple_GET_SIZE(tuple);
    function->steps = PyMem_Calloc((size_t)function->nsteps + 1, sizeof *function->steps);
    if (function->steps == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < function->nsteps; i++) {
        if (take_step(function, PyTuple_GET_ITEM(tuple, i), &function->steps[i]) < 0)
            return -1;
    }
    return 0;
}

static PyObject *
make_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    if (!ga_arguments_count("_fused_function", nargs, 8, 8))
        return NULL;
    ga_fused_function *function = PyMem_Calloc(1, sizeof *function);
    if (function == NULL)
        return PyErr_NoMemory();
    function->program = Py_NewRef(args[0]);
    function->name = Py_NewRef(args[1]);
    function->lanes = (int)PyLong_AsLong(args[2]);
    bool good = take_integers(args[3], function->inputs, &function->ninputs) == 0 &&
                take_outputs(function, args[4]) == 0 &&
                take_numbers(PyModule_GetState(module), function, args[5]) == 0 &&
                take_steps(function, args[6]) == 0 && take_integers(args[7], function->whole, &function->nwhole) == 0;
    PyObject *capsule = good ? PyCapsule_New(function, CAPSULE, free_function) : NULL;
    if (capsule == NULL)
        clear_function(function);
    return capsule;
}

static PyObject *
call_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    if (!ga_arguments_count("_fused_call", nargs, 2, 2))
        return NULL;
    const ga_fused_function *function = PyCapsule_GetPointer(args[0], CAPSULE);
    return function == NULL ? NULL : ga_fused_call_function(PyModule_GetState(module), function, args[1]);
}

/* ---- which loop a ufunc has ---- */

static int
take_question(GaUfunc *ufunc, PyObject *operands, PyObject *dtype, ga_question *question)
{
    *question = (ga_question){.casting = NPY_SAME_KIND_CASTING};
    for (int i = 0; i < 4; i++)
        question->codes[i] = GA_CODE_NONE;
    for (int i = 0; i < ufunc->info->nin; i++) {
        PyObject *operand = PyTuple_GET_ITEM(operands, i);
        if (PyArray_DescrCheck(operand)) {
            question->descrs[i] = (PyArray_Descr *)operand;
            question->codes[i] = (enum ga_operand_code)ga_dtype_of(question->descrs[i]);
        } else {
            question->codes[i] = operand == (PyObject *)&PyLong_Type    ? GA_CODE_INT
                                 : operand == (PyObject *)&PyFloat_Type ? GA_CODE_FLOAT
                                                                        : GA_CODE_COMPLEX;
        }
    }
    if (dtype != Py_None)
        question->signature[ufunc->info->nin] = (PyArray_Descr *)dtype;
    return 0;
}

/* NotImplemented where the operation needs more than one kernel of ours. */
static PyObject *
resolve_loop(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    ga_question question;
    const ga_resolution *loop;
    if (!ga_arguments_count("_fused_loop", nargs, 3, 3))
        return NULL;
    GaUfunc *ufunc = (GaUfunc *)args[0];
    take_question(ufunc, args[1], args[2], &question);
    enum ga_call_status status = ga_resolve_loop(ufunc, &question, &loop);
    if (status == GA_CALL_ERROR)
        return NULL;
    if (status == GA_CALL_FOREIGN || loop->widened)
        Py_RETURN_NOTIMPLEMENTED;
    int count = ufunc->info->nin + ufunc->info->nout;
    PyObject *dtypes = PyTuple_New(count);
    for (int i = 0; dtypes != NULL && i < count; i++)
        PyTuple_SET_ITEM(dtypes, i, Py_NewRef((PyObject *)loop->descrs[i]));
    return dtypes;
}

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL

static PyMethodDef fused_functions[] = {
    {"_fused_key", make_key, METH_O,
     "_fused_key($module, values, /)\n--\n\nBytes that are equal for calls that one kernel can serve, or None."},
    {"_fused_loop", FAST(resolve_loop),
     "_fused_loop($module, ufunc, operands, dtype, /)\n--\n\nDtypes of the loop for operands that are dtypes, or int, float, "
     "complex."},
    {"_fused_function", FAST(make_function),
     "_fused_function($module, program, name, lanes, inputs, outputs, numbers, steps, whole, /)\n--\n\nA function that a kernel "
     "computes."},
    {"_fused_call", FAST(call_function),
     "_fused_call($module, function, values, /)\n--\n\nThe results as a tuple, or None."},
    {NULL, NULL, 0, NULL},
};

int
ga_fused_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, fused_functions);
}
