/* From arrays in the loop's dtypes to launches: device pointers and collapsed shapes. */
#include "launch.h"
#include "ufunc_call.h"

/* Operands of one call in the order of ga_ufunc_call.args and of ga_choose_call.args. */
typedef struct {
    int count;
    char *data[GA_MAXARGS]; /* NULL: the value */
    int64_t strides[GA_MAXARGS][GA_MAXDIMS];
    const int64_t *lists[GA_MAXARGS];
    ga_stream *stream;
} operand_list;

static int
add_array(operand_list *list, const ga_call *call, GaArray *a, enum ga_access access)
{
    int n = list->count++;
    list->lists[n] = list->strides[n];
    if (ga_array_pointer(a, access, &list->stream, &list->data[n]) < 0)
        return -1;
    if (ga_layout_broadcast_strides(call->ndim, call->shape, a->ndim, a->shape, a->strides,
                                    list->strides[n]) < 0)
        return ga_raise_int();
    return 0;
}

static void
add_value(operand_list *list, const ga_call *call)
{
    int n = list->count++;
    list->lists[n] = list->strides[n];
    list->data[n] = NULL;
    memset(list->strides[n], 0, sizeof(int64_t) * (size_t)call->ndim);
}

static int
add_operands(operand_list *list, const ga_call *call)
{
    list->count = 0;
    list->stream = NULL;
    for (int i = 0; i < call->nin; i++) {
        if (call->in[i].array == NULL)
            add_value(list, call);
        else if (add_array(list, call, call->in[i].array, GA_READ) < 0)
            return -1;
    }
    for (int i = 0; i < call->nout; i++) {
        if (add_array(list, call, call->temp[i] != NULL ? call->temp[i] : call->out[i], GA_WRITE) <
            0)
            return -1;
    }
    return call->mask != NULL ? add_array(list, call, call->mask, GA_READ) : 0;
}

static void
describe_launch(const ga_call *call, ga_ufunc_call *launch)
{
    launch->op = call->op;
    launch->nin = call->nin;
    launch->nout = call->nout;
    launch->has_where = call->mask != NULL;
    for (int i = 0; i < 2; i++) {
        launch->in[i] = call->loop->dtypes[i < call->nin ? i : 0];
        launch->out[i] = call->loop->dtypes[call->nin + (i < call->nout ? i : 0)];
        launch->args[i].value = call->in[i].value;
        launch->source[i] = call->in[i].array != NULL ? call->in[i].array->dtype : launch->in[i];
        launch->converts |= launch->source[i] != launch->in[i];
    }
}

static void
place_operand(const operand_list *list, const ga_iter *it, int i, ga_operand *arg)
{
    arg->data = list->data[i] != NULL ? list->data[i] + it->offsets[i] : NULL;
    memcpy(arg->strides, it->strides[i], sizeof arg->strides);
}

static int
launch_operation(const ga_call *call, const operand_list *list, const ga_iter *it)
{
    ga_ufunc_call launch = {.ndim = it->ndim, .size = it->size};
    describe_launch(call, &launch);
    memcpy(launch.shape, it->shape, sizeof launch.shape);
    for (int i = 0; i < list->count; i++)
        place_operand(list, it, i, &launch.args[i]);
    if (call->options.formula == NULL)
        return ga_launch_ufunc(call->device, &launch, list->stream);
    call->options.formula->operands = launch;
    return ga_launch_formula(call->device, call->options.formula, list->stream);
}

static int
launch_choice(const ga_call *call, const operand_list *list, const ga_iter *it)
{
    ga_choose_call launch = {.ndim = it->ndim, .size = it->size};
    launch.itemsize = ga_registry_dtype(call->loop->dtypes[0])->itemsize;
    memcpy(launch.shape, it->shape, sizeof launch.shape);
    for (int i = 0; i < GA_CHOOSE_ARGS; i++)
        place_operand(list, it, i, &launch.args[i]);
    launch.args[GA_CHOOSE_X].value = call->in[0].value;
    launch.args[GA_CHOOSE_Y].value = call->in[1].value;
    return ga_launch_choose(call->device, &launch, list->stream);
}

int
ga_launch_call(ga_call *call)
{
    operand_list list;
    ga_iter it;
    if (call->loop->widened && !call->chooses)
        return ga_launch_widened(call);
    if (add_operands(&list, call) < 0)
        return -1;
    ga_iter_begin(&it, call->ndim, call->shape, list.count, list.lists, true);
    do {
        int rc = it.size == 0    ? 0
                 : call->chooses ? launch_choice(call, &list, &it)
                                 : launch_operation(call, &list, &it);
        if (rc < 0)
            return -1;
    } while (ga_iter_next(&it));
    return 0;
}
