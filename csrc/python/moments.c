/* _moments: variance or standard deviation in float64, a reduction with kernels of its own, cast to
 * the dtype asked for. The Python functions var and std decide what that is. */
#include "reduce_plan.h"

#include "arguments.h"
#include "convert.h"
#include "dtype.h"
#include "module.h"
#include "reduce_parse.h"
#include "transfer.h"

/* The stages of a reduction, with a loop that NumPy need not be asked for. */
static enum ga_call_status
run_stages(ga_reduction *r, PyObject *x)
{
    enum ga_call_status status = ga_reduce_take_operands(r, x);
    if (status != GA_CALL_OK)
        return status;
    if (ga_convert_axes(r->state, r->args->axis, r->x->ndim, &r->axes) < 0)
        return GA_CALL_ERROR;
    if (PyDataType_ISDATETIME(r->x->descr)) {
        PyErr_Format(PyExc_TypeError, "var(), std(): no variance of %R", r->x->descr);
        return GA_CALL_ERROR;
    }
    GaArray *wide = ga_transfer_widen(r->state, r->x);
    if (wide == NULL)
        return GA_CALL_ERROR;
    Py_SETREF(r->x, wide);
    return ga_reduce_run_planned(r);
}

/* The kernels leave float64, or float32 where that is the result's dtype and no out= converts it. */
static void
choose_loop(const ga_reduction *r, ga_resolution *loop)
{
    PyArray_Descr *f64 = r->state->descrs[GA_f64];
    bool narrow = r->args->out == NULL && ga_dtype_of(r->dtype) == GA_f32;
    *loop = (ga_resolution){.descrs = {f64, f64, f64, f64}, .dtypes = {GA_f64, GA_f64, GA_f64}};
    if (narrow) {
        loop->descrs[2] = r->state->descrs[GA_f32];
        loop->dtypes[2] = GA_f32;
    }
}

/* The result in the dtype wanted; out= has been converted already. */
static GaArray *
finish_result(ga_reduction *r)
{
    if (r->out != NULL)
        return (GaArray *)Py_NewRef((PyObject *)r->result);
    GaArray *cast = ga_transfer_cast(r->state, r->result, r->dtype);
    if (cast != NULL && cast->ndim == 0)
        ga_array_as_scalar(cast);
    return cast;
}

static PyObject *
moments_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_moments", 8, 8, {"a", "axis", "dtype", "out", "keepdims", "where", "ddof", "root", NULL}};
    GaState *state = PyModule_GetState(module);
    ga_resolution loop = {.descrs = {NULL}};
    PyObject *got[8];
    ga_reduce_args reduce;
    ga_moments moments;
    GaArray *result = NULL;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    PyObject *const values[6] = {got[1], got[2], got[3], got[4], NULL, got[5]};
    moments.ddof = PyFloat_AsDouble(got[6]);
    moments.root = got[7] == Py_True;
    if (PyErr_Occurred() || ga_reduce_take(values, &reduce) < 0)
        return NULL;
    ga_reduction r = {.state = state, .args = &reduce, .loop = &loop, .moments = &moments};
    r.ufunc = (GaUfunc *)state->ufuncs[GA_UF_add];
    r.info = r.ufunc->info;
    r.method = "var";
    enum ga_call_status status = GA_CALL_ERROR;
    if (ga_dtype_parse(reduce.dtype, &r.dtype) == 0) {
        choose_loop(&r, &loop);
        status = run_stages(&r, got[0]);
    }
    if (status == GA_CALL_OK)
        result = finish_result(&r);
    else if (status == GA_CALL_FOREIGN)
        PyErr_Format(PyExc_TypeError, "var(), std(): no device holds the data of %s",
                     Py_TYPE(got[0])->tp_name);
    ga_reduce_clear(&r);
    return (PyObject *)result;
}

static PyMethodDef module_methods[] = {
    {"_moments", (PyCFunction)(void (*)(void))moments_function, METH_FASTCALL | METH_KEYWORDS,
     "_moments(a, axis, dtype, out, keepdims, where, ddof, root, /)\n--\n\nVariance, or its root."},
    {NULL, NULL, 0, NULL},
};

int
ga_moments_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, module_methods);
}
