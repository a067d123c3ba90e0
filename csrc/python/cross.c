/* _cross: cross products. gpuarray/_linear.py brings the operands to one shape and dtype. */
#include "arguments.h"
#include "launch.h"
#include "module.h"
#include "transfer.h"

#include "../core/iter.h"

/* Arrays of one dtype, shape and device, whose last axis has three components. */
static int
check_arrays(GaState *state, PyObject *const *args)
{
    for (int k = 0; k < GA_CROSS_ARGS; k++) {
        const GaArray *a = (GaArray *)args[k], *first = (GaArray *)args[0];
        if (!GA_ARRAY_CHECK(state, args[k]) || a->ndim < 1 || a->ndim != first->ndim ||
            a->shape[a->ndim - 1] != 3 || a->dtype != first->dtype || !ga_transfer_aligned(a) ||
            memcmp(a->shape, first->shape, sizeof(int64_t) * (size_t)a->ndim) != 0 ||
            ga_array_device(a) != ga_array_device(first)) {
            PyErr_SetString(PyExc_ValueError, "_cross: arrays do not fit each other");
            return -1;
        }
    }
    return 0;
}

static int
launch_all(PyObject *const *args, char *const *data, ga_stream *stream)
{
    const GaArray *first = (GaArray *)args[0];
    const int64_t *strides[GA_CROSS_ARGS];
    ga_cross_call call = {.dtype = first->dtype};
    ga_iter it;
    for (int k = 0; k < GA_CROSS_ARGS; k++) {
        strides[k] = ((GaArray *)args[k])->strides;
        call.step[k] = strides[k][first->ndim - 1];
    }
    ga_iter_begin(&it, first->ndim - 1, first->shape, GA_CROSS_ARGS, strides, true);
    do {
        call.ndim = it.ndim;
        call.size = it.size;
        memcpy(call.shape, it.shape, sizeof call.shape);
        for (int k = 0; k < GA_CROSS_ARGS; k++) {
            call.args[k].data = data[k] + it.offsets[k];
            memcpy(call.args[k].strides, it.strides[k], sizeof call.args[k].strides);
        }
        if (it.size > 0 && ga_launch_cross(ga_array_device(first), &call, stream) < 0)
            return -1;
    } while (ga_iter_next(&it));
    return 0;
}

static PyObject *
cross_vectors(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    char *data[GA_CROSS_ARGS];
    ga_stream *stream = NULL;
    if (!ga_arguments_count("_cross", nargs, GA_CROSS_ARGS, GA_CROSS_ARGS) ||
        check_arrays(PyModule_GetState(module), args) < 0)
        return NULL;
    for (int k = 0; k < GA_CROSS_ARGS; k++) {
        enum ga_access access = k == GA_CROSS_DST ? GA_WRITE : GA_READ;
        if (ga_array_pointer((GaArray *)args[k], access, &stream, &data[k]) < 0)
            return NULL;
    }
    return launch_all(args, data, stream) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef cross_functions[] = {
    {"_cross", (PyCFunction)(void (*)(void))cross_vectors, METH_FASTCALL,
     "_cross($module, a, b, dst, /)\n--\n\nWrite the cross products of vectors along the last axis to dst."},
    {NULL, NULL, 0, NULL},
};

int
ga_cross_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, cross_functions);
}
