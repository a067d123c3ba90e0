/* gpuarray._core._take and _put: picking along one axis. gpuarray/_taking.py has checked dtypes and casting, and gives
 * indices as int64 arrays, numpy's or ours, and an axis in range. */
#include "arguments.h"
#include "convert.h"
#include "index_advanced.h"
#include "module.h"
#include "transfer.h"

static int
refuse_empty(const char *function)
{
    PyErr_Format(PyExc_IndexError, "cannot do a non-empty %s from an empty axes.", function);
    return -1;
}

static int
parse_mode(PyObject *value, enum ga_index_mode *mode)
{
    static const char *const names[] = {"raise", "wrap", "clip"};
    for (int i = 0; i < 3; i++) {
        if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, names[i]) == 0) {
            *mode = (enum ga_index_mode)i;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "mode must be one of 'clip', 'raise', or 'wrap' (got %R)",
                 value);
    return -1;
}

/* Index arrays stand in the place of `axis`, which is in range. Where an axis before it has no elements NumPy looks at no
 * index, and an empty result may come from an empty axis. */
static int
plan_axis(ga_index_plan *plan, PyObject *indices, int axis)
{
    GaArray *a = plan->array;
    ga_index_item item;
    if (ga_index_item_take(plan->state, indices, ga_array_device(a), &item) < 0)
        return -1;
    int64_t count = item.host != NULL ? PyArray_SIZE(item.host) : item.array->size;
    for (int i = 0; i < a->ndim; i++) {
        if (i == axis)
            continue;
        if (i < axis && a->shape[i] == 0)
            plan->mode = GA_INDEX_CLIP;
        count = a->shape[i] == 0 ? 0 : count;
        plan->shape[plan->ndim] = a->shape[i];
        plan->strides[plan->ndim++] = a->strides[i];
    }
    plan->where = axis;
    int rc = a->shape[axis] == 0 && count > 0 ? refuse_empty(plan->function)
                                              : ga_index_add(plan, &item, axis);
    ga_index_item_clear(&item);
    return rc < 0 ? -1 : ga_index_plan_finish(plan);
}

static bool
has_shape(const GaArray *a, const ga_index_plan *plan)
{
    return a->ndim == plan->ndim &&
           memcmp(a->shape, plan->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

static GaArray *
run_take(ga_index_plan *plan, GaArray *out)
{
    if (out != NULL && !has_shape(out, plan)) {
        PyErr_SetString(PyExc_ValueError, "output array does not match result of ndarray.take");
        return NULL;
    }
    GaArray *result = ga_array_new(plan->state, ga_array_device(plan->array), plan->array->descr,
                                   plan->ndim, plan->shape, 'C');
    if (result == NULL)
        return NULL;
    if (ga_index_gather_into(plan, result) < 0 ||
        (out != NULL && ga_transfer_assign(plan->state, out, result) < 0)) {
        Py_DECREF(result);
        return NULL;
    }
    if (out == NULL)
        return plan->ndim == 0 ? ga_array_as_scalar(result) : result;
    Py_DECREF(result);
    return (GaArray *)Py_NewRef(out);
}

/* The array in memory that kernels can read; new reference. */
static GaArray *
align_array(GaState *state, GaArray *a)
{
    return ga_transfer_aligned(a) ? (GaArray *)Py_NewRef(a)
                                  : ga_transfer_copy(state, a, NULL, NULL, 'K');
}

/* What asarray() leaves to NumPy, text for instance, is no array of ours. */
static int
check_array(GaState *state, const char *function, PyObject *a)
{
    if (a == NULL || GA_ARRAY_CHECK(state, a))
        return 0;
    PyErr_Format(PyExc_TypeError, "%s: expected an ndarray, got %.200s", function, Py_TYPE(a)->tp_name);
    return -1;
}

/* How elements are picked: from the arguments a, indices, axis, mode, out to a new reference. */
typedef GaArray *(*picking)(ga_index_plan *plan, PyObject *const *got, int axis);

static GaArray *
pick_axis(ga_index_plan *plan, PyObject *const *got, int axis)
{
    if (plan_axis(plan, got[1], axis) < 0)
        return NULL;
    return run_take(plan, (GaArray *)ga_arguments_given(got[4]));
}

/* An index for each point of the other axes too, which both sides walk together. */
static GaArray *
pick_along(ga_index_plan *plan, PyObject *const *got, int axis)
{
    GaArray *a = plan->array;
    ga_index_item item;
    if (ga_index_item_take(plan->state, got[1], ga_array_device(a), &item) < 0)
        return NULL;
    int rc = ga_index_add(plan, &item, axis);
    ga_index_item_clear(&item);
    if (rc < 0 || ga_index_plan_finish(plan) < 0)
        return NULL;
    for (int i = 0; i < a->ndim; i++)
        plan->strides[i] = i == axis || a->shape[i] == 1 ? 0 : a->strides[i];
    return ga_index_gather(plan);
}

static PyObject *
pick(GaState *state, const char *function, picking picks, PyObject *const *got)
{
    ga_index_plan plan;
    GaArray *result = NULL;
    long axis = PyLong_AsLong(got[2]);
    if ((axis == -1 && PyErr_Occurred()) || check_array(state, function, got[0]) < 0)
        return NULL;
    GaArray *a = align_array(state, (GaArray *)got[0]);
    if (a == NULL)
        return NULL;
    ga_index_plan_begin(state, a, function, &plan);
    if (parse_mode(got[3], &plan.mode) == 0)
        result = picks(&plan, got, (int)axis);
    ga_index_plan_clear(&plan);
    Py_DECREF(a);
    return (PyObject *)result;
}

static PyObject *
take(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_take", 4, 5, {"a", "indices", "axis", "mode", "out", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[5];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0 ||
        check_array(state, "take", ga_arguments_given(got[4])) < 0)
        return NULL;
    return pick(state, "take", pick_axis, got);
}

static PyObject *
take_along(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_take_along", 4, 4, {"a", "indices", "axis", "mode", NULL}};
    PyObject *got[4];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0)
        return NULL;
    return pick(PyModule_GetState(module), "take_along_axis", pick_along, got);
}

static int
run_put(GaState *state, GaArray *a, PyObject *const *got)
{
    ga_index_plan plan;
    ga_index_plan_begin(state, a, "put", &plan);
    int rc = parse_mode(got[3], &plan.mode);
    if (rc == 0)
        rc = plan_axis(&plan, got[1], 0);
    if (rc == 0 && got[4] != NULL && PyObject_IsTrue(got[4]) == 1)
        plan.unique = true;
    if (rc == 0)
        rc = ga_index_assign_plan(&plan, got[2]);
    ga_index_plan_clear(&plan);
    return rc;
}

static PyObject *
put(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"_put", 4, 5, {"a", "indices", "values", "mode", "distinct", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[5];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0 || check_array(state, "_put", got[0]) < 0)
        return NULL;
    GaArray *a = (GaArray *)got[0];
    if (ga_transfer_aligned(a)) {
        if (run_put(state, a, got) < 0)
            return NULL;
        Py_RETURN_NONE;
    }
    GaArray *aligned = ga_transfer_copy(state, a, NULL, NULL, 'C');
    int rc = aligned == NULL ? -1 : run_put(state, aligned, got);
    if (rc == 0)
        rc = ga_transfer_assign(state, a, aligned);
    Py_XDECREF(aligned);
    if (rc < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef take_functions[] = {
    {"_take", (PyCFunction)(void (*)(void))take, METH_FASTCALL | METH_KEYWORDS,
     "_take($module, a, indices, axis, mode, out=None)\n--\n\n"
     "Elements of an ndarray at int64 indices along one axis, in C order."},
    {"_take_along", (PyCFunction)(void (*)(void))take_along, METH_FASTCALL | METH_KEYWORDS,
     "_take_along($module, a, indices, axis, mode)\n--\n\n"
     "Elements at int64 indices along one axis, an index for each point of the other axes; these "
     "have the length of "
     "the indices or 1."},
    {"_put", (PyCFunction)(void (*)(void))put, METH_FASTCALL | METH_KEYWORDS,
     "_put($module, a, indices, values, mode, distinct=False)\n--\n\n"
     "Write values to an ndarray of one dimension at int64 indices; the last of duplicates wins, of which `distinct` says "
     "that there are none."},
    {NULL, NULL, 0, NULL},
};

int
ga_index_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, take_functions);
}
