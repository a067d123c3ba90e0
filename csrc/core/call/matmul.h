/* The call of the matrix product. */
#ifndef GA_CALL_MATMUL_H
#define GA_CALL_MATMUL_H

#include "base.h"

/* c[b] = a[b] @ b[b] for every point of the batch axes: (m, k) @ (k, n) -> (m, n). Strides: [0]
 * between rows, [1] between columns. Any strides, zero and negative too: the backend copies where
 * its library cannot take them. A batch stride of zero broadcasts. c has the dtype of a and b; of
 * float16 and bfloat16 it may be float32 too, where the backend has a library: else that is
 * GA_ERR_UNSUPPORTED, as is bfloat16 itself. */
typedef struct {
    enum ga_dtype dtype, out; /* of a and b, of c */
    int64_t m, n, k;
    int32_t nbatch;
    int64_t batch_shape[GA_ITER_DIMS];
    const void *a, *b;
    void *c;
    int64_t a_strides[2], b_strides[2], c_strides[2];
    int64_t a_batch[GA_ITER_DIMS], b_batch[GA_ITER_DIMS], c_batch[GA_ITER_DIMS];
    bool tf32; /* f32 and c64 may be rounded to ten bits of mantissa where the device multiplies them faster so */
} ga_matmul_call;

#endif
