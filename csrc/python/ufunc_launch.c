/* From arrays in the loop's dtypes to launches: device pointers and collapsed shapes. */
#include "launch.h"
#include "ufunc_call.h"

/* Operands of one call in the order of ga_ufunc_call.args. */
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
    }
}

int
ga_launch_call(ga_call *call)
{
    operand_list list;
    ga_ufunc_call launch;
    ga_iter it;
    if (add_operands(&list, call) < 0)
        return -1;
    describe_launch(call, &launch);
    ga_iter_begin(&it, call->ndim, call->shape, list.count, list.lists, true);
    do {
        launch.ndim = it.ndim;
        launch.size = it.size;
        memcpy(launch.shape, it.shape, sizeof launch.shape);
        for (int i = 0; i < list.count; i++) {
            launch.args[i].data = list.data[i] != NULL ? list.data[i] + it.offsets[i] : NULL;
            memcpy(launch.args[i].strides, it.strides[i], sizeof launch.args[i].strides);
        }
        if (it.size > 0 && ga_launch_ufunc(call->device, &launch, list.stream) < 0)
            return -1;
    } while (ga_iter_next(&it));
    return 0;
}

/* maximum(x, x) is x in every dtype, NaN included, so the masked copy needs no kernel of its own.
 */
int
ga_launch_masked(GaState *state, GaArray *dst, GaArray *src, GaArray *mask)
{
    ga_resolution loop = {.dtypes = {dst->dtype, dst->dtype, dst->dtype, dst->dtype}};
    ga_call call = {
        .state = state, .op = GA_UF_maximum, .nin = 2, .nout = 1, .loop = &loop, .ndim = dst->ndim};
    call.device = ga_array_device(dst);
    call.in[0].array = call.in[1].array = src;
    call.out[0] = dst;
    call.mask = mask;
    memcpy(call.shape, dst->shape, sizeof(int64_t) * (size_t)dst->ndim);
    return ga_launch_call(&call);
}
