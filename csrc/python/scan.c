/* ufunc.accumulate and ufunc.reduceat from end to end: one axis, a result as long as the source or as
 * the list of slices. Operands, loop and result are made as those of reduce. */
#include "dense.h"
#include "guard.h"
#include "reduce_plan.h"

#include "convert.h"
#include "launch.h"
#include "transfer.h"

typedef struct {
    ga_reduction r;
    PyArrayObject *list; /* owned: where slices start, int64; NULL for accumulate */
    GaArray *starts;     /* owned: the same on the device */
    bool known;          /* starts are on the device and within the axis; no powers of integers */
    int64_t axis;
} scan_call;

static enum ga_call_status
take_axis(scan_call *c)
{
    uint64_t axes;
    if (ga_convert_axes(c->r.state, c->r.args->axis, c->r.x->ndim, &axes) < 0)
        return GA_CALL_ERROR;
    if (c->r.x->ndim == 0) {
        PyErr_Format(PyExc_TypeError, "cannot %s on a scalar", c->r.method);
        return GA_CALL_ERROR;
    }
    if (__builtin_popcountll(axes) != 1) {
        PyErr_Format(PyExc_ValueError, "%s does not allow multiple axes", c->r.method);
        return GA_CALL_ERROR;
    }
    c->r.axes = axes;
    c->axis = __builtin_ctzll(axes);
    return GA_CALL_OK;
}

/* ---- where slices start ---- */

static PyArrayObject *
host_indices(GaState *state, PyObject *indices)
{
    bool ours = GA_ARRAY_CHECK(state, indices);
    if (ours && ga_guard_read(state, (GaArray *)indices) < 0)
        return NULL;
    PyObject *host = ours ? (PyObject *)ga_transfer_to_numpy(state, (GaArray *)indices, false)
                          : Py_NewRef(indices);
    PyObject *list = host != NULL ? PyArray_ContiguousFromAny(host, NPY_INT64, 1, 1) : NULL;
    Py_XDECREF(host);
    return (PyArrayObject *)list;
}

static int
check_indices(const scan_call *c, PyArrayObject *list)
{
    const int64_t *index = PyArray_DATA(list);
    int64_t length = c->r.x->shape[c->axis];
    for (npy_intp i = 0; i < PyArray_SIZE(list); i++) {
        if (index[i] >= 0 && index[i] < length)
            continue;
        PyErr_Format(PyExc_IndexError, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                     (long long)index[i], c->r.info->name, (long long)length);
        return -1;
    }
    return 0;
}

/* The starts that our own code made on the array's device, and that nobody has to check: no wait for the device. */
static enum ga_call_status
take_known(scan_call *c, PyObject *indices)
{
    GaArray *starts = ga_dense_take_as(c->r.state, "_reduce_slices", indices, GA_i64);
    if (starts == NULL)
        return GA_CALL_ERROR;
    if (starts->ndim == 1 && ga_array_device(starts) == ga_array_device(c->r.x)) {
        c->starts = (GaArray *)Py_NewRef((PyObject *)starts);
        return GA_CALL_OK;
    }
    PyErr_SetString(PyExc_ValueError, "_reduce_slices: expected starts in one dimension on the array's device");
    return GA_CALL_ERROR;
}

static enum ga_call_status
take_indices(scan_call *c, PyObject *indices)
{
    if (c->known)
        return take_known(c, indices);
    c->list = host_indices(c->r.state, indices);
    if (c->list != NULL && check_indices(c, c->list) == 0 &&
        ga_guard_send(c->r.state, c->list, ga_array_device(c->r.x)) == 0)
        c->starts = ga_transfer_from_numpy(c->r.state, c->list, NULL, ga_array_device(c->r.x), 'C');
    return c->starts != NULL ? GA_CALL_OK : GA_CALL_ERROR;
}

/* ---- launches ---- */

static int
get_pointers(scan_call *c, GaArray *target, ga_segments_call *launch, ga_stream **stream)
{
    char *src, *dst, *starts = NULL;
    if (ga_array_pointer(c->r.x, GA_READ, stream, &src) < 0 ||
        ga_array_pointer(target, GA_WRITE, stream, &dst) < 0 ||
        (c->starts != NULL && ga_array_pointer(c->starts, GA_READ, stream, &starts) < 0))
        return -1;
    launch->scan.src = src;
    launch->scan.dst = dst;
    launch->starts = (const int64_t *)(const void *)starts;
    return 0;
}

static void
describe_axis(const scan_call *c, const GaArray *target, ga_segments_call *launch)
{
    launch->segments = c->starts != NULL ? c->starts->size : 0;
    launch->scan.op = c->r.ufunc->op;
    launch->scan.src_dtype = c->r.x->dtype;
    launch->scan.dtype = c->r.loop->dtypes[2];
    launch->scan.ordered = !c->r.info->reorderable;
    launch->scan.axis_size = c->r.x->shape[c->axis];
    launch->scan.src_axis = c->r.x->strides[c->axis];
    launch->scan.dst_axis = target->strides[c->axis];
}

static int
launch_one(const scan_call *c, const ga_segments_call *launch, ga_stream *stream)
{
    const ga_device *device = ga_array_device(c->r.x);
    if (c->starts != NULL)
        return ga_launch_segments(device, launch, stream);
    return ga_launch_scan(device, &launch->scan, stream);
}

static int
launch_all(scan_call *c)
{
    ga_iter keep;
    ga_segments_call launch;
    ga_stream *stream;
    GaArray *target = c->r.temp != NULL ? c->r.temp : c->r.result;
    ga_reduce_plan *plan = &c->r.plan;
    const int64_t *strides[2] = {plan->src_keep, plan->dst_keep};
    if (target->size == 0)
        return 0;
    if (ga_reduce_plan_split(c->r.x, NULL, c->r.axes, plan) < 0 ||
        get_pointers(c, target, &launch, &stream) < 0)
        return -1;
    ga_reduce_plan_target(c->r.x, target, c->r.axes, true, plan);
    describe_axis(c, target, &launch);
    char *src = (char *)(uintptr_t)launch.scan.src, *dst = launch.scan.dst;
    ga_iter_begin(&keep, plan->nkeep, plan->keep_shape, 2, strides, true);
    do {
        launch.scan.nkeep = keep.ndim;
        launch.scan.keep_size = keep.size;
        memcpy(launch.scan.keep_shape, keep.shape, sizeof keep.shape);
        memcpy(launch.scan.src_keep, keep.strides[0], sizeof launch.scan.src_keep);
        memcpy(launch.scan.dst_keep, keep.strides[1], sizeof launch.scan.dst_keep);
        launch.scan.src = src + keep.offsets[0];
        launch.scan.dst = dst + keep.offsets[1];
        if (launch_one(c, &launch, stream) < 0)
            return -1;
    } while (ga_iter_next(&keep));
    return 0;
}

/* ---- the first of each lane, which a scan that begins with the identity would change: hypot and
 * gcd take its sign ---- */

static GaArray *
view_first(const scan_call *c, GaArray *of)
{
    int64_t shape[GA_MAXDIMS];
    memcpy(shape, of->shape, (size_t)of->ndim * sizeof *shape);
    shape[c->axis] = 1;
    return ga_array_view(c->r.state, of, NULL, of->ndim, shape, of->strides, 0);
}

/* A copy, as the result may lie where the source does; NULL in *first where none is needed. */
static int
save_first(const scan_call *c, GaArray **first)
{
    enum ga_ufunc op = c->r.ufunc->op;
    *first = NULL;
    if (c->starts != NULL || (op != GA_UF_hypot && op != GA_UF_gcd) || c->r.x->size == 0)
        return 0;
    GaArray *view = view_first(c, c->r.x);
    *first = view == NULL ? NULL : ga_transfer_copy(c->r.state, view, NULL, NULL, 'C');
    Py_XDECREF(view);
    return *first == NULL ? -1 : 0;
}

static int
restore_first(const scan_call *c, GaArray *first)
{
    GaArray *view = view_first(c, c->r.temp != NULL ? c->r.temp : c->r.result);
    int rc = view == NULL ? -1 : ga_transfer_assign(c->r.state, view, first);
    Py_XDECREF(view);
    return rc;
}

static int
launch_whole(scan_call *c)
{
    GaArray *first;
    if (save_first(c, &first) < 0)
        return -1;
    int rc = launch_all(c);
    if (rc == 0 && first != NULL)
        rc = restore_first(c, first);
    Py_XDECREF(first);
    return rc;
}

/* ---- the call ---- */

static enum ga_call_status
make_result(scan_call *c)
{
    int64_t shape[GA_MAXDIMS];
    const GaArray *x = c->r.x;
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    if (c->starts != NULL)
        shape[c->axis] = c->starts->size;
    return ga_reduce_make_result(&c->r, x->ndim, shape) < 0 ? GA_CALL_ERROR : GA_CALL_OK;
}

static enum ga_call_status
run_stages(scan_call *c, PyObject *x, PyObject *indices)
{
    enum ga_call_status status = ga_reduce_check_ufunc(&c->r);
    if (status == GA_CALL_OK)
        status = ga_reduce_take_operands(&c->r, x);
    if (status == GA_CALL_OK)
        status = take_axis(c);
    if (status == GA_CALL_OK && indices != NULL)
        status = take_indices(c, indices);
    if (status == GA_CALL_OK)
        status = ga_reduce_resolve(&c->r);
    if (status == GA_CALL_OK && !c->known)
        status = c->list != NULL ? ga_exponent_check_slices(&c->r, c->list)
                                 : ga_exponent_check_reduction(&c->r, NULL);
    if (status == GA_CALL_OK)
        status = ga_reduce_prepare_source(&c->r);
    if (status == GA_CALL_OK)
        status = make_result(c);
    if (status == GA_CALL_OK && launch_whole(c) < 0)
        status = GA_CALL_ERROR;
    return status == GA_CALL_OK ? ga_reduce_store(&c->r) : status;
}

static bool
run_call(scan_call *c, PyObject *x, PyObject *indices, PyObject **result)
{
    enum ga_call_status status = run_stages(c, x, indices);
    *result = status == GA_CALL_OK ? Py_NewRef((PyObject *)c->r.result) : NULL;
    Py_XDECREF(c->starts);
    Py_XDECREF(c->list);
    ga_reduce_clear(&c->r);
    return status != GA_CALL_FOREIGN;
}

bool
ga_ufunc_accumulate(GaState *state, GaUfunc *ufunc, PyObject *x, const ga_reduce_args *args,
                    PyObject **result)
{
    scan_call c = {.r = {.state = state, .ufunc = ufunc, .info = ufunc->info, .args = args}};
    c.r.method = "accumulate";
    return run_call(&c, x, NULL, result);
}

bool
ga_ufunc_reduceat(GaState *state, GaUfunc *ufunc, PyObject *x, PyObject *indices,
                  const ga_reduce_args *args, bool known, PyObject **result)
{
    scan_call c = {.r = {.state = state, .ufunc = ufunc, .info = ufunc->info, .args = args}};
    c.known = known;
    c.r.method = "reduceat";
    c.r.slices = true;
    return run_call(&c, x, indices, result);
}
