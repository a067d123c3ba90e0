/* _interp: values of the lines between points. gpuarray/_curves.py brings operands to the dtypes
 * that the kernel has. */
#include "arguments.h"
#include "dense.h"
#include "launch.h"
#include "module.h"

enum { X, XP, FP, LEFT, RIGHT, DST, COUNT };

/* All but x are of the dtype of their kind: double, or what dst has. */
static int
take_arrays(GaState *state, PyObject *const *args, GaArray *out[COUNT])
{
    for (int i = 0; i < COUNT; i++) {
        enum ga_dtype dtype = i == XP || (i > FP && out[FP]->dtype == GA_f64) ? GA_f64 : GA_c128;
        out[i] = i == X || i == FP ? ga_dense_take(state, "_interp", args[i])
                                   : ga_dense_take_as(state, "_interp", args[i], dtype);
        if (out[i] == NULL)
            return -1;
    }
    bool fits = (out[X]->dtype == GA_f32 || out[X]->dtype == GA_f64) && out[XP]->size > 0 &&
                (out[FP]->dtype == GA_f64 || out[FP]->dtype == GA_c128) && out[LEFT]->size == 1 &&
                out[FP]->size == out[XP]->size && out[RIGHT]->size == 1 && out[DST]->size == out[X]->size;
    for (int i = 1; i < COUNT; i++)
        fits = fits && ga_array_device(out[i]) == ga_array_device(out[X]);
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "_interp: dtypes, sizes or devices do not fit each other");
    return fits ? 0 : -1;
}

static PyObject *
interpolate_lines(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaArray *arrays[COUNT];
    char *data[COUNT];
    ga_stream *stream = NULL;
    if (!ga_arguments_count("_interp", nargs, COUNT, COUNT) ||
        take_arrays(PyModule_GetState(module), args, arrays) < 0)
        return NULL;
    for (int i = 0; i < COUNT; i++) {
        if (ga_array_pointer(arrays[i], i == DST ? GA_WRITE : GA_READ, &stream, &data[i]) < 0)
            return NULL;
    }
    ga_interp_call call = {.dtype = arrays[X]->dtype,
                           .parts = arrays[FP]->dtype == GA_c128 ? 2 : 1,
                           .size = arrays[X]->size,
                           .points = arrays[XP]->size,
                           .x = data[X],
                           .xp = (const double *)(void *)data[XP],
                           .fp = (const double *)(void *)data[FP],
                           .left = (const double *)(void *)data[LEFT],
                           .right = (const double *)(void *)data[RIGHT],
                           .dst = (double *)(void *)data[DST]};
    if (ga_launch_interp(ga_array_device(arrays[DST]), &call, stream) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef interp_functions[] = {
    {"_interp", (PyCFunction)(void (*)(void))interpolate_lines, METH_FASTCALL,
     "_interp($module, x, xp, fp, left, right, dst, /)\n--\n\nWrite to dst what the lines between the points (xp, fp) "
     "have at x; all contiguous."},
    {NULL, NULL, 0, NULL},
};

int
ga_interp_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, interp_functions);
}
