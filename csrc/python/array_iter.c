/* iter(ndarray): rows are views, elements of a one-dimensional array are scalars. Owns its array
 * until it is exhausted. */
#include "array_type.h"

#include "index.h"
#include "module.h"

typedef struct {
    PyObject_HEAD
    GaArray *array; /* owned; NULL when exhausted */
    int64_t next;
} GaIter;

static void
dealloc_iter(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((GaIter *)self)->array);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
next_row(PyObject *self)
{
    GaIter *it = (GaIter *)self;
    if (it->array == NULL)
        return NULL;
    if (it->next >= it->array->shape[0]) {
        Py_CLEAR(it->array);
        return NULL;
    }
    return ga_index_get_row((PyObject *)it->array, (Py_ssize_t)it->next++);
}

static PyObject *
length_hint(PyObject *self, PyObject *unused)
{
    (void)unused;
    GaIter *it = (GaIter *)self;
    return PyLong_FromLongLong(it->array == NULL ? 0 : it->array->shape[0] - it->next);
}

PyObject *
ga_iter_new(PyObject *array)
{
    GaArray *a = (GaArray *)array;
    if (a->ndim == 0) {
        bool scalar = (a->flags & GA_ARRAY_SCALAR) != 0;
        if (scalar)
            PyErr_Format(PyExc_TypeError, "'%S' scalar is not iterable", a->descr);
        else
            PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
        return NULL;
    }
    PyTypeObject *type = ga_array_state(array)->iter_type;
    GaIter *it = (GaIter *)type->tp_alloc(type, 0);
    if (it != NULL)
        it->array = (GaArray *)Py_NewRef(array);
    return (PyObject *)it;
}

static PyMethodDef iter_methods[] = {
    {"__length_hint__", length_hint, METH_NOARGS,
     "__length_hint__($self, /)\n--\n\nNumber of rows left."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot iter_slots[] = {
    {Py_tp_dealloc, dealloc_iter},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, next_row},
    {Py_tp_methods, iter_methods},
    {Py_tp_doc, "Iterator over the first axis of an ndarray."},
    {0, NULL},
};

static PyType_Spec iter_spec = {
    .name = "gpuarray._core.array_iterator",
    .basicsize = sizeof(GaIter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = iter_slots,
};

int
ga_iter_init(PyObject *module, GaState *state)
{
    state->iter_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &iter_spec, NULL);
    return state->iter_type == NULL ? -1 : 0;
}
