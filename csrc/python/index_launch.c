/* Runs gather and scatter for a plan: pointers, collapsed dimensions, launches. Before that more index arrays than a
 * launch takes are folded into one of byte offsets. Large work on the CPU device runs without the GIL. */
#include "index_advanced.h"

#include <string.h>

#include "../core/iter.h"
#include "launch.h"
#include "transfer.h"
#include "ufunc.h"

/* Operands of the iteration: the array, the index arrays, the places, and what is read or written beside it. */
enum { OP_ARRAY, OP_FIRST };

typedef struct {
    ga_index_plan *plan;
    bool writes;
    ga_index_call call; /* what all launches share; pointers are those of the first elements */
    ga_stream *stream;
    char *array, *other, *picks[GA_INDEX_ARRAYS];
    int64_t places[GA_MAXDIMS];
    const int64_t *strides[GA_ITER_OPS];
    int nop;
} index_job;

/* ---- folding ---- */

static GaArray *
apply_number(GaState *state, enum ga_ufunc op, GaArray *a, int64_t number)
{
    PyObject *value = a == NULL ? NULL : PyLong_FromLongLong(number);
    PyObject *result =
        value == NULL ? NULL : ga_ufunc_binary(state, op, (PyObject *)a, value, NULL);
    Py_XDECREF(value);
    Py_XDECREF(a);
    return (GaArray *)result;
}

/* What one index array adds to the address, counted from the lowest that it can name. */
static GaArray *
measure_pick(ga_index_plan *plan, ga_index_pick *pick)
{
    GaArray *a = (GaArray *)Py_NewRef(pick->array);
    if (pick->length > 0)
        a = apply_number(plan->state, GA_UF_remainder, a, pick->length);
    if (pick->step < 0) {
        a = apply_number(plan->state, GA_UF_subtract, a, pick->length - 1);
        plan->offset += (pick->length - 1) * pick->step;
    }
    return apply_number(plan->state, GA_UF_multiply, a, pick->step);
}

static int
fold_picks(ga_index_plan *plan)
{
    GaArray *sum = NULL;
    int64_t extent = 1;
    if (ga_index_check_now(plan) < 0)
        return -1;
    for (int k = 0; k < plan->npicks; k++) {
        GaArray *part = measure_pick(plan, &plan->picks[k]);
        PyObject *total = part == NULL  ? NULL
                          : sum == NULL ? Py_NewRef(part)
                                        : ga_ufunc_binary(plan->state, GA_UF_add, (PyObject *)sum,
                                                          (PyObject *)part, NULL);
        Py_XDECREF(part);
        Py_XSETREF(sum, (GaArray *)total);
        if (sum == NULL)
            return -1;
        extent += (plan->picks[k].length - 1) * llabs(plan->picks[k].step);
    }
    ga_index_plan_clear(plan);
    ga_index_pick *pick = &plan->picks[0];
    *pick = (ga_index_pick){.array = sum, .axis = -1, .checked = true, .length = extent, .step = 1};
    plan->npicks = 1;
    if (ga_layout_broadcast_strides(plan->npoint, plan->shape + plan->where, sum->ndim, sum->shape,
                                    sum->strides, pick->strides + plan->where) < 0)
        return ga_raise_int();
    return 0;
}

/* ---- one call ---- */

static int
take_pointers(index_job *job, GaArray *other)
{
    ga_index_plan *plan = job->plan;
    for (int k = 0; k < plan->npicks; k++) {
        if (ga_array_pointer(plan->picks[k].array, GA_READ, &job->stream, &job->picks[k]) < 0)
            return -1;
    }
    if (other != NULL &&
        ga_array_pointer(other, job->writes ? GA_READ : GA_WRITE, &job->stream, &job->other) < 0)
        return -1;
    if (ga_array_pointer(plan->array, job->writes ? GA_READWRITE : GA_READ, &job->stream,
                         &job->array) < 0)
        return -1;
    job->array += plan->offset;
    return 0;
}

/* Places count the points of the index arrays in C order. */
static void
number_places(index_job *job)
{
    const ga_index_plan *plan = job->plan;
    int64_t place = 1;
    memset(job->places, 0, sizeof job->places);
    for (int i = plan->where + plan->npoint - 1; i >= plan->where; i--) {
        job->places[i] = place;
        place *= plan->shape[i];
    }
}

static void
describe_call(index_job *job)
{
    const ga_index_plan *plan = job->plan;
    ga_index_call *call = &job->call;
    call->function = plan->function;
    call->mode = plan->mode;
    call->itemsize = (int32_t)ga_array_itemsize(plan->array);
    call->narrays = plan->npicks;
    call->checked = true;
    for (int k = 0; k < plan->npicks; k++) {
        call->checked &= plan->picks[k].checked;
        call->index[k].length = plan->picks[k].length;
        call->index[k].step = plan->picks[k].step;
        call->index[k].axis = plan->picks[k].axis;
        job->strides[OP_FIRST + k] = plan->picks[k].strides;
    }
    job->strides[OP_ARRAY] = plan->strides;
    job->nop = OP_FIRST + plan->npicks;
    if (job->writes) {
        number_places(job);
        job->strides[job->nop++] = job->places;
    }
}

static int
launch_call(const index_job *job, const ga_index_call *call)
{
    const ga_device *device = ga_array_device(job->plan->array);
    return job->writes ? ga_launch_scatter(device, call, job->stream)
                       : ga_launch_gather(device, call, job->stream);
}

static int
launch_step(index_job *job, const ga_iter *it)
{
    ga_index_call *call = &job->call;
    int last = job->nop - 1;
    call->ndim = it->ndim;
    call->size = it->size;
    memcpy(call->shape, it->shape, sizeof call->shape);
    call->array.data = job->array + it->offsets[OP_ARRAY];
    memcpy(call->array.strides, it->strides[OP_ARRAY], sizeof call->array.strides);
    call->other.data = job->other == NULL ? NULL : job->other + it->offsets[last];
    memcpy(call->other.strides, it->strides[last], sizeof call->other.strides);
    for (int k = 0; k < call->narrays; k++) {
        call->index[k].data =
            (const int64_t *)(const void *)(job->picks[k] + it->offsets[OP_FIRST + k]);
        memcpy(call->index[k].strides, it->strides[OP_FIRST + k], sizeof call->index[k].strides);
    }
    if (job->writes)
        memcpy(call->place, it->strides[last - 1], sizeof call->place);
    return launch_call(job, call);
}

/* Where duplicates may meet across launches, the outer loop keeps C order, so that later places are written later. */
static int
run_launches(index_job *job)
{
    ga_index_plan *plan = job->plan;
    ga_iter it;
    ga_iter_begin(&it, plan->ndim, plan->shape, job->nop, job->strides, true);
    if (it.outer_ndim > 0 && job->writes) {
        if (ga_index_check_now(plan) < 0)
            return -1;
        job->call.checked = true;
        ga_iter_begin(&it, plan->ndim, plan->shape, job->nop, job->strides, false);
    }
    do {
        if (launch_step(job, &it) < 0)
            return -1;
    } while (ga_iter_next(&it));
    return 0;
}

static int
run_job(index_job *job, GaArray *other, const int64_t *strides)
{
    if (job->plan->size == 0)
        return 0;
    if (job->plan->npicks > GA_INDEX_ARRAYS && fold_picks(job->plan) < 0)
        return -1;
    if (take_pointers(job, other) < 0)
        return -1;
    describe_call(job);
    job->strides[job->nop++] = strides;
    return run_launches(job);
}

int
ga_index_gather_into(ga_index_plan *plan, GaArray *out)
{
    index_job job = {.plan = plan};
    return run_job(&job, out, out->strides);
}

/* In memory NumPy has the dimensions of the index arrays outermost, in the order of theirs, wherever they stand; within
 * them those of the slices in the order of the array's. */
static int
order_result(const ga_index_plan *plan, int64_t *strides)
{
    int64_t shape[GA_MAXDIMS], slices[GA_MAXDIMS], out[GA_MAXDIMS], step;
    const int64_t *points[GA_MAXDIMS];
    int last = plan->where + plan->npoint, count = 0;
    for (int i = 0; i < plan->ndim; i++) {
        if (i >= plan->where && i < last)
            continue;
        shape[count] = plan->shape[i];
        slices[count++] = plan->strides[i];
    }
    ga_layout_strides_like(count, shape, slices, ga_array_itemsize(plan->array), out);
    memcpy(strides, out, (size_t)plan->where * sizeof *out);
    memcpy(strides + last, out + plan->where, (size_t)(count - plan->where) * sizeof *out);
    if (ga_layout_size(count, shape, ga_array_itemsize(plan->array), &step) < 0)
        return ga_raise_int();
    step *= ga_array_itemsize(plan->array);
    for (int k = 0; k < plan->npicks; k++)
        points[k] = plan->picks[k].strides + plan->where;
    ga_layout_strides_common(plan->npoint, plan->shape + plan->where, plan->npicks, points,
                             step > 0 ? step : 1, strides + plan->where);
    return 0;
}

GaArray *
ga_index_gather(ga_index_plan *plan)
{
    int64_t strides[GA_MAXDIMS];
    if (order_result(plan, strides) < 0)
        return NULL;
    GaArray *out = ga_array_new_strided(plan->state, ga_array_device(plan->array),
                                        plan->array->descr, plan->ndim, plan->shape, strides);
    if (out != NULL && ga_index_gather_into(plan, out) < 0)
        Py_CLEAR(out);
    return out;
}

int
ga_index_scatter(ga_index_plan *plan, GaArray *values, const int64_t *strides,
                 const ga_scalar *number)
{
    static const int64_t no_strides[GA_MAXDIMS];
    index_job job = {.plan = plan, .writes = true};
    job.call.unique = plan->unique || values == NULL || values->size == 1;
    if (number != NULL)
        job.call.other.value = *number;
    return run_job(&job, values, values == NULL ? no_strides : strides);
}
