/* _sum_present, _mean_present: nansum and nanmean of floats, as reductions of add with kernels of their own. */
#include "module.h"
#include "reduce_parse.h"

enum { OPERAND, AXIS, DTYPE, OUT, KEEPDIMS, INITIAL, WHERE, COUNT };

static PyObject *
reduce_present(PyObject *module, const char *name, enum ga_reduce_form form, PyObject *const *args, Py_ssize_t nargs)
{
    ga_reduce_args reduce;
    if (!_PyArg_CheckPositional(name, nargs, COUNT, COUNT) || ga_reduce_take(args + AXIS, &reduce) < 0)
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

static PyMethodDef present_functions[] = {
    {"_sum_present", (PyCFunction)(void (*)(void))sum_present, METH_FASTCALL,
     "_sum_present($module, a, axis, dtype, out, keepdims, initial, where, /)\n--\n\nSum of the floats that are no NaN."},
    {"_mean_present", (PyCFunction)(void (*)(void))mean_present, METH_FASTCALL,
     "_mean_present($module, a, axis, dtype, out, keepdims, initial, where, /)\n--\n\nMean of the floats that are no "
     "NaN."},
    {NULL, NULL, 0, NULL},
};

int
ga_present_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, present_functions);
}
