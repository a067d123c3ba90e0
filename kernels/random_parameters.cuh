/* The parameters of an element: read through their strides, in C order of the result, and judged.
 * Includes fault.cuh, random_judge.h and types.cuh. */
#pragma once
#include "fault.cuh"
#include "random_judge.h"
#include "types.cuh"

struct element_parameters {
    double value[GA_RANDOM_PARAMETERS];
};

struct element_offsets {
    int64_t value[GA_RANDOM_PARAMETERS];
};

/* I holds the number of all elements: divisions by 32 bits take a fraction of the time. */
template <class I>
GA_FN element_offsets
find_offsets(const ga_random_call &call, I i)
{
    element_offsets offsets = {};
    GA_ROLLED
    for (int d = call.ndim - 1; d >= 0; d--) {
        I rest = d > 0 ? i / I(call.shape[d]) : 0;
        int64_t here = int64_t(i - rest * I(call.shape[d]));
        for (int k = 0; k < GA_RANDOM_PARAMETERS; k++)
            offsets.value[k] += here * call.parameters[k].strides[d];
        i = rest;
    }
    return offsets;
}

/* Other dtypes than these have eight bytes, which are taken as they are. */
GA_FN double
read_parameter(const char *at, enum ga_dtype dtype)
{
    switch (dtype) {
    case GA_i32:
        return *reinterpret_cast<const int32_t *>(at);
    case GA_i64:
        return double(*reinterpret_cast<const int64_t *>(at));
    case GA_f32:
        return *reinterpret_cast<const float *>(at);
    default:
        return *reinterpret_cast<const double *>(at);
    }
}

GA_FN element_parameters
read_parameters(const ga_random_call &call, int64_t i)
{
    element_parameters p;
    element_offsets offsets = call.size <= INT32_MAX ? find_offsets(call, uint32_t(i)) : find_offsets(call, uint64_t(i));
    GA_UNROLL
    for (int k = 0; k < GA_RANDOM_PARAMETERS; k++) {
        const char *data = static_cast<const char *>(call.parameters[k].data);
        p.value[k] = data ? read_parameter(data + offsets.value[k], call.types[k]) : call.parameters[k].value.d;
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

GA_FN void
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
GA_FN_CALL bool
examine_parameters(const random_judge &judge, double a, double b, double c)
{
    GA_ROLLED
    for (int k = 0; k < judge.count; k++) {
        const random_demand &demand = judge.demands[k];
        double x = find_subject(demand.subject, a, b, c);
        int64_t bits = ga_bits<int64_t>(x), ordered = bits < 0 ? bits ^ INT64_MAX : bits;
        bool good = x != x ? demand.takes_nan : ordered >= demand.low && ordered <= demand.high;
        if (!good) {
            report_demand(judge, k);
            return false;
        }
    }
    return true;
}

/* Whether nothing has to be examined; never where one is NaN. */
GA_FN bool
are_plain(const random_judge &judge, const element_parameters &p)
{
    bool plain = judge.plain.known;
    GA_UNROLL
    for (int k = 0; k < GA_RANDOM_PARAMETERS; k++)
        plain &= p.value[k] > judge.plain.above[k] && p.value[k] <= judge.plain.upto[k];
    return plain;
}

GA_FN bool
accept_parameters(const random_judge &judge, const element_parameters &p)
{
    return are_plain(judge, p) || examine_parameters(judge, p.value[0], p.value[1], p.value[2]);
}
