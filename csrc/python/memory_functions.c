/* Module functions about the memory of devices: what it holds, how much it may, where it was asked for. Installs the
 * hooks through which the core collects garbage before it gives up, and learns where an array is made. */
#include "memory_functions.h"

#include "device_object.h"
#include "module.h"

/* ---- what there is ---- */

static PyObject *
memory_info(PyObject *module, PyObject *args, PyObject *kwargs)
{
    ga_device *device;
    if (ga_device_parse(module, args, kwargs, "|O:memory_info", &device) < 0)
        return NULL;
    return ga_device_memory(device);
}

static PyObject *
memory_stats(PyObject *module, PyObject *args, PyObject *kwargs)
{
    ga_device *device;
    ga_pool_stats stats;
    ga_fft_plans plans;
    if (ga_device_parse(module, args, kwargs, "|O:memory_stats", &device) < 0)
        return NULL;
    ga_pool_get_stats(device->pool, &stats);
    if (device->backend->fft_keep(device->index, -1, &plans) < 0) {
        ga_fail_backend(device->backend);
        return ga_raise();
    }
    return Py_BuildValue("{sLsLsLsLsLsLsLsL}", "live_bytes", (long long)stats.live_bytes,
                         "live_blocks", (long long)stats.live_blocks, "peak_bytes",
                         (long long)stats.peak_bytes, "cached_bytes", (long long)stats.cached_bytes,
                         "allocations", (long long)stats.allocations, "hits", (long long)stats.hits,
                         "limit_bytes", (long long)stats.limit_bytes, "fft_plans",
                         (long long)plans.plans);
}

static PyObject *
largest_arrays(PyObject *module, PyObject *args, PyObject *kwargs)
{
    enum { MOST = 100 };
    static char *names[] = {"device", "count", NULL};
    ga_live_entry entries[MOST];
    ga_device *device;
    PyObject *arg = NULL;
    int count = 5;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Oi:largest_arrays", names, &arg, &count) ||
        ga_device_argument(PyModule_GetState(module), arg, &device) < 0)
        return NULL;
    count = ga_live_largest(device, entries, count < 0 ? 0 : count < MOST ? count : MOST);
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < count; i++) {
        PyObject *pair = Py_BuildValue("nz", (Py_ssize_t)entries[i].nbytes, entries[i].origin);
        int rc = pair == NULL ? -1 : PyList_Append(list, pair);
        Py_XDECREF(pair);
        if (rc < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- what may be ---- */

static PyObject *
free_memory(PyObject *module, PyObject *args, PyObject *kwargs)
{
    ga_device *device;
    if (ga_device_parse(module, args, kwargs, "|O:free_memory", &device) < 0)
        return NULL;
    if (ga_pool_trim(device->pool) < 0)
        return ga_raise();
    Py_RETURN_NONE;
}

static PyObject *
reset_peak_memory(PyObject *module, PyObject *args, PyObject *kwargs)
{
    ga_device *device;
    if (ga_device_parse(module, args, kwargs, "|O:reset_peak_memory", &device) < 0)
        return NULL;
    ga_pool_reset_peak(device->pool);
    Py_RETURN_NONE;
}

static PyObject *
set_memory_limit(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"nbytes", "device", NULL};
    PyObject *number, *arg = NULL;
    ga_device *device;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:set_memory_limit", names, &number, &arg) ||
        ga_device_argument(PyModule_GetState(module), arg, &device) < 0)
        return NULL;
    Py_ssize_t nbytes = number == Py_None ? 0 : PyNumber_AsSsize_t(number, PyExc_OverflowError);
    if (nbytes == -1 && PyErr_Occurred())
        return NULL;
    if (nbytes < 0 || (nbytes == 0 && number != Py_None))
        return PyErr_Format(PyExc_ValueError,
                            "set_memory_limit(): nbytes must be positive, or None for no limit; "
                            "got %zd",
                            nbytes);
    ga_pool_set_limit(device->pool, nbytes);
    Py_RETURN_NONE;
}

/* ---- where it was asked for ---- */

/* The innermost frame outside this package; a new reference or NULL. */
static PyFrameObject *
find_user_frame(PyObject *folder)
{
    PyFrameObject *frame = (PyFrameObject *)Py_XNewRef(PyEval_GetFrame());
    while (frame != NULL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        Py_ssize_t inside = PyUnicode_Tailmatch(code->co_filename, folder, 0,
                                                PyUnicode_GetLength(code->co_filename), -1);
        Py_DECREF(code);
        if (inside != 1)
            break;
        Py_SETREF(frame, PyFrame_GetBack(frame));
    }
    return frame;
}

/* "path:line" from malloc. */
static char *
format_frame(PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    Py_ssize_t length;
    const char *path = PyUnicode_AsUTF8AndSize(code->co_filename, &length);
    size_t room = (size_t)length + 16;
    char *text = path != NULL ? malloc(room) : NULL;
    if (text != NULL)
        snprintf(text, room, "%s:%d", path, PyFrame_GetLineNumber(frame));
    Py_DECREF(code);
    return text;
}

/* The core's question; context is the module's state. */
static char *
describe_caller(void *context)
{
    if (PyErr_Occurred()) /* not to be disturbed */
        return NULL;
    PyFrameObject *frame = find_user_frame(((GaState *)context)->folder);
    char *text = frame != NULL ? format_frame(frame) : NULL;
    Py_XDECREF(frame);
    PyErr_Clear();
    return text;
}

static PyObject *
set_memory_tracing(PyObject *module, PyObject *arg)
{
    int enabled = PyObject_IsTrue(arg);
    if (enabled < 0)
        return NULL;
    ga_live_set_origin(enabled ? describe_caller : NULL, PyModule_GetState(module));
    Py_RETURN_NONE;
}

/* Another way to memory before an allocation fails: cycles that hold arrays. */
static int
reclaim_memory(void *context)
{
    (void)context;
    return PyGC_Collect() > 0;
}

static PyMethodDef memory_functions[] = {
    {"memory_info", GA_KEYWORD_FUNCTION(memory_info),
     "memory_info($module, /, device=None)\n--\n\nFree and total memory of a device in "
     "bytes." GA_DEVICE_PARAMETER},
    {"memory_stats", GA_KEYWORD_FUNCTION(memory_stats),
     "memory_stats($module, /, device=None)\n--\n\nWhat the memory pool of a device holds and "
     "did." GA_DEVICE_PARAMETER
     "\n\nReturns\n-------\ndict\n    live_bytes, live_blocks: of arrays; "
     "peak_bytes: the most there was;\n    cached_bytes: kept for later arrays; allocations, hits: "
     "calls, and those that were served\n    from the cache; limit_bytes: 0 for none; fft_plans: kept transforms."},
    {"largest_arrays", GA_KEYWORD_FUNCTION(largest_arrays),
     "largest_arrays($module, /, device=None, count=5)\n--\n\nThe largest pieces of memory that "
     "live "
     "arrays hold." GA_DEVICE_PARAMETER "\ncount : int, optional\n    How many, 100 at most.\n\n"
     "Returns\n-------\nlist of (int, str or None)\n    Bytes, and 'file:line' where the array was "
     "made if set_memory_tracing(True) had been called\n    before."},
    {"free_memory", GA_KEYWORD_FUNCTION(free_memory),
     "free_memory($module, /, device=None)\n--\n\nGive cached memory back to the "
     "system." GA_DEVICE_PARAMETER},
    {"reset_peak_memory", GA_KEYWORD_FUNCTION(reset_peak_memory),
     "reset_peak_memory($module, /, device=None)\n--\n\nLet peak_bytes of memory_stats start anew "
     "from what is live now." GA_DEVICE_PARAMETER},
    {"set_memory_limit", GA_KEYWORD_FUNCTION(set_memory_limit),
     "set_memory_limit($module, /, nbytes, device=None)\n--\n\nLimit the memory of arrays, live "
     "and "
     "cached together.\n\nParameters\n----------\nnbytes : int or None\n    None for no limit. At "
     "the "
     "start it is GPUARRAY_MEMORY_LIMIT, as in '8G', if that is set.\ndevice : Device or str, "
     "optional\n    By default the default device.\n\n"
     "Notes\n-----\nBeyond the limit a call behaves as on a smaller device: the cache is dropped, "
     "garbage is\ncollected, and then a MemoryError is raised. Counted are blocks, up to a quarter "
     "larger than "
     "what they hold; what kernels need beside arrays is not counted."},
    {"set_memory_tracing", set_memory_tracing, METH_O,
     "set_memory_tracing($module, enabled, /)\n--\n\nNote for each new array where it is made, for "
     "MemoryError and largest_arrays().\n\nParameters\n----------\nenabled : bool\n    Off at the "
     "start: it costs a few microseconds an array."},
    {NULL, NULL, 0, NULL},
};

int
ga_memory_init(PyObject *module, GaState *state)
{
    (void)state;
    ga_pool_set_reclaim(reclaim_memory, NULL);
    return PyModule_AddFunctions(module, memory_functions);
}

void
ga_memory_end(void)
{
    ga_pool_set_reclaim(NULL, NULL);
    ga_live_set_origin(NULL, NULL);
}
