/* Turns a broadcast shape and operands' strides into few long launches.
 *
 * Most calls are one run in C order in every operand; collapse_fast sees that in one pass and
 * nothing else happens. The rest goes through an array of axes, each with its stride in every
 * operand: drop length one, sort, flip, merge, split into the launch (innermost GA_ITER_DIMS axes)
 * and the host's loop around it.
 *
 * Sorting: the axis over which the operands together step least comes innermost, so that most
 * traffic is contiguous; the last operand (the output of a call without mask) breaks ties, then
 * C order. Includes the C library only. */
#include "iter.h"

#include <string.h>

typedef struct {
    int64_t length;
    int64_t strides[GA_ITER_OPS];
} iter_axis;

static int64_t
magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* The whole shape as one axis, if every operand walks it as one run in C order; backward runs
 * are left to the long way. */
static bool
collapse_fast(ga_iter *it, int ndim, const int64_t *shape, int nop, const int64_t *const *strides)
{
    int i = ndim - 1;
    while (i >= 0 && shape[i] == 1) {
        i--;
    }
    if (i < 0) {
        it->ndim = 0;
        return true;
    }
    int64_t length = shape[i];
    for (int op = 0; op < nop; op++) {
        it->strides[op][0] = strides[op][i];
        if (strides[op][i] < 0) {
            return false;
        }
    }
    while (--i >= 0) {
        if (shape[i] == 1) {
            continue;
        }
        for (int op = 0; op < nop; op++) {
            if (strides[op][i] != it->strides[op][0] * length) {
                return false;
            }
        }
        length *= shape[i];
    }
    it->ndim = 1;
    it->shape[0] = length;
    return true;
}

static int
gather_axes(iter_axis *axes, int ndim, const int64_t *shape, int nop, const int64_t *const *strides)
{
    int count = 0;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] != 1) {
            axes[count].length = shape[i];
            for (int op = 0; op < nop; op++) {
                axes[count].strides[op] = strides[op][i];
            }
            count++;
        }
    }
    return count;
}

/* Whether `a` belongs inside `b`, which comes later in C order only if the answer is a clear
 * yes. */
static bool
steps_less(const iter_axis *a, const iter_axis *b, int nop)
{
    int64_t a_sum = 0, b_sum = 0;
    for (int op = 0; op < nop; op++) {
        a_sum += magnitude(a->strides[op]);
        b_sum += magnitude(b->strides[op]);
    }
    if (a_sum != b_sum) {
        return a_sum < b_sum;
    }
    for (int op = nop - 1; op >= 0; op--) {
        if (magnitude(a->strides[op]) != magnitude(b->strides[op])) {
            return magnitude(a->strides[op]) < magnitude(b->strides[op]);
        }
    }
    return false;
}

static void
sort_axes(iter_axis *axes, int count, int nop)
{
    for (int i = 1; i < count; i++) {
        iter_axis axis = axes[i];
        int at = i;
        while (at > 0 && steps_less(&axes[at - 1], &axis, nop)) {
            axes[at] = axes[at - 1];
            at--;
        }
        axes[at] = axis;
    }
}

/* An axis that no operand walks forwards is walked from its other end. */
static void
flip_axis(ga_iter *it, iter_axis *axis)
{
    bool any_backward = false;
    for (int op = 0; op < it->nop; op++) {
        if (axis->strides[op] > 0) {
            return;
        }
        any_backward |= axis->strides[op] < 0;
    }
    for (int op = 0; any_backward && op < it->nop; op++) {
        it->offsets[op] += axis->strides[op] * (axis->length - 1);
        axis->strides[op] = -axis->strides[op];
    }
}

static bool
can_merge(const iter_axis *outer, const iter_axis *inner, int nop)
{
    for (int op = 0; op < nop; op++) {
        if (outer->strides[op] != inner->strides[op] * inner->length) {
            return false;
        }
    }
    return true;
}

static int
merge_axes(iter_axis *axes, int count, int nop)
{
    int last = 0;
    for (int i = 1; i < count; i++) {
        if (can_merge(&axes[last], &axes[i], nop)) {
            axes[i].length *= axes[last].length;
        } else {
            last++;
        }
        axes[last] = axes[i];
    }
    return last + 1;
}

static void
store_axes(ga_iter *it, const iter_axis *axes, int count)
{
    it->outer_ndim = count > GA_ITER_DIMS ? count - GA_ITER_DIMS : 0;
    it->ndim = count - it->outer_ndim;
    for (int i = 0; i < it->outer_ndim; i++) {
        it->outer_shape[i] = axes[i].length;
        it->outer_index[i] = 0;
        for (int op = 0; op < it->nop; op++) {
            it->outer_strides[op][i] = axes[i].strides[op];
        }
    }
    for (int i = 0; i < it->ndim; i++) {
        const iter_axis *axis = &axes[it->outer_ndim + i];
        it->shape[i] = axis->length;
        for (int op = 0; op < it->nop; op++) {
            it->strides[op][i] = axis->strides[op];
        }
    }
}

static void
set_size(ga_iter *it)
{
    it->size = 1;
    for (int i = 0; i < it->ndim; i++) {
        it->size *= it->shape[i];
    }
}

static bool
begin_empty(ga_iter *it, int ndim, const int64_t *shape)
{
    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 0) {
            it->ndim = 1;
            it->size = it->shape[0] = 0;
            for (int op = 0; op < it->nop; op++) {
                it->strides[op][0] = 0;
            }
            return true;
        }
    }
    return false;
}

void
ga_iter_begin(ga_iter *it, int ndim, const int64_t *shape, int nop, const int64_t *const *strides,
              bool reorder)
{
    it->nop = nop;
    it->outer_ndim = 0;
    memset(it->offsets, 0, sizeof it->offsets);
    if (begin_empty(it, ndim, shape)) {
        return;
    }
    if (!collapse_fast(it, ndim, shape, nop, strides)) {
        iter_axis axes[GA_MAXDIMS];
        int count = gather_axes(axes, ndim, shape, nop, strides);
        for (int i = 0; reorder && i < count; i++) {
            flip_axis(it, &axes[i]);
        }
        if (reorder) {
            sort_axes(axes, count, nop);
        }
        store_axes(it, axes, merge_axes(axes, count, nop));
    }
    set_size(it);
}

bool
ga_iter_next(ga_iter *it)
{
    for (int i = it->outer_ndim - 1; i >= 0; i--) {
        bool is_last = ++it->outer_index[i] == it->outer_shape[i];
        int64_t steps = is_last ? 1 - it->outer_shape[i] : 1;
        for (int op = 0; op < it->nop; op++) {
            it->offsets[op] += steps * it->outer_strides[op][i];
        }
        if (!is_last) {
            return true;
        }
        it->outer_index[i] = 0;
    }
    return false;
}
