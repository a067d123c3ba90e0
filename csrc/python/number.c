/* The arithmetic slots of ndarray. A slot is called with our array on either side; it gives way
 * (NotImplemented) as NumPy's do: to a type with an __array_ufunc__ of its own or None, to one of
 * higher __array_priority__, and where no device holds the other operand's data. In-place operators
 * on arrays that stand for scalars rebind, so that copies of the name keep their value. */
#include "module.h"

#include "number.h"
#include "ufunc_call.h"

static PyObject *matmul_numbers(PyObject *x, PyObject *y);

/* The base type carries our slot itself, also under subclasses that override operators. */
static bool
is_ours(const PyTypeObject *type)
{
    for (; type != NULL; type = type->tp_base) {
        if (type->tp_as_number != NULL && type->tp_as_number->nb_matrix_multiply == matmul_numbers)
            return true;
    }
    return false;
}

GaState *
ga_number_state(PyObject *x, PyObject *y)
{
    return ga_state(is_ours(Py_TYPE(x)) ? Py_TYPE(x) : Py_TYPE(y));
}

/* Types every operator knows, so that their attributes need not be looked at. */
static bool
is_known(const GaState *state, PyObject *object)
{
    return Py_TYPE(object) == state->array_type || PyFloat_CheckExact(object) ||
           PyLong_CheckExact(object) || PyComplex_CheckExact(object) || PyBool_Check(object) ||
           PyArray_CheckExact(object) || PyArray_CheckAnyScalarExact(object) ||
           PyList_CheckExact(object) || PyTuple_CheckExact(object);
}

static double
priority_of(PyObject *object, double otherwise)
{
    PyObject *value = PyObject_GetAttrString(object, "__array_priority__");
    double priority = value != NULL ? PyFloat_AsDouble(value) : otherwise;
    Py_XDECREF(value);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return otherwise;
    }
    return priority;
}

bool
ga_number_gives_way(const GaState *state, PyObject *x, PyObject *y, bool in_place)
{
    PyObject *other = GA_ARRAY_CHECK(state, x) ? y : x;
    if (is_known(state, other) || GA_ARRAY_CHECK(state, other))
        return false;
    PyObject *attribute = PyObject_GetAttrString((PyObject *)Py_TYPE(other), "__array_ufunc__");
    if (attribute != NULL) { /* None, or ufuncs of its own: masked arrays, data frames */
        Py_DECREF(attribute);
        return !in_place;
    }
    PyErr_Clear();
    return !in_place && priority_of(other, -1000000.0) > 0.0;
}

/* What a ufunc gives for operands that no device holds: NumPy's answer or error on the host. */
static PyObject *
apply_on_host(GaState *state, enum ga_ufunc op, PyObject *x, PyObject *y, PyObject *out)
{
    PyObject *args[3] = {x, y, out}, *kwnames = NULL;
    if (PyDict_GetItemString(state->python_functions, "ufunc_host") == NULL)
        Py_RETURN_NOTIMPLEMENTED;
    if (out != NULL && (kwnames = Py_BuildValue("(s)", "out")) == NULL)
        return NULL;
    PyObject *result =
        ga_ufunc_on_host(state, (GaUfunc *)state->ufuncs[op], "__call__", args, 2, kwnames);
    Py_XDECREF(kwnames);
    return result;
}

/* Python would try to join our memory to these as bytes. */
static bool
is_text(PyObject *object)
{
    return PyBytes_Check(object) || PyByteArray_Check(object) || PyUnicode_Check(object);
}

static PyObject *
apply_binary(enum ga_ufunc op, PyObject *x, PyObject *y)
{
    GaState *state = ga_number_state(x, y);
    if (ga_number_gives_way(state, x, y, false))
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *result = ga_ufunc_binary(state, op, x, y, NULL);
    if (result == Py_NotImplemented && (is_text(x) || is_text(y)))
        Py_SETREF(result, apply_on_host(state, op, x, y, NULL));
    return result;
}

static PyObject *
apply_in_place(enum ga_ufunc op, PyObject *x, PyObject *y)
{
    GaState *state = ga_number_state(x, y);
    if (ga_number_gives_way(state, x, y, true))
        Py_RETURN_NOTIMPLEMENTED;
    GaArray *out = ((GaArray *)x)->flags & GA_ARRAY_SCALAR ? NULL : (GaArray *)x;
    PyObject *result = ga_ufunc_binary(state, op, x, y, out);
    if (result == Py_NotImplemented && out != NULL)
        Py_SETREF(result, apply_on_host(state, op, x, y, x));
    return result;
}

static PyObject *
apply_unary(enum ga_ufunc op, PyObject *x)
{
    PyObject *result = ga_ufunc_unary(ga_state(Py_TYPE(x)), op, x);
    if (result != Py_NotImplemented)
        return result;
    Py_DECREF(result);
    return PyErr_Format(PyExc_TypeError, "bad operand type for unary %s: %R",
                        ga_registry_ufunc(op)->name, Py_TYPE(x));
}

#define UNARY(name, op) \
    static PyObject *name##_number(PyObject *x) \
    { \
        return apply_unary(GA_UF_##op, x); \
    }
#define BINARY(name, op) \
    static PyObject *name##_numbers(PyObject *x, PyObject *y) \
    { \
        return apply_binary(GA_UF_##op, x, y); \
    } \
    static PyObject *name##_in_place(PyObject *x, PyObject *y) \
    { \
        return apply_in_place(GA_UF_##op, x, y); \
    }

UNARY(negative, negative)
UNARY(positive, positive)
UNARY(absolute, absolute)
UNARY(invert, invert)
BINARY(add, add)
BINARY(subtract, subtract)
BINARY(divide, divide)
BINARY(floor_divide, floor_divide)
BINARY(remainder, remainder)
BINARY(and, bitwise_and)
BINARY(or, bitwise_or)
BINARY(xor, bitwise_xor)
BINARY(left_shift, left_shift)
BINARY(right_shift, right_shift)

/* [0] * x.max() repeats the list, as it does with a NumPy scalar: Python does that by __index__. */
static bool
repeats_sequence(PyObject *x, PyObject *y)
{
    PyObject *other = is_ours(Py_TYPE(x)) ? y : x;
    PyObject *ours = other == y ? x : y;
    return (PyList_Check(other) || PyTuple_Check(other) || is_text(other)) &&
           ((GaArray *)ours)->flags & GA_ARRAY_SCALAR;
}

static PyObject *
multiply_numbers(PyObject *x, PyObject *y)
{
    if (repeats_sequence(x, y))
        Py_RETURN_NOTIMPLEMENTED;
    return apply_binary(GA_UF_multiply, x, y);
}

static PyObject *
multiply_in_place(PyObject *x, PyObject *y)
{
    if (repeats_sequence(x, y))
        Py_RETURN_NOTIMPLEMENTED;
    return apply_in_place(GA_UF_multiply, x, y);
}

static PyObject *
divmod_numbers(PyObject *x, PyObject *y)
{
    return apply_binary(GA_UF_divmod, x, y);
}

/* An exponent written as a Python number; 0 for what is no such number. */
static double
read_exponent(PyObject *y)
{
    if (PyFloat_CheckExact(y))
        return PyFloat_AS_DOUBLE(y);
    int overflow = 1;
    long long value = PyLong_CheckExact(y) ? PyLong_AsLongLongAndOverflow(y, &overflow) : 0;
    return overflow == 0 ? (double)value : 0.0;
}

/* The cheaper ufunc that such an exponent asks for, as NumPy takes it; GA_UFUNC_COUNT for none. */
static enum ga_ufunc
shortcut_power(const GaState *state, PyObject *x, PyObject *y)
{
    if (!GA_ARRAY_CHECK(state, x))
        return GA_UFUNC_COUNT;
    const GaArray *base = (GaArray *)x;
    char kind = ga_registry_dtype(base->dtype)->kind;
    double exponent = read_exponent(y);
    if (kind == 'i' || kind == 'u' || (kind == 'b' && !(base->flags & GA_ARRAY_SCALAR)))
        return exponent == 2.0 && PyLong_CheckExact(y) ? GA_UF_square : GA_UFUNC_COUNT;
    if ((kind != 'f' && kind != 'c') || ga_registry_is_stored(base->dtype))
        return GA_UFUNC_COUNT;
    return exponent == 2.0    ? GA_UF_square
           : exponent == 0.5  ? GA_UF_sqrt
           : exponent == 1.0  ? GA_UF_positive
           : exponent == -1.0 ? GA_UF_reciprocal
                              : GA_UFUNC_COUNT;
}

static PyObject *
power_numbers(PyObject *x, PyObject *y, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED; /* as NumPy: pow(x, y, z) is for integers of Python */
    enum ga_ufunc shortcut = shortcut_power(ga_number_state(x, y), x, y);
    return shortcut != GA_UFUNC_COUNT ? apply_unary(shortcut, x) : apply_binary(GA_UF_power, x, y);
}

static PyObject *
power_in_place(PyObject *x, PyObject *y, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return apply_in_place(GA_UF_power, x, y);
}

static PyObject *
matmul_numbers(PyObject *x, PyObject *y)
{
    GaState *state = ga_number_state(x, y);
    if (ga_number_gives_way(state, x, y, false))
        Py_RETURN_NOTIMPLEMENTED;
    return ga_matmul(state, x, y, NULL);
}

static PyObject *
matmul_in_place(PyObject *x, PyObject *y)
{
    GaState *state = ga_number_state(x, y);
    if (ga_number_gives_way(state, x, y, true))
        Py_RETURN_NOTIMPLEMENTED;
    return ga_matmul(state, x, y, ((GaArray *)x)->flags & GA_ARRAY_SCALAR ? NULL : x);
}

PyType_Slot ga_number_slots[] = {
    {Py_nb_add, add_numbers},
    {Py_nb_subtract, subtract_numbers},
    {Py_nb_multiply, multiply_numbers},
    {Py_nb_true_divide, divide_numbers},
    {Py_nb_floor_divide, floor_divide_numbers},
    {Py_nb_remainder, remainder_numbers},
    {Py_nb_divmod, divmod_numbers},
    {Py_nb_power, power_numbers},
    {Py_nb_and, and_numbers},
    {Py_nb_or, or_numbers},
    {Py_nb_xor, xor_numbers},
    {Py_nb_lshift, left_shift_numbers},
    {Py_nb_rshift, right_shift_numbers},
    {Py_nb_matrix_multiply, matmul_numbers},
    {Py_nb_negative, negative_number},
    {Py_nb_positive, positive_number},
    {Py_nb_absolute, absolute_number},
    {Py_nb_invert, invert_number},
    {Py_nb_inplace_add, add_in_place},
    {Py_nb_inplace_subtract, subtract_in_place},
    {Py_nb_inplace_multiply, multiply_in_place},
    {Py_nb_inplace_true_divide, divide_in_place},
    {Py_nb_inplace_floor_divide, floor_divide_in_place},
    {Py_nb_inplace_remainder, remainder_in_place},
    {Py_nb_inplace_power, power_in_place},
    {Py_nb_inplace_and, and_in_place},
    {Py_nb_inplace_or, or_in_place},
    {Py_nb_inplace_xor, xor_in_place},
    {Py_nb_inplace_lshift, left_shift_in_place},
    {Py_nb_inplace_rshift, right_shift_in_place},
    {Py_nb_inplace_matrix_multiply, matmul_in_place},
    {Py_tp_richcompare, ga_number_compare},
    {0, NULL},
};
