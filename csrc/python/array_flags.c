/* ndarray.flags and ndarray.setflags: an object that looks at its array each time it is asked, as
 * NumPy's does. */
#include "array_type.h"

#include "arguments.h"
#include "module.h"

typedef struct {
    PyObject_HEAD
    GaArray *array; /* owned */
} GaFlags;

enum flag { C, F, OWNDATA, WRITEABLE, ALIGNED, WRITEBACK, FORC, FNC, BEHAVED, CARRAY, FARRAY };

static bool
read_flag(const GaArray *a, enum flag flag)
{
    bool c = (a->flags & GA_ARRAY_C) != 0, f = (a->flags & GA_ARRAY_F) != 0;
    bool writeable = (a->flags & GA_ARRAY_WRITEABLE) != 0;
    switch (flag) {
    case C:
        return c;
    case F:
        return f;
    case OWNDATA:
        return a->base == NULL;
    case WRITEABLE:
    case BEHAVED:
        return writeable;
    case ALIGNED:
        return true;
    case WRITEBACK:
        return false;
    case FORC:
        return f || c;
    case FNC:
        return f && !c;
    case CARRAY:
        return c && writeable;
    case FARRAY:
        return !c; /* what NumPy's attribute computes, whatever its documentation says */
    }
    return false;
}

/* Writing may always be forbidden; it is allowed again only where the memory, and the array that
 * owns it, take writes. */
static int
set_writeable(GaArray *a, bool writeable)
{
    if (!writeable) {
        a->flags &= ~(uint32_t)GA_ARRAY_WRITEABLE;
        return 0;
    }
    bool owner_readonly = a->base != NULL && Py_TYPE(a->base) == Py_TYPE(a) &&
                          !(((GaArray *)a->base)->flags & GA_ARRAY_WRITEABLE);
    if (a->buffer->readonly || owner_readonly || (a->flags & GA_ARRAY_SCALAR)) {
        PyErr_SetString(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array");
        return -1;
    }
    a->flags |= GA_ARRAY_WRITEABLE;
    return 0;
}

static void
dealloc_flags(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((GaFlags *)self)->array);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
get_flag(PyObject *self, void *closure)
{
    return PyBool_FromLong(read_flag(((GaFlags *)self)->array, (enum flag)(intptr_t)closure));
}

static int
assign_writeable(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "cannot delete attribute writeable of flags");
        return -1;
    }
    int truth = PyObject_IsTrue(value);
    return truth < 0 ? -1 : set_writeable(((GaFlags *)self)->array, truth != 0);
}

static PyObject *
get_num(PyObject *self, void *closure)
{
    (void)closure;
    const GaArray *a = ((GaFlags *)self)->array;
    int num = NPY_ARRAY_ALIGNED;
    num |= read_flag(a, C) ? NPY_ARRAY_C_CONTIGUOUS : 0;
    num |= read_flag(a, F) ? NPY_ARRAY_F_CONTIGUOUS : 0;
    num |= read_flag(a, OWNDATA) ? NPY_ARRAY_OWNDATA : 0;
    num |= read_flag(a, WRITEABLE) ? NPY_ARRAY_WRITEABLE : 0;
    return PyLong_FromLong(num);
}

static const struct {
    const char *name, *letter;
    enum flag flag;
} keys[] = {
    {"C_CONTIGUOUS", "C", C},        {"F_CONTIGUOUS", "F", F},  {"OWNDATA", "O", OWNDATA},
    {"WRITEABLE", "W", WRITEABLE},   {"ALIGNED", "A", ALIGNED}, {"WRITEBACKIFCOPY", "X", WRITEBACK},
    {"CONTIGUOUS", "CONTIGUOUS", C}, {"FORTRAN", "FORTRAN", F}, {"FNC", "FNC", FNC},
    {"FORC", "FORC", FORC},          {"BEHAVED", "B", BEHAVED}, {"CARRAY", "CA", CARRAY},
    {"FARRAY", "FA", FARRAY},
};
#define KEYS (sizeof keys / sizeof *keys)
#define KEYS_PRINTED 6

/* The row of `keys` that a subscript names; KEYS with KeyError. */
static size_t
find_key(PyObject *key)
{
    const char *text = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
    for (size_t i = 0; text != NULL && i < KEYS; i++) {
        if (strcmp(text, keys[i].name) == 0 || strcmp(text, keys[i].letter) == 0)
            return i;
    }
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_KeyError, "Unknown flag");
    return KEYS;
}

static PyObject *
subscript_flags(PyObject *self, PyObject *key)
{
    size_t i = find_key(key);
    return i == KEYS ? NULL : PyBool_FromLong(read_flag(((GaFlags *)self)->array, keys[i].flag));
}

static int
assign_subscript_flags(PyObject *self, PyObject *key, PyObject *value)
{
    size_t i = find_key(key);
    if (i == KEYS)
        return -1;
    if (keys[i].flag == WRITEABLE)
        return assign_writeable(self, value, NULL);
    PyErr_SetString(PyExc_KeyError, "Unknown flag");
    return -1;
}

static PyObject *
repr_flags(PyObject *self)
{
    PyObject *text = PyUnicode_FromString("");
    for (size_t i = 0; text != NULL && i < KEYS_PRINTED; i++) {
        bool set = read_flag(((GaFlags *)self)->array, keys[i].flag);
        PyObject *line =
            PyUnicode_FromFormat("%U  %s : %s\n", text, keys[i].name, set ? "True" : "False");
        Py_SETREF(text, line);
    }
    return text;
}

static PyObject *
compare_flags(PyObject *x, PyObject *y, int op)
{
    if (Py_TYPE(x) != Py_TYPE(y) || (op != Py_EQ && op != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    bool equal = true;
    for (size_t i = 0; i < KEYS_PRINTED; i++)
        equal &= read_flag(((GaFlags *)x)->array, keys[i].flag) ==
                 read_flag(((GaFlags *)y)->array, keys[i].flag);
    return PyBool_FromLong(equal == (op == Py_EQ));
}

#define FLAG(name, flag, doc) \
    { \
        name, get_flag, NULL, doc, (void *)(intptr_t)(flag) \
    }

static PyGetSetDef flags_getset[] = {
    FLAG("c_contiguous", C, "Elements lie without gaps in C order."),
    FLAG("contiguous", C, "Elements lie without gaps in C order."),
    FLAG("f_contiguous", F, "Elements lie without gaps in Fortran order."),
    FLAG("fortran", F, "Elements lie without gaps in Fortran order."),
    FLAG("owndata", OWNDATA, "The memory belongs to this array."),
    {"writeable", get_flag, assign_writeable, "Elements may be assigned.",
     (void *)(intptr_t)WRITEABLE},
    FLAG("aligned", ALIGNED, "Always true."),
    FLAG("writebackifcopy", WRITEBACK, "Always false."),
    FLAG("forc", FORC, "Contiguous in one of the two orders."),
    FLAG("fnc", FNC, "Contiguous in Fortran order and not in C order."),
    FLAG("behaved", BEHAVED, "Aligned and writeable."),
    FLAG("carray", CARRAY, "Behaved and contiguous in C order."),
    FLAG("farray", FARRAY, "Not contiguous in C order."),
    {"num", get_num, NULL, "The flags as a number, with NumPy's bits.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot flags_slots[] = {
    {Py_tp_dealloc, dealloc_flags},
    {Py_tp_getset, flags_getset},
    {Py_tp_repr, repr_flags},
    {Py_tp_str, repr_flags},
    {Py_tp_richcompare, compare_flags},
    {Py_mp_subscript, subscript_flags},
    {Py_mp_ass_subscript, assign_subscript_flags},
    {Py_tp_doc, "Layout and writability of an ndarray, by attribute or as flags['C']."},
    {0, NULL},
};

static PyType_Spec flags_spec = {
    .name = "gpuarray._core.flagsobj",
    .basicsize = sizeof(GaFlags),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = flags_slots,
};

PyObject *
ga_flags_new(GaState *state, GaArray *array)
{
    GaFlags *flags = (GaFlags *)state->flags_type->tp_alloc(state->flags_type, 0);
    if (flags != NULL)
        flags->array = (GaArray *)Py_NewRef(array);
    return (PyObject *)flags;
}

static PyObject *
setflags(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"setflags", 0, 3, {"write", "align", "uic", NULL}};
    PyObject *values[3];
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    if (ga_arguments_given(values[2]) != NULL && PyObject_IsTrue(values[2]) == 1) {
        PyErr_SetString(PyExc_ValueError, "cannot set WRITEBACKIFCOPY flag to True");
        return NULL;
    }
    if (ga_arguments_given(values[0]) != NULL) {
        int truth = PyObject_IsTrue(values[0]);
        if (truth < 0 || set_writeable((GaArray *)self, truth != 0) < 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

PyMethodDef ga_flags_methods[] = {
    {"setflags", GA_FASTCALL(setflags),
     "setflags($self, /, write=None, align=None, uic=None)\n--\n\nSet whether elements may be "
     "assigned."},
    {NULL, NULL, 0, NULL},
};

int
ga_flags_init(PyObject *module, GaState *state)
{
    state->flags_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &flags_spec, NULL);
    return state->flags_type == NULL ? -1 : 0;
}
