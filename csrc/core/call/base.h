/* What every call of a backend is made of: limits, statuses, streams, one element, an operand.
 *
 * Rules for all calls stand in ../backend.h. */
#ifndef GA_CALL_BASE_H
#define GA_CALL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../tables/tables.h"

#define GA_MAXDIMS 64   /* of an array, NumPy's limit */
#define GA_ITER_DIMS 8  /* of one launch, after collapsing; the core loops over what is left outside */
#define GA_MAXARGS 5    /* of a ufunc call: two inputs, two outputs, the where mask */

enum ga_status {
    GA_OK = 0,
    GA_ERR_VALUE,        /* ValueError */
    GA_ERR_TYPE,         /* TypeError */
    GA_ERR_INDEX,        /* IndexError */
    GA_ERR_MEMORY,       /* MemoryError: the core may drop caches and try again */
    GA_ERR_UNSUPPORTED,  /* NotImplementedError, unless the caller has another way */
    GA_ERR_DEVICE,       /* RuntimeError: driver, library or launch failure */
    GA_ERR_OVERFLOW,     /* OverflowError */
    GA_ERR_ZERODIVISION, /* ZeroDivisionError */
    GA_ERR_BUFFER        /* BufferError */
};

typedef struct ga_stream ga_stream; /* owned by the backend that made it */
typedef struct ga_event ga_event;

/* One element of any dtype, as it lies in memory. */
typedef union {
    uint8_t bytes[16];
    int64_t i;
    uint64_t u;
    double d;
    float f;
} ga_scalar;

/* data == NULL means that every element is `value` (already in the call's dtype): a scalar travels in the launch. */
typedef struct {
    void *data;
    ga_scalar value;
    int64_t strides[GA_ITER_DIMS];
} ga_operand;

#endif
