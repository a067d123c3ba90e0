/* Leaves of the CPU's trees that are not one accumulator a lane: up to `most` contiguous elements, in a loop that compilers make
 * vectors of. A policy has such leaves where it specialises ga_reduce_leaf. Includes reduce_policy.cuh. */
#pragma once
#include "reduce_policy.cuh"

template <class P> struct ga_reduce_leaf {
    static constexpr bool special = false;
};

/* Sums of short integers fit 32 bits for a while: twice as many, or four times, go into a vector. */
template <class In, class T> struct ga_reduce_leaf<ga_reduce_plain<GA_UF_add, In, T>> {
    typedef ga_reduce_plain<GA_UF_add, In, T> P;
    static constexpr bool special = std::is_integral<In>::value && sizeof(In) <= 2 && sizeof(T) == 8;
    static constexpr int64_t most = 16384;

    static inline typename P::acc take(const typename P::in *src, int64_t count)
    {
        int32_t total = 0;
        for (int64_t i = 0; i < count; i++)
            total += std::is_same<In, bool>::value ? src[i] != 0 : int32_t(src[i]);
        return typename P::acc(total);
    }
};

/* Whether nothing that follows changes a truth: the rest of the elements need not be read. */
template <class P> struct ga_reduce_truth {
    static inline bool is_settled(typename P::acc) { return false; }
};
template <class In> struct ga_reduce_truth<ga_reduce_plain<GA_UF_logical_or, In, bool>> {
    static inline bool is_settled(uint8_t found) { return found != 0; }
};
template <class In> struct ga_reduce_truth<ga_reduce_plain<GA_UF_logical_and, In, bool>> {
    static inline bool is_settled(uint8_t held) { return held == 0; }
};
