/* Connected elements on the CPU: one pass in C order over a union-find whose paths are halved as they are walked, then
 * one that points every element at its root. The pair of label_cuda.cu; owns ga_label_run. */
#include "label.cuh"
#include "slots.h"

static int64_t find_root(int64_t *roots, int64_t i)
{
    while (roots[i] != i) {
        roots[i] = roots[roots[i]];
        i = roots[i];
    }
    return i;
}

static void unite(int64_t *roots, int64_t i, int64_t j)
{
    int64_t first = find_root(roots, i), second = find_root(roots, j);
    if (first < second)
        roots[second] = first;
    else
        roots[first] = second;
}

int ga_label_run(const ga_label_call *call, ga_stream *)
{
    label_plan plan = ga_label_plan(call);
    int64_t *roots = call->roots;
    for (int64_t i = 0; i < call->size; i++) {
        roots[i] = call->mask[i] ? i : -1;
        if (call->mask[i])
            join_neighbours(plan, i, false, [roots](int64_t here, int64_t other) { unite(roots, here, other); });
    }
    for (int64_t i = 0; i < call->size; i++) {
        if (roots[i] >= 0)
            roots[i] = roots[roots[i]]; /* elements before it point at their roots already */
        call->firsts[i] = roots[i] == i;
    }
    return 0;
}
