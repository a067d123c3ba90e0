/* Kits of the variance kernels by dtype: one function a dtype in moments_groups.cu, NULL for times. Includes
 * reduce_stage.h. */
#ifndef GA_MOMENTS_KITS_H
#define GA_MOMENTS_KITS_H

#include "reduce_stage.h"

#define GA_DTYPE(id, ...) const ga_reduce_kit *ga_moments_kit_##id(void);
#include "../csrc/tables/dtypes.def"

#endif
