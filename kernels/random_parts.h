/* The parts of the random family that stand in files of their own; ga_random_run (random.cu)
 * chooses. Contracts: csrc/core/call/random.h. */
#ifndef GA_RANDOM_PARTS_H
#define GA_RANDOM_PARTS_H

#include "runtime.cuh"

#include "../csrc/core/call/random.h"

struct random_judge;

int ga_random_elements(const ga_random_call *call, const random_judge *judge, ga_stream *stream); /* random_elements.cu */
int ga_random_scaled(const ga_random_call *call, const random_judge *judge, ga_stream *stream);   /* random_scaled.cu */
int ga_random_each_poisson(const ga_random_call *call, const random_judge *judge, ga_stream *stream); /* random_poisson.cu */
bool ga_random_is_single(const ga_random_call *call); /* random_single.cu: whether a block an element is enough */
int ga_random_single(const ga_random_call *call, const random_judge *judge, ga_stream *stream);
int ga_random_rows(const ga_random_call *call, ga_stream *stream);     /* random_rows.cu */
int ga_random_order(const ga_random_call *call, ga_stream *stream);    /* random_order.cu */
int ga_random_short_orders(const ga_random_call *call, ga_stream *stream); /* random_short_orders.cu */
/* Of the operations by element those that have a quicker way where the parameters are the same for
 * all of them: random_gamma.cu, and random_table.cu, which says whether it has a table and then
 * gives the launch's status. */
bool ga_random_is_gamma(const ga_random_call *call);
int ga_random_gamma(const ga_random_call *call, ga_stream *stream);
bool ga_random_table(const ga_random_call *call, ga_stream *stream, int *status);
/* Gamma and chi-square numbers whose parameters are arrays (random_gamma.cu). */
bool ga_random_is_each_gamma(const ga_random_call *call);
int ga_random_each_gamma(const ga_random_call *call, const random_judge *judge, ga_stream *stream);

#endif
