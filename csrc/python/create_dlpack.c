/* from_dlpack: an array over the memory of any producer of DLPack. */
#include "convert.h"
#include "create.h"

static PyObject *
create_from_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"from_dlpack", 1, 1, {" x", "device", "copy"}};
    PyObject *values[3];
    GaState *state = PyModule_GetState(module);
    ga_device *device;
    enum ga_copy_mode copy;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        ga_convert_device(state, values[1], &device) < 0 ||
        ga_create_copy_mode(values[2], GA_COPY_IF_NEEDED, &copy) < 0)
        return NULL;
    return (PyObject *)ga_convert_dlpack(state, values[0], NULL, device, 'K', copy);
}

PyMethodDef ga_create_dlpack_functions[] = {
    {"from_dlpack", GA_CREATE_FUNCTION(create_from_dlpack),
     "from_dlpack($module, x, /, *, device=None, copy=None)\n--\n\n"
     "Array over the memory of an object that speaks DLPack.\n\nParameters\n----------\n"
     "x : object\n    With __dlpack__ and __dlpack_device__.\n"
     "device : Device or str, optional\n    By default where the memory is.\n"
     "copy : bool, optional\n    True: always. None: when needed. False: never, else "
     "ValueError.\n\nReturns\n-------\nndarray\n    Read-only where the producer's memory "
     "is, and where the producer does\n    not speak DLPack 1.0."},
    {NULL, NULL, 0, NULL},
};
