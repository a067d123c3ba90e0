/* How a kernel takes the record of a fault, of which the first report wins, and hands it to the
 * host. W is int32_t: a template, since only one of the two devices has each of the words it is
 * written in. Includes port.cuh. */
#pragma once
#include "port.cuh"

/* Sets *state from 0 to 1; whether this call did. */
template <class W>
GA_FN bool
ga_fault_claim(W *state)
{
    if constexpr (GA_BLOCK > 1) {
        return atomicCAS(state, W(0), W(1)) == 0;
    } else {
        W empty = 0;
        return __atomic_compare_exchange_n(state, &empty, W(1), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

/* Sets *state to 2 after everything that this thread wrote. */
template <class W>
GA_FN void
ga_fault_publish(W *state)
{
    if constexpr (GA_BLOCK > 1) {
        asm volatile("membar.sys;" ::: "memory");
        *reinterpret_cast<volatile W *>(state) = 2;
    } else {
        __atomic_store_n(state, W(2), __ATOMIC_RELEASE);
    }
}
