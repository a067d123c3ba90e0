/* Kits of kernels by dtype: one function a dtype in reduce_groups.cu and argreduce_groups.cu.
 * Includes reduce_stage.h. */
#ifndef GA_REDUCE_KITS_H
#define GA_REDUCE_KITS_H

#include "reduce_stage.h"

/* ga_reduce_kit_<id>: for reductions in dtype <id>; NULL when the operation has none. Where it has
 * kernels that read `src`, rows and columns are those; else they are those that read <id>.
 * ga_argreduce_kit_<id>: for the place of the maximum or minimum. */
#define GA_DTYPE(id, ...)                                                               \
    const ga_reduce_kit *ga_reduce_kit_##id(enum ga_ufunc op, enum ga_dtype src);       \
    const ga_reduce_kit *ga_argreduce_kit_##id(bool maximum);
#include "../csrc/tables/dtypes.def"

#endif
