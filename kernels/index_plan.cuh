/* From a call of gather or scatter to the plan of a launch. Owns what finds out how items may be
 * moved: their alignment, runs of them that move as larger items, and halves of what is too large
 * for one walk. Includes index_kernels.cuh. */
#pragma once
#include "index_kernels.cuh"

static int64_t
count_blocks(int64_t size)
{
    return (size + index_piece - 1) / index_piece;
}

/* Alignment that all addresses of the moved items have, at most 16. */
static int64_t
find_alignment(const ga_index_call *call)
{
    int64_t bits = 16 | int64_t(intptr_t(call->array.data)) | int64_t(intptr_t(call->other.data));
    for (int d = 0; d < call->ndim; d++)
        bits |= call->array.strides[d] | (call->other.data ? call->other.strides[d] : 0);
    for (int k = 0; k < call->narrays; k++)
        bits |= call->index[k].step;
    return bits & -bits;
}

static bool
is_run(const ga_index_call *call, int d)
{
    if (!call->other.data || call->place[d] || call->shape[d] % 2)
        return false;
    for (int k = 0; k < call->narrays; k++)
        if (call->index[k].strides[d])
            return false;
    return call->array.strides[d] == call->itemsize && call->other.strides[d] == call->itemsize;
}

/* Two items of a run as one of twice the size, as long as addresses allow. */
static void
widen_items(ga_index_call *call)
{
    int d = call->ndim - 1;
    while (d >= 0 && call->itemsize < 16 && is_run(call, d)) {
        ga_index_call wide = *call;
        wide.itemsize *= 2;
        wide.shape[d] /= 2;
        wide.size /= 2;
        wide.array.strides[d] = wide.other.strides[d] = wide.itemsize;
        if (find_alignment(&wide) < wide.itemsize)
            return;
        *call = wide;
    }
}

/* The two halves of a call with more points than a walk takes, along its outermost dimension that has them; returns by
 * how much their first places differ. */
static int64_t
halve_call(const ga_index_call *call, ga_index_call half[2])
{
    int d = 0;
    while (call->shape[d] < 2)
        d++;
    int64_t first = call->shape[d] / 2, rest = call->size / call->shape[d];
    half[0] = half[1] = *call;
    half[0].shape[d] = first;
    half[1].shape[d] = call->shape[d] - first;
    half[0].size = first * rest;
    half[1].size = half[1].shape[d] * rest;
    half[1].array.data = static_cast<char *>(call->array.data) + first * call->array.strides[d];
    if (call->other.data)
        half[1].other.data = static_cast<char *>(call->other.data) + first * call->other.strides[d];
    for (int k = 0; k < call->narrays; k++)
        half[1].index[k].data += first * call->index[k].strides[d] / int64_t(sizeof(int64_t));
    return first * call->place[d];
}

/* What all launches of one call share. */
struct index_pass {
    ga_fault *fault;
    int32_t *stop;
    index_table table;
};

template <int K>
static void
fill_walk(const ga_index_call *call, ga_walk<INDEX_FIRST + K> *walk)
{
    walk->ndim = call->ndim;
    for (int d = 0; d < call->ndim; d++) {
        int from = call->ndim - 1 - d; /* innermost first */
        walk->shape[d] = ga_divider_make(call->shape[from]);
        walk->strides[d][INDEX_ARRAY] = call->array.strides[from];
        walk->strides[d][INDEX_OTHER] = call->other.data ? call->other.strides[from] : 0;
        walk->strides[d][INDEX_PLACE] = call->place[from];
        for (int k = 0; k < call->narrays; k++)
            walk->strides[d][INDEX_FIRST + k] = call->index[k].strides[from];
    }
}

template <int K>
static void
fill_arrays(const ga_index_call *call, index_plan<K> *p)
{
    int64_t key_step = 1;
    for (int k = call->narrays - 1; k >= 0; k--) {
        p->index[k] = reinterpret_cast<const char *>(call->index[k].data);
        p->length[k] = call->index[k].length;
        p->step[k] = call->index[k].step;
        p->axis[k] = call->index[k].axis;
        p->key_step[k] = key_step;
        key_step *= call->index[k].length;
    }
    p->narrays = call->narrays;
    p->mode = call->mode;
    p->checked = call->checked;
    p->function = call->function;
}

template <int K>
static index_plan<K>
make_plan(const ga_index_call *call, const index_pass *pass, int64_t first_place)
{
    index_plan<K> p;
    memset(static_cast<void *>(&p), 0, sizeof p);
    fill_walk<K>(call, &p.walk);
    fill_arrays(call, &p);
    p.size = call->size;
    p.first_place = first_place;
    p.array = static_cast<char *>(call->array.data);
    p.other = static_cast<char *>(call->other.data);
    p.value = call->other.value;
    p.fault = pass->fault;
    p.stop = pass->stop;
    p.table = pass->table;
    return p;
}
