/* Reshaping: the new shape, and its strides when no copy is needed. Pure functions; part of
 * layout.h.
 *
 * Old and new axes are walked together and cut into the shortest groups with equal products. A
 * group can be kept without a copy if its old axes are contiguous among themselves; the new axes
 * then divide that one run. Axes of length one belong to no group; their strides do not matter. */
#include "layout.h"

#include <string.h>

#include "status.h"

int
ga_layout_resolve_shape(int64_t size, int ndim, const int64_t *asked, int64_t *shape)
{
    int64_t known = 1;
    int unknown = -1;
    bool fits = true;
    for (int i = 0; i < ndim; i++) {
        shape[i] = asked[i];
        if (asked[i] >= 0) {
            fits = fits && !__builtin_mul_overflow(known, asked[i], &known);
        } else if (unknown >= 0) {
            return ga_fail(GA_ERR_VALUE, "can only specify one unknown dimension");
        } else {
            unknown = i;
        }
    }
    if (unknown >= 0 && fits) {
        fits = known != 0 && size % known == 0;
        shape[unknown] = fits ? size / known : 0;
    } else {
        fits = fits && known == size;
    }
    if (!fits) {
        char text[256];
        return ga_fail(GA_ERR_VALUE, "cannot reshape array of size %lld into shape %s",
                       (long long)size, ga_layout_format(ndim, asked, text, sizeof text));
    }
    return 0;
}

/* Whether axes [first, past) are contiguous among themselves. */
static bool
is_run(const int64_t *shape, const int64_t *strides, int first, int past, bool fortran)
{
    for (int i = first; i + 1 < past; i++) {
        int inner = fortran ? i : i + 1, outer = fortran ? i + 1 : i;
        if (strides[outer] != shape[inner] * strides[inner]) {
            return false;
        }
    }
    return true;
}

/* Strides of the new axes [first, past), which divide a run whose innermost stride is `stride`. */
static void
divide_run(const int64_t *shape, int first, int past, int64_t stride, bool fortran,
           int64_t *strides)
{
    for (int k = first; k < past; k++) {
        int axis = fortran ? k : past - 1 - (k - first);
        strides[axis] = stride;
        stride *= shape[axis];
    }
}

/* Axes longer than one; returns their number. */
static int
drop_ones(int ndim, const int64_t *shape, const int64_t *strides, int64_t *kept_shape,
          int64_t *kept_strides)
{
    int count = 0;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] != 1) {
            kept_shape[count] = shape[i];
            kept_strides[count++] = strides[i];
        }
    }
    return count;
}

/* New axes behind the last group have length one; NumPy gives them the stride of a step that
 * would follow. */
static void
fill_trailing(int first, int ndim, const int64_t *shape, int64_t itemsize, bool fortran,
              int64_t *strides)
{
    int64_t stride = first > 0 ? strides[first - 1] : itemsize;
    if (fortran && first > 0) {
        stride *= shape[first - 1];
    }
    for (int i = first; i < ndim; i++) {
        strides[i] = stride;
    }
}

static bool
reshape_groups(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize,
               int new_ndim, const int64_t *new_shape, bool fortran, int64_t *new_strides)
{
    int64_t old_shape[GA_MAXDIMS], old_strides[GA_MAXDIMS];
    int old_ndim = drop_ones(ndim, shape, strides, old_shape, old_strides);
    int old_first = 0, new_first = 0;
    while (old_first < old_ndim && new_first < new_ndim) {
        int old_past = old_first + 1, new_past = new_first + 1;
        int64_t old_size = old_shape[old_first], new_size = new_shape[new_first];
        while (old_size != new_size) {
            if (new_size < old_size) {
                new_size *= new_shape[new_past++];
            } else {
                old_size *= old_shape[old_past++];
            }
        }
        if (!is_run(old_shape, old_strides, old_first, old_past, fortran)) {
            return false;
        }
        int64_t innermost = old_strides[fortran ? old_first : old_past - 1];
        divide_run(new_shape, new_first, new_past, innermost, fortran, new_strides);
        old_first = old_past;
        new_first = new_past;
    }
    fill_trailing(new_first, new_ndim, new_shape, itemsize, fortran, new_strides);
    return true;
}

static bool
is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize, char order)
{
    return order == 'F' ? ga_layout_is_f(ndim, shape, strides, itemsize)
                        : ga_layout_is_c(ndim, shape, strides, itemsize);
}

bool
ga_layout_reshape(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize,
                  int new_ndim, const int64_t *new_shape, char order, int64_t *new_strides)
{
    size_t nbytes = (size_t)ndim * sizeof *shape;
    if (ndim == new_ndim && memcmp(shape, new_shape, nbytes) == 0) {
        memcpy(new_strides, strides, nbytes);
        return true;
    }
    if (is_contiguous(ndim, shape, strides, itemsize, order)) {
        ga_layout_strides(new_ndim, new_shape, itemsize, order, new_strides);
        return true;
    }
    return reshape_groups(ndim, shape, strides, itemsize, new_ndim, new_shape, order == 'F',
                          new_strides);
}
