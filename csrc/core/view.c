/* Views by basic indexing, transposition, squeezing and diagonals. Pure functions that fill a
 * ga_view; nothing is read from the array itself. Includes layout.h and status.h. */
#include "view.h"

#include "layout.h"
#include "status.h"

/* Where ga_view_index stands: the next axis of the array, and the view so far. */
typedef struct {
    int ndim, axis;
    const int64_t *shape, *strides;
    ga_view *out;
} cursor;

/* A step may be so long that only the first element is in the slice; its stride then does not
 * matter but must not be undefined. */
static int64_t
wrap_multiply(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static void
append_axis(ga_view *out, int64_t length, int64_t stride)
{
    out->shape[out->ndim] = length;
    out->strides[out->ndim] = stride;
    out->ndim++;
}

static void
append_whole_axes(cursor *at, int count)
{
    for (int i = 0; i < count; i++, at->axis++) {
        append_axis(at->out, at->shape[at->axis], at->strides[at->axis]);
    }
}

static int
apply_integer(cursor *at, int64_t index)
{
    int64_t length = at->shape[at->axis];
    if (index < -length || index >= length) {
        return ga_fail(GA_ERR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                       (long long)index, at->axis, (long long)length);
    }
    at->out->offset += (index < 0 ? index + length : index) * at->strides[at->axis];
    at->axis++;
    return 0;
}

/* A bound of a slice as a position: negative ones count from the end, the rest is cut to [low,
 * high]. */
static int64_t
clip_bound(int64_t bound, int64_t length, int64_t low, int64_t high)
{
    bound = bound < 0 ? bound + length : bound;
    return bound < low ? low : bound > high ? high : bound;
}

static int
apply_slice(cursor *at, const ga_view_item *item)
{
    int64_t length = at->shape[at->axis], stride = at->strides[at->axis];
    int64_t step = item->step < -INT64_MAX ? -INT64_MAX : item->step;
    if (step == 0) {
        return ga_fail(GA_ERR_VALUE, "slice step cannot be zero");
    }
    /* Walking backwards, positions go from length - 1 to -1, which is past the end. */
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? length - 1 : length;
    int64_t start = item->has_start ? clip_bound(item->start, length, low, high)
                    : step < 0      ? high
                                    : low;
    int64_t stop = item->has_stop ? clip_bound(item->stop, length, low, high)
                   : step < 0     ? low
                                  : high;
    int64_t span = step < 0 ? start - stop : stop - start;
    if (span <= 0) {
        append_axis(at->out, 0, stride);
    } else {
        at->out->offset += start * stride;
        append_axis(at->out, (span - 1) / (step < 0 ? -step : step) + 1,
                    wrap_multiply(stride, step));
    }
    at->axis++;
    return 0;
}

/* Axes that the items name, and newaxes; a second ellipsis is an error. */
static int
count_items(int nitems, const ga_view_item *items, int *named, int *added, bool *has_ellipsis)
{
    *named = *added = 0;
    *has_ellipsis = false;
    for (int i = 0; i < nitems; i++) {
        if (items[i].kind == GA_VIEW_ELLIPSIS) {
            if (*has_ellipsis) {
                return ga_fail(GA_ERR_INDEX, "an index can only have a single ellipsis ('...')");
            }
            *has_ellipsis = true;
        } else if (items[i].kind == GA_VIEW_NEWAXIS) {
            (*added)++;
        } else {
            (*named)++;
        }
    }
    return 0;
}

static int
check_items(int ndim, int nitems, const ga_view_item *items, int *named)
{
    int added, dropped = 0;
    bool has_ellipsis;
    if (count_items(nitems, items, named, &added, &has_ellipsis) < 0) {
        return -1;
    }
    if (*named > ndim) {
        return ga_fail(GA_ERR_INDEX,
                       "too many indices for array: array is %d-dimensional, but %d were indexed",
                       ndim, *named);
    }
    for (int i = 0; i < nitems; i++) {
        dropped += items[i].kind == GA_VIEW_INTEGER;
    }
    if (ndim - dropped + added > GA_MAXDIMS) {
        return ga_fail(GA_ERR_INDEX,
                       "number of dimensions must be within [0, %d], indexing result would have %d",
                       GA_MAXDIMS, ndim - dropped + added);
    }
    return 0;
}

static int
apply_item(cursor *at, const ga_view_item *item, int unnamed)
{
    switch (item->kind) {
    case GA_VIEW_INTEGER:
        return apply_integer(at, item->start);
    case GA_VIEW_SLICE:
        return apply_slice(at, item);
    case GA_VIEW_NEWAXIS:
        append_axis(at->out, 1, 0);
        return 0;
    case GA_VIEW_ELLIPSIS:
        append_whole_axes(at, unnamed);
        return 0;
    }
    return 0;
}

int
ga_view_index(int ndim, const int64_t *shape, const int64_t *strides, int nitems,
              const ga_view_item *items, ga_view *out)
{
    int named;
    if (check_items(ndim, nitems, items, &named) < 0) {
        return -1;
    }
    cursor at = {ndim, 0, shape, strides, out};
    out->ndim = 0;
    out->offset = 0;
    for (int i = 0; i < nitems; i++) {
        if (apply_item(&at, &items[i], ndim - named) < 0) {
            return -1;
        }
    }
    append_whole_axes(&at, ndim - at.axis);
    return 0;
}

int
ga_view_transpose(int ndim, const int64_t *shape, const int64_t *strides, int naxes,
                  const int64_t *axes, ga_view *out)
{
    bool is_used[GA_MAXDIMS] = {false};
    out->ndim = 0;
    out->offset = 0;
    if (axes != NULL && naxes != ndim) {
        return ga_fail(GA_ERR_VALUE, "axes don't match array: %d axes for an array of dimension %d",
                       naxes, ndim);
    }
    for (int i = 0; i < ndim; i++) {
        int axis = ndim - 1 - i;
        if (axes != NULL && ga_layout_axis(axes[i], ndim, &axis) < 0) {
            return -1;
        }
        if (is_used[axis]) {
            return ga_fail(GA_ERR_VALUE, "repeated axis in transpose: %d", axis);
        }
        is_used[axis] = true;
        append_axis(out, shape[axis], strides[axis]);
    }
    return 0;
}

static int
mark_squeezed(int ndim, int naxes, const int64_t *axes, bool *is_dropped)
{
    for (int i = 0; i < naxes; i++) {
        int axis;
        /* NumPy lets an array without dimensions pass for one of length one. */
        if (ndim == 0 && (axes[i] == 0 || axes[i] == -1)) {
            continue;
        }
        if (ga_layout_axis(axes[i], ndim, &axis) < 0) {
            return -1;
        }
        if (is_dropped[axis]) {
            return ga_fail(GA_ERR_VALUE, "duplicate value in 'axis': %d", axis);
        }
        is_dropped[axis] = true;
    }
    return 0;
}

int
ga_view_squeeze(int ndim, const int64_t *shape, const int64_t *strides, int naxes,
                const int64_t *axes, ga_view *out)
{
    bool is_dropped[GA_MAXDIMS] = {false};
    out->ndim = 0;
    out->offset = 0;
    if (mark_squeezed(ndim, naxes, axes, is_dropped) < 0) {
        return -1;
    }
    for (int i = 0; i < ndim; i++) {
        if (is_dropped[i] && shape[i] != 1) {
            return ga_fail(GA_ERR_VALUE,
                           "cannot select an axis to squeeze out which has size not equal to one: "
                           "axis %d has size %lld",
                           i, (long long)shape[i]);
        }
        if (!is_dropped[i] && (naxes >= 0 || shape[i] != 1)) {
            append_axis(out, shape[i], strides[i]);
        }
    }
    return 0;
}

static int64_t
clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Length of a diagonal that starts `offset` columns right of the corner (rows below it if
 * negative), and where it starts. */
static int64_t
measure_diagonal(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                 int64_t offset, int64_t *start)
{
    int64_t right = clamp(offset, 0, columns), below = clamp(offset, -rows, 0);
    int64_t height = rows + below, width = columns - right;
    int64_t length = height < width ? height : width;
    *start = length > 0 ? right * column_stride - below * row_stride : 0;
    return length;
}

int
ga_view_diagonal(int ndim, const int64_t *shape, const int64_t *strides, int64_t offset,
                 int64_t axis1, int64_t axis2, ga_view *out)
{
    int row, column;
    if (ndim < 2) {
        return ga_fail(GA_ERR_VALUE, "diag requires an array of at least two dimensions");
    }
    if (ga_layout_axis(axis1, ndim, &row) < 0 || ga_layout_axis(axis2, ndim, &column) < 0) {
        return -1;
    }
    if (row == column) {
        return ga_fail(GA_ERR_VALUE, "axis1 and axis2 cannot be the same: %d", row);
    }
    out->ndim = 0;
    for (int i = 0; i < ndim; i++) {
        if (i != row && i != column) {
            append_axis(out, shape[i], strides[i]);
        }
    }
    int64_t length = measure_diagonal(shape[row], shape[column], strides[row], strides[column],
                                      offset, &out->offset);
    append_axis(out, length, strides[row] + strides[column]);
    return 0;
}
