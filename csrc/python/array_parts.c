/* ndarray.real and ndarray.imag: views of one half of each complex element; of real numbers the
 * array itself, and zeros. */
#include "array_type.h"

#include "index.h"
#include "transfer.h"

#define SELF ((GaArray *)self)

/* One half of a complex array's elements, as a view. */
static GaArray *
view_part(GaState *state, GaArray *a, bool imaginary)
{
    PyArray_Descr *descr = state->descrs[a->dtype == GA_c64 ? GA_f32 : GA_f64];
    return ga_array_view(state, a, descr, a->ndim, a->shape, a->strides,
                         imaginary ? ga_array_itemsize(a) / 2 : 0);
}

static PyObject *
get_part(GaState *state, GaArray *a, bool imaginary)
{
    GaArray *part = view_part(state, a, imaginary);
    if (part == NULL || !(a->flags & GA_ARRAY_SCALAR))
        return (PyObject *)part;
    GaArray *copy = ga_transfer_copy(state, part, NULL, NULL, 'C');
    Py_DECREF(part);
    return (PyObject *)ga_array_as_scalar(copy);
}

static bool
is_complex(const GaArray *a)
{
    return a->dtype == GA_c64 || a->dtype == GA_c128;
}

static PyObject *
get_real(PyObject *self, void *closure)
{
    (void)closure;
    return is_complex(SELF) ? get_part(ga_array_state(self), SELF, false) : Py_NewRef(self);
}

static PyObject *
get_imag(PyObject *self, void *closure)
{
    (void)closure;
    GaState *state = ga_array_state(self);
    if (is_complex(SELF))
        return get_part(state, SELF, true);
    ga_scalar zero = {.u = 0};
    bool fortran = (SELF->flags & (GA_ARRAY_C | GA_ARRAY_F)) == GA_ARRAY_F;
    GaArray *zeros = ga_array_new(state, ga_array_device(SELF), SELF->descr, SELF->ndim, SELF->shape,
                                  fortran ? 'F' : 'C');
    if (zeros != NULL && ga_transfer_fill(state, zeros, &zero) < 0)
        Py_CLEAR(zeros);
    if (zeros != NULL)
        zeros->flags &= ~(uint32_t)GA_ARRAY_WRITEABLE;
    return ga_array_return(SELF, zeros);
}

static int
assign_part(PyObject *self, PyObject *value, bool imaginary)
{
    GaState *state = ga_array_state(self);
    if (ga_array_settable(SELF, imaginary ? "imag" : "real", value) < 0)
        return -1;
    if (!is_complex(SELF) && !imaginary)
        return ga_index_assign(state, SELF, value);
    if (!is_complex(SELF)) {
        PyErr_SetString(PyExc_TypeError, "array does not have imaginary part to set");
        return -1;
    }
    GaArray *part = view_part(state, SELF, imaginary);
    int rc = part == NULL ? -1 : ga_index_assign(state, part, value);
    Py_XDECREF(part);
    return rc;
}

static int
set_real(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    return assign_part(self, value, false);
}

static int
set_imag(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    return assign_part(self, value, true);
}

PyGetSetDef ga_parts_getset[] = {
    {"real", get_real, set_real, "Real part, a view.", NULL},
    {"imag", get_imag, set_imag, "Imaginary part, a view; read-only zeros for real dtypes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
