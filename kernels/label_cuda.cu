/* Connected elements on a GPU: a union-find that all threads work on at once. The pair of
 * label_cpu.cc; owns ga_label_run.
 *
 * A root is only ever replaced by an earlier element, by compare-and-swap: who finds it replaced
 * goes on from what is there. So trees have no cycles, and when all neighbours were joined the root
 * of each tree is its first element, whatever the order of events. Includes label.cuh, slots.h. */
#include "label.cuh"
#include "slots.h"

static const int64_t label_piece = 1024; /* elements of a block */

GA_FN int64_t root_of(const int64_t *roots, int64_t i)
{
    const volatile int64_t *now = roots;
    for (int64_t above = now[i]; above != i; above = now[i])
        i = above;
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

GA_FN int64_t end_of_piece(const ga_label_call &call)
{
    int64_t last = (GA_BLOCK_ID + 1) * label_piece;
    return last < call.size ? last : call.size;
}

GA_KERNEL label_begin(GA_PARAM ga_label_call call)
{
    GA_AWAIT();
    int64_t last = end_of_piece(call);
    for (int64_t i = GA_BLOCK_ID * label_piece + GA_THREAD; i < last; i += GA_BLOCK)
        call.roots[i] = call.mask[i] ? i : -1;
}

struct label_joiner {
    int64_t *roots;
    GA_METHOD void operator()(int64_t i, int64_t j) const { unite(roots, i, j); }
};

GA_KERNEL label_join(GA_PARAM ga_label_call call)
{
    GA_AWAIT();
    int64_t last = end_of_piece(call);
    for (int64_t i = GA_BLOCK_ID * label_piece + GA_THREAD; i < last; i += GA_BLOCK)
        if (call.mask[i])
            join_neighbours(call, i, label_joiner{call.roots});
}

GA_KERNEL label_settle(GA_PARAM ga_label_call call)
{
    GA_AWAIT();
    int64_t last = end_of_piece(call);
    for (int64_t i = GA_BLOCK_ID * label_piece + GA_THREAD; i < last; i += GA_BLOCK)
        if (call.mask[i])
            call.roots[i] = root_of(call.roots, i); /* another thread may read it meanwhile: either value leads there */
}

int ga_label_run(const ga_label_call *call, ga_stream *stream)
{
    int64_t blocks = (call->size + label_piece - 1) / label_piece;
    if (ga_launch(label_begin, blocks, stream, *call) || ga_launch(label_join, blocks, stream, *call))
        return -1;
    return ga_launch(label_settle, blocks, stream, *call);
}
