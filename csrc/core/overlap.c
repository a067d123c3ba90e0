/* Whether strided operands share memory, by address ranges alone. The answers are upper bounds:
 * "no" is certain, "yes" may be wrong for interleaved views and costs a copy then. Exact answers
 * are an integer programme, not worth a microsecond of every call. Pure functions; includes
 * layout.h. */
#include "overlap.h"

#include "layout.h"

static int64_t
magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

static void
find_range(const ga_extent *a, uintptr_t *low, uintptr_t *high)
{
    int64_t first, last;
    ga_layout_extent(a->ndim, a->shape, a->strides, a->itemsize, &first, &last);
    *low = (uintptr_t)a->data + (uintptr_t)first;
    *high = (uintptr_t)a->data + (uintptr_t)last;
}

bool
ga_overlap_bounds(const ga_extent *a, const ga_extent *b)
{
    uintptr_t a_low, a_high, b_low, b_high;
    find_range(a, &a_low, &a_high);
    find_range(b, &b_low, &b_high);
    return a_low < a_high && b_low < b_high && a_low < b_high && b_low < a_high;
}

bool
ga_overlap_identical(const ga_extent *a, const ga_extent *b)
{
    if (a->data != b->data || a->ndim != b->ndim || a->itemsize != b->itemsize) {
        return false;
    }
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] != b->shape[i] || (a->shape[i] > 1 && a->strides[i] != b->strides[i])) {
            return false;
        }
    }
    return true;
}

/* Strides that do not cross: each at least as long as all that the shorter ones span. Every view
 * that indexing makes of an array without overlap passes. */
bool
ga_overlap_internal(const ga_extent *a)
{
    int axes[GA_MAXDIMS], count = 0;
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] == 0) {
            return false;
        }
        if (a->shape[i] == 1) {
            continue;
        }
        int at = count++;
        while (at > 0 && magnitude(a->strides[axes[at - 1]]) > magnitude(a->strides[i])) {
            axes[at] = axes[at - 1];
            at--;
        }
        axes[at] = i;
    }
    int64_t span = a->itemsize;
    for (int i = 0; i < count; i++) {
        int64_t stride = magnitude(a->strides[axes[i]]);
        if (stride < span) {
            return true;
        }
        span += stride * (a->shape[axes[i]] - 1);
    }
    return false;
}
