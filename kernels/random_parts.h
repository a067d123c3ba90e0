/* The parts of the random family that stand in files of their own; ga_random_run (random.cu)
 * chooses. Contracts: csrc/core/call/random.h. */
#ifndef GA_RANDOM_PARTS_H
#define GA_RANDOM_PARTS_H

#include "runtime.cuh"

#include "../csrc/core/call/random.h"

int ga_random_elements(const ga_random_call *call, ga_stream *stream); /* random_elements.cu */
int ga_random_rows(const ga_random_call *call, ga_stream *stream);     /* random_rows.cu */

#endif
