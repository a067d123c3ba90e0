/* As many neighbours of a row as a thread takes at once, in memory and in registers. Reads and
 * writes go by the whole pack where the caller has seen that the array allows it, else item by
 * item, of a pack that reaches over the row's end only what lies before it. Includes types.cuh. */
#pragma once
#include "types.cuh"

template <class T, int V> struct alignas(sizeof(T) * V) ga_row_pack {
    T item[V];
};

template <class T, int V>
GA_FN ga_row_pack<T, V>
ga_row_pack_of(T one)
{
    ga_row_pack<T, V> pack;
    GA_UNROLL
    for (int j = 0; j < V; j++)
        pack.item[j] = one;
    return pack;
}

/* The first n items, `step` bytes apart; the others are zero. */
template <class T, int V>
GA_FN ga_row_pack<T, V>
ga_row_pack_read(const char *from, int64_t step, bool whole, int n)
{
    ga_row_pack<T, V> pack = {};
    if (whole && n == V)
        return *reinterpret_cast<const ga_row_pack<T, V> *>(from);
    GA_UNROLL
    for (int j = 0; j < V; j++)
        if (j < n)
            pack.item[j] = *reinterpret_cast<const T *>(from + j * step);
    return pack;
}

template <class T, int V>
GA_FN void
ga_row_pack_write(char *to, int64_t step, bool whole, int n, const ga_row_pack<T, V> &pack)
{
    if (whole && n == V) {
        *reinterpret_cast<ga_row_pack<T, V> *>(to) = pack;
        return;
    }
    GA_UNROLL
    for (int j = 0; j < V; j++)
        if (j < n)
            *reinterpret_cast<T *>(to + j * step) = pack.item[j];
}
