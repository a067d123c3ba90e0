/* Who computes a matrix product. On the CPU device NumPy's BLAS does, for the dtypes it has, on
 * arrays that share our memory: the backend knows no Python. Everywhere else the backend's matmul
 * does, any strides as they are, batches collapsed. */
#include "matmul.h"

#include "dtype.h"
#include "launch.h"
#include "transfer.h"

static PyObject *
call_numpy(GaState *state, PyObject *x, PyObject *y, PyObject *out)
{
    PyObject *args[3] = {x, y, out};
    PyObject *function = PyObject_GetAttrString(state->numpy, "matmul");
    PyObject *result = function != NULL ? PyObject_Vectorcall(function, args, 3, NULL) : NULL;
    Py_XDECREF(function);
    return result;
}

static int
multiply_on_host(ga_product *p)
{
    int rc = -1;
    GaArray *target = p->temp != NULL ? p->temp : p->result;
    PyObject *x = (PyObject *)ga_transfer_to_numpy(p->state, p->x, true);
    PyObject *y = (PyObject *)ga_transfer_to_numpy(p->state, p->y, true);
    PyObject *out = (PyObject *)ga_transfer_to_numpy(p->state, target, true);
    if (x != NULL && y != NULL && out != NULL) {
        PyObject *result = call_numpy(p->state, x, y, out);
        rc = result != NULL ? 0 : -1;
        Py_XDECREF(result);
    }
    Py_XDECREF(out);
    Py_XDECREF(y);
    Py_XDECREF(x);
    return rc;
}

/* Strides of the two matrix axes of an operand; a vector has one of them. */
static void
matrix_strides(const GaArray *a, bool row_vector, bool column_vector, int64_t *out)
{
    int last = a->ndim - 1;
    out[0] = row_vector ? 0 : a->strides[column_vector ? last : last - 1];
    out[1] = column_vector ? 0 : a->strides[last];
}

/* Strides over the batch axes in their broadcast shape. */
static int
batch_strides(const ga_product *p, const GaArray *a, int matrix_ndim, int64_t *out)
{
    if (ga_layout_broadcast_strides(p->nbatch, p->batch_shape, a->ndim - matrix_ndim, a->shape,
                                    a->strides, out) < 0)
        return ga_raise_int();
    return 0;
}

typedef struct {
    ga_stream *stream;
    char *a, *b, *c;
    int64_t strides[3][GA_MAXDIMS];
} product_operands;

static int
get_operands(ga_product *p, GaArray *target, product_operands *out, ga_matmul_call *launch)
{
    if (ga_array_pointer(p->x, GA_READ, &out->stream, &out->a) < 0 ||
        ga_array_pointer(p->y, GA_READ, &out->stream, &out->b) < 0 ||
        ga_array_pointer(target, GA_WRITE, &out->stream, &out->c) < 0)
        return -1;
    matrix_strides(p->x, p->x_vector, false, launch->a_strides);
    matrix_strides(p->y, false, p->y_vector, launch->b_strides);
    launch->c_strides[0] = p->x_vector ? 0 : target->strides[p->nbatch];
    launch->c_strides[1] = p->y_vector ? 0 : target->strides[p->nbatch + !p->x_vector];
    if (batch_strides(p, p->x, p->x_vector ? 1 : 2, out->strides[0]) < 0 ||
        batch_strides(p, p->y, p->y_vector ? 1 : 2, out->strides[1]) < 0)
        return -1;
    memcpy(out->strides[2], target->strides, sizeof(int64_t) * (size_t)p->nbatch);
    return 0;
}

static int
multiply_on_device(ga_product *p)
{
    ga_iter it;
    ga_matmul_call launch;
    product_operands at;
    GaArray *target = p->temp != NULL ? p->temp : p->result;
    const ga_device *device = ga_array_device(target);
    const int64_t *strides[3] = {at.strides[0], at.strides[1], at.strides[2]};
    if (get_operands(p, target, &at, &launch) < 0)
        return -1;
    launch.dtype = p->x->dtype;
    launch.out = target->dtype;
    launch.tf32 = p->state->matmul_tf32;
    launch.m = p->m;
    launch.n = p->n;
    launch.k = p->k;
    ga_iter_begin(&it, p->nbatch, p->batch_shape, 3, strides, true);
    do {
        launch.nbatch = it.ndim;
        memcpy(launch.batch_shape, it.shape, sizeof launch.batch_shape);
        memcpy(launch.a_batch, it.strides[0], sizeof launch.a_batch);
        memcpy(launch.b_batch, it.strides[1], sizeof launch.b_batch);
        memcpy(launch.c_batch, it.strides[2], sizeof launch.c_batch);
        launch.a = at.a + it.offsets[0];
        launch.b = at.b + it.offsets[1];
        launch.c = at.c + it.offsets[2];
        if (ga_launch_matmul(device, &launch, at.stream) < 0)
            return -1;
    } while (ga_iter_next(&it));
    return 0;
}

int
ga_matmul_launch(ga_product *p)
{
    GaArray *target = p->temp != NULL ? p->temp : p->result;
    enum ga_dtype dtype = target->dtype;
    ga_scalar zero = {.bytes = {0}};
    if (target->size == 0)
        return 0;
    if (p->k == 0)
        return ga_transfer_fill(p->state, target, &zero);
    bool blas = dtype == GA_f32 || dtype == GA_f64 || dtype == GA_c64 || dtype == GA_c128;
    bool on_cpu = ga_array_device(target)->is_cpu;
    if ((blas || dtype == GA_bf16) && !on_cpu && ga_launch_find_libraries(p->state) < 0)
        return -1;
    return blas && on_cpu ? multiply_on_host(p) : multiply_on_device(p);
}
