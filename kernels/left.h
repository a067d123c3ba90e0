/* Operations that go strictly left to right, LEFT in ufuncs.def, whether one result is wanted, one a slice, or one an
 * element: between their planners and left_groups.cu. Includes scan_stage.h. */
#ifndef GA_LEFT_H
#define GA_LEFT_H

#include "scan_stage.h"

typedef struct {
    ga_segments_stage slices; /* of its walk: nred reduced axes, outermost first; starts NULL: all elements are one */
    enum ga_ufunc op;
    bool every;               /* a result for each element: dst moves along the only reduced axis */
} ga_left_stage;

/* Whether `op` is one and has results in `dtype`. */
bool ga_left_has(enum ga_ufunc op, enum ga_dtype dtype);
/* `each`: elements of an output, more or less. */
int ga_left_run(ga_left_stage *stage, enum ga_dtype dtype, int64_t each, ga_stream *stream);

#define GA_DTYPE(id, ...) int ga_left_launch_##id(const ga_left_stage *stage, int64_t blocks, ga_stream *stream);
#include "../csrc/tables/dtypes.def"

#endif
