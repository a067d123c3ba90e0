/* A NumPy ufunc for a row that the installed NumPy does not have, so that NumPy's own rules of promotion and
 * casting choose its loops too. It has the dtypes of the row's loops and is asked for dtypes only: none of its loops is
 * ever run. Includes NumPy's ufunc API, whose pointer is this file's. */
#include "ufunc_call.h"

#include <numpy/ufuncobject.h>

#include "dtype.h"

enum { LOOPS = 2 * GA_DTYPE_COUNT };

static void
leave_alone(char **Py_UNUSED(args), npy_intp const *Py_UNUSED(dimensions),
            npy_intp const *Py_UNUSED(steps), void *Py_UNUSED(data))
{
}

static const PyUFuncGenericFunction functions[LOOPS] = {[0 ... LOOPS - 1] = leave_alone};

/* SciPy lists double precision before single, all but twice, so that what is neither becomes double. Loops come in
 * pairs, of real and of complex dtypes. */
static void
order_as_scipy(enum ga_ufunc op, ga_loop *loops, int count)
{
    if (op == GA_UF_erfinv || op == GA_UF_binom)
        return;
    for (int i = 0; i + 1 < count; i += 2) {
        ga_loop narrow = loops[i];
        loops[i] = loops[i + 1];
        loops[i + 1] = narrow;
    }
}

static void
fill_types(const ga_ufunc_info *info, const ga_loop *loop, char *out)
{
    for (int i = 0; i < info->nin; i++)
        out[i] = (char)ga_dtype_type_number(loop->in[i]);
    for (int i = 0; i < info->nout; i++)
        out[info->nin + i] = (char)ga_dtype_type_number(loop->out[i]);
}

PyObject *
ga_ufunc_stand_in(enum ga_ufunc op, char **types)
{
    const ga_ufunc_info *info = ga_registry_ufunc(op);
    ga_loop loops[LOOPS];
    int count = ga_registry_loops(op, loops, LOOPS), args = info->nin + info->nout;
    if (PyUFunc_ImportUFuncAPI() < 0)
        return NULL;
    *types = PyMem_Malloc((size_t)(count * args));
    if (*types == NULL)
        return PyErr_NoMemory();
    if (op >= GA_UFUNC_SPECIAL)
        order_as_scipy(op, loops, count);
    for (int i = 0; i < count; i++)
        fill_types(info, &loops[i], *types + i * args);
    return PyUFunc_FromFuncAndData((PyUFuncGenericFunction *)(uintptr_t)functions, NULL, *types,
                                   count, info->nin, info->nout, PyUFunc_None, info->name, NULL, 0);
}
