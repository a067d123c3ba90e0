/* How a block holds small matrices: some threads, its lanes, share one matrix in shared memory, and
 * all matrices of the block go through the same steps, so that a barrier of the block serves each
 * of them. On the CPU a matrix has one lane. Includes lapack_small.h, lapack_number.cuh, block.cuh.
 * */
#pragma once
#include "block.cuh"
#include "lapack_number.cuh"
#include "lapack_small.h"

#define GA_SMALL_BYTES \
    36864 /* of shared memory: one matrix of the largest size and dtype, with its basis */
#define GA_SMALL_BLOCKS 65536 /* of a launch; each takes further matrices in turn */

struct small_task {
    ga_lapack_call call;
    int32_t lanes;  /* of a matrix: a power of two, at most a warp */
    int32_t groups; /* matrices that a block holds */
    int32_t pitch;  /* elements from one to the next in shared memory */
    int *failed;
};

/* What one lane works on. */
template <class T> struct small_place {
    T *a;
    int64_t matrix;
    int group, lane, lanes;
    bool active; /* there is a matrix for this lane */
};

template <class T>
GA_FN small_place<T>
take_place(const small_task &task, T *store, int64_t first)
{
    small_place<T> p;
    p.lanes = task.lanes;
    p.group = GA_THREAD / task.lanes;
    p.lane = GA_THREAD % task.lanes;
    p.matrix = first + p.group;
    p.active = p.group < task.groups && p.matrix < task.call.count;
    p.a = store + (p.active ? p.group * task.pitch : 0);
    return p;
}

/* How many matrices a block that begins with `first` has. */
GA_FN int
count_matrices(const small_task &task, int64_t first)
{
    int64_t left = task.call.count - first;
    return int(left < task.groups ? left : task.groups);
}

/* Gives task its shape for matrices of `elements` in shared memory whose work is shared by `width` lanes; the number of
 * blocks. */
static inline int64_t
deal_matrices(small_task *task, int64_t width, int64_t elements, int64_t itemsize)
{
    task->lanes = 1;
    while (GA_BLOCK > 1 && task->lanes < width)
        task->lanes *= 2;
    task->pitch = int32_t(elements);
    int64_t most = GA_SMALL_BYTES / (elements * itemsize), groups = GA_BLOCK / task->lanes;
    task->groups = int32_t(groups < most ? groups : most);
    int64_t blocks = (task->call.count + task->groups - 1) / task->groups;
    return blocks < GA_SMALL_BLOCKS ? blocks : GA_SMALL_BLOCKS;
}
