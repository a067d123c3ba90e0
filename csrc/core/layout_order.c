/* Memory order of new arrays: contiguous strides in order C, F, or in the order of existing
 * arrays (NumPy's 'K'). Pure functions over a permutation of axes; part of layout.h. */
#include "layout.h"

static int64_t
magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

void
ga_layout_strides_ordered(int ndim, const int64_t *shape, int64_t itemsize, const int *inner_first,
                          int64_t *strides)
{
    int64_t stride = itemsize;
    for (int k = 0; k < ndim; k++) {
        strides[inner_first[k]] = stride;
        stride *= shape[inner_first[k]];
    }
    /* As NumPy has it, the strides of an empty array are all zero. */
    for (int i = 0; stride == 0 && i < ndim; i++) {
        strides[i] = 0;
    }
}

void
ga_layout_strides(int ndim, const int64_t *shape, int64_t itemsize, char order, int64_t *strides)
{
    int inner_first[GA_MAXDIMS];
    for (int k = 0; k < ndim; k++) {
        inner_first[k] = order == 'F' ? k : ndim - 1 - k;
    }
    ga_layout_strides_ordered(ndim, shape, itemsize, inner_first, strides);
}

void
ga_layout_strides_like(int ndim, const int64_t *shape, const int64_t *model, int64_t itemsize,
                       int64_t *strides)
{
    int inner_first[GA_MAXDIMS];
    for (int k = 0; k < ndim; k++) {
        int axis = ndim - 1 - k, at = k;
        while (at > 0 && magnitude(model[inner_first[at - 1]]) > magnitude(model[axis])) {
            inner_first[at] = inner_first[at - 1];
            at--;
        }
        inner_first[at] = axis;
    }
    ga_layout_strides_ordered(ndim, shape, itemsize, inner_first, strides);
}

enum verdict { UNDECIDED, STAY, SWAP };

/* Whether `axis`, which comes outside `inner` in C order, has to go inside it. Operands that
 * stretch along one of the two have no say; when operands disagree, C order wins. */
static enum verdict
compare_axes(int axis, int inner, const int64_t *shape, int nop, const int64_t *const *strides)
{
    enum verdict verdict = UNDECIDED;
    if (shape[axis] == 1 || shape[inner] == 1) {
        return UNDECIDED;
    }
    for (int op = 0; op < nop; op++) {
        int64_t a = magnitude(strides[op][axis]), b = magnitude(strides[op][inner]);
        if (a != 0 && b != 0) {
            if (b <= a) {
                return STAY;
            }
            verdict = SWAP;
        }
    }
    return verdict;
}

/* A stable insertion sort which looks past axes that decide nothing: the comparison is no order
 * relation, and the algorithm itself is what NumPy's iterator defines as order 'K'. */
void
ga_layout_order_common(int ndim, const int64_t *shape, int nop, const int64_t *const *strides,
                       int *inner_first)
{
    for (int k = 0; k < ndim; k++) {
        int axis = ndim - 1 - k, place = k;
        for (int i = k - 1; i >= 0; i--) {
            enum verdict verdict = compare_axes(axis, inner_first[i], shape, nop, strides);
            if (verdict == STAY) {
                break;
            }
            place = verdict == SWAP ? i : place;
        }
        for (int i = k; i > place; i--) {
            inner_first[i] = inner_first[i - 1];
        }
        inner_first[place] = axis;
    }
}

void
ga_layout_strides_common(int ndim, const int64_t *shape, int nop, const int64_t *const *strides,
                         int64_t itemsize, int64_t *out)
{
    int inner_first[GA_MAXDIMS];
    ga_layout_order_common(ndim, shape, nop, strides, inner_first);
    ga_layout_strides_ordered(ndim, shape, itemsize, inner_first, out);
}
