/* Reductions as methods: a row each of name, NumPy's signature and ufunc. */
#include "array_type.h"

#include "arguments.h"
#include "ufunc.h"

#define FIELDS_MAX 6

/* fields: for each name of the signature, which argument of a reduction it is: a axis, d dtype, o
 * out, k keepdims, i initial, w where. */
typedef struct {
    ga_signature signature;
    const char *fields;
} reduction;

static int
set_field(ga_reduce_args *args, char field, PyObject *value)
{
    int truth;
    switch (field) {
    case 'a':
        args->axis = value;
        args->axis_given = value != NULL;
        return 0;
    case 'd':
        args->dtype = value;
        return 0;
    case 'o':
        args->out = value;
        return 0;
    case 'i':
        args->initial = value;
        return 0;
    case 'w':
        args->where = value == Py_True ? NULL : value;
        return 0;
    default:
        truth = value == NULL ? 0 : PyObject_IsTrue(value);
        args->keepdims = truth > 0;
        return truth < 0 ? -1 : 0;
    }
}

static int
parse_reduction(const reduction *row, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                ga_reduce_args *out)
{
    PyObject *values[FIELDS_MAX];
    *out = (ga_reduce_args){.keepdims = false};
    if (ga_arguments_bind(&row->signature, args, nargs, kwnames, values) < 0)
        return -1;
    for (int i = 0; row->fields[i] != '\0'; i++) {
        if (set_field(out, row->fields[i], values[i]) < 0)
            return -1;
    }
    out->axis_given = true; /* methods default to all axes */
    return 0;
}

#define REDUCTION(name, op, row_fields, positional, ...) \
    static PyObject *name##_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs, \
                                   PyObject *kwnames) \
    { \
        static const reduction row = {{#name, 0, positional, {__VA_ARGS__, NULL}}, row_fields}; \
        ga_reduce_args parsed; \
        if (parse_reduction(&row, args, nargs, kwnames, &parsed) < 0) \
            return NULL; \
        return ga_ufunc_reduce(ga_array_state(self), op, self, &parsed); \
    }

REDUCTION(sum, GA_UF_add, "adokiw", 6, "axis", "dtype", "out", "keepdims", "initial", "where")
REDUCTION(prod, GA_UF_multiply, "adokiw", 6, "axis", "dtype", "out", "keepdims", "initial", "where")
REDUCTION(max, GA_UF_maximum, "aokiw", 5, "axis", "out", "keepdims", "initial", "where")
REDUCTION(min, GA_UF_minimum, "aokiw", 5, "axis", "out", "keepdims", "initial", "where")
REDUCTION(any, GA_UF_logical_or, "aokw", 3, "axis", "out", "keepdims", "where")
REDUCTION(all, GA_UF_logical_and, "aokw", 3, "axis", "out", "keepdims", "where")

static PyObject *
arg_reduction(PyObject *self, const char *name, bool maximum, PyObject *const *args,
              Py_ssize_t nargs, PyObject *kwnames)
{
    const reduction row = {{name, 0, 2, {"axis", "out", "keepdims", NULL}}, "aok"};
    ga_reduce_args parsed;
    if (parse_reduction(&row, args, nargs, kwnames, &parsed) < 0)
        return NULL;
    return ga_ufunc_argreduce(ga_array_state(self), maximum, self, parsed.axis, parsed.out,
                              parsed.keepdims);
}

static PyObject *
argmax_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return arg_reduction(self, "argmax", true, args, nargs, kwnames);
}

static PyObject *
argmin_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return arg_reduction(self, "argmin", false, args, nargs, kwnames);
}

static PyObject *
mean_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const reduction row = {
        {"mean", 0, 4, {"axis", "dtype", "out", "keepdims", "where", NULL}}, "adokw"};
    ga_reduce_args parsed;
    if (parse_reduction(&row, args, nargs, kwnames, &parsed) < 0)
        return NULL;
    return ga_ufunc_mean(ga_array_state(self), self, &parsed);
}

#define TAIL ", keepdims=False, initial=None, where=True)\n--\n\n"

PyMethodDef ga_reduce_methods[] = {
    {"sum", GA_FASTCALL(sum_method),
     "sum($self, /, axis=None, dtype=None, out=None" TAIL "Sum over axes."},
    {"prod", GA_FASTCALL(prod_method),
     "prod($self, /, axis=None, dtype=None, out=None" TAIL "Product over axes."},
    {"max", GA_FASTCALL(max_method),
     "max($self, /, axis=None, out=None" TAIL "Maximum over axes; NaN wins."},
    {"min", GA_FASTCALL(min_method),
     "min($self, /, axis=None, out=None" TAIL "Minimum over axes; NaN wins."},
    {"any", GA_FASTCALL(any_method),
     "any($self, /, axis=None, out=None, keepdims=False, *, where=True)\n--\n\nWhether some "
     "element is true."},
    {"all", GA_FASTCALL(all_method),
     "all($self, /, axis=None, out=None, keepdims=False, *, where=True)\n--\n\nWhether every "
     "element is true."},
    {"mean", GA_FASTCALL(mean_method),
     "mean($self, /, axis=None, dtype=None, out=None, keepdims=False, *, "
     "where=True)\n--\n\nArithmetic mean over axes."},
    {"argmax", GA_FASTCALL(argmax_method),
     "argmax($self, /, axis=None, out=None, *, keepdims=False)\n--\n\nPosition of the first "
     "maximum."},
    {"argmin", GA_FASTCALL(argmin_method),
     "argmin($self, /, axis=None, out=None, *, keepdims=False)\n--\n\nPosition of the first "
     "minimum."},
    {NULL, NULL, 0, NULL},
};
