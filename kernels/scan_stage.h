/* One pass of a scan: the parameter of the kernels in scan.cuh, filled by scan.cu.
 *
 * The axis is dim[nkeep] of `walk`, cut into `parts` pieces of `chunk` elements. Where there are
 * several, a first pass leaves the total of piece p of lane o at p * outputs + o, a second one
 * turns them into what comes before each piece, and a third starts each piece from there. On a GPU
 * long rows are one pass instead (scan_through.cuh), whose pieces publish their totals to each
 * other. How an axis is cut depends on shape and layout alone. */
#ifndef GA_SCAN_STAGE_H
#define GA_SCAN_STAGE_H

#include "reduce_stage.h"

typedef struct {
    ga_reduce_stage walk; /* its outputs are the lanes; its dst moves along the axis too */
    char *totals;         /* accumulators; NULL: a single piece. One pass: the pieces' marks, 0 before the launch */
    bool totals_only;     /* first pass */
    bool packed_in, packed_out; /* rows: whole vectors may be loaded, stored */
} ga_scan_stage;

#define GA_SCAN_GROUP 32 /* tiles whose totals are looked at together in one pass: a warp */
#define GA_SCAN_FEW 64 /* pieces of a lane at most, whose totals are one thread's work */

typedef int (*ga_scan_launch)(const ga_scan_stage *stage, int64_t blocks, ga_stream *stream);

typedef struct {
    int32_t in_size, out_size, acc_size;
    int32_t row_lanes;     /* elements of a vector in rows */
    int32_t tile;          /* elements a thread takes at a time in rows */
    int32_t column_lanes;  /* neighbouring lanes a thread does in lanes */
    ga_scan_launch rows;   /* NULL: lanes does it */
    ga_scan_launch lanes;  /* NULL: rows reads another dtype, and where it cannot, the source is converted first */
    ga_scan_launch totals;
    ga_scan_launch through; /* long rows in one pass; NULL: on the CPU */
    int32_t through_tile;   /* elements of its pieces */
} ga_scan_kit;

/* Slices of one axis: item k * outputs + o is that of lane o, slice k. */
typedef struct {
    ga_reduce_stage walk; /* its dst moves by dim[nkeep].dst from slice to slice */
    const int64_t *starts;
    int64_t segments;
} ga_segments_stage;

typedef int (*ga_segments_launch)(const ga_segments_stage *stage, int64_t blocks, ga_stream *stream);

/* Converts the source to the call's dtype at `to`, laid out by these strides, and makes that the source. */
int ga_scan_convert(ga_scan_call *call, void *to, const int64_t *to_keep, int64_t to_axis, ga_stream *stream);

/* For results in dtype <id>; NULL when the operation has no tree of them, or another dtype's serve
 * (ga_kind_serving). `src` is what a scan's source holds: NULL too where no kernel converts it on
 * load. */
#define GA_DTYPE(id, ...)                                  \
    const ga_scan_kit *ga_scan_kit_##id(enum ga_ufunc op, enum ga_dtype src); \
    ga_segments_launch ga_segments_kernel_##id(enum ga_ufunc op);
#include "../csrc/tables/dtypes.def"

#endif
