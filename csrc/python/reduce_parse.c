/* Arguments of reductions. Owns nothing: all references are borrowed from the caller's arguments.
 */
#include "reduce_parse.h"

/* numpy._NoValue, told by its type's name: NumPy's own functions hand it on. */
static bool
is_no_value(PyObject *value)
{
    return value != NULL && strcmp(Py_TYPE(value)->tp_name, "_NoValueType") == 0;
}

static PyObject *
given(PyObject *value)
{
    return value == NULL || value == Py_None || is_no_value(value) ? NULL : value;
}

int
ga_reduce_take(PyObject *const *values, ga_reduce_args *out)
{
    PyObject *keepdims = given(values[3]);
    int truth = keepdims != NULL ? PyObject_IsTrue(keepdims) : 0;
    PyObject *target = given(values[2]);
    if (target != NULL && PyTuple_Check(target) && PyTuple_GET_SIZE(target) == 1)
        target = given(PyTuple_GET_ITEM(target, 0)); /* ufunc methods take out=(array,) too */
    *out = (ga_reduce_args){
        .axis = given(values[0]),
        .dtype = given(values[1]),
        .out = target,
        .initial = is_no_value(values[4]) ? NULL : values[4],
        .where = values[5] == Py_True ? NULL : given(values[5]),
        .keepdims = truth > 0,
        .axis_given = values[0] != NULL,
    };
    return truth < 0 ? -1 : 0;
}
