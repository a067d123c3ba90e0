/* Module functions about devices: which there are, which is the default, why one is missing. What their memory
 * holds is in memory_functions.c. */
#include "../core/loader.h"
#include "convert.h"
#include "device_object.h"

#define GA_DEVICES_MAX 65

static GaState *
state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

static PyObject *
list_devices(PyObject *module, PyObject *unused)
{
    (void)unused;
    ga_device *found[GA_DEVICES_MAX];
    int count;
    if (ga_device_list(found, GA_DEVICES_MAX, &count) < 0)
        return ga_raise();
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < count && i < GA_DEVICES_MAX; i++) {
        PyObject *device = ga_convert_device_object(state_of(module), found[i]);
        int rc = device == NULL ? -1 : PyList_Append(list, device);
        Py_XDECREF(device);
        if (rc < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *
get_default(PyObject *module, PyObject *unused)
{
    (void)unused;
    ga_device *device;
    if (ga_device_argument(state_of(module), NULL, &device) < 0)
        return NULL;
    return ga_convert_device_object(state_of(module), device);
}

static PyObject *
set_default(PyObject *module, PyObject *arg)
{
    ga_device *device;
    if (ga_convert_device(state_of(module), arg, &device) < 0)
        return NULL;
    ga_device_set_default(device); /* None: chosen anew */
    Py_RETURN_NONE;
}

static PyObject *
synchronize(PyObject *module, PyObject *args, PyObject *kwargs)
{
    ga_device *device;
    if (ga_device_parse(module, args, kwargs, "|O:synchronize", &device) < 0 ||
        ga_device_synchronize(device) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
device_info(PyObject *module, PyObject *args, PyObject *kwargs)
{
    ga_device *device;
    ga_device_info info;
    if (ga_device_parse(module, args, kwargs, "|O:device_info", &device) < 0)
        return NULL;
    if (device->backend->device_info(device->index, &info) < 0) {
        ga_fail_backend(device->backend);
        return ga_raise();
    }
    return Py_BuildValue("{sssLsLsisisisisd}", "name", info.name, "total_memory",
                         (long long)info.total_memory, "free_memory", (long long)info.free_memory,
                         "multiprocessors", info.multiprocessors, "arch", info.arch,
                         "driver_version", info.driver_version, "runtime_version",
                         info.runtime_version, "peak_bandwidth", info.peak_bandwidth);
}

/* ---- Backends ---- */

static PyObject *
backend_reason(PyObject *module, PyObject *arg)
{
    (void)module;
    const char *name = PyUnicode_AsUTF8(arg);
    if (name == NULL)
        return NULL;
    const char *reason = ga_loader_reason(name);
    return reason == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(reason);
}

static PyObject *
backend_build(PyObject *module, PyObject *arg)
{
    (void)module;
    const ga_backend *backend;
    const char *name = PyUnicode_AsUTF8(arg);
    if (name == NULL)
        return NULL;
    if (ga_loader_open(name, &backend) < 0)
        return ga_raise();
    return PyUnicode_FromString(backend->build);
}

/* "name\tversion or reason\n" a line, as a list of pairs. */
static PyObject *
split_lines(const char *text)
{
    PyObject *list = PyList_New(0);
    while (list != NULL && *text != '\0') {
        size_t line = strcspn(text, "\n"), name = strcspn(text, "\t\n");
        size_t rest = name < line ? name + 1 : line;
        PyObject *pair =
            Py_BuildValue("s#s#", text, (Py_ssize_t)name, text + rest, (Py_ssize_t)(line - rest));
        int rc = pair == NULL ? -1 : PyList_Append(list, pair);
        Py_XDECREF(pair);
        if (rc < 0)
            Py_CLEAR(list);
        text += line + (text[line] == '\n');
    }
    return list;
}

static PyObject *
libraries(PyObject *module, PyObject *arg)
{
    (void)module;
    const ga_backend *backend;
    char text[4096] = "";
    const char *name = PyUnicode_AsUTF8(arg);
    if (name == NULL)
        return NULL;
    if (ga_loader_open(name, &backend) < 0)
        return ga_raise();
    if (backend->libraries(text, sizeof text) < 0) {
        ga_fail_backend(backend);
        return ga_raise();
    }
    return split_lines(text);
}

static PyObject *
set_library_path(PyObject *module, PyObject *args)
{
    (void)module;
    const ga_backend *backend;
    const char *name, *folders;
    if (!PyArg_ParseTuple(args, "ss:set_library_path", &name, &folders))
        return NULL;
    if (ga_loader_open(name, &backend) < 0)
        return ga_raise();
    if (backend->library_path(folders) < 0) {
        ga_fail_backend(backend);
        return ga_raise();
    }
    Py_RETURN_NONE;
}

PyMethodDef ga_device_functions[] = {
    {"devices", list_devices, METH_NOARGS,
     "devices($module, /)\n--\n\nAll devices that can be used, the CPU "
     "first.\n\nReturns\n-------\nlist of Device"},
    {"default_device", get_default, METH_NOARGS,
     "default_device($module, /)\n--\n\nWhere arrays go when no device is "
     "named.\n\nReturns\n-------\nDevice"},
    {"set_default_device", set_default, METH_O,
     "set_default_device($module, device, /)\n--\n\nChoose where arrays go when no device is "
     "named.\n\n"
     "Parameters\n----------\ndevice : Device, str or None\n    None: as at the start of the "
     "program."},
    {"synchronize", GA_KEYWORD_FUNCTION(synchronize),
     "synchronize($module, /, device=None)\n--\n\nWait until a device has finished its "
     "work." GA_DEVICE_PARAMETER},
    {"device_info", GA_KEYWORD_FUNCTION(device_info),
     "device_info($module, /, device=None)\n--\n\nFacts about a device." GA_DEVICE_PARAMETER
     "\n\nReturns\n-------\ndict\n    name, total_memory, free_memory, multiprocessors, arch, "
     "driver_version, runtime_version,\n"
     "    peak_bandwidth."},
    {"backend_reason", backend_reason, METH_O,
     "backend_reason($module, name, /)\n--\n\nWhy a backend ('cpu' or 'cuda') cannot be used; None "
     "if it can."},
    {"backend_build", backend_build, METH_O,
     "backend_build($module, name, /)\n--\n\nWith what and for which architectures a backend was "
     "compiled."},
    {"libraries", libraries, METH_O,
     "libraries($module, name, /)\n--\n\nLibraries that a backend opens on first use.\n\n"
     "Returns\n-------\nlist of (name, version or reason)"},
    {"set_library_path", set_library_path, METH_VARARGS,
     "set_library_path($module, name, folders, /)\n--\n\nTell a backend where else to look for "
     "libraries.\n\n"
     "Parameters\n----------\nname : str\n    'cuda' or 'cpu'.\nfolders : str\n    Folders joined "
     "by ':'."},
    {NULL, NULL, 0, NULL},
};
