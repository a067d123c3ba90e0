/* _program: programs in CUDA C++ of the user's, compiled and launched by the backend. A program is a capsule over a
 * ga_program, which it owns; its context is the device. gpuarray/_programs.py gives them their names and keeps them. */
#include "arguments.h"
#include "array.h"
#include "device_object.h"
#include "launch.h"
#include "module.h"
#include "program.h"

#define CAPSULE GA_PROGRAM_CAPSULE
#define LOG_SIZE 16384

/* ---- compiling ---- */

static void
free_program(PyObject *capsule)
{
    ga_program *program = PyCapsule_GetPointer(capsule, CAPSULE);
    const ga_device *device = PyCapsule_GetContext(capsule);
    if (!ga_python_ends()) /* CUDA may have gone before */
        device->backend->program_free(program);
}

/* The texts of a tuple as C strings that live as long as it; *out is freed with PyMem_Free also on failure. */
static int
take_texts(PyObject *tuple, const char ***out, int32_t *count)
{
    Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    *count = (int32_t)n;
    *out = PyMem_Calloc((size_t)n + 1, sizeof **out);
    if (*out == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        (*out)[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(tuple, i));
        if ((*out)[i] == NULL)
            return -1;
    }
    return 0;
}

/* The backend's words, and the compiler's own below them. */
static void
raise_failure(const ga_device *device, const char *log)
{
    enum ga_status status;
    const char *words = device->backend->last_error(&status);
    if (log[0] != '\0') {
        PyErr_Format(PyExc_ValueError, "%s\n%s", words, log);
        return;
    }
    ga_fail_backend(device->backend);
    (void)ga_raise();
}

static PyObject *
make_program(ga_device *device, ga_program_source *source)
{
    int rc;
    ga_program *program = NULL;
    Py_BEGIN_ALLOW_THREADS
    rc = device->backend->program_make(source, &program);
    Py_END_ALLOW_THREADS
    if (rc < 0) {
        raise_failure(device, source->log);
        return NULL;
    }
    PyObject *capsule = PyCapsule_New(program, CAPSULE, free_program);
    if (capsule != NULL && PyCapsule_SetContext(capsule, device) == 0)
        return capsule;
    Py_XDECREF(capsule);
    return NULL;
}

static PyObject *
compile_program(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    GaState *state = PyModule_GetState(module);
    PyObject *capsule = NULL, *result = NULL;
    ga_device *device;
    const char **options = NULL, **expressions = NULL;
    if (!ga_arguments_count("_program", nargs, 4, 4) ||
        ga_device_argument(state, args[0], &device) < 0 ||
        (!device->is_cpu && ga_launch_find_libraries(state) < 0))
        return NULL;
    char *log = PyMem_Calloc(1, LOG_SIZE);
    ga_program_source source = {
        .device = device->index, .source = PyUnicode_AsUTF8(args[1]), .log = log, .log_size = LOG_SIZE};
    if (log == NULL || source.source == NULL || take_texts(args[2], &options, &source.noptions) < 0 ||
        take_texts(args[3], &expressions, &source.nexpressions) < 0)
        goto done;
    source.options = options;
    source.expressions = expressions;
    capsule = make_program(device, &source);
    if (capsule != NULL)
        result = Py_BuildValue("(Os)", capsule, log);
done:
    Py_XDECREF(capsule);
    PyMem_Free(options);
    PyMem_Free(expressions);
    PyMem_Free(log);
    return result;
}

static PyObject *
find_kernel(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    if (!ga_arguments_count("_program_find", nargs, 2, 2))
        return NULL;
    ga_program *program = PyCapsule_GetPointer(args[0], CAPSULE);
    const char *name = PyUnicode_AsUTF8(args[1]);
    if (program == NULL || name == NULL)
        return NULL;
    const ga_device *device = PyCapsule_GetContext(args[0]);
    if (device->backend->program_find(program, name) == 0)
        Py_RETURN_NONE;
    ga_fail_backend(device->backend);
    return ga_raise();
}

/* ---- launching ---- */

static int
take_sizes(PyObject *tuple, uint32_t *out)
{
    for (int i = 0; i < 3; i++) {
        unsigned long value = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(tuple, i));
        if (PyErr_Occurred())
            return -1;
        out[i] = (uint32_t)value;
    }
    return 0;
}

/* Where the value of one argument lies: an array's device pointer, kept in *pointer, or the bytes of a number. */
static int
take_argument(GaState *state, const ga_device *device, PyObject *object, char **pointer, void **out)
{
    ga_stream *stream;
    if (PyBytes_Check(object)) {
        *out = PyBytes_AS_STRING(object);
        return 0;
    }
    if (!GA_ARRAY_CHECK(state, object)) {
        PyErr_Format(PyExc_TypeError, "a kernel takes arrays and numbers, not %.200s", Py_TYPE(object)->tp_name);
        return -1;
    }
    GaArray *array = (GaArray *)object;
    if (ga_array_device(array) != device) {
        PyErr_Format(PyExc_ValueError, "a kernel of %s takes no array on %s", device->name,
                     ga_array_device(array)->name);
        return -1;
    }
    bool writeable = (array->flags & GA_ARRAY_WRITEABLE) != 0;
    *out = pointer;
    return ga_array_pointer(array, writeable ? GA_READWRITE : GA_READ, &stream, pointer);
}

static int
launch_kernel(GaState *state, const ga_device *device, ga_program_launch *launch, PyObject *arguments)
{
    Py_ssize_t count = PyTuple_GET_SIZE(arguments);
    char **pointers = PyMem_Calloc((size_t)count + 1, sizeof *pointers);
    int rc = pointers != NULL ? 0 : -1;
    launch->arguments = PyMem_Calloc((size_t)count + 1, sizeof *launch->arguments);
    if (pointers == NULL || launch->arguments == NULL) {
        PyErr_NoMemory();
        rc = -1;
    }
    for (Py_ssize_t i = 0; rc == 0 && i < count; i++)
        rc = take_argument(state, device, PyTuple_GET_ITEM(arguments, i), &pointers[i], &launch->arguments[i]);
    if (rc == 0)
        rc = ga_launch_program_run(device, launch, ga_device_stream(device));
    PyMem_Free(launch->arguments);
    PyMem_Free(pointers);
    return rc;
}

static PyObject *
run_kernel(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    ga_program_launch launch;
    if (!ga_arguments_count("_program_run", nargs, 6, 6))
        return NULL;
    launch.program = PyCapsule_GetPointer(args[0], CAPSULE);
    launch.name = PyUnicode_AsUTF8(args[1]);
    if (launch.program == NULL || launch.name == NULL || take_sizes(args[2], launch.grid) < 0 ||
        take_sizes(args[3], launch.block) < 0)
        return NULL;
    unsigned long shared = PyLong_AsUnsignedLong(args[4]);
    if (PyErr_Occurred())
        return NULL;
    launch.shared_nbytes = (uint32_t)shared;
    const ga_device *device = PyCapsule_GetContext(args[0]);
    if (launch_kernel(PyModule_GetState(module), device, &launch, args[5]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

#define ROW(name, function, text) \
    { \
        name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, name text \
    }

static PyMethodDef program_functions[] = {
    ROW("_program", compile_program,
        "($module, device, source, options, expressions, /)\n--\n\nA compiled program and what the compiler said."),
    ROW("_program_find", find_kernel,
        "($module, program, name, /)\n--\n\nA ValueError where the program has no such kernel."),
    ROW("_program_run", run_kernel,
        "($module, program, name, grid, block, shared, arguments, /)\n--\n\nOne launch; sizes are tuples of "
        "three, arguments arrays or the bytes of numbers."),
    {NULL, NULL, 0, NULL},
};

int
ga_program_init(PyObject *module, GaState *state)
{
    (void)state;
    return PyModule_AddFunctions(module, program_functions);
}
