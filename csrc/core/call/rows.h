/* The call of rows: the order of a matrix' rows, and which of them are new in it. */
#ifndef GA_CALL_ROWS_H
#define GA_CALL_ROWS_H

#include "base.h"

/* `positions` gets the stable order of the rows, by their elements from left to right, NaN and NaT
 * last; first[i] whether the row at positions[i] is unlike that at positions[i - 1], which a row
 * with a NaN or NaT always is. `src` is contiguous, of any dtype; `spare` has room for as many
 * positions. */
typedef struct {
    enum ga_dtype dtype;
    int64_t rows, length;
    const void *src;
    int64_t *positions, *spare;
    bool *first;
} ga_rows_call;

#endif
