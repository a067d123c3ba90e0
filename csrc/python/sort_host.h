/* Sorting and selecting by NumPy, in the memory of the CPU device. */
#ifndef GAPY_SORT_HOST_H
#define GAPY_SORT_HOST_H

#include "array.h"

/* Whether NumPy sorts and selects along the last axis of the contiguous array quicker than the CPU backend does. */
bool ga_sort_host_takes(const GaArray *a);

/* The rows of `a` sorted, in `out`, which may be `a`. Not stably: that shows where zeros of either sign meet. */
int ga_sort_host_rows(GaState *state, GaArray *a, GaArray *out);
/* The rows partitioned, in `values`, or the positions that partition them, in `positions`; the other is NULL. */
int ga_sort_host_partition(GaState *state, GaArray *a, GaArray *values, GaArray *positions, int64_t kth);

#endif
