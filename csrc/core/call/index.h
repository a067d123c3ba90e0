/* The call of gather and scatter. */
#ifndef GA_CALL_INDEX_H
#define GA_CALL_INDEX_H

#include "base.h"

#define GA_INDEX_ARRAYS 8 /* of one gather or scatter */

enum ga_index_mode { GA_INDEX_RAISE, GA_INDEX_WRAP, GA_INDEX_CLIP };

/* An index array over the dimensions of the selection, and the axis of the array it picks from. */
typedef struct {
    const int64_t *data;
    int64_t strides[GA_ITER_DIMS];
    int64_t length, step; /* of the axis: elements (not 0), and bytes from one to the next */
    int32_t axis;         /* its number, for messages */
} ga_index_array;

/* Elements picked by index arrays. A point of the selection stands for the element at array.data + its array strides
 * + the sum of index * step. gather copies it to `other`, scatter copies `other` (which may be one value) to it. Items
 * move as they are. Negative indices count from the end. In mode raise an index out of range is IndexError: from the
 * call itself on the CPU, from `fault` later on CUDA; scatter has then written nothing. `place` numbers the points of
 * the index arrays in C order (0 along other dimensions): of points that name one element, the last one is written. */
typedef struct {
    const char *function; /* static text, for messages */
    enum ga_index_mode mode;
    int32_t itemsize; /* 1, 2, 4, 8 or 16 */
    int32_t ndim, narrays;
    bool checked; /* every index is known to be in range */
    bool unique;  /* scatter: no element is named twice, or its values are equal */
    int64_t size;
    int64_t shape[GA_ITER_DIMS];
    ga_operand array, other;
    int64_t place[GA_ITER_DIMS];
    ga_index_array index[GA_INDEX_ARRAYS];
} ga_index_call;

#endif
