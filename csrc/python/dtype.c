/* Between numpy.dtype and the core's dtypes. x.dtype is always a numpy.dtype; the core sees kind
 * and size only, so both of NumPy's names for one integer ('l' and 'q') are the same to it. Casting
 * rules are asked of NumPy. */
#include "dtype.h"

#include <numpy/ndarraytypes.h>

enum ga_dtype
ga_dtype_of(const PyArray_Descr *descr)
{
    /* User-defined types may share a kind letter with a built-in one. */
    if (descr->type_num < 0 || descr->type_num > NPY_HALF || !PyArray_ISNBO(descr->byteorder))
        return GA_DTYPE_COUNT;
    return ga_registry_find_dtype(descr->kind, (int)PyDataType_ELSIZE(descr));
}

int
ga_dtype_type_number(enum ga_dtype dtype)
{
    static const int numbers[GA_DTYPE_COUNT] = {
        [GA_b1] = NPY_BOOL,       [GA_i8] = NPY_INT8,         [GA_u8] = NPY_UINT8,
        [GA_i16] = NPY_INT16,     [GA_u16] = NPY_UINT16,      [GA_i32] = NPY_INT32,
        [GA_u32] = NPY_UINT32,    [GA_i64] = NPY_INT64,       [GA_u64] = NPY_UINT64,
        [GA_f16] = NPY_HALF,      [GA_f32] = NPY_FLOAT32,     [GA_f64] = NPY_FLOAT64,
        [GA_c64] = NPY_COMPLEX64, [GA_c128] = NPY_COMPLEX128, [GA_M8] = NPY_DATETIME,
        [GA_m8] = NPY_TIMEDELTA,
    };
    return numbers[dtype];
}

PyArray_Descr *
ga_dtype_descr(GaState *state, enum ga_dtype dtype)
{
    return (PyArray_Descr *)Py_NewRef(state->descrs[dtype]);
}

int
ga_dtype_parse(PyObject *arg, PyArray_Descr **out)
{
    PyArray_Descr *asked = NULL;
    *out = NULL;
    if (arg == NULL || arg == Py_None)
        return 0;
    if (!PyArray_DescrConverter2(arg, &asked))
        return -1;
    PyArray_Descr *descr = asked;
    if (!PyArray_ISNBO(asked->byteorder)) {
        descr = PyArray_DescrNewByteorder(asked, NPY_NATIVE);
        Py_DECREF(asked);
        if (descr == NULL)
            return -1;
    }
    if (ga_dtype_of(descr) == GA_DTYPE_COUNT) {
        PyErr_Format(
            PyExc_TypeError,
            "dtype %R cannot live on a device (bool, integers, float16 to float64, complex and "
            "times can)",
            descr);
        Py_DECREF(descr);
        return -1;
    }
    *out = descr;
    return 0;
}

bool
ga_dtype_can_cast(PyArray_Descr *from, PyArray_Descr *to, NPY_CASTING casting)
{
    return PyArray_CanCastTypeTo(from, to, casting) != 0;
}

/* How many of the next smaller unit make one of this; weeks to attoseconds. */
static const int64_t steps_down[] = {
    [NPY_FR_W] = 7,     [NPY_FR_D] = 24,    [NPY_FR_h] = 60,    [NPY_FR_m] = 60,
    [NPY_FR_s] = 1000,  [NPY_FR_ms] = 1000, [NPY_FR_us] = 1000, [NPY_FR_ns] = 1000,
    [NPY_FR_ps] = 1000, [NPY_FR_fs] = 1000, [NPY_FR_as] = 1,
};

static int64_t
common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Multiplies *total by the factor between two units, coarse to fine; false on overflow. */
static bool
multiply_steps(int coarse, int fine, int64_t *total)
{
    for (int unit = coarse; unit < fine; unit++) {
        if (steps_down[unit] == 0) /* the number NumPy left free between weeks and days */
            continue;
        if (__builtin_mul_overflow(*total, steps_down[unit], total) || *total >> 56 != 0)
            return false; /* NumPy's limit for a factor */
    }
    return true;
}

/* Units of the calendar: years and months among themselves exactly; to days, NumPy's average over
 * 400 years. */
static bool
calendar_factor(int coarse, int fine, int64_t *num, int64_t *den)
{
    if (fine == NPY_FR_M) {
        *num *= 12;
        return true;
    }
    *num *= 97 + 400 * 365;
    *den *= coarse == NPY_FR_Y ? 400 : 400 * 12;
    if (fine == NPY_FR_W) {
        *den *= 7;
        return true;
    }
    return multiply_steps(NPY_FR_D, fine, num);
}

static bool
unit_factor(int coarse, int fine, int64_t *num, int64_t *den)
{
    if (coarse == fine)
        return true;
    if (coarse <= NPY_FR_M)
        return calendar_factor(coarse, fine, num, den);
    return multiply_steps(coarse, fine, num);
}

static PyArray_DatetimeMetaData *
time_unit(const PyArray_Descr *descr)
{
    return &((PyArray_DatetimeDTypeMetaData *)PyDataType_C_METADATA(descr))->meta;
}

PyArray_Descr *
ga_dtype_adapt(PyArray_Descr *from, PyArray_Descr *to)
{
    if (!PyDataType_ISDATETIME(from) || !PyDataType_ISDATETIME(to) ||
        time_unit(to)->base != NPY_FR_GENERIC)
        return (PyArray_Descr *)Py_NewRef(to);
    PyArray_Descr *adapted = PyArray_DescrNewFromType(to->type_num);
    if (adapted != NULL)
        *time_unit(adapted) = *time_unit(from);
    return adapted;
}

static int
refuse_units(PyArray_Descr *from, PyArray_Descr *to)
{
    PyErr_Format(PyExc_TypeError,
                 "cannot convert %R to %R on a device: no factor relates the units", from, to);
    return -1;
}

int
ga_dtype_time_factor(PyArray_Descr *from, PyArray_Descr *to, int64_t *num, int64_t *den)
{
    *num = *den = 1;
    if (!PyDataType_ISDATETIME(from) || from->kind != to->kind)
        return 0;
    const PyArray_DatetimeMetaData *src = time_unit(from), *dst = time_unit(to);
    if (src->base == NPY_FR_GENERIC || (src->base == dst->base && src->num == dst->num))
        return 0;
    if (dst->base == NPY_FR_GENERIC)
        return refuse_units(from, to);
    bool finer = src->base <= dst->base; /* the enumeration runs from years down to attoseconds */
    int coarse = (int)(finer ? src->base : dst->base), fine = (int)(finer ? dst->base : src->base);
    /* A date is not a number of average months. */
    if (coarse <= NPY_FR_M && fine > NPY_FR_M && from->kind == 'M')
        return refuse_units(from, to);
    int64_t up = 1, down = 1;
    if (!unit_factor(coarse, fine, &up, &down))
        return refuse_units(from, to);
    *num = finer ? up : down;
    *den = finer ? down : up;
    if (__builtin_mul_overflow(*num, (int64_t)src->num, num) ||
        __builtin_mul_overflow(*den, (int64_t)dst->num, den))
        return refuse_units(from, to);
    int64_t divisor = common_divisor(*num, *den);
    *num /= divisor;
    *den /= divisor;
    return 0;
}
