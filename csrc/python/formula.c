/* _close, _clip, _replace_nan, _finite, _sinc, _round: formulas with parameters as ufunc calls
 * whose launch is the formula slot. The Python functions choose operands of one dtype that the
 * kernels have, so that a ufunc of the same operands (equal, positive) tells the dtypes. Includes
 * ufunc_call.h. */
#include "arguments.h"
#include "array_type.h"
#include "module.h"
#include "ufunc_call.h"

/* The dtype of the first array among the operands; the other one has it too, or is a Python number. */
static int
find_dtype(GaState *state, const char *function, PyObject *const *inputs, int count, enum ga_dtype *dtype)
{
    for (int i = 0; i < count; i++) {
        if (GA_ARRAY_CHECK(state, inputs[i])) {
            *dtype = ((GaArray *)inputs[i])->dtype;
            return 0;
        }
    }
    PyErr_Format(PyExc_TypeError, "%s: expected an ndarray, got %.200s", function, Py_TYPE(inputs[0])->tp_name);
    return -1;
}

/* A formula of symbols, while a function is traced (gpuarray/_symbols.py). */
static PyObject *
trace_formula(GaState *state, const char *function, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *name = PyUnicode_FromString(function);
    PyObject *result = name != NULL ? ga_forward_call(state, "formula_traced", name, args, nargs, NULL) : NULL;
    Py_XDECREF(name);
    return result;
}

static int
pack_parameter(const char *function, PyObject *number, enum ga_dtype dtype, ga_scalar *out)
{
    enum ga_call_status status = ga_number_pack(number, dtype, out);
    if (status == GA_CALL_FOREIGN)
        PyErr_Format(PyExc_TypeError, "%s: %R is no number of the elements' dtype", function, number);
    return status == GA_CALL_OK ? 0 : -1;
}

/* The parameters, Python numbers that follow the arrays among the arguments, as elements of the arrays' dtype. */
static int
read_parameters(GaState *state, const char *function, PyObject *const *args, int arrays, int parameters,
                ga_formula_call *formula)
{
    enum ga_dtype dtype;
    if (find_dtype(state, function, args, arrays, &dtype) < 0)
        return -1;
    for (int i = 0; i < parameters; i++)
        if (pack_parameter(function, args[arrays + i], dtype, &formula->p[i]) < 0)
            return -1;
    return 0;
}

static PyObject *
run_formula(GaState *state, enum ga_ufunc op, PyObject *const *inputs, PyObject *out, char order,
            ga_formula_call *formula)
{
    ga_ufunc_options options = {.casting = NPY_SAME_KIND_CASTING, .order = order, .formula = formula};
    PyObject *result = NULL;
    options.out[0] = out;
    enum ga_call_status status = ga_call_run(state, (GaUfunc *)state->ufuncs[op], inputs, &options, &result);
    if (status == GA_CALL_FOREIGN)
        PyErr_SetString(PyExc_TypeError, "expected arrays that a device holds");
    return result;
}

static PyObject *
compare_closely(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    ga_formula_call formula = {.formula = GA_FORMULA_CLOSE};
    if (!ga_arguments_count("_close", nargs, 5, 5))
        return NULL;
    if (ga_operand_symbolic(state, args[0]) || ga_operand_symbolic(state, args[1]))
        return trace_formula(state, "_close", args, nargs);
    if (read_parameters(state, "_close", args, 2, 2, &formula) < 0)
        return NULL;
    int nan = PyObject_IsTrue(args[4]);
    formula.nan = nan > 0;
    return nan < 0 ? NULL : run_formula(state, GA_UF_equal, args, NULL, 'K', &formula);
}

/* A formula of one array and `parameters` numbers; an argument behind them is `out`. */
static PyObject *
change_values(PyObject *module, const char *function, enum ga_formula which, int parameters, bool has_out,
              PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    ga_formula_call formula = {.formula = which};
    Py_ssize_t count = 1 + parameters + has_out;
    if (!ga_arguments_count(function, nargs, count, count))
        return NULL;
    if (ga_operand_symbolic(state, args[0]))
        return trace_formula(state, function, args, nargs);
    if (read_parameters(state, function, args, 1, parameters, &formula) < 0)
        return NULL;
    PyObject *out = has_out && args[count - 1] != Py_None ? args[count - 1] : NULL;
    return run_formula(state, GA_UF_positive, args, out, 'K', &formula);
}

static PyObject *
clip_values(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return change_values(module, "_clip", GA_FORMULA_CLIP, 2, true, args, nargs);
}

static PyObject *
replace_nan(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return change_values(module, "_replace_nan", GA_FORMULA_PRESENT, 1, false, args, nargs);
}

static PyObject *
replace_infinite(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return change_values(module, "_finite", GA_FORMULA_FINITE, 3, true, args, nargs);
}

static PyObject *
compute_sinc(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return change_values(module, "_sinc", GA_FORMULA_SINC, 2, false, args, nargs);
}

static PyObject *
round_decimals(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    ga_formula_call formula = {.formula = GA_FORMULA_ROUND};
    if (!ga_arguments_count("_round", nargs, 4, 4))
        return NULL;
    if (ga_operand_symbolic(state, args[0]))
        return trace_formula(state, "_round", args, nargs);
    if (read_parameters(state, "_round", args, 1, 1, &formula) < 0)
        return NULL;
    int inverse = PyObject_IsTrue(args[2]);
    formula.inverse = inverse > 0;
    PyObject *out = args[3] == Py_None ? NULL : args[3];
    return inverse < 0 ? NULL : run_formula(state, GA_UF_positive, args, out, 'A', &formula);
}

static PyMethodDef formula_functions[] = {
    {"_close", (PyCFunction)(void (*)(void))compare_closely, METH_FASTCALL,
     "_close($module, x, y, rtol, atol, equal_nan, /)\n--\n\nisclose of floats of one dtype or Python numbers."},
    {"_clip", (PyCFunction)(void (*)(void))clip_values, METH_FASTCALL,
     "_clip($module, x, low, high, out, /)\n--\n\nElements between two Python numbers that the dtype holds."},
    {"_replace_nan", (PyCFunction)(void (*)(void))replace_nan, METH_FASTCALL,
     "_replace_nan($module, x, value, /)\n--\n\nFloats or complex numbers with a Python number in place of NaN."},
    {"_finite", (PyCFunction)(void (*)(void))replace_infinite, METH_FASTCALL,
     "_finite($module, x, nan, posinf, neginf, out, /)\n--\n\nFloats with Python numbers in place of what is not finite."},
    {"_sinc", (PyCFunction)(void (*)(void))compute_sinc, METH_FASTCALL,
     "_sinc($module, x, pi, least, /)\n--\n\nsin(y) / y of y = pi * x, where zeros are taken for the least number."},
    {"_round", (PyCFunction)(void (*)(void))round_decimals, METH_FASTCALL,
     "_round($module, x, factor, inverse, out, /)\n--\n\nFloats rounded to multiples of a Python number's inverse, or of "
     "the number."},
    {NULL, NULL, 0, NULL},
};

int
ga_formula_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, formula_functions);
}
