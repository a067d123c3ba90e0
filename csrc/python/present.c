/* _sum_present, _mean_present, _count_nonzero: nansum and nanmean of floats, and counts, as
 * reductions of add with kernels of their own. */
#include "arguments.h"
#include "module.h"
#include "reduce_parse.h"

enum { OPERAND, AXIS, DTYPE, OUT, KEEPDIMS, INITIAL, WHERE, COUNT };

static PyObject *
reduce_present(PyObject *module, const char *name, enum ga_reduce_form form, PyObject *const *args, Py_ssize_t nargs)
{
    ga_reduce_args reduce;
    if (!ga_arguments_count(name, nargs, COUNT, COUNT) || ga_reduce_take(args + AXIS, &reduce) < 0)
        return NULL;
    reduce.form = form;
    return ga_ufunc_reduce(PyModule_GetState(module), GA_UF_add, args[OPERAND], &reduce);
}

static PyObject *
sum_present(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return reduce_present(module, "_sum_present", GA_REDUCE_SUM_PRESENT, args, nargs);
}

static PyObject *
mean_present(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return reduce_present(module, "_mean_present", GA_REDUCE_MEAN_PRESENT, args, nargs);
}

static PyObject *
count_nonzero(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    ga_reduce_args reduce = {.form = GA_REDUCE_NONZERO, .axis_given = true};
    if (!ga_arguments_count("_count_nonzero", nargs, 3, 3))
        return NULL;
    int keepdims = PyObject_IsTrue(args[2]);
    reduce.axis = args[1] == Py_None ? NULL : args[1];
    reduce.dtype = (PyObject *)state->descrs[GA_i64];
    reduce.keepdims = keepdims > 0;
    return keepdims < 0 ? NULL : ga_ufunc_reduce(state, GA_UF_add, args[0], &reduce);
}

static PyMethodDef present_functions[] = {
    {"_sum_present", (PyCFunction)(void (*)(void))sum_present, METH_FASTCALL,
     "_sum_present($module, a, axis, dtype, out, keepdims, initial, where, /)\n--\n\nSum of the floats that are no NaN."},
    {"_mean_present", (PyCFunction)(void (*)(void))mean_present, METH_FASTCALL,
     "_mean_present($module, a, axis, dtype, out, keepdims, initial, where, /)\n--\n\nMean of the floats that are no "
     "NaN."},
    {"_count_nonzero", (PyCFunction)(void (*)(void))count_nonzero, METH_FASTCALL,
     "_count_nonzero($module, a, axis, keepdims, /)\n--\n\nHow many elements are not zero: floats and integers of 32 and "
     "64 bits."},
    {NULL, NULL, 0, NULL},
};

int
ga_present_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, present_functions);
}
