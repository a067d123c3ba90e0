/* Operands as they come: our arrays, NumPy arrays and scalars, Python numbers, anything array-like.
 * Numbers stay numbers (they travel in the launch); all else becomes an array on the device of the
 * call. What no device holds is FOREIGN. */
#include "ufunc_call.h"

#include "convert.h"
#include "dtype.h"
#include "transfer.h"

void
ga_operand_clear(ga_input *input)
{
    Py_CLEAR(input->array);
    Py_CLEAR(input->descr);
}

/* A scalar follows the others; two arrays on two devices are the user's to bring together. */
static int
agree_device(GaArray *first, GaArray *other)
{
    if (ga_array_device(first) == ga_array_device(other))
        return 0;
    PyErr_Format(PyExc_ValueError, "operands live on different devices, %s and %s: use to_device",
                 ga_array_device(first)->name, ga_array_device(other)->name);
    return -1;
}

int
ga_operand_device(GaState *state, PyObject *const *objects, Py_ssize_t count, ga_device **device)
{
    GaArray *first = NULL, *scalar = NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (objects[i] == NULL || !GA_ARRAY_CHECK(state, objects[i]))
            continue;
        GaArray *a = (GaArray *)objects[i];
        if (a->flags & GA_ARRAY_SCALAR)
            scalar = scalar != NULL && ga_array_device(a)->is_cpu ? scalar : a;
        else if (first == NULL)
            first = a;
        else if (agree_device(first, a) < 0)
            return -1;
    }
    GaArray *chosen = first != NULL ? first : scalar;
    *device = chosen != NULL ? ga_array_device(chosen) : NULL;
    return 0;
}

static enum ga_call_status
take_own(GaState *state, GaArray *a, ga_device *device, ga_input *out)
{
    if (device == NULL || ga_array_device(a) == device)
        out->array = (GaArray *)Py_NewRef(a);
    else
        out->array = ga_transfer_copy(state, a, NULL, device, 'K');
    if (out->array == NULL)
        return GA_CALL_ERROR;
    out->descr = (PyArray_Descr *)Py_NewRef(a->descr);
    out->code = (enum ga_operand_code)a->dtype;
    return GA_CALL_OK;
}

static enum ga_call_status
take_typed_number(PyObject *object, PyArray_Descr *descr, ga_input *out)
{
    enum ga_dtype dtype = ga_dtype_of(descr);
    if (dtype == GA_DTYPE_COUNT) {
        Py_DECREF(descr);
        return GA_CALL_FOREIGN;
    }
    out->number = object;
    out->descr = descr;
    out->code = (enum ga_operand_code)dtype;
    return GA_CALL_OK;
}

static enum ga_call_status
take_weak(PyObject *object, enum ga_operand_code code, ga_input *out)
{
    out->number = object;
    out->code = code;
    return GA_CALL_OK;
}

static enum ga_call_status
take_number(GaState *state, PyObject *object, ga_input *out)
{
    if (PyBool_Check(object))
        return take_typed_number(object, ga_dtype_descr(state, GA_b1), out);
    if (PyArray_IsScalar(object, Generic))
        return take_typed_number(object, PyArray_DescrFromScalar(object), out);
    if (PyLong_Check(object))
        return take_weak(object, GA_CODE_INT, out);
    if (PyFloat_Check(object))
        return take_weak(object, GA_CODE_FLOAT, out);
    return take_weak(object, GA_CODE_COMPLEX, out);
}

static bool
is_number(PyObject *object)
{
    return PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object) ||
           PyArray_IsScalar(object, Generic);
}

bool
ga_operand_symbolic(GaState *state, PyObject *object)
{
    if (GA_ARRAY_CHECK(state, object))
        return false;
    PyObject *type = PyDict_GetItemString(state->python_functions, "symbol");
    return type != NULL && PyObject_TypeCheck(object, (PyTypeObject *)type);
}

enum ga_call_status
ga_operand_take_array(GaState *state, PyObject *object, ga_device *device, GaArray **out)
{
    if (GA_ARRAY_CHECK(state, object)) {
        bool here = device == NULL || ga_array_device((GaArray *)object) == device;
        *out = here ? (GaArray *)Py_NewRef(object)
                    : ga_transfer_copy(state, (GaArray *)object, NULL, device, 'K');
        return *out != NULL ? GA_CALL_OK : GA_CALL_ERROR;
    }
    bool unheld = PyArray_Check(object) && !ga_dtype_held(PyArray_DESCR((PyArrayObject *)object));
    if (unheld || ga_operand_symbolic(state, object))
        return GA_CALL_FOREIGN;
    *out = ga_convert_array(state, object, NULL, device, 'K', GA_COPY_IF_NEEDED);
    if (*out != NULL)
        return GA_CALL_OK;
    /* Strings, objects, ragged lists: what they mean is NumPy's to say. */
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError))
        return GA_CALL_ERROR;
    PyErr_Clear();
    return GA_CALL_FOREIGN;
}

enum ga_call_status
ga_operand_take(GaState *state, PyObject *object, ga_device *device, ga_input *out)
{
    *out = (ga_input){.array = NULL};
    if (GA_ARRAY_CHECK(state, object))
        return take_own(state, (GaArray *)object, device, out);
    if (is_number(object))
        return take_number(state, object, out);
    enum ga_call_status status = ga_operand_take_array(state, object, device, &out->array);
    if (status != GA_CALL_OK)
        return status;
    out->descr = (PyArray_Descr *)Py_NewRef(out->array->descr);
    out->code = (enum ga_operand_code)out->array->dtype;
    return GA_CALL_OK;
}

/* where= takes bool arrays (anything else would be an unsafe cast), and the truth of numbers and
 * lists. */
enum ga_call_status
ga_operand_take_mask(GaState *state, PyObject *object, ga_device *device, GaArray **out)
{
    bool array = GA_ARRAY_CHECK(state, object) || PyArray_Check(object);
    if (!array) {
        *out =
            ga_convert_array(state, object, state->descrs[GA_b1], device, 'K', GA_COPY_IF_NEEDED);
        return *out != NULL ? GA_CALL_OK : GA_CALL_ERROR;
    }
    enum ga_call_status status = ga_operand_take_array(state, object, device, out);
    if (status == GA_CALL_OK && (*out)->dtype == GA_b1)
        return GA_CALL_OK;
    if (status == GA_CALL_ERROR)
        return status;
    PyObject *descr = status == GA_CALL_OK ? (PyObject *)(*out)->descr
                                           : (PyObject *)PyArray_DESCR((PyArrayObject *)object);
    PyErr_Format(
        PyExc_TypeError,
        "Cannot cast array data from %R to dtype('bool') according to the rule 'safe' (where=)",
        descr);
    Py_CLEAR(*out);
    return GA_CALL_ERROR;
}
