/* What is demanded of the parameters of random numbers, as kernels check it: limits in the order of
 * the numbers' bits, in which -0.0 stands before 0.0. random_judge.cu has NumPy's demands;
 * random_parameters.cuh checks an element. Includes fault.h and csrc/core/call/random.h. */
#ifndef GA_RANDOM_JUDGE_H
#define GA_RANDOM_JUDGE_H

#include "fault.h"

#include "../csrc/core/call/random.h"

#define RANDOM_DEMANDS 6 /* that an operation makes at most */

/* What a demand is made of: one of the parameters, or a number that follows from them. */
enum random_subject {
    RANDOM_FIRST,
    RANDOM_SECOND,
    RANDOM_THIRD,
    RANDOM_FIRST_STEP,   /* second - first */
    RANDOM_SECOND_STEP,  /* third - second */
    RANDOM_WIDTH,        /* third - first */
    RANDOM_LEFT,         /* first + second - third */
    RANDOM_POISSON_MEAN, /* of a negative binomial distribution, ten standard deviations above its own mean */
};

struct random_demand {
    int64_t low, high; /* bits as numbers in order */
    const char *words; /* static text of the host */
    int32_t status;    /* of the error: enum ga_status */
    uint8_t subject;
    bool takes_nan;
};

/* What all parameters of most elements are: above the one and up to the other limit, which tells at once that the
 * demands are met. */
struct random_plain {
    double above[GA_RANDOM_PARAMETERS], upto[GA_RANDOM_PARAMETERS];
    bool known; /* false: the limits tell nothing */
};

struct random_judge {
    random_plain plain;
    random_demand demands[RANDOM_DEMANDS];
    int32_t count; /* 0: nothing is judged, and what follows is not there */
    const char *function;
    ga_fault *fault;
    uint64_t call;
};

/* The judge of a call. */
int ga_random_appoint(const ga_random_call *call, ga_stream *stream, random_judge *judge);
/* After the call's launches: its error, where that is to be known at once. */
int ga_random_settle(const ga_random_call *call, const random_judge *judge, ga_stream *stream);

#endif
