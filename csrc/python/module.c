/* gpuarray._core: the module object, its state, and the order in which the files of this folder are
 * initialised. Owns GaState (made by exec_module, dropped by clear_module) and the one import of
 * NumPy's C API. No CUDA is touched here. */
#define GAPY_IMPORT_NUMPY
#include "module.h"

#include "../core/loader.h"
#include "array.h"
#include "dtype.h"
#include "memory_functions.h"

typedef int (*init_fn)(PyObject *module, GaState *state);

/* Types first, since functions and ufuncs make arrays. */
static const init_fn initialisers[] = {
    ga_array_init,  ga_flags_init,  ga_iter_init,  ga_pickle_init, ga_forward_init,
    ga_choose_init,
    ga_random_init,
    ga_device_init, ga_stream_init, ga_ufunc_init, ga_create_init, ga_join_init, ga_index_init,
    ga_count_init,  ga_formula_init, ga_expression_init, ga_rows_init, ga_extend_init, ga_polynomial_init, ga_interp_init,
    ga_cross_init,  ga_moments_init, ga_present_init, ga_memory_init,
    ga_sort_init,   ga_rank_init,   ga_select_init, ga_guard_init,
    ga_fft_init,    ga_lapack_init, ga_window_init, ga_resample_init, ga_mask_init,
    ga_program_init,
    ga_fused_init,
};

/* The backends lie beside _core. */
static int
set_loader_folder(PyObject *module, GaState *state)
{
    int rc = -1;
    PyObject *bytes = NULL, *folder = NULL;
    PyObject *file = PyModule_GetFilenameObject(module);
    if (file == NULL)
        goto done;
    Py_ssize_t length = PyUnicode_GetLength(file);
    Py_ssize_t slash = PyUnicode_FindChar(file, '/', 0, length, -1);
    folder = slash > 0 ? PyUnicode_Substring(file, 0, slash) : PyUnicode_FromString(".");
    if (folder == NULL)
        goto done;
    bytes = PyUnicode_EncodeFSDefault(folder);
    if (bytes == NULL)
        goto done;
    rc = ga_loader_set_folder(PyBytes_AS_STRING(bytes)) < 0 ? ga_raise_int() : 0;
    state->folder = PyUnicode_FromFormat("%U/", folder);
    if (state->folder == NULL)
        rc = -1;
done:
    Py_XDECREF(bytes);
    Py_XDECREF(folder);
    Py_XDECREF(file);
    return rc;
}

static int
import_numpy(GaState *state)
{
    state->numpy = PyImport_ImportModule("numpy");
    if (state->numpy == NULL)
        return -1;
    PyObject *exceptions = PyImport_ImportModule("numpy.exceptions");
    if (exceptions == NULL)
        return -1;
    state->axis_error = PyObject_GetAttrString(exceptions, "AxisError");
    state->complex_warning = PyObject_GetAttrString(exceptions, "ComplexWarning");
    Py_DECREF(exceptions);
    if (state->axis_error == NULL || state->complex_warning == NULL)
        return -1;
    for (int dtype = 0; dtype < GA_DTYPE_COUNT; dtype++) {
        if (ga_registry_is_stored((enum ga_dtype)dtype)) /* ga_dtype_descr imports them */
            continue;
        int type = ga_dtype_type_number((enum ga_dtype)dtype);
        state->descrs[dtype] = PyArray_DescrFromType(type);
        if (state->descrs[dtype] == NULL)
            return -1;
    }
    return 0;
}

static int
exec_module(PyObject *module)
{
    GaState *state = PyModule_GetState(module);
    if (PyArray_ImportNumPyAPI() < 0)
        return -1;
    if (set_loader_folder(module, state) < 0 || import_numpy(state) < 0)
        return -1;
    state->python_functions = PyDict_New();
    if (state->python_functions == NULL)
        return -1;
    for (size_t i = 0; i < sizeof initialisers / sizeof *initialisers; i++) {
        if (initialisers[i](module, state) < 0)
            return -1;
    }
    return 0;
}

static int
traverse_module(PyObject *module, visitproc visit, void *arg)
{
    GaState *state = PyModule_GetState(module);
    if (state == NULL)
        return 0;
    Py_VISIT(state->array_type);
    Py_VISIT(state->ufunc_type);
    Py_VISIT(state->device_type);
    Py_VISIT(state->stream_type);
    Py_VISIT(state->event_type);
    Py_VISIT(state->flags_type);
    Py_VISIT(state->iter_type);
    for (int i = 0; i < GA_UFUNC_COUNT; i++)
        Py_VISIT(state->ufuncs[i]);
    Py_VISIT(state->numpy);
    Py_VISIT(state->axis_error);
    Py_VISIT(state->complex_warning);
    Py_VISIT(state->python_functions);
    return 0;
}

static int
clear_module(PyObject *module)
{
    GaState *state = PyModule_GetState(module);
    if (state == NULL)
        return 0;
    Py_CLEAR(state->array_type);
    Py_CLEAR(state->ufunc_type);
    Py_CLEAR(state->device_type);
    Py_CLEAR(state->stream_type);
    Py_CLEAR(state->event_type);
    Py_CLEAR(state->flags_type);
    Py_CLEAR(state->iter_type);
    for (int i = 0; i < GA_UFUNC_COUNT; i++)
        Py_CLEAR(state->ufuncs[i]);
    for (int i = 0; i < GA_DTYPE_COUNT; i++)
        Py_CLEAR(state->descrs[i]);
    Py_CLEAR(state->folder);
    Py_CLEAR(state->numpy);
    Py_CLEAR(state->axis_error);
    Py_CLEAR(state->complex_warning);
    Py_CLEAR(state->python_functions);
    return 0;
}

static void
free_module(void *module)
{
    ga_memory_end();
    (void)clear_module(module);
    GaState *state = PyModule_GetState(module);
    if (state != NULL)
        ga_array_free_list_clear(state);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, exec_module},
#ifdef Py_mod_multiple_interpreters /* Python 3.12 and later; NumPy refuses sub-interpreters too */
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

struct PyModuleDef ga_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gpuarray._core",
    .m_doc = "The compiled part of gpuarray.",
    .m_size = sizeof(GaState),
    .m_slots = module_slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModuleDef_Init(&ga_module);
}
