/* Whether two strided operands touch the same memory. */
#ifndef GA_OVERLAP_H
#define GA_OVERLAP_H

#include "backend.h"

typedef struct {
    const char *data; /* address of the first element */
    int ndim;
    const int64_t *shape, *strides;
    int64_t itemsize;
} ga_extent;

/* Their byte ranges meet (a cheap upper bound, NumPy's may_share_memory). */
bool ga_overlap_bounds(const ga_extent *a, const ga_extent *b);
/* Same first element, shape and strides: an element-wise call may run in place. */
bool ga_overlap_identical(const ga_extent *a, const ga_extent *b);
/* An operand whose elements share memory with each other (a zero stride over more than one
 * element, or strides that cross). */
bool ga_overlap_internal(const ga_extent *a);

#endif
