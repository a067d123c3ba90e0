/* Copies and conversions of whole arrays within a device and between devices: decides which moves
 * (transfer_move.h) make up an assignment. The host's side is transfer_host.c.
 *
 * Within a device an assignment is a linear copy where both layouts allow it, else launches of the
 * cast slot over the collapsed shape. Before that a source that shares memory with the destination
 * is copied, and an operand whose elements lie at addresses their type does not allow is moved
 * bytewise through an aligned array, since kernels load whole elements. Between devices the source
 * is made dense, crosses in one linear copy, and is laid out on the other side. */
#include "transfer.h"

#include <string.h>

#include "../core/overlap.h"
#include "dtype.h"
#include "guard.h"
#include "transfer_move.h"

static void
describe_extent(const GaArray *a, const char *data, ga_extent *out)
{
    *out = (ga_extent){data, a->ndim, a->shape, a->strides, ga_array_itemsize(a)};
}

bool
ga_transfer_aligned(const GaArray *a)
{
    int64_t alignment = (int64_t)PyDataType_ALIGNMENT(a->descr);
    int64_t bits = (int64_t)(intptr_t)a->buffer->ptr + a->offset;
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] > 1)
            bits |= a->strides[i];
    }
    return alignment <= 1 || (bits & (alignment - 1)) == 0;
}

bool
ga_transfer_dense(const GaArray *a)
{
    int64_t strides[GA_MAXDIMS];
    if (a->flags & (GA_ARRAY_C | GA_ARRAY_F))
        return true;
    ga_layout_strides_like(a->ndim, a->shape, a->strides, ga_array_itemsize(a), strides);
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] > 1 && strides[i] != a->strides[i])
            return false;
    }
    return true;
}

static bool
same_layout(const GaArray *a, const GaArray *b)
{
    if (a->ndim != b->ndim || memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) != 0)
        return false;
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] > 1 && a->strides[i] != b->strides[i])
            return false;
    }
    return true;
}

/* Equal for the device: same ga_dtype, and times in the same unit. */
static bool
same_type(const GaArray *a, const GaArray *b)
{
    if (a->dtype != b->dtype)
        return false;
    return a->descr == b->descr || !PyDataType_ISDATETIME(a->descr) ||
           PyArray_EquivTypes(a->descr, b->descr);
}

int
ga_transfer_warn_complex(GaState *state, const PyArray_Descr *from, const PyArray_Descr *to)
{
    if (!PyDataType_ISCOMPLEX(from) || strchr("iuf", to->kind) == NULL)
        return 0;
    return PyErr_WarnEx(state->complex_warning,
                        "Casting complex values to real discards the imaginary part", 1);
}

static int
refuse_shapes(const GaArray *dst, const GaArray *src)
{
    char from[256], to[256];
    PyErr_Format(PyExc_ValueError, "could not broadcast input array from shape %s into shape %s",
                 ga_layout_format(src->ndim, src->shape, from, sizeof from),
                 ga_layout_format(dst->ndim, dst->shape, to, sizeof to));
    return -1;
}

/* Strides of src in dst's shape; axes of length one in front that dst has not are dropped, as NumPy
 * does. */
static int
fit_source(const GaArray *dst, const GaArray *src, int64_t *strides)
{
    int skip = 0;
    while (src->ndim - skip > dst->ndim && src->shape[skip] == 1)
        skip++;
    if (src->ndim - skip <= dst->ndim &&
        ga_layout_broadcast_strides(dst->ndim, dst->shape, src->ndim - skip, src->shape + skip,
                                    src->strides + skip, strides) == 0)
        return 0;
    ga_status_clear();
    return refuse_shapes(dst, src);
}

/* An array of a's dtype and axis order, uninitialised: dense and aligned. */
static GaArray *
new_like(GaState *state, const GaArray *a)
{
    int64_t strides[GA_MAXDIMS];
    ga_layout_strides_like(a->ndim, a->shape, a->strides, ga_array_itemsize(a), strides);
    return ga_array_new_strided(state, ga_array_device(a), a->descr, a->ndim, a->shape, strides);
}

/* Aligned operands on one device that do not overlap, unless they are the same memory. */
static int
assign_aligned(GaArray *dst, GaArray *src)
{
    int64_t strides[GA_MAXDIMS];
    if (fit_source(dst, src, strides) < 0)
        return -1;
    if (same_type(dst, src) && same_layout(dst, src) && ga_transfer_dense(dst))
        return ga_transfer_move_linear(dst, src);
    return ga_transfer_move_cast(dst, src, strides);
}

/* Copy of a source in its own layout, aligned and apart from everything. */
static GaArray *
detach_source(GaState *state, GaArray *src)
{
    GaArray *copy = new_like(state, src);
    if (copy == NULL)
        return NULL;
    int rc =
        ga_transfer_aligned(src) ? assign_aligned(copy, src) : ga_transfer_move_bytewise(copy, src);
    if (rc < 0)
        Py_CLEAR(copy);
    return copy;
}

/* Into misaligned memory: converts into an aligned array of dst's dtype and moves that bytewise. */
static int
assign_misaligned(GaState *state, GaArray *dst, GaArray *src)
{
    GaArray *aligned = new_like(state, dst);
    if (aligned == NULL)
        return -1;
    int rc = assign_aligned(aligned, src);
    if (rc == 0)
        rc = ga_transfer_move_bytewise(dst, aligned);
    Py_DECREF(aligned);
    return rc;
}

/* Times whose units no factor relates (months to days) are converted by NumPy. */
static int
assign_by_host(GaState *state, GaArray *dst, GaArray *src)
{
    GaArray *converted = NULL;
    PyArrayObject *cast = NULL;
    PyErr_Clear();
    PyArrayObject *host =
        ga_guard_read(state, src) < 0 ? NULL : ga_transfer_to_numpy(state, src, true);
    if (host == NULL)
        return -1;
    /* NumPy knows the units, and which of them cannot be converted. */
    cast = (PyArrayObject *)PyArray_NewLikeArray(host, NPY_KEEPORDER,
                                                 (PyArray_Descr *)Py_NewRef(dst->descr), 0);
    if (cast != NULL && PyArray_CopyInto(cast, host) == 0 &&
        ga_guard_send(state, cast, ga_array_device(dst)) == 0)
        converted = ga_transfer_from_numpy(state, cast, NULL, ga_array_device(dst), 'K');
    Py_XDECREF(cast);
    Py_DECREF(host);
    if (converted == NULL)
        return -1;
    int rc = ga_transfer_assign(state, dst, converted);
    Py_DECREF(converted);
    return rc;
}

/* By way of float32, where no kernel converts from one dtype to the other. ml_dtypes knows no times. */
static int
assign_bridged(GaState *state, GaArray *dst, GaArray *src)
{
    if (PyDataType_ISDATETIME(src->descr) || PyDataType_ISDATETIME(dst->descr)) {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from %R to %R according to the rule 'unsafe'",
                     src->descr, dst->descr);
        return -1;
    }
    GaArray *wide = ga_transfer_copy(state, src, state->descrs[GA_f32], NULL, 'K');
    int rc = wide == NULL ? -1 : ga_transfer_assign(state, dst, wide);
    Py_XDECREF(wide);
    return rc;
}

enum source_state { SOURCE_READY, SOURCE_IDENTICAL, SOURCE_NEEDS_COPY };

static enum source_state
judge_source(const GaArray *dst, const GaArray *src)
{
    ga_extent to, from;
    bool aligned = ga_transfer_aligned(src);
    describe_extent(dst, (const char *)dst->buffer->ptr + dst->offset, &to);
    describe_extent(src, (const char *)src->buffer->ptr + src->offset, &from);
    if (ga_overlap_identical(&to, &from) && same_type(dst, src))
        return SOURCE_IDENTICAL;
    return aligned && !ga_overlap_bounds(&to, &from) ? SOURCE_READY : SOURCE_NEEDS_COPY;
}

static int
assign_within(GaState *state, GaArray *dst, GaArray *src)
{
    GaArray *copy = NULL;
    int64_t num, den;
    if (!ga_registry_casts(src->dtype, dst->dtype))
        return assign_bridged(state, dst, src);
    if (ga_dtype_time_factor(src->descr, dst->descr, &num, &den) < 0)
        return assign_by_host(state, dst, src);
    switch (judge_source(dst, src)) {
    case SOURCE_IDENTICAL:
        return 0;
    case SOURCE_NEEDS_COPY:
        copy = detach_source(state, src);
        if (copy == NULL)
            return -1;
        src = copy;
        break;
    case SOURCE_READY:
        break;
    }
    int rc =
        ga_transfer_aligned(dst) ? assign_aligned(dst, src) : assign_misaligned(state, dst, src);
    Py_XDECREF(copy);
    return rc;
}

/* Source and destination on two devices: the landing place is dst itself where layouts agree. */
static int
assign_across(GaState *state, GaArray *dst, GaArray *src)
{
    int rc = -1;
    GaArray *dense = NULL, *landing = NULL;
    int64_t strides[GA_MAXDIMS];
    if (fit_source(dst, src, strides) < 0)
        return -1;
    dense = ga_transfer_dense(src) ? (GaArray *)Py_NewRef(src) : detach_source(state, src);
    if (dense == NULL)
        goto done;
    if (same_type(dst, dense) && same_layout(dst, dense)) {
        rc = ga_transfer_move_across(dst, dense);
        goto done;
    }
    landing = ga_array_new_strided(state, ga_array_device(dst), dense->descr, dense->ndim,
                                   dense->shape, dense->strides);
    if (landing == NULL || ga_transfer_move_across(landing, dense) < 0)
        goto done;
    rc = assign_within(state, dst, landing);
done:
    Py_XDECREF(dense);
    Py_XDECREF(landing);
    return rc;
}

static int
check_writeable(const GaArray *dst)
{
    if (dst->flags & GA_ARRAY_WRITEABLE)
        return 0;
    PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
    return -1;
}

int
ga_transfer_assign(GaState *state, GaArray *dst, GaArray *src)
{
    int64_t strides[GA_MAXDIMS];
    if (check_writeable(dst) < 0)
        return -1;
    if (dst->size == 0)
        return fit_source(dst, src, strides);
    if (ga_array_device(dst) != ga_array_device(src))
        return assign_across(state, dst, src);
    return assign_within(state, dst, src);
}

/* An array without dimensions that holds `value`, aligned. */
static GaArray *
new_single(GaState *state, const GaArray *model, const ga_scalar *value)
{
    GaArray *single = ga_array_new(state, ga_array_device(model), model->descr, 0, NULL, 'C');
    if (single != NULL && ga_transfer_fill(state, single, value) < 0)
        Py_CLEAR(single);
    return single;
}

int
ga_transfer_fill(GaState *state, GaArray *dst, const ga_scalar *value)
{
    if (check_writeable(dst) < 0)
        return -1;
    if (dst->size == 0)
        return 0;
    if (!ga_transfer_aligned(dst)) {
        GaArray *single = new_single(state, dst, value);
        int rc = single == NULL ? -1 : assign_misaligned(state, dst, single);
        Py_XDECREF(single);
        return rc;
    }
    return ga_transfer_move_value(dst, value);
}

void
ga_transfer_strides(const GaArray *a, int64_t itemsize, char order, int64_t *strides)
{
    if (order == 'K')
        ga_layout_strides_like(a->ndim, a->shape, a->strides, itemsize, strides);
    else {
        bool fortran =
            order == 'F' || (order == 'A' && (a->flags & GA_ARRAY_F) && !(a->flags & GA_ARRAY_C));
        ga_layout_strides(a->ndim, a->shape, itemsize, fortran ? 'F' : 'C', strides);
    }
}

GaArray *
ga_transfer_copy(GaState *state, GaArray *a, PyArray_Descr *descr, ga_device *device, char order)
{
    int64_t strides[GA_MAXDIMS];
    descr = ga_dtype_adapt(a->descr, descr == NULL ? a->descr : descr);
    if (descr == NULL)
        return NULL;
    if (device == NULL)
        device = ga_array_device(a);
    ga_transfer_strides(a, (int64_t)PyDataType_ELSIZE(descr), order, strides);
    GaArray *copy = ga_array_new_strided(state, device, descr, a->ndim, a->shape, strides);
    Py_DECREF(descr);
    if (copy != NULL && ga_transfer_assign(state, copy, a) < 0)
        Py_CLEAR(copy);
    return copy;
}

GaArray *
ga_transfer_cast(GaState *state, GaArray *a, PyArray_Descr *descr)
{
    bool times = PyDataType_ISDATETIME(descr);
    if (a->descr == descr ||
        (a->dtype == ga_dtype_of(descr) && (!times || PyArray_EquivTypes(a->descr, descr))))
        return (GaArray *)Py_NewRef(a);
    return ga_transfer_copy(state, a, descr, NULL, 'K');
}

GaArray *
ga_transfer_widen(GaState *state, GaArray *a)
{
    return ga_transfer_cast(state, a, ga_registry_is_stored(a->dtype) ? state->descrs[GA_f32] : a->descr);
}
