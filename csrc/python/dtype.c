/* Between numpy.dtype and the core's dtypes. x.dtype is always a numpy.dtype; the core sees kind
 * and size only, so both of NumPy's names for one integer ('l' and 'q') are the same to it. Casting
 * rules are asked of NumPy. bfloat16 and float8 are those of ml_dtypes, known by the name of their
 * scalar type; that package is imported when its dtype is asked for by name, and by nothing else. */
#include "dtype.h"

#include <string.h>

#include <numpy/ndarraytypes.h>

static const char package[] = "ml_dtypes";

static enum ga_dtype
find_stored(const PyArray_Descr *descr)
{
    const char *name = descr->typeobj != NULL ? descr->typeobj->tp_name : "";
    size_t length = sizeof package - 1;
    if (descr->type_num < NPY_USERDEF || strncmp(name, package, length) != 0 || name[length] != '.')
        return GA_DTYPE_COUNT;
    return ga_registry_find_stored(name + length + 1);
}

bool
ga_dtype_held(const PyArray_Descr *descr)
{
    /* User-defined types may share a kind letter with a built-in one. */
    if (descr->type_num < 0 || descr->type_num > NPY_HALF)
        return find_stored(descr) != GA_DTYPE_COUNT;
    return ga_registry_find_dtype(descr->kind, (int)PyDataType_ELSIZE(descr)) != GA_DTYPE_COUNT;
}

enum ga_dtype
ga_dtype_of(const PyArray_Descr *descr)
{
    if (descr->type_num < 0 || descr->type_num > NPY_HALF)
        return find_stored(descr);
    if (!PyArray_ISNBO(descr->byteorder))
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

/* New reference. */
static PyArray_Descr *
import_stored(enum ga_dtype dtype)
{
    PyArray_Descr *descr = NULL;
    PyObject *module = PyImport_ImportModule(package);
    PyObject *type =
        module != NULL ? PyObject_GetAttrString(module, ga_registry_dtype(dtype)->name) : NULL;
    if (type != NULL && !PyArray_DescrConverter(type, &descr))
        descr = NULL;
    Py_XDECREF(type);
    Py_XDECREF(module);
    return descr;
}

PyArray_Descr *
ga_dtype_descr(GaState *state, enum ga_dtype dtype)
{
    if (state->descrs[dtype] == NULL)
        state->descrs[dtype] = import_stored(dtype);
    return (PyArray_Descr *)Py_XNewRef((PyObject *)state->descrs[dtype]);
}

/* NumPy knows names of ml_dtypes only when that has been imported. */
PyArray_Descr *
ga_dtype_read(PyObject *arg)
{
    PyArray_Descr *descr = NULL;
    if (strcmp(Py_TYPE(arg)->tp_name, "gpuarray.ndarray") == 0) { /* its `dtype` would be taken for what is meant */
        PyErr_SetString(PyExc_TypeError, "Cannot construct a dtype from an array");
        return NULL;
    }
    if (PyArray_DescrConverter2(arg, &descr))
        return descr;
    const char *name =
        PyUnicode_Check(arg) && PyErr_ExceptionMatches(PyExc_TypeError) ? PyUnicode_AsUTF8(arg) : "";
    enum ga_dtype dtype = name != NULL ? ga_registry_find_stored(name) : GA_DTYPE_COUNT;
    if (dtype == GA_DTYPE_COUNT)
        return NULL;
    PyErr_Clear();
    return import_stored(dtype);
}

int
ga_dtype_parse(PyObject *arg, PyArray_Descr **out)
{
    *out = NULL;
    if (arg == NULL || arg == Py_None)
        return 0;
    PyArray_Descr *asked = ga_dtype_read(arg), *descr = asked;
    if (asked == NULL)
        return -1;
    if (!PyArray_ISNBO(asked->byteorder)) {
        descr = PyArray_DescrNewByteorder(asked, NPY_NATIVE);
        Py_DECREF(asked);
        if (descr == NULL)
            return -1;
    }
    if (ga_dtype_of(descr) == GA_DTYPE_COUNT) {
        PyErr_Format(
            PyExc_TypeError,
            "dtype %R cannot live on a device (bool, integers, float16 to float64, complex, times, "
            "and bfloat16, float8_e4m3fn, float8_e5m2 of ml_dtypes can)",
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

const char *
ga_dtype_casting_name(NPY_CASTING casting)
{
    switch (casting) {
    case NPY_NO_CASTING:
        return "no";
    case NPY_EQUIV_CASTING:
        return "equiv";
    case NPY_SAFE_CASTING:
        return "safe";
    case NPY_SAME_KIND_CASTING:
        return "same_kind";
    default:
        return "unsafe";
    }
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
