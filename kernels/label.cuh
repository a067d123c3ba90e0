/* Connected elements: what label_cpu.cc and label_cuda.cu share. The trees of a union-find lie in `roots`, each element
 * pointing at one before it or at itself.
 *
 * Where elements of a line are connected with their neighbours, most joins say nothing new: one by a step is known where
 * the elements before both are true, which are joined by the same step, and where the element before the other is true
 * and a neighbour, too. Includes divide.cuh and csrc/core/call/label.h. */
#pragma once
#include "../csrc/core/call/label.h"
#include "divide.cuh"

struct label_plan {
    ga_label_call call;
    bool linked;      /* the last step leads to the element before */
    uint64_t follows; /* steps whose place less one is the step before theirs */
};

static inline label_plan ga_label_plan(const ga_label_call *call)
{
    label_plan plan = {*call, false, 0};
    int last = call->ndim - 1;
    for (int k = 0; k < call->count; k++) {
        const int8_t *step = call->steps[k], *before = k > 0 ? call->steps[k - 1] : step;
        bool same_line = true, own_line = true;
        for (int d = 0; d < last; d++) {
            same_line = same_line && step[d] == before[d];
            own_line = own_line && step[d] == 0;
        }
        if (k > 0 && same_line && step[last] == before[last] + 1)
            plan.follows |= uint64_t(1) << k;
        plan.linked = own_line;
    }
    return plan;
}

/* Where a step leads from `place`; -1 outside. */
GA_FN int64_t follow_step(const ga_label_call &call, const int64_t *place, int k)
{
    int64_t other = 0;
    bool inside = true;
    GA_UNROLL
    for (int d = 0; d < GA_LABEL_DIMS; d++) {
        if (d >= call.ndim)
            continue;
        int64_t at = place[d] + call.steps[k][d];
        inside = inside && at >= 0 && at < call.shape[d];
        other = other * call.shape[d] + at;
    }
    return inside ? other : -1;
}

/* join(i, j) for true neighbours j of the true element i that come before it, so that all are connected in the end.
 * `begun`: i and the element before it point at the same one already, if that is true. */
template <class Join> GA_FN void join_neighbours(const label_plan &plan, int64_t i, bool begun, Join join)
{
    const ga_label_call &call = plan.call;
    int64_t place[GA_LABEL_DIMS], rest = i;
    GA_UNROLL
    for (int d = GA_LABEL_DIMS - 1; d >= 0; d--) {
        if (d >= call.ndim)
            continue;
        int64_t above = d == 0 ? 0 : divide(rest, call.shape[d]);
        place[d] = rest - above * call.shape[d];
        rest = above;
    }
    int last = call.ndim - 1, steps = plan.linked ? call.count - 1 : call.count;
    int64_t column = last == 0 ? i : i - divide(i, call.shape[last]) * call.shape[last];
    bool before = plan.linked && column > 0 && call.mask[i - 1];
    if (before && !begun)
        join(i, i - 1);
    for (int k = 0; k < steps; k++) {
        int64_t other = follow_step(call, place, k);
        if (other < 0 || !call.mask[other])
            continue;
        bool has_before = plan.linked && column + call.steps[k][last] > 0 && call.mask[other - 1];
        if (!has_before || !(before || plan.follows >> k & 1))
            join(i, other);
    }
}
