/* Shapes and results of a ufunc call: broadcasting, new outputs in NumPy's order, and what stands
 * between the loop and the caller's array: another dtype, memory shared with an input, misaligned
 * elements. The loop then writes into a temporary (call->temp), or reads a copy of the input; store
 * puts temporaries where they belong. */
#include "ufunc_call.h"

#include "choose.h"
#include "dtype.h"
#include "transfer.h"

enum { OPERANDS = GA_MAXARGS };

/* The arrays that take part, in the order of NumPy's iterator: inputs, given outputs, the mask;
 * returns how many. */
static int
list_arrays(const ga_call *call, GaArray **out)
{
    int count = 0;
    for (int i = 0; i < call->nin; i++) {
        if (call->in[i].array != NULL)
            out[count++] = call->in[i].array;
    }
    for (int i = 0; i < call->nout; i++) {
        if (call->options.out[i] != NULL)
            out[count++] = (GaArray *)call->options.out[i];
    }
    if (call->mask != NULL)
        out[count++] = call->mask;
    return count;
}

static enum ga_call_status
refuse_output(const ga_call *call, const GaArray *out)
{
    char given[256], needed[256];
    PyErr_Format(
        PyExc_ValueError,
        "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
        ga_layout_format(out->ndim, out->shape, given, sizeof given),
        ga_layout_format(call->ndim, call->shape, needed, sizeof needed));
    return GA_CALL_ERROR;
}

enum ga_call_status
ga_call_broadcast(ga_call *call)
{
    GaArray *arrays[OPERANDS];
    int ndims[OPERANDS], count = list_arrays(call, arrays);
    const int64_t *shapes[OPERANDS];
    for (int i = 0; i < count; i++) {
        ndims[i] = arrays[i]->ndim;
        shapes[i] = arrays[i]->shape;
    }
    if (ga_layout_broadcast(count, ndims, shapes, &call->ndim, call->shape) < 0)
        return (enum ga_call_status)ga_raise_int();
    for (int i = 0; i < call->nout; i++) {
        const GaArray *out = call->out[i];
        size_t nbytes = sizeof(int64_t) * (size_t)call->ndim;
        if (out != NULL &&
            (out->ndim != call->ndim || memcmp(out->shape, call->shape, nbytes) != 0))
            return refuse_output(call, out);
    }
    return GA_CALL_OK;
}

/* 'A' is 'F' where every operand is in that order. */
static char
settle_order(char order, int count, GaArray *const *arrays)
{
    if (order == 'K' && count == 0)
        return 'C';
    if (order != 'A')
        return order;
    for (int i = 0; i < count; i++) {
        if (arrays[i]->ndim > 1 && !(arrays[i]->flags & GA_ARRAY_F))
            return 'C';
    }
    return count > 0 ? 'F' : 'C';
}

/* Strides of a new output. */
static int
choose_strides(const ga_call *call, int64_t itemsize, int64_t *strides)
{
    int64_t room[OPERANDS][GA_MAXDIMS];
    const int64_t *models[OPERANDS];
    GaArray *arrays[OPERANDS];
    int count = list_arrays(call, arrays);
    char order = settle_order(call->options.order, count, arrays);
    if (order != 'K') {
        ga_layout_strides(call->ndim, call->shape, itemsize, order, strides);
        return 0;
    }
    for (int i = 0; i < count; i++) {
        const GaArray *a = arrays[i];
        models[i] = room[i];
        if (ga_layout_broadcast_strides(call->ndim, call->shape, a->ndim, a->shape, a->strides,
                                        room[i]) < 0)
            return ga_raise_int();
    }
    ga_layout_strides_common(call->ndim, call->shape, count, models, itemsize, strides);
    return 0;
}

static GaArray *
new_output(const ga_call *call, PyArray_Descr *descr)
{
    int64_t strides[GA_MAXDIMS];
    if (choose_strides(call, (int64_t)PyDataType_ELSIZE(descr), strides) < 0)
        return NULL;
    return ga_array_new_strided(call->state, call->device, descr, call->ndim, call->shape, strides);
}

ga_extent
ga_operand_extent(const GaArray *a)
{
    return (ga_extent){.data = (const char *)a->buffer->ptr + a->offset,
                       .ndim = a->ndim,
                       .shape = a->shape,
                       .strides = a->strides,
                       .itemsize = ga_array_itemsize(a)};
}

/* Whether reading `in` while writing `out` element by element could see new values. */
static bool
disturbs(const GaArray *out, const GaArray *in)
{
    if (ga_array_device(out) != ga_array_device(in))
        return false;
    ga_extent a = ga_operand_extent(out), b = ga_operand_extent(in);
    return ga_overlap_bounds(&a, &b) && !ga_overlap_identical(&a, &b);
}

bool
ga_operand_misaligned(const GaArray *a)
{
    int64_t itemsize = ga_array_itemsize(a);
    uint64_t bits = (uint64_t)(uintptr_t)a->buffer->ptr + (uint64_t)a->offset;
    for (int i = 0; i < a->ndim; i++)
        bits |= (uint64_t)a->strides[i];
    return (bits & (uint64_t)(itemsize - 1)) != 0;
}

static bool
same_descr(PyArray_Descr *a, PyArray_Descr *b)
{
    return a == b || PyArray_EquivTypes(a, b);
}

static int
copy_reader(const ga_call *call, GaArray **slot)
{
    bool copy = ga_operand_misaligned(*slot);
    for (int i = 0; i < call->nout && !copy; i++)
        copy = call->temp[i] == NULL && disturbs(call->out[i], *slot);
    if (!copy)
        return 0;
    GaArray *fresh = ga_transfer_copy(call->state, *slot, NULL, NULL, 'K');
    if (fresh == NULL)
        return -1;
    Py_SETREF(*slot, fresh);
    return 0;
}

enum ga_call_status
ga_call_separate(ga_call *call)
{
    for (int i = 0; i < call->nin; i++) {
        if (call->in[i].array != NULL && copy_reader(call, &call->in[i].array) < 0)
            return GA_CALL_ERROR;
    }
    bool failed = call->mask != NULL && copy_reader(call, &call->mask) < 0;
    return failed ? GA_CALL_ERROR : GA_CALL_OK;
}

/* The two outputs of one call may be the same memory only if the second waits in a temporary. */
static bool
needs_temporary(const ga_call *call, int i, PyArray_Descr *descr)
{
    const GaArray *out = call->out[i];
    if (!same_descr(out->descr, descr) || ga_operand_misaligned(out))
        return true;
    if (i == 0)
        return false;
    ga_extent a = ga_operand_extent(call->out[0]), b = ga_operand_extent(out);
    return ga_array_device(call->out[0]) == ga_array_device(out) && ga_overlap_bounds(&a, &b);
}

/* What the mask leaves out of a temporary is never stored, but the cast to the output's dtype reads
 * it all the same. */
static int
clear_unwritten(const ga_call *call, GaArray *temporary)
{
    static const ga_scalar zero;
    return call->mask != NULL && !call->chooses ? ga_transfer_fill(call->state, temporary, &zero) : 0;
}

enum ga_call_status
ga_call_make_outputs(ga_call *call)
{
    for (int i = 0; i < call->nout; i++) {
        PyArray_Descr *descr = call->loop->descrs[call->nin + i];
        GaArray **slot = call->out[i] == NULL ? &call->out[i] : &call->temp[i];
        if (slot == &call->temp[i] && !needs_temporary(call, i, descr))
            continue;
        *slot = new_output(call, descr);
        if (*slot == NULL ||
            (slot == &call->temp[i] && clear_unwritten(call, call->temp[i]) < 0))
            return GA_CALL_ERROR;
    }
    return GA_CALL_OK;
}

enum ga_call_status
ga_call_store_outputs(ga_call *call)
{
    for (int i = 0; i < call->nout; i++) {
        if (call->temp[i] == NULL)
            continue;
        bool whole = call->mask == NULL || call->chooses;
        int rc = whole ? ga_transfer_assign(call->state, call->out[i], call->temp[i])
                       : ga_choose_into(call->state, call->out[i], call->temp[i], call->mask);
        if (rc < 0)
            return GA_CALL_ERROR;
    }
    return GA_CALL_OK;
}
