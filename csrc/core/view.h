/* Basic indexing: integers, slices, newaxis and ellipsis give a view's shape, strides and
 * offset. Knows nothing of Python; items arrive parsed. Integers are checked here: GA_ERR_INDEX
 * "index 5 is out of bounds for axis 0 with size 3"; too many items: "too many indices for
 * array: array is 1-dimensional, but 2 were indexed". */
#ifndef GA_VIEW_H
#define GA_VIEW_H

#include "backend.h"

enum ga_view_kind { GA_VIEW_INTEGER, GA_VIEW_SLICE, GA_VIEW_NEWAXIS, GA_VIEW_ELLIPSIS };

typedef struct {
    enum ga_view_kind kind;
    int64_t start;            /* the integer, or the slice's start */
    int64_t stop, step;       /* slices, as written */
    bool has_start, has_stop; /* false: None */
} ga_view_item;

typedef struct {
    int ndim;
    int64_t offset; /* bytes from the first element of the viewed array */
    int64_t shape[GA_MAXDIMS], strides[GA_MAXDIMS];
} ga_view;

/* Items need not name every axis. step must not be 0 (GA_ERR_VALUE "slice step cannot be zero"). */
int ga_view_index(int ndim, const int64_t *shape, const int64_t *strides, int nitems,
                  const ga_view_item *items, ga_view *out);
/* axes NULL reverses; GA_ERR_VALUE for a wrong number of axes or a repeated one; GA_ERR_INDEX, here
 * and below, for an axis out of bounds (ga_layout_axis). */
int ga_view_transpose(int ndim, const int64_t *shape, const int64_t *strides, int naxes,
                      const int64_t *axes, ga_view *out);
/* Drops axes of length one (all if naxes < 0); GA_ERR_VALUE when an axis named is longer. */
int ga_view_squeeze(int ndim, const int64_t *shape, const int64_t *strides, int naxes,
                    const int64_t *axes, ga_view *out);
int ga_view_diagonal(int ndim, const int64_t *shape, const int64_t *strides, int64_t offset,
                     int64_t axis1, int64_t axis2, ga_view *out);

#endif
