/* The type `ufunc` and its objects, one for each row of ufuncs.def, made when the module is. An
 * object owns NumPy's ufunc of the same name, or its stand-in (asked for loops), and the cache of answers. Immutable
 * but for that cache; pickled by name. Those of gpuarray.special are names of a module of their own. */
#include "module.h"

#include <structmember.h>

#include "dtype.h"
#include "functions.h"
#include "ufunc_call.h"

static int
traverse_ufunc(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((GaUfunc *)self)->numpy_ufunc);
    return 0;
}

static void
dealloc_ufunc(PyObject *self)
{
    GaUfunc *ufunc = (GaUfunc *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    ga_resolve_cache_free(ufunc->cache);
    Py_XDECREF(ufunc->numpy_ufunc);
    PyMem_Free(ufunc->types);
    Py_XDECREF(ufunc->name);
    Py_XDECREF(ufunc->doc);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
repr_ufunc(PyObject *self)
{
    return PyUnicode_FromFormat("<ufunc '%s'>", ((GaUfunc *)self)->info->name);
}

static PyObject *
get_nin(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(((GaUfunc *)self)->info->nin);
}

static PyObject *
get_nout(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(((GaUfunc *)self)->info->nout);
}

static PyObject *
get_nargs(PyObject *self, void *Py_UNUSED(closure))
{
    const ga_ufunc_info *info = ((GaUfunc *)self)->info;
    return PyLong_FromLong(info->nin + info->nout);
}

static PyObject *
get_types(PyObject *self, void *Py_UNUSED(closure))
{
    return ga_ufunc_types(((GaUfunc *)self)->op);
}

static PyObject *
get_ntypes(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(ga_registry_loops(((GaUfunc *)self)->op, NULL, 0));
}

static PyObject *
get_identity(PyObject *self, void *Py_UNUSED(closure))
{
    switch (((GaUfunc *)self)->info->identity) {
    case GA_IDENTITY_ZERO:
        return PyLong_FromLong(0);
    case GA_IDENTITY_ONE:
        return PyLong_FromLong(1);
    case GA_IDENTITY_ONES:
        return PyLong_FromLong(-1);
    case GA_IDENTITY_TRUE:
        Py_RETURN_TRUE;
    case GA_IDENTITY_FALSE:
        Py_RETURN_FALSE;
    case GA_IDENTITY_NINF:
        return PyFloat_FromDouble(-Py_HUGE_VAL);
    case GA_IDENTITY_NONE:
        break;
    }
    Py_RETURN_NONE;
}

static PyObject *
get_signature(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    Py_RETURN_NONE; /* of generalised ufuncs only */
}

/* NumPy has it since 2.4, for inspect.signature. */
static PyObject *
get_text_signature(PyObject *self, void *Py_UNUSED(closure))
{
    return PyObject_GetAttrString(((GaUfunc *)self)->numpy_ufunc, "__signature__");
}

static PyObject *
get_name(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_NewRef(((GaUfunc *)self)->name);
}

static PyObject *
get_doc(PyObject *self, void *Py_UNUSED(closure))
{
    GaUfunc *ufunc = (GaUfunc *)self;
    if (ufunc->doc == NULL)
        ufunc->doc = ga_ufunc_docstring(ufunc->op);
    return Py_XNewRef(ufunc->doc);
}

static PyGetSetDef ufunc_getset[] = {
    {"nin", get_nin, NULL, "Number of inputs.", NULL},
    {"nout", get_nout, NULL, "Number of outputs.", NULL},
    {"nargs", get_nargs, NULL, "Number of inputs and outputs.", NULL},
    {"ntypes", get_ntypes, NULL, "Number of loops.", NULL},
    {"types", get_types, NULL, "Loops as NumPy's dtype characters, 'dd->d'.", NULL},
    {"identity", get_identity, NULL, "Value of an empty reduction, or None.", NULL},
    {"signature", get_signature, NULL, "None: element-wise.", NULL},
    {"__signature__", get_text_signature, NULL, NULL, NULL},
    {"__name__", get_name, NULL, NULL, NULL},
    {"__qualname__", get_name, NULL, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef ufunc_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(GaUfunc, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot ufunc_slots[] = {
    {Py_tp_dealloc, dealloc_ufunc},    {Py_tp_traverse, traverse_ufunc},
    {Py_tp_repr, repr_ufunc},          {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getset, ufunc_getset},      {Py_tp_members, ufunc_members},
    {Py_tp_methods, ga_ufunc_methods}, {0, NULL},
};

static PyType_Spec ufunc_spec = {
    .name = "gpuarray.ufunc",
    .basicsize = sizeof(GaUfunc),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
             Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = ufunc_slots,
};

/* What NumPy has under the name of a special function is no ufunc (i0). */
static PyObject *
find_numpys(GaState *state, enum ga_ufunc op)
{
    if (op >= GA_UFUNC_SPECIAL)
        return NULL;
    PyObject *found = PyObject_GetAttrString(state->numpy, ga_registry_ufunc(op)->name);
    if (found == NULL)
        PyErr_Clear(); /* a row the installed NumPy does not have */
    return found;
}

static PyObject *
new_ufunc(GaState *state, enum ga_ufunc op)
{
    GaUfunc *ufunc = PyObject_GC_New(GaUfunc, state->ufunc_type);
    if (ufunc == NULL)
        return NULL;
    ufunc->op = op;
    ufunc->info = ga_registry_ufunc(op);
    ufunc->doc = NULL;
    ufunc->vectorcall = ga_ufunc_vectorcall;
    ufunc->name = PyUnicode_InternFromString(ufunc->info->name);
    ufunc->types = NULL;
    ufunc->numpy_ufunc = find_numpys(state, op);
    if (ufunc->numpy_ufunc == NULL)
        ufunc->numpy_ufunc = ga_ufunc_stand_in(op, &ufunc->types);
    ufunc->cache = ga_resolve_cache_new();
    if (ufunc->name == NULL || ufunc->numpy_ufunc == NULL || ufunc->cache == NULL) {
        Py_DECREF(ufunc);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    PyObject_GC_Track(ufunc);
    return (PyObject *)ufunc;
}

int
ga_ufunc_init(PyObject *module, GaState *state)
{
    PyObject *special = PyImport_AddModule("gpuarray._core._special"); /* borrowed */
    state->ufunc_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &ufunc_spec, NULL);
    if (special == NULL || state->ufunc_type == NULL ||
        PyModule_AddObjectRef(module, "ufunc", (PyObject *)state->ufunc_type) < 0)
        return -1;
    for (int op = 0; op < GA_UFUNC_COUNT; op++) {
        state->ufuncs[op] = new_ufunc(state, (enum ga_ufunc)op);
        if (state->ufuncs[op] == NULL)
            return -1;
        if (PyModule_AddObjectRef(op < GA_UFUNC_SPECIAL ? module : special,
                                  ga_registry_ufunc((enum ga_ufunc)op)->name,
                                  state->ufuncs[op]) < 0)
            return -1;
    }
    return PyModule_AddFunctions(module, ga_function_table);
}
