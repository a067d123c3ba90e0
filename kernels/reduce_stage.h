/* One stage of a reduction: the parameter of the kernels in reduce.cuh, filled by reduce_plan.cu.
 *
 * A reduction over several axes is a row of stages, each over one axis. A stage cuts its axis into `parts` pieces of
 * `chunk` elements, reduces each piece for each point of the other axes to an accumulator, and the last stage turns
 * accumulators into results. The accumulator of piece p for point o lies at p * outputs + o. How a stage is cut depends
 * on shapes and layout alone, never on the number of processors: the same call gives the same bits. */
#ifndef GA_REDUCE_STAGE_H
#define GA_REDUCE_STAGE_H

#include "../csrc/core/call/reduce.h"

#define GA_REDUCE_DIMS (2 * GA_ITER_DIMS)

/* Strides in bytes; `place` counts elements in the C order of the reduced axes, for argmax. */
typedef struct {
    int64_t size, src, dst, where, place;
    bool reduced;
} ga_reduce_dim;

typedef struct {
    int64_t outputs;          /* points of the axes that stay */
    int64_t parts, chunk;     /* pieces of the axis, and elements of a piece (the last may have fewer) */
    int64_t span;             /* items (a piece for a point) one block does; columns: unused */
    int64_t tiles;            /* columns: blocks side by side on the innermost axis */
    int64_t place;            /* of the first element */
    const char *src, *where;  /* where NULL: no mask; of pairs: the second operand */
    char *dst;                /* results if `last`, else accumulators */
    char *result;             /* with `arrived`: results, which the blocks that come last leave */
    uint32_t *arrived;        /* 0; a word for each output of rows, each tile of columns counts its blocks, one a piece. NULL:
                               * the next stage merges the pieces */
    ga_scalar initial;        /* in the dtype of the call */
    int64_t divisor;          /* of float sums that are means; 0: none */
    int32_t nkeep, nred;      /* of dim: the axes that stay, outermost first, then the reduced ones (one; left to right: all) */
    int32_t width;            /* threads that share an item, a power of two */
    enum ga_dtype src_dtype;
    bool direct;              /* src is in the kernels' own dtype */
    bool last, has_initial;
    bool narrow;              /* moments: results are float32 */
    ga_reduce_dim dim[GA_REDUCE_DIMS];
} ga_reduce_stage;

typedef int (*ga_reduce_launch)(const ga_reduce_stage *stage, int64_t blocks, ga_stream *stream);

/* The kernels of one operation on one dtype. */
typedef struct ga_reduce_kit {
    int32_t in_size, acc_size;
    int32_t row_lanes;        /* elements of a vector load in rows */
    int32_t column_lanes;     /* columns a thread does in columns */
    bool converts;            /* rows and columns read another dtype than that of the call */
    bool pairs;               /* reads two operands, and src_dtype is that of both */
    bool masks;               /* rows take a mask */
    ga_reduce_launch rows;    /* the axis is contiguous, on the CPU not necessarily; NULL: strided does it */
    ga_reduce_launch columns; /* the innermost axis that stays is contiguous; NULL: strided does it */
    ga_reduce_launch strided; /* anything, with mask and conversion */
    const struct ga_reduce_kit *partial; /* for the stages after the first, on accumulators; NULL: itself */
    ga_reduce_launch short_axis; /* of at most GA_REDUCE_SHORT elements, in small slabs; NULL: the others do it */
} ga_reduce_kit;

#define GA_REDUCE_SHORT 32           /* elements */
#define GA_REDUCE_SHORT_BYTES 16384  /* of slabs that a block takes together */

/* Elements a block of one thread takes at a time on the CPU; also the shortest piece worth a second thread. */
#define GA_REDUCE_CPU_PIECE 65536
/* ... of an axis, which vectors walk: as many bytes, but no fewer elements. */
#define GA_REDUCE_CPU_BYTES 1048576

/* Reduces every axis of `dim` that is marked so. Fields of `first` that are set: src, dst, where, place, src_dtype,
 * direct, initial, has_initial, nkeep (all axes) and dim. */
int ga_reduce_stages(const ga_reduce_kit *kit, const ga_reduce_stage *first, ga_stream *stream);

#endif
