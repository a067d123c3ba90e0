/* Python numbers as elements of a dtype, in C: what an operator with a Python scalar would
 * otherwise ask of NumPy at the price of several objects. Owns nothing. What is not plain
 * (overflow, subclasses, NumPy scalars) is left to NumPy. */
#include "ufunc_call.h"

#include <math.h>

/* Through float32, as ml_dtypes does; what a double does not hold exactly is not for here. */
static enum ga_call_status
pack_bfloat(double value, ga_scalar *out)
{
    float single = (float)value;
    uint32_t bits;
    if (!(fabs(value) <= 0x1p53))
        return GA_CALL_FOREIGN;
    memcpy(&bits, &single, sizeof bits);
    out->u = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16; /* nearest, ties to even */
    return GA_CALL_OK;
}

static enum ga_call_status
pack_float(double value, enum ga_dtype dtype, ga_scalar *out)
{
    *out = (ga_scalar){.bytes = {0}};
    switch (dtype) {
    case GA_f64:
    case GA_c128:
        out->d = value;
        return GA_CALL_OK;
    case GA_f32:
    case GA_c64:
        out->f = (float)value;
        return GA_CALL_OK;
    case GA_f16:
        if (PyFloat_Pack2(value, (char *)out->bytes, PY_LITTLE_ENDIAN) < 0) {
            PyErr_Clear(); /* too large: NumPy makes it infinite */
            return GA_CALL_FOREIGN;
        }
        return GA_CALL_OK;
    case GA_bf16:
        return pack_bfloat(value, out);
    default:
        return GA_CALL_FOREIGN;
    }
}

static bool
is_signed(enum ga_dtype dtype)
{
    return dtype == GA_i8 || dtype == GA_i16 || dtype == GA_i32 || dtype == GA_i64;
}

static bool
is_unsigned(enum ga_dtype dtype)
{
    return dtype == GA_u8 || dtype == GA_u16 || dtype == GA_u32 || dtype == GA_u64;
}

/* -1, 0, 1: below, inside, above; *value receives what fits 64 bits. */
static int
compare_range(PyObject *number, enum ga_dtype dtype, int64_t *value)
{
    int bits = 8 * ga_registry_dtype(dtype)->itemsize, overflow = 0;
    *value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (is_unsigned(dtype) && bits == 64) {
        if (overflow <= 0)
            return overflow < 0 || *value < 0 ? -1 : 0;
        unsigned long long large = PyLong_AsUnsignedLongLong(number);
        if (large == (unsigned long long)-1 && PyErr_Occurred()) {
            PyErr_Clear();
            return 1;
        }
        *value = (int64_t)large;
        return 0;
    }
    if (overflow != 0)
        return overflow;
    int64_t top = is_unsigned(dtype) ? (int64_t)(UINT64_C(1) << bits) - 1
                                     : (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
    int64_t bottom = is_unsigned(dtype) ? 0 : -top - 1;
    return *value < bottom ? -1 : *value > top ? 1 : 0;
}

int
ga_number_outside(PyObject *number, enum ga_dtype dtype)
{
    int64_t value;
    if (!PyLong_Check(number) || !(is_signed(dtype) || is_unsigned(dtype)))
        return 0;
    return compare_range(number, dtype, &value);
}

static enum ga_call_status
pack_int(PyObject *number, enum ga_dtype dtype, ga_scalar *out)
{
    int64_t value;
    if (is_signed(dtype) || is_unsigned(dtype)) {
        if (compare_range(number, dtype, &value) != 0)
            return GA_CALL_FOREIGN;
        *out = (ga_scalar){.i = value}; /* little-endian: the low bytes come first */
        return GA_CALL_OK;
    }
    double approximate = PyLong_AsDouble(number);
    if (approximate == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return GA_CALL_FOREIGN;
    }
    return pack_float(approximate, dtype, out);
}

static enum ga_call_status
pack_complex(Py_complex value, enum ga_dtype dtype, ga_scalar *out)
{
    if (dtype == GA_c128) {
        double parts[2] = {value.real, value.imag};
        memcpy(out->bytes, parts, sizeof parts);
        return GA_CALL_OK;
    }
    if (dtype == GA_c64) {
        float parts[2] = {(float)value.real, (float)value.imag};
        memcpy(out->bytes, parts, sizeof parts);
        return GA_CALL_OK;
    }
    return GA_CALL_FOREIGN;
}

enum ga_call_status
ga_number_pack(PyObject *number, enum ga_dtype dtype, ga_scalar *out)
{
    if (PyFloat_CheckExact(number))
        return pack_float(PyFloat_AS_DOUBLE(number), dtype, out);
    if (PyLong_CheckExact(number))
        return pack_int(number, dtype, out);
    if (PyComplex_CheckExact(number))
        return pack_complex(PyComplex_AsCComplex(number), dtype, out);
    return GA_CALL_FOREIGN;
}
