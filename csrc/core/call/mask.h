/* The calls of triangle and pack: elements kept or dropped by their place, and truth values as bits. */
#ifndef GA_CALL_MASK_H
#define GA_CALL_MASK_H

#include "base.h"

/* dst = src with zeros above diagonal k of each matrix if `lower`, else below it. Both are
 * contiguous stacks of matrices of rows x columns and aligned to itemsize; size counts elements of
 * all of them. Columns are fewer than 2^31. */
typedef struct {
    int32_t itemsize; /* 1, 2, 4, 8 or 16 */
    bool lower;
    int64_t size, rows, columns, k;
    const void *src;
    void *dst;
} ga_triangle_call;

/* Bytes that are zero or not, contiguous lines of `length`, as bits: dst has (length + 7) / 8 bytes
 * a line, the first of eight in its lowest bit if `little`, else in its highest; bits behind the
 * last are 0. */
typedef struct {
    bool little;
    int64_t lines, length;
    const uint8_t *src;
    uint8_t *dst;
} ga_pack_call;

#endif
