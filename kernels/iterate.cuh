/* Walks over strided operands, and the choice of the element-wise framework.
 *
 * Owns ga_divider (division by a launch constant), ga_walk and ga_cursor (the one strided walk:
 * arithmetic per element on the GPU, an odometer on the CPU) and ga_map_element (one element
 * through a functor). At its end it brings in the framework that fits the device: map_vector.cuh
 * for a GPU, map_tile.cuh for a CPU; both have the interface
 *
 *     ga_map_plan plan;                      operands and grid of one launch
 *     ga_map_fits(&call)                     whether one launch takes it; ga_map_halve it otherwise
 *     ga_map_prepare(&call, &plan);          from a ga_ufunc_call, without knowing types
 *     ga_map_launch<F, A, B, R, S>(plan, f, stream)
 *
 * Walks index with 31 bits: a caller with more elements splits its launch. Dimensions are innermost
 * first here, outermost first in the calls of backend.h. Includes types.cuh and
 * csrc/core/backend.h. */
#pragma once
#include "types.cuh"

#include "../csrc/core/call/elementwise.h"

#ifndef GA_WALK_LIMIT /* a walk has fewer elements; tests lower it */
#define GA_WALK_LIMIT ((int64_t)1 << 31)
#endif

/* ---- division by a number known at launch, for dividends below 2^31: multiply and shift ---- */
struct ga_divider {
    uint32_t divisor, multiplier, shift;
};

static inline ga_divider
ga_divider_make(int64_t divisor)
{
    uint32_t shift = 0;
    while (((uint64_t)1 << shift) < (uint64_t)divisor)
        shift++;
    uint64_t excess = (((uint64_t)1 << shift) - (uint64_t)divisor) << 32;
    return {(uint32_t)divisor, (uint32_t)(excess / (uint64_t)divisor + 1), shift};
}

GA_FN uint32_t
ga_divide_by(const ga_divider &by, uint32_t n)
{
    uint32_t high = (uint32_t)(((uint64_t)n * by.multiplier) >> 32);
    return (high + n) >> by.shift;
}

/* ---- strided walk over N operands of one shape ---- */
template <int N> struct ga_walk {
    int32_t ndim; /* 0: one element */
    ga_divider shape[GA_ITER_DIMS];
    int64_t strides[GA_ITER_DIMS][N]; /* bytes */
};

/* Byte offsets of one element. seek(walk, i) to any i; on the CPU the step to i + 1 is cheap. */
template <int N> struct ga_cursor {
    int64_t offset[N];
#ifndef __CUDACC__
    int64_t at = -1;
    uint32_t index[GA_ITER_DIMS];
#endif

    GA_METHOD void
    seek(const ga_walk<N> &walk, uint32_t i)
    {
#ifndef __CUDACC__
        if (at >= 0 && (int64_t)i == at + 1) {
            step(walk);
            return;
        }
        at = i;
#endif
        for (int k = 0; k < N; k++)
            offset[k] = 0;
        GA_ROLLED
        for (int d = 0; d < walk.ndim; d++) {
            uint32_t rest = d + 1 < walk.ndim ? ga_divide_by(walk.shape[d], i) : 0;
            uint32_t here = i - rest * walk.shape[d].divisor;
#ifndef __CUDACC__
            index[d] = here;
#endif
            GA_UNROLL
            for (int k = 0; k < N; k++)
                offset[k] += here * walk.strides[d][k];
            i = rest;
        }
    }

#ifndef __CUDACC__
    inline void
    step(const ga_walk<N> &walk)
    {
        at++;
        for (int d = 0; d < walk.ndim; d++) {
            bool carry = ++index[d] == walk.shape[d].divisor;
            int64_t steps = carry ? 1 - (int64_t)index[d] : 1;
            for (int k = 0; k < N; k++)
                offset[k] += steps * walk.strides[d][k];
            if (!carry)
                return;
            index[d] = 0;
        }
    }
#endif
};

/* ---- one element through a functor ----
 * F has `template <class A> auto call(x[, y]) const`, x and y in compute types; its value, or the
 * two members of a ga_pair, are narrowed to R (and S). ga_none stands for an operand that is not
 * there. */
struct ga_none {};
template <class T> constexpr bool ga_present = !std::is_same<T, ga_none>::value;

template <class F, class A, class B>
GA_FN auto
ga_map_call(const F &f, A a, B b)
{
    return f.template call<A>(ga_widen(a), ga_widen(b));
}
template <class F, class A>
GA_FN auto
ga_map_call(const F &f, A a, ga_none)
{
    return f.template call<A>(ga_widen(a));
}

template <class F, class A, class B, class R, class S>
GA_FN void
ga_map_element(const F &f, A a, B b, R &r, [[maybe_unused]] S &s)
{
    auto value = ga_map_call(f, a, b);
    if constexpr (ga_present<S>) {
        r = ga_narrow<R>(value.first);
        s = ga_narrow<S>(value.second);
    } else {
        r = ga_narrow<R>(value);
    }
}

static inline int
ga_map_itemsize(enum ga_dtype dtype)
{
    static const uint8_t sizes[] = {
#define GA_DTYPE(id, ctype, ch, kind, size, name) size,
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
    };
    return sizes[dtype];
}

/* Slots of a plan's operands: inputs, outputs, mask. */
enum { GA_SLOT_IN = 0, GA_SLOT_OUT = 2, GA_SLOT_MASK = 4, GA_SLOTS = 5 };

/* Whether input k is of another dtype in memory than the loop takes. */
static inline bool
ga_map_is_converted(const ga_ufunc_call *call, int k)
{
    return call->converts && k < call->nin && call->args[k].data && call->source[k] != call->in[k];
}

/* args of a call, by slot; NULL where absent. */
static inline void
ga_map_slots(const ga_ufunc_call *call, const ga_operand *slots[GA_SLOTS], int sizes[GA_SLOTS])
{
    for (int k = 0; k < GA_SLOTS; k++)
        slots[k] = NULL, sizes[k] = 1;
    for (int k = 0; k < call->nin; k++)
        slots[GA_SLOT_IN + k] = &call->args[k],
                           sizes[GA_SLOT_IN + k] = ga_map_itemsize(ga_map_is_converted(call, k) ? call->source[k] : call->in[k]);
    for (int k = 0; k < call->nout; k++) {
        slots[GA_SLOT_OUT + k] = &call->args[call->nin + k];
        sizes[GA_SLOT_OUT + k] = ga_map_itemsize(call->out[k]);
    }
    if (call->has_where)
        slots[GA_SLOT_MASK] = &call->args[call->nin + call->nout];
}

/* How an operand lies in memory, all dimensions together. */
enum ga_map_layout {
    GA_MAP_FLAT,     /* consecutive elements in C order */
    GA_MAP_CONSTANT, /* one element for all */
    GA_MAP_OTHER
};

static inline enum ga_map_layout
ga_map_layout_of(const ga_ufunc_call *call, const ga_operand *arg, int size)
{
    if (!arg->data)
        return GA_MAP_CONSTANT;
    bool flat = true, constant = true;
    int64_t expected = size;
    for (int d = call->ndim - 1; d >= 0; d--) {
        if (call->shape[d] == 1)
            continue;
        flat &= arg->strides[d] == expected;
        constant &= arg->strides[d] == 0;
        expected *= call->shape[d];
    }
    return flat ? GA_MAP_FLAT : constant ? GA_MAP_CONSTANT : GA_MAP_OTHER;
}

/* The two halves of a call with at least two elements, along its outermost dimension that has them.
 * */
static inline void
ga_map_halve(const ga_ufunc_call *call, ga_ufunc_call half[2])
{
    int d = 0;
    while (call->shape[d] < 2)
        d++;
    int64_t first = call->shape[d] / 2, rest = call->size / call->shape[d];
    half[0] = half[1] = *call;
    half[0].shape[d] = first;
    half[1].shape[d] = call->shape[d] - first;
    for (int k = 0; k < 2; k++)
        half[k].size = half[k].shape[d] * rest;
    for (int k = 0; k < call->nin + call->nout + call->has_where; k++) {
        ga_operand *arg = &half[1].args[k];
        if (arg->data)
            arg->data = (char *)arg->data + first * arg->strides[d];
    }
}

#if defined(__CUDACC__) || \
    defined(GA_MAP_VECTOR) /* GA_MAP_VECTOR: to run the GPU's framework on a CPU in tests */
#include "map_vector.cuh"
#else
#include "map_tile.cuh"
#endif
