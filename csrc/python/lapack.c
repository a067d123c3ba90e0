/* _lapack: a factorisation of a stack of matrices by the backend, as call/lapack.h describes it.
 * gpuarray/linalg decides what is factorised and how results lie; arrays arrive C-contiguous with
 * the matrices, columns first, along the last two axes. Here only sizes, dtypes and devices are
 * checked, so that no call can leave its memory. */
#include "arguments.h"
#include "array.h"
#include "launch.h"
#include "module.h"
#include "transfer.h"

/* The operands of a call; arrays are borrowed, NULL where not given. */
typedef struct {
    GaArray *a, *b, *c, *values;
} lapack_operands;

static const char *const operation_names[GA_LAPACK_OPS] = {
    [GA_LAPACK_SOLVE] = "solve",
    [GA_LAPACK_INVERT] = "invert",
    [GA_LAPACK_DETERMINANT] = "determinant",
    [GA_LAPACK_CHOLESKY] = "cholesky",
    [GA_LAPACK_QR] = "qr",
    [GA_LAPACK_BASIS] = "basis",
    [GA_LAPACK_EIGH] = "eigh",
    [GA_LAPACK_EIG] = "eig",
    [GA_LAPACK_SVD] = "svd",
};

static int
parse_operation(PyObject *name, enum ga_lapack_op *out)
{
    for (int op = 0; PyUnicode_Check(name) && op < GA_LAPACK_OPS; op++) {
        if (PyUnicode_CompareWithASCIIString(name, operation_names[op]) == 0) {
            *out = (enum ga_lapack_op)op;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "_lapack: there is no operation %R", name);
    return -1;
}

static int
take_operand(GaState *state, PyObject *object, GaArray **out)
{
    *out = NULL;
    if (ga_arguments_given(object) == NULL)
        return 0;
    if (GA_ARRAY_CHECK(state, object)) {
        *out = (GaArray *)object;
        if (((*out)->flags & GA_ARRAY_C) && ga_transfer_aligned(*out))
            return 0;
    }
    PyErr_Format(PyExc_ValueError,
                 "_lapack: operands must be contiguous and aligned ndarrays, not %.200s",
                 Py_TYPE(object)->tp_name);
    return -1;
}

static int
describe_matrices(const GaArray *a, ga_lapack_call *call)
{
    const char *kind = "fdFD";
    int64_t size = a != NULL && a->ndim >= 2 ? a->shape[a->ndim - 1] * a->shape[a->ndim - 2] : 0;
    if (size == 0 || a->size == 0 || strchr(kind, a->descr->type) == NULL) {
        PyErr_SetString(PyExc_ValueError, "_lapack: the matrices must be float32, float64, "
                                          "complex64 or complex128, and not empty");
        return -1;
    }
    call->dtype = a->dtype;
    call->rows = a->shape[a->ndim - 1];
    call->columns = a->shape[a->ndim - 2];
    call->count = a->size / size;
    return 0;
}

/* How b is counted: by columns as long as `unit`, so that b_columns of a call follow from its size. */
static int
measure_columns(const GaArray *b, ga_lapack_call *call)
{
    bool is_long = call->op == GA_LAPACK_SOLVE || call->op == GA_LAPACK_SVD;
    int64_t unit = call->count * (is_long ? call->rows : 1);
    call->b_columns = b != NULL ? b->size / unit : 0;
    return b == NULL || b->size % unit == 0 ? 0 : -1;
}

static bool
has_size(const GaArray *a, int64_t size)
{
    return a != NULL && a->size == size;
}

static bool
are_square(const ga_lapack_call *call)
{
    return call->rows == call->columns;
}

/* Whether each array has what the operation reads and writes. */
static bool
suits_operation(const lapack_operands *o, const ga_lapack_call *call)
{
    int64_t m = call->rows, n = call->columns, count = call->count, least = m < n ? m : n;
    switch (call->op) {
    case GA_LAPACK_SOLVE:
        return are_square(call) && o->b != NULL && o->b->size > 0;
    case GA_LAPACK_INVERT:
        return are_square(call) && has_size(o->b, count * m * m);
    case GA_LAPACK_DETERMINANT:
        return are_square(call) && has_size(o->b, count) && has_size(o->values, count);
    case GA_LAPACK_CHOLESKY:
        return are_square(call);
    case GA_LAPACK_QR:
        return has_size(o->b, count * least);
    case GA_LAPACK_BASIS:
        return m >= n && o->b != NULL && call->b_columns > 0 && call->b_columns <= n;
    case GA_LAPACK_EIGH:
        return are_square(call) && has_size(o->values, count * m) &&
               (has_size(o->b, count * m * m)) == (call->vectors && count > 1 && m <= GA_LAPACK_ROTATED);
    case GA_LAPACK_EIG:
        return are_square(call) && has_size(o->values, count * m) &&
               (!call->vectors || has_size(o->b, count * m * m));
    default:
        return m >= n && has_size(o->values, count * n) &&
               (!call->vectors ||
                ((call->b_columns == n || call->b_columns == m) && has_size(o->c, count * n * n)));
    }
}

/* The dtype of values: real, but of general eigenvalues complex. */
static enum ga_dtype
values_dtype(const ga_lapack_call *call)
{
    bool single = call->dtype == GA_f32 || call->dtype == GA_c64;
    if (call->op == GA_LAPACK_EIG)
        return single ? GA_c64 : GA_c128;
    return single ? GA_f32 : GA_f64;
}

static bool
is_alike(const GaArray *a, const GaArray *other, enum ga_dtype dtype)
{
    return other == NULL || (other->dtype == dtype && ga_array_device(other) == ga_array_device(a));
}

static int
check_operands(const lapack_operands *o, ga_lapack_call *call)
{
    if (describe_matrices(o->a, call) < 0)
        return -1;
    bool alike = is_alike(o->a, o->b, call->dtype) && is_alike(o->a, o->c, call->dtype) &&
                 is_alike(o->a, o->values, values_dtype(call));
    if (alike && measure_columns(o->b, call) == 0 && suits_operation(o, call))
        return 0;
    PyErr_Format(PyExc_ValueError, "_lapack: operands of %s do not go together",
                 operation_names[call->op]);
    return -1;
}

static int
get_pointer(GaArray *a, ga_stream **stream, void **out)
{
    char *pointer = NULL;
    *out = NULL;
    if (a == NULL)
        return 0;
    int rc = ga_array_pointer(a, GA_READWRITE, stream, &pointer);
    *out = pointer;
    return rc;
}

static int
launch_operation(const lapack_operands *o, ga_lapack_call *call)
{
    ga_stream *stream;
    if (get_pointer(o->a, &stream, &call->a) < 0 || get_pointer(o->b, &stream, &call->b) < 0 ||
        get_pointer(o->c, &stream, &call->c) < 0 ||
        get_pointer(o->values, &stream, &call->values) < 0)
        return -1;
    return ga_launch_lapack(ga_array_device(o->a), call, stream);
}

static PyObject *
run_lapack(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "_lapack", 2, 5, {"operation", "a", "b", "c", "values", "upper", "vectors", NULL}};
    GaState *state = PyModule_GetState(module);
    PyObject *got[7];
    lapack_operands o;
    bool failed = false;
    ga_lapack_call call = {.failed = &failed};
    if (ga_arguments_bind(&signature, args, nargs, kwnames, got) < 0 ||
        parse_operation(got[0], &call.op) < 0 || take_operand(state, got[1], &o.a) < 0 ||
        take_operand(state, got[2], &o.b) < 0 || take_operand(state, got[3], &o.c) < 0 ||
        take_operand(state, got[4], &o.values) < 0)
        return NULL;
    call.upper = got[5] == Py_True;
    call.vectors = got[6] == Py_True;
    if (check_operands(&o, &call) < 0)
        return NULL;
    if (!ga_array_device(o.a)->is_cpu && ga_launch_find_libraries(state) < 0)
        return NULL;
    if (launch_operation(&o, &call) < 0)
        return NULL;
    return PyBool_FromLong(failed);
}

static PyMethodDef lapack_functions[] = {
    {"_lapack", (PyCFunction)(void (*)(void))run_lapack, METH_FASTCALL | METH_KEYWORDS,
     "_lapack($module, operation, a, b=None, c=None, values=None, *, upper=False, "
     "vectors=False)\n--\n\nFactorise matrices in place. Whether one of them has no such factors."},
    {NULL, NULL, 0, NULL},
};

int
ga_lapack_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, lapack_functions);
}
