/* Arithmetic of shapes and strides: sizes, contiguity, broadcasting. Pure functions; the memory
 * order of results is in layout_order.c, reshaping in layout_reshape.c. Includes status.h and
 * the C library. */
#include "layout.h"

#include <stdio.h>
#include <string.h>

#include "status.h"

/* Messages show a whole shape of up to a dozen axes; longer ones are cut. */
enum { SHAPE_TEXT = 256, SHAPES_TEXT = 768 };

int
ga_layout_size(int ndim, const int64_t *shape, int64_t itemsize, int64_t *size)
{
    int64_t product = 1, nbytes = itemsize;
    bool is_empty = false, overflows = false;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0) {
            return ga_fail(GA_ERR_VALUE, "negative dimensions are not allowed");
        }
        if (shape[i] == 0) {
            is_empty = true;
            continue;
        }
        overflows |= __builtin_mul_overflow(nbytes, shape[i], &nbytes);
        product = overflows ? 0 : product * shape[i];
    }
    if (overflows) {
        char text[SHAPE_TEXT];
        return ga_fail(
            GA_ERR_VALUE,
            "array is too big; shape %s with items of %lld bytes exceeds the address space",
            ga_layout_format(ndim, shape, text, sizeof text), (long long)itemsize);
    }
    *size = is_empty ? 0 : product;
    return 0;
}

bool
ga_layout_is_c(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize)
{
    bool matches = true;
    for (int i = ndim - 1; i >= 0; i--) {
        if (shape[i] == 0) {
            return true;
        }
        if (shape[i] != 1) {
            matches = matches && strides[i] == itemsize;
            itemsize *= shape[i];
        }
    }
    return matches;
}

bool
ga_layout_is_f(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize)
{
    bool matches = true;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 0) {
            return true;
        }
        if (shape[i] != 1) {
            matches = matches && strides[i] == itemsize;
            itemsize *= shape[i];
        }
    }
    return matches;
}

static int
fail_broadcast(int nop, const int *ndims, const int64_t *const *shapes)
{
    char all[SHAPES_TEXT] = "", one[SHAPE_TEXT];
    size_t used = 0;
    for (int op = 0; op < nop && used < sizeof all; op++) {
        ga_layout_format(ndims[op], shapes[op], one, sizeof one);
        used += (size_t)snprintf(all + used, sizeof all - used, " %s", one);
    }
    return ga_fail(GA_ERR_VALUE, "operands could not be broadcast together with shapes%s", all);
}

int
ga_layout_broadcast(int nop, const int *ndims, const int64_t *const *shapes, int *ndim,
                    int64_t *shape)
{
    *ndim = 0;
    for (int op = 0; op < nop; op++) {
        *ndim = ndims[op] > *ndim ? ndims[op] : *ndim;
    }
    for (int i = 0; i < *ndim; i++) {
        shape[i] = 1;
    }
    for (int op = 0; op < nop; op++) {
        int64_t *aligned = shape + (*ndim - ndims[op]);
        for (int i = 0; i < ndims[op]; i++) {
            int64_t length = shapes[op][i];
            if (aligned[i] == 1) {
                aligned[i] = length;
            } else if (length != 1 && length != aligned[i]) {
                return fail_broadcast(nop, ndims, shapes);
            }
        }
    }
    return 0;
}

int
ga_layout_broadcast_strides(int ndim, const int64_t *shape, int op_ndim, const int64_t *op_shape,
                            const int64_t *op_strides, int64_t *strides)
{
    int lead = ndim - op_ndim;
    bool fits = lead >= 0;
    for (int i = 0; i < lead; i++) {
        strides[i] = 0;
    }
    for (int i = 0; fits && i < op_ndim; i++) {
        bool is_same = op_shape[i] == shape[lead + i];
        strides[lead + i] = is_same ? op_strides[i] : 0;
        fits = is_same || op_shape[i] == 1;
    }
    if (!fits) {
        char from[SHAPE_TEXT], into[SHAPE_TEXT];
        return ga_fail(GA_ERR_VALUE, "could not broadcast input array from shape %s into shape %s",
                       ga_layout_format(op_ndim, op_shape, from, sizeof from),
                       ga_layout_format(ndim, shape, into, sizeof into));
    }
    return 0;
}

void
ga_layout_extent(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize,
                 int64_t *low, int64_t *high)
{
    *low = 0;
    *high = itemsize;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 0) {
            *low = *high = 0;
            return;
        }
        if (shape[i] == 1) {
            continue;
        }
        int64_t reach = (shape[i] - 1) * strides[i];
        *(reach < 0 ? low : high) += reach;
    }
}

char *
ga_layout_format(int ndim, const int64_t *shape, char *buf, size_t nbytes)
{
    size_t used = (size_t)snprintf(buf, nbytes, "(");
    for (int i = 0; i < ndim && used < nbytes; i++) {
        const char *after = i + 1 < ndim || ndim == 1 ? "," : "";
        /* NumPy's name for a length that is still to be found. */
        used += shape[i] < 0 ? (size_t)snprintf(buf + used, nbytes - used, "newaxis%s", after)
                             : (size_t)snprintf(buf + used, nbytes - used, "%lld%s",
                                                (long long)shape[i], after);
    }
    if (used < nbytes) {
        snprintf(buf + used, nbytes - used, ")");
    }
    return buf;
}

int
ga_layout_axis(int64_t axis, int ndim, int *out)
{
    if (axis < -ndim || axis >= ndim) {
        return ga_fail(GA_ERR_INDEX, "axis %lld is out of bounds for array of dimension %d",
                       (long long)axis, ndim);
    }
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return 0;
}
