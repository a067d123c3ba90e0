/* The parameters of an element: read through their strides, in C order of the result, and judged.
 * Includes fault.cuh, random_judge.h and types.cuh. */
#pragma once
#include "fault.cuh"
#include "random_judge.h"
#include "types.cuh"

struct element_parameters {
    double value[GA_RANDOM_PARAMETERS];
};

GA_FN element_parameters
read_parameters(const ga_random_call &call, int64_t i)
{
    element_parameters p;
    int64_t offset[GA_RANDOM_PARAMETERS] = {0, 0, 0};
    GA_ROLLED
    for (int d = call.ndim - 1; d >= 0; d--) {
        int64_t rest = d > 0 ? i / call.shape[d] : 0, here = i - rest * call.shape[d];
        for (int k = 0; k < GA_RANDOM_PARAMETERS; k++)
            offset[k] += here * call.parameters[k].strides[d];
        i = rest;
    }
    GA_UNROLL
    for (int k = 0; k < GA_RANDOM_PARAMETERS; k++) {
        const char *data = static_cast<const char *>(call.parameters[k].data);
        p.value[k] = data ? *reinterpret_cast<const double *>(data + offset[k])
                          : call.parameters[k].value.d;
    }
    return p;
}

GA_FN double
find_subject(int subject, double a, double b, double c)
{
    switch (subject) {
    case RANDOM_FIRST:
        return a;
    case RANDOM_SECOND:
        return b;
    case RANDOM_THIRD:
        return c;
    case RANDOM_FIRST_STEP:
        return b - a;
    case RANDOM_SECOND_STEP:
        return c - b;
    case RANDOM_WIDTH:
        return c - a;
    case RANDOM_LEFT:
        return a + b - c;
    default:
        return (1 - b) / b * (a + 10 * sqrt(a));
    }
}

GA_FN_CALL void
report_demand(const random_judge &judge, int k)
{
    if (!ga_fault_claim(&judge.fault->state))
        return;
    judge.fault->function = judge.function;
    judge.fault->words = judge.demands[k].words;
    judge.fault->status = judge.demands[k].status;
    judge.fault->call = judge.call;
    ga_fault_publish(&judge.fault->state);
}

/* Whether the parameters of an element are good; the first that is not is reported. */
GA_FN bool
accept_parameters(const random_judge &judge, const element_parameters &p)
{
    GA_ROLLED
    for (int k = 0; k < judge.count; k++) {
        const random_demand &demand = judge.demands[k];
        double x = find_subject(demand.subject, p.value[0], p.value[1], p.value[2]);
        int64_t bits = ga_bits<int64_t>(x), ordered = bits < 0 ? bits ^ INT64_MAX : bits;
        bool good = x != x ? demand.takes_nan : ordered >= demand.low && ordered <= demand.high;
        if (!good) {
            report_demand(judge, k);
            return false;
        }
    }
    return true;
}
