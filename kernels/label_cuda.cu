/* Connected elements on a GPU: a union-find that all threads work on at once. The pair of
 * label_cpu.cc; owns ga_label_run.
 *
 * A root is only ever replaced by an earlier element, by compare-and-swap: who finds it replaced
 * goes on from what is there. So trees have no cycles, and when all neighbours were joined the root
 * of each tree is its first element, whatever the order of events. Includes label.cuh, slots.h. */
#include "label.cuh"
#include "slots.h"

static const int64_t label_piece = 1024; /* elements of a block */
static const int lanes = 32;

/* A path is halved as it is walked: an element may point at any of those above it. */
GA_FN int64_t root_of(int64_t *roots, int64_t i)
{
    volatile int64_t *now = roots;
    int64_t above = now[i];
    while (above != i) {
        int64_t next = now[above];
        if (next != above)
            now[i] = next;
        i = above;
        above = next;
    }
    return i;
}

GA_FN void unite(int64_t *roots, int64_t i, int64_t j)
{
    for (;;) {
        i = root_of(roots, i);
        j = root_of(roots, j);
        if (i == j)
            return;
        int64_t later = i < j ? j : i, earlier = i < j ? i : j;
        auto *place = reinterpret_cast<unsigned long long *>(roots + later);
        if (int64_t(atomicCAS(place, (unsigned long long)later, (unsigned long long)earlier)) == later)
            return;
        i = later;
        j = earlier;
    }
}

/* Elements point at the first of their run of true elements, or of the part of it that their warp sees. */
GA_KERNEL label_begin(GA_PARAM label_plan plan)
{
    GA_AWAIT();
    const ga_label_call &call = plan.call;
    int64_t first = GA_BLOCK_ID * label_piece, width = call.shape[call.ndim - 1];
    int lane = GA_THREAD % lanes;
    for (int64_t i = first + GA_THREAD; i < first + label_piece; i += GA_BLOCK) {
        bool here = i < call.size && call.mask[i];
        bool linked = here && plan.linked && lane > 0 && call.mask[i - 1] && i - divide(i, width) * width > 0;
        uint32_t begins = ~__ballot_sync(~0u, linked) & (~0u >> (lanes - 1 - lane)); /* up to this lane; lane 0 does */
        if (i < call.size)
            call.roots[i] = here ? i - lane + (lanes - 1 - __clz(int(begins))) : -1;
    }
}

struct label_joiner {
    int64_t *roots;
    GA_METHOD void operator()(int64_t i, int64_t j) const { unite(roots, i, j); }
};

GA_FN int64_t end_of_piece(const ga_label_call &call)
{
    int64_t last = (GA_BLOCK_ID + 1) * label_piece;
    return last < call.size ? last : call.size;
}

GA_KERNEL label_join(GA_PARAM label_plan plan)
{
    GA_AWAIT();
    const ga_label_call &call = plan.call;
    int64_t last = end_of_piece(call);
    for (int64_t i = GA_BLOCK_ID * label_piece + GA_THREAD; i < last; i += GA_BLOCK)
        if (call.mask[i])
            join_neighbours(plan, i, i % lanes != 0, label_joiner{call.roots});
}

/* Only reads: a path halved late would put back what another thread has settled. */
GA_FN int64_t settled_root(const int64_t *roots, int64_t i)
{
    const volatile int64_t *now = roots;
    int64_t above = now[i];
    while (above != i) {
        i = above;
        above = now[i];
    }
    return i;
}

/* Other threads may read an element's root meanwhile: either value leads there. */
GA_KERNEL label_settle(GA_PARAM ga_label_call call)
{
    GA_AWAIT();
    int64_t last = end_of_piece(call);
    for (int64_t i = GA_BLOCK_ID * label_piece + GA_THREAD; i < last; i += GA_BLOCK) {
        int64_t root = call.mask[i] ? settled_root(call.roots, i) : -1;
        if (root >= 0)
            call.roots[i] = root;
        call.firsts[i] = root == i;
    }
}

int ga_label_run(const ga_label_call *call, ga_stream *stream)
{
    label_plan plan = ga_label_plan(call);
    int64_t blocks = (call->size + label_piece - 1) / label_piece;
    if (ga_launch(label_begin, blocks, stream, plan) || ga_launch(label_join, blocks, stream, plan))
        return -1;
    return ga_launch(label_settle, blocks, stream, *call);
}
