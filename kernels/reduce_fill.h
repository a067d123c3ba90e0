/* The step from the contract's call to the first stage of a reduction in any order; in reduce.cu. Includes
 * reduce_stage.h. */
#ifndef GA_REDUCE_FILL_H
#define GA_REDUCE_FILL_H

#include "reduce_stage.h"

/* Everything that ga_reduce_stages wants. */
void ga_reduce_fill(const ga_reduce_call *call, ga_reduce_stage *stage);

#endif
