/* Methods that copy whole arrays: within the device, to another dtype, to another device. */
#include "array_type.h"

#include "arguments.h"
#include "convert.h"
#include "dtype.h"
#include "transfer.h"

#define SELF ((GaArray *)self)

static PyObject *
copy_keeping(PyObject *self, char order)
{
    return ga_array_return(SELF, ga_transfer_copy(ga_array_state(self), SELF, NULL, NULL, order));
}

static PyObject *
copy(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"copy", 0, 1, {"order", NULL}};
    PyObject *value;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, &value) < 0)
        return NULL;
    char order = ga_array_order(value, "CFAK", 'C');
    return order == 0 ? NULL : copy_keeping(self, order);
}

static PyObject *
copy_shallow(PyObject *self, PyObject *unused)
{
    (void)unused;
    return copy_keeping(self, 'K');
}

static PyObject *
copy_deep(PyObject *self, PyObject *memo)
{
    (void)memo;
    return copy_keeping(self, 'K');
}

static int
check_cast(PyArray_Descr *from, PyArray_Descr *to, PyObject *rule)
{
    NPY_CASTING casting = NPY_UNSAFE_CASTING;
    if (rule != NULL && !PyArray_CastingConverter(rule, &casting))
        return -1;
    if (casting == NPY_UNSAFE_CASTING || ga_dtype_can_cast(from, to, casting))
        return 0;
    PyErr_Format(PyExc_TypeError, "Cannot cast array data from %R to %R according to the rule '%S'",
                 from, to, rule);
    return -1;
}

static bool
has_order(const GaArray *a, char order)
{
    bool c = (a->flags & GA_ARRAY_C) != 0, f = (a->flags & GA_ARRAY_F) != 0;
    return order == 'K' || (order == 'C' && c) || (order == 'F' && f) || (order == 'A' && (c || f));
}

static PyObject *
cast_array(GaState *state, GaArray *a, PyArray_Descr *descr, char order, bool always)
{
    bool same = descr == a->descr ||
                (ga_dtype_of(descr) == a->dtype && PyArray_EquivTypes(descr, a->descr));
    if (same && !always && has_order(a, order))
        return Py_NewRef(a);
    if (ga_transfer_warn_complex(state, a->descr, descr) < 0)
        return NULL;
    return ga_array_return(a, ga_transfer_copy(state, a, descr, NULL, order));
}

static PyObject *
astype(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {
        "astype", 1, 5, {"dtype", "order", "casting", "subok", "copy", NULL}};
    GaState *state = ga_array_state(self);
    PyObject *values[5], *result = NULL;
    PyArray_Descr *descr = NULL;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0 ||
        ga_dtype_parse(values[0], &descr) < 0)
        goto done;
    Py_XSETREF(descr, descr == NULL ? ga_dtype_descr(state, GA_f64)
                                    : ga_dtype_adapt(SELF->descr, descr));
    if (descr == NULL)
        goto done;
    char order = ga_array_order(values[1], "CFAK", 'K');
    int always = values[4] == NULL ? 1 : PyObject_IsTrue(values[4]);
    if (order == 0 || always < 0 || check_cast(SELF->descr, descr, values[2]) < 0)
        goto done;
    result = cast_array(state, SELF, descr, order, always != 0);
done:
    Py_XDECREF(descr);
    return result;
}

static PyObject *
to_device(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"to_device", 1, 1, {"device", "stream", NULL}};
    GaState *state = ga_array_state(self);
    PyObject *values[2];
    ga_device *device;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, values) < 0)
        return NULL;
    if (ga_arguments_given(values[1]) != NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "to_device: choose the stream with `with stream:`; stream must be None");
        return NULL;
    }
    if (ga_convert_device(state, values[0], &device) < 0)
        return NULL;
    if (device == NULL || device == ga_array_device(SELF))
        return Py_NewRef(self);
    return ga_array_return(SELF, ga_transfer_copy(state, SELF, NULL, device, 'K'));
}

static PyObject *
array_namespace(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const ga_signature signature = {"__array_namespace__", 0, 0, {"api_version", NULL}};
    static const char *const versions[] = {"2021.12", "2022.12", "2023.12", "2024.12", "2025.12"};
    PyObject *version;
    (void)self;
    if (ga_arguments_bind(&signature, args, nargs, kwnames, &version) < 0)
        return NULL;
    bool known = ga_arguments_given(version) == NULL;
    for (size_t i = 0; !known && PyUnicode_Check(version) && i < sizeof versions / sizeof *versions;
         i++)
        known = PyUnicode_CompareWithASCIIString(version, versions[i]) == 0;
    if (!known) {
        PyErr_Format(
            PyExc_ValueError,
            "__array_namespace__: api_version %R of the Array API Standard is not supported",
            version);
        return NULL;
    }
    return PyImport_ImportModule("gpuarray");
}

static PyObject *
size_of(PyObject *self, PyObject *unused)
{
    (void)unused;
    size_t size = sizeof(GaArray);
    if (SELF->shape != SELF->dims)
        size += 2 * (size_t)SELF->ndim * sizeof(int64_t);
    if (SELF->base == NULL && ga_array_device(SELF)->is_cpu)
        size += SELF->buffer->nbytes;
    return PyLong_FromSize_t(size);
}

PyMethodDef ga_copy_methods[] = {
    {"copy", GA_FASTCALL(copy), "copy($self, /, order='C')\n--\n\nA copy on the same device."},
    {"__copy__", copy_shallow, METH_NOARGS,
     "__copy__($self, /)\n--\n\nA copy that keeps the order of the axes in memory."},
    {"__deepcopy__", copy_deep, METH_O,
     "__deepcopy__($self, memo, /)\n--\n\nA copy that keeps the order of the axes in memory."},
    {"astype", GA_FASTCALL(astype),
     "astype($self, /, dtype, order='K', casting='unsafe', subok=True, copy=True)\n--\n\n"
     "The elements converted to another dtype."},
    {"to_device", GA_FASTCALL(to_device),
     "to_device($self, /, device, *, stream=None)\n--\n\nThe array on another device; itself if it "
     "is there."},
    {"__array_namespace__", GA_FASTCALL(array_namespace),
     "__array_namespace__($self, /, *, api_version=None)\n--\n\nThe module with the Array API "
     "functions: gpuarray."},
    {"__sizeof__", size_of, METH_NOARGS, "__sizeof__($self, /)\n--\n\nBytes of host memory."},
    {NULL, NULL, 0, NULL},
};
