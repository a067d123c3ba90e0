/* One element from a Python or NumPy number, and back. Common pairs are converted here; all others
 * by NumPy's own item assignment, which also raises (OverflowError, TypeError for complex to real)
 * and warns as an assignment to an array does. */
#include <math.h>
#include <string.h>

#include "convert.h"
#include "dtype.h"
#include "transfer.h"

/* Integers of 64 bits, floats of 32 and 64; returns false where NumPy should do it. */
static bool
pack_double(double value, enum ga_dtype dtype, ga_scalar *out)
{
    if (dtype == GA_f64)
        out->d = value;
    else if (dtype == GA_f32) {
        out->f = (float)value;
        return isinf(out->f) == isinf(value); /* overflow warns */
    } else
        return false;
    return true;
}

static bool
pack_int(PyObject *number, enum ga_dtype dtype, ga_scalar *out)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow != 0)
        return false;
    if (dtype == GA_i64) {
        out->i = value;
        return true;
    }
    return value >= -(1LL << 53) && value <= 1LL << 53 && pack_double((double)value, dtype, out);
}

static int
pack_array(GaState *state, GaArray *a, PyArray_Descr *descr, ga_scalar *out)
{
    PyArrayObject *host = ga_transfer_to_numpy(state, a, true);
    if (host == NULL)
        return -1;
    int rc = PyArray_Pack(descr, out->bytes, (PyObject *)host);
    Py_DECREF(host);
    return rc;
}

int
ga_convert_scalar(GaState *state, PyObject *number, PyArray_Descr *descr, ga_scalar *out)
{
    enum ga_dtype dtype = ga_dtype_of(descr);
    memset(out, 0, sizeof *out);
    if (PyFloat_CheckExact(number) && pack_double(PyFloat_AS_DOUBLE(number), dtype, out))
        return 0;
    if (PyLong_CheckExact(number) && pack_int(number, dtype, out))
        return 0;
    if (GA_ARRAY_CHECK(state, number))
        return pack_array(state, (GaArray *)number, descr, out);
    return PyArray_Pack(descr, out->bytes, number);
}

/* ---- To Python ---- */

static PyObject *
unpack_integer(const ga_dtype_info *info, const ga_scalar *value)
{
    int shift = 64 - 8 * info->itemsize; /* little-endian: the element is in the low bytes */
    uint64_t bits = value->u << shift;
    if (info->kind == 'u')
        return PyLong_FromUnsignedLongLong(bits >> shift);
    return PyLong_FromLongLong((int64_t)bits >> shift);
}

/* What a NumPy scalar's item() gives: datetimes and float16. */
static PyObject *
unpack_by_numpy(PyArray_Descr *descr, const ga_scalar *value)
{
    ga_scalar copy = *value;
    PyObject *scalar = PyArray_Scalar(copy.bytes, descr, NULL);
    if (scalar == NULL)
        return NULL;
    PyObject *item = PyObject_CallMethod(scalar, "item", NULL);
    Py_DECREF(scalar);
    return item;
}

static PyObject *
unpack_complex(enum ga_dtype dtype, const ga_scalar *value)
{
    double parts[2];
    float singles[2];
    if (dtype == GA_c128)
        memcpy(parts, value->bytes, sizeof parts);
    else {
        memcpy(singles, value->bytes, sizeof singles);
        parts[0] = singles[0];
        parts[1] = singles[1];
    }
    return PyComplex_FromDoubles(parts[0], parts[1]);
}

PyObject *
ga_convert_item(PyArray_Descr *descr, const ga_scalar *value)
{
    enum ga_dtype dtype = ga_dtype_of(descr);
    const ga_dtype_info *info = ga_registry_dtype(dtype);
    switch (info->kind) {
    case 'b':
        return PyBool_FromLong(value->bytes[0] != 0);
    case 'i':
    case 'u':
        return unpack_integer(info, value);
    case 'c':
        return unpack_complex(dtype, value);
    default:
        break;
    }
    if (dtype == GA_f64 || dtype == GA_f32)
        return PyFloat_FromDouble(dtype == GA_f64 ? value->d : (double)value->f);
    return unpack_by_numpy(descr, value);
}
