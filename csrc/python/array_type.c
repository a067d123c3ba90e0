/* The ndarray type: its constructor, and the type object put together from the tables of the
 * array_*, index_*, number and export files. ndarray is final: results of operations are ndarrays,
 * and the free list relies on the exact size. */
#include "array_type.h"

#include <structmember.h>

#include "arguments.h"
#include "convert.h"
#include "dlpack.h"
#include "dtype.h"
#include "export.h"
#include "module.h"
#include "transfer.h"

#define SLOTS_MAX 96

PyDoc_STRVAR(array_doc,
             "ndarray(shape, dtype=float, buffer=None, offset=0, strides=None, order=None, *, "
             "device=None)\n--\n\n"
             "An array on a device. Made by array(), zeros() and the other creation functions "
             "rather than by this call, "
             "which gives uninitialised memory, or a view of another ndarray given as buffer.");

enum {
    NEW_SHAPE,
    NEW_DTYPE,
    NEW_BUFFER,
    NEW_OFFSET,
    NEW_STRIDES,
    NEW_ORDER,
    NEW_DEVICE,
    NEW_COUNT
};

static int
parse_new(PyObject *args, PyObject *kwargs, PyObject **values)
{
    static char *names[] = {"shape",   "dtype", "buffer", "offset",
                            "strides", "order", "device", NULL};
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOOOO$O:ndarray", names, &values[NEW_SHAPE],
                                       &values[NEW_DTYPE], &values[NEW_BUFFER], &values[NEW_OFFSET],
                                       &values[NEW_STRIDES], &values[NEW_ORDER],
                                       &values[NEW_DEVICE])
               ? 0
               : -1;
}

static bool
is_given(PyObject *value)
{
    return value != NULL && value != Py_None;
}

/* strides= of the constructor; C or F ones where it was not given. */
static int
parse_strides(PyObject *arg, int ndim, const int64_t *shape, int64_t itemsize, char order,
              int64_t *strides)
{
    if (!is_given(arg)) {
        ga_layout_strides(ndim, shape, itemsize, order, strides);
        return 0;
    }
    int count = ga_array_integers(&arg, 1, strides);
    if (count < 0)
        return -1;
    if (count != ndim) {
        PyErr_SetString(PyExc_ValueError, "strides, if given, must be the same length as shape");
        return -1;
    }
    return 0;
}

/* A view of `parent` at an offset, refused where it would leave the memory that parent covers. */
static PyObject *
view_buffer(GaState *state, GaArray *parent, PyArray_Descr *descr, int ndim, const int64_t *shape,
            const int64_t *strides, int64_t offset)
{
    int64_t low, high, parent_low, parent_high;
    int64_t itemsize = (int64_t)PyDataType_ELSIZE(descr);
    ga_layout_extent(ndim, shape, strides, itemsize, &low, &high);
    ga_layout_extent(parent->ndim, parent->shape, parent->strides, ga_array_itemsize(parent),
                     &parent_low, &parent_high);
    if (offset < 0 || low + offset < parent_low || high + offset > parent_high) {
        PyErr_SetString(PyExc_TypeError, "buffer is too small for requested array");
        return NULL;
    }
    if ((parent->offset + offset) % itemsize != 0) {
        PyErr_Format(PyExc_ValueError, "ndarray: offset %lld is not a multiple of the size of %S",
                     (long long)offset, descr);
        return NULL;
    }
    return (PyObject *)ga_array_view(state, parent, descr, ndim, shape, strides, offset);
}

static PyObject *
new_over_buffer(GaState *state, PyObject **values, PyArray_Descr *descr, int ndim,
                const int64_t *shape, char order)
{
    int64_t strides[GA_MAXDIMS];
    if (!GA_ARRAY_CHECK(state, values[NEW_BUFFER])) {
        PyErr_Format(PyExc_TypeError, "ndarray: buffer must be a gpuarray.ndarray, not %.200s",
                     Py_TYPE(values[NEW_BUFFER])->tp_name);
        return NULL;
    }
    int64_t offset = is_given(values[NEW_OFFSET]) ? PyLong_AsLongLong(values[NEW_OFFSET]) : 0;
    if (offset == -1 && PyErr_Occurred())
        return NULL;
    if (parse_strides(values[NEW_STRIDES], ndim, shape, (int64_t)PyDataType_ELSIZE(descr), order,
                      strides) < 0)
        return NULL;
    return view_buffer(state, (GaArray *)values[NEW_BUFFER], descr, ndim, shape, strides, offset);
}

static PyObject *
new_array(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    GaState *state = ga_state(type);
    PyObject *values[NEW_COUNT] = {NULL}, *result = NULL;
    PyArray_Descr *descr = NULL;
    ga_device *device = NULL;
    int64_t shape[GA_MAXDIMS];
    if (parse_new(args, kwargs, values) < 0)
        goto done;
    int ndim = ga_convert_shape(values[NEW_SHAPE], shape);
    char order = ga_array_order(values[NEW_ORDER], "CF", 'C');
    if (ndim < 0 || order == 0 || ga_dtype_parse(values[NEW_DTYPE], &descr) < 0)
        goto done;
    if (descr == NULL)
        descr = ga_dtype_descr(state, GA_f64);
    if (is_given(values[NEW_BUFFER])) {
        result = new_over_buffer(state, values, descr, ndim, shape, order);
        goto done;
    }
    if (ga_convert_device(state, values[NEW_DEVICE], &device) < 0)
        goto done;
    if (device == NULL && ga_device_default(&device) < 0) {
        (void)ga_raise();
        goto done;
    }
    result = (PyObject *)ga_array_new(state, device, descr, ndim, shape, order);
done:
    Py_XDECREF(descr);
    return result;
}

PyObject *
ga_array_return(GaArray *self, GaArray *result)
{
    if (result != NULL && (self->flags & GA_ARRAY_SCALAR) && result->ndim == 0 && result != self)
        return (PyObject *)ga_array_as_scalar(result);
    return (PyObject *)result;
}

GaArray *
ga_array_viewable(GaState *state, GaArray *self)
{
    if (self->flags & GA_ARRAY_SCALAR)
        return ga_transfer_copy(state, self, NULL, NULL, 'C');
    return (GaArray *)Py_NewRef(self);
}

static PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(GaArray, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* Only what must be there when the type is made; the rest is added by add_methods. */
static PyMethodDef array_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "__class_getitem__($type, item, /)\n--\n\nndarray[shape, dtype] in type hints."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot array_slots[] = {
    {Py_tp_new, new_array},          {Py_tp_dealloc, ga_array_dealloc},
    {Py_tp_doc, (void *)array_doc},  {Py_tp_members, array_members},
    {Py_tp_getset, ga_attrs_getset}, {Py_tp_methods, array_methods},
    {Py_tp_iter, ga_iter_new},       {0, NULL},
};

static int
append_slots(PyType_Slot *slots, int count, const PyType_Slot *table)
{
    for (; table->slot != 0 && count < SLOTS_MAX - 1; table++)
        slots[count++] = *table;
    slots[count] = (PyType_Slot){0, NULL};
    return count;
}

static PyTypeObject *
make_type(PyObject *module)
{
    PyType_Slot slots[SLOTS_MAX];
    int count = append_slots(slots, 0, array_slots);
    count = append_slots(slots, count, ga_convert_slots);
    count = append_slots(slots, count, ga_index_slots);
    count = append_slots(slots, count, ga_export_slots);
    (void)append_slots(slots, count, ga_number_slots);
    PyType_Spec spec = {
        .name = "gpuarray.ndarray",
        .basicsize = sizeof(GaArray),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}

/* A type has one Py_tp_methods; those of several files are added one by one. */
static int
add_methods(PyTypeObject *type, PyMethodDef *table)
{
    for (; table->ml_name != NULL; table++) {
        PyObject *method = PyDescr_NewMethod(type, table);
        int rc =
            method == NULL ? -1 : PyObject_SetAttrString((PyObject *)type, table->ml_name, method);
        Py_XDECREF(method);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int
add_getset(PyTypeObject *type, PyGetSetDef *table)
{
    for (; table->name != NULL; table++) {
        PyObject *attribute = PyDescr_NewGetSet(type, table);
        int rc = attribute == NULL
                     ? -1
                     : PyObject_SetAttrString((PyObject *)type, table->name, attribute);
        Py_XDECREF(attribute);
        if (rc < 0)
            return -1;
    }
    return 0;
}

int
ga_array_init(PyObject *module, GaState *state)
{
    PyMethodDef *const tables[] = {
        ga_convert_methods, ga_copy_methods,   ga_pickle_methods, ga_item_methods,
        ga_shape_methods,   ga_resize_methods, ga_dtype_methods,  ga_reduce_methods,
        ga_export_methods,  ga_flags_methods,  ga_dlpack_methods,
    };
    state->array_type = make_type(module);
    if (state->array_type == NULL)
        return -1;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (add_methods(state->array_type, tables[i]) < 0)
            return -1;
    }
    if (add_getset(state->array_type, ga_parts_getset) < 0 ||
        add_getset(state->array_type, ga_export_getset) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "ndarray", (PyObject *)state->array_type);
}
