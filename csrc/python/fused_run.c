/* A call of a fused function from arrays to one launch. Nothing happens before all is known to fit:
 * where it does not, the answer is None, and the function runs as it is. */
#include "fused.h"

#include "../core/iter.h"
#include "convert.h"
#include "launch.h"
#include "program.h"
#include "ufunc_call.h"

typedef struct {
    GaState *state;
    const ga_fused_function *function;
    PyObject *values; /* borrowed: the arguments */
    ga_device *device;
    GaArray *inputs[GA_FUSED_ARRAYS]; /* borrowed */
    GaArray *model;                   /* borrowed: the first with dimensions; NULL: none has */
    PyObject *outputs;                /* owned: the tuple of the results */
    ga_fused_call launch;
} fused_run;

enum fused_status { FUSED_ERROR = -1, FUSED_OK, FUSED_UNFIT };

/* ---- operands ---- */

static GaArray *
argument_of(const fused_run *run, int place)
{
    return (GaArray *)PyTuple_GET_ITEM(run->values, place);
}

static enum fused_status
take_arrays(fused_run *run)
{
    for (int i = 0; i < run->function->ninputs; i++) {
        GaArray *a = argument_of(run, run->function->inputs[i]);
        run->inputs[i] = a;
        if (run->model == NULL && a->ndim > 0)
            run->model = a;
        if (ga_operand_misaligned(a))
            return FUSED_UNFIT;
    }
    return run->model != NULL ? FUSED_OK : FUSED_UNFIT; /* without dimensions results are scalars, with rules of their own */
}

/* Numbers that a dtype cannot hold have answers and errors of their own. */
static enum fused_status
take_numbers(fused_run *run)
{
    run->launch.nnumbers = run->function->nnumbers;
    for (int i = 0; i < run->function->nnumbers; i++) {
        const ga_fused_number *number = &run->function->numbers[i];
        ga_scalar *value = &run->launch.numbers[i];
        *value = number->value;
        if (number->index < 0)
            continue;
        PyObject *given = PyTuple_GET_ITEM(run->values, number->index);
        if (ga_number_pack(given, number->dtype, value) != GA_CALL_OK &&
            ga_convert_scalar(run->state, given, number->descr, value) < 0) {
            PyErr_Clear();
            return FUSED_UNFIT;
        }
    }
    return FUSED_OK;
}

/* ---- results ---- */

/* Whether nothing but the argument itself could see what is written to it: an operation that reads
 * another one with a part of its memory would have to be done before or after. */
static bool
may_change(const fused_run *run, int place)
{
    GaArray *target = argument_of(run, place);
    ga_extent written = ga_operand_extent(target);
    for (int i = 0; i < run->function->ninputs; i++) {
        ga_extent read = ga_operand_extent(run->inputs[i]);
        if (run->function->inputs[i] != place && ga_overlap_bounds(&written, &read))
            return false;
    }
    return (target->flags & GA_ARRAY_WRITEABLE) && !ga_overlap_internal(&written);
}

static bool
may_change_targets(const fused_run *run)
{
    for (int i = 0; i < run->function->noutputs; i++) {
        int target = run->function->outputs[i].target;
        if (target >= 0 && !may_change(run, target))
            return false;
    }
    return true;
}

/* 'C' or 'F' where all arrays with dimensions have the model's shape and are contiguous in that order, else 0. */
static char
common_order(const fused_run *run)
{
    const GaArray *model = run->model;
    uint32_t common = GA_ARRAY_C | GA_ARRAY_F;
    for (int i = 0; i < run->function->ninputs; i++) {
        const GaArray *a = run->inputs[i];
        if (a->ndim == 0)
            continue;
        if (a->ndim != model->ndim || memcmp(a->shape, model->shape, sizeof(int64_t) * (size_t)a->ndim) != 0)
            return 0;
        common &= a->flags;
    }
    return common & GA_ARRAY_C ? 'C' : common & GA_ARRAY_F ? 'F' : 0;
}

/* Whether anything with dimensions goes into an operand. */
static bool
has_dimensions(const fused_run *run, int operand)
{
    int ninputs = run->function->ninputs;
    uint32_t depends = operand < ninputs ? 1u << operand : run->function->steps[operand - ninputs].depends;
    for (int i = 0; i < ninputs; i++) {
        if ((depends >> i & 1) && run->inputs[i]->ndim > 0)
            return true;
    }
    return false;
}

static bool
whole_have_dimensions(const fused_run *run)
{
    for (int i = 0; i < run->function->nwhole; i++) {
        if (!has_dimensions(run, run->function->whole[i]))
            return false;
    }
    return true;
}

/* The array of an output: the argument that it changes, or a new one. strides NULL: in that order. */
static enum fused_status
add_output(fused_run *run, int i, int ndim, const int64_t *shape, const int64_t *strides, char order)
{
    const ga_fused_output *output = &run->function->outputs[i];
    GaArray *array = output->target >= 0 ? (GaArray *)Py_NewRef(argument_of(run, output->target))
                     : strides != NULL
                         ? ga_array_new_strided(run->state, run->device, output->descr, ndim, shape, strides)
                         : ga_array_new(run->state, run->device, output->descr, ndim, shape, order);
    if (array == NULL)
        return FUSED_ERROR;
    PyTuple_SET_ITEM(run->outputs, i, (PyObject *)array);
    return FUSED_OK;
}

static enum fused_status
make_alike(fused_run *run, char order)
{
    const ga_fused_function *function = run->function;
    const GaArray *model = run->model;
    enum fused_status status = whole_have_dimensions(run) ? FUSED_OK : FUSED_UNFIT;
    for (int i = 0; i < function->noutputs && status == FUSED_OK; i++) {
        if (!has_dimensions(run, function->outputs[i].layout))
            return FUSED_UNFIT;
        status = add_output(run, i, model->ndim, model->shape, NULL, order);
    }
    return status;
}

/* The shape of all inputs together; false where there is none, and the function will say so itself. */
static bool
broadcast_inputs(const fused_run *run, int *ndim, int64_t *shape)
{
    int ndims[GA_FUSED_ARRAYS];
    const int64_t *shapes[GA_FUSED_ARRAYS];
    for (int i = 0; i < run->function->ninputs; i++) {
        ndims[i] = run->inputs[i]->ndim;
        shapes[i] = run->inputs[i]->shape;
    }
    return ga_layout_broadcast(run->function->ninputs, ndims, shapes, ndim, shape) == 0;
}

static bool
has_shape(const ga_fused_layout *layout, int ndim, const int64_t *shape)
{
    return layout->ndim == ndim && memcmp(layout->shape, shape, sizeof(int64_t) * (size_t)ndim) == 0;
}

static enum fused_status
make_laid_out(fused_run *run, const ga_fused_layout *layouts)
{
    const ga_fused_function *function = run->function;
    int ndim;
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
    enum fused_status status = broadcast_inputs(run, &ndim, shape) ? FUSED_OK : FUSED_UNFIT;
    for (int i = 0; i < function->nwhole && status == FUSED_OK; i++) {
        if (!has_shape(&layouts[function->whole[i]], ndim, shape))
            status = FUSED_UNFIT;
    }
    for (int i = 0; i < function->noutputs && status == FUSED_OK; i++) {
        const ga_fused_layout *layout = &layouts[function->outputs[i].layout];
        if (!has_shape(layout, ndim, shape))
            return FUSED_UNFIT;
        for (int d = 0; d < ndim; d++)
            strides[d] = layout->strides[d] * (int64_t)PyDataType_ELSIZE(function->outputs[i].descr);
        status = add_output(run, i, ndim, shape, strides, 'C');
    }
    return status;
}

static enum fused_status
make_unlike(fused_run *run)
{
    size_t count = (size_t)(run->function->ninputs + run->function->nsteps);
    ga_fused_layout *layouts = PyMem_Malloc(count * sizeof *layouts);
    if (layouts == NULL) {
        PyErr_NoMemory();
        return FUSED_ERROR;
    }
    enum fused_status status = ga_fused_lay_out(run->function, run->inputs, layouts) == 0 ? make_laid_out(run, layouts) : FUSED_UNFIT;
    PyMem_Free(layouts);
    return status;
}

/* ---- the launch ---- */

static GaArray *
array_of(const fused_run *run, int k)
{
    int ninputs = run->function->ninputs;
    return k < ninputs ? run->inputs[k] : (GaArray *)PyTuple_GET_ITEM(run->outputs, k - ninputs);
}

static int
point_at_arrays(fused_run *run, ga_stream **stream)
{
    for (int k = 0; k < run->launch.narrays; k++) {
        GaArray *a = array_of(run, k);
        char *data;
        if (ga_array_pointer(a, k < run->function->ninputs ? GA_READ : GA_WRITE, stream, &data) < 0)
            return -1;
        run->launch.data[k] = data;
        run->launch.itemsize[k] = (int32_t)ga_array_itemsize(a);
    }
    return 0;
}

static int
launch_alike(fused_run *run, ga_stream *stream)
{
    ga_fused_call *launch = &run->launch;
    launch->ndim = 1;
    launch->size = launch->shape[0] = run->model->size;
    for (int k = 0; k < launch->narrays; k++)
        launch->strides[k][0] = array_of(run, k)->ndim == 0 ? 0 : launch->itemsize[k];
    return ga_launch_fused(run->device, launch, stream);
}

static int
launch_unlike(fused_run *run, ga_stream *stream)
{
    ga_fused_call *launch = &run->launch;
    const GaArray *result = array_of(run, launch->narrays - 1);
    int64_t room[GA_FUSED_ARRAYS][GA_MAXDIMS];
    const int64_t *strides[GA_FUSED_ARRAYS];
    void *first[GA_FUSED_ARRAYS];
    ga_iter it;
    for (int k = 0; k < launch->narrays; k++) {
        const GaArray *a = array_of(run, k);
        strides[k] = room[k];
        first[k] = launch->data[k];
        if (ga_layout_broadcast_strides(result->ndim, result->shape, a->ndim, a->shape, a->strides, room[k]) < 0)
            return ga_raise_int();
    }
    ga_iter_begin(&it, result->ndim, result->shape, launch->narrays, strides, true);
    do {
        launch->ndim = it.ndim;
        launch->size = it.size;
        memcpy(launch->shape, it.shape, sizeof launch->shape);
        for (int k = 0; k < launch->narrays; k++) {
            launch->data[k] = (char *)first[k] + it.offsets[k];
            memcpy(launch->strides[k], it.strides[k], sizeof launch->strides[k]);
        }
        if (ga_launch_fused(run->device, launch, stream) < 0)
            return -1;
    } while (ga_iter_next(&it));
    return 0;
}

static int
launch_run(fused_run *run, bool alike)
{
    const ga_fused_function *function = run->function;
    ga_stream *stream = NULL;
    run->launch.program = PyCapsule_GetPointer(function->program, GA_PROGRAM_CAPSULE);
    run->launch.name = PyUnicode_AsUTF8(function->name);
    run->launch.lanes = function->lanes;
    run->launch.narrays = function->ninputs + function->noutputs;
    if (run->launch.program == NULL || run->launch.name == NULL || point_at_arrays(run, &stream) < 0)
        return -1;
    if (array_of(run, run->launch.narrays - 1)->size == 0)
        return 0;
    return alike ? launch_alike(run, stream) : launch_unlike(run, stream);
}

static bool
exceeds_walk(const fused_run *run)
{
    return ((GaArray *)PyTuple_GET_ITEM(run->outputs, 0))->size >= INT64_C(1) << 31;
}

static enum fused_status
run_stages(fused_run *run)
{
    enum fused_status status = take_arrays(run);
    if (status == FUSED_OK)
        status = take_numbers(run);
    if (status == FUSED_OK && !may_change_targets(run))
        status = FUSED_UNFIT;
    if (status != FUSED_OK)
        return status;
    run->device = ga_array_device(run->model);
    run->outputs = PyTuple_New(run->function->noutputs);
    if (run->outputs == NULL)
        return FUSED_ERROR;
    char order = common_order(run);
    status = order != 0 ? make_alike(run, order) : make_unlike(run);
    if (status == FUSED_OK && order == 0 && exceeds_walk(run))
        status = FUSED_UNFIT;
    return status == FUSED_OK && launch_run(run, order != 0) < 0 ? FUSED_ERROR : status;
}

PyObject *
ga_fused_call_function(GaState *state, const ga_fused_function *function, PyObject *values)
{
    fused_run run;
    run.state = state;
    run.function = function;
    run.values = values;
    run.model = NULL;
    run.outputs = NULL;
    enum fused_status status = run_stages(&run);
    if (status == FUSED_OK)
        return run.outputs;
    Py_XDECREF(run.outputs);
    return status == FUSED_UNFIT ? Py_NewRef(Py_None) : NULL;
}
