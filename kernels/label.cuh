/* Connected elements: what label_cpu.cc and label_cuda.cu share. The trees of a union-find lie in `roots`, each element
 * pointing at one before it or at itself. Includes port.cuh and csrc/core/call/label.h. */
#pragma once
#include "../csrc/core/call/label.h"
#include "port.cuh"

/* join(i, j) for each true neighbour j of the true element i that comes before it. */
template <class Join> GA_FN void join_neighbours(const ga_label_call &call, int64_t i, Join join)
{
    int64_t place[GA_LABEL_DIMS], rest = i;
    for (int d = call.ndim - 1; d >= 0; d--) {
        place[d] = rest % call.shape[d];
        rest /= call.shape[d];
    }
    for (int k = 0; k < call.count; k++) {
        int64_t other = 0;
        bool inside = true;
        for (int d = 0; d < call.ndim; d++) {
            int64_t at = place[d] + call.steps[k][d];
            inside = inside && at >= 0 && at < call.shape[d];
            other = other * call.shape[d] + at;
        }
        if (inside && call.mask[other])
            join(i, other);
    }
}
