/* Work that the threads of a block do together: the only place of warp operations.
 *
 *   ga_block_merge<P>(value, width)       P::merge over each `width` threads in a row; valid in the first of them
 *   ga_block_merge_rows<P>(values, width) P::merge over threads `width` apart; valid in the first `width` threads
 *   ga_block_scan<P, K>(values, total, width)  values[k] becomes P::merge of all values before it among each `width` threads in
 *                                         a row, those of all threads coming before those of the next k; total that of all
 *   ga_block_arrives(counter, blocks)     whether this block is the last one of `blocks` to come here; what all of them wrote
 *                                         before is visible to it then. The counter is 0 before and after; on the GPU alone
 *   ga_pack<T, N>, ga_pack_load           N elements at once
 *   ga_pack_fetch(shared, p), ga_pack_fetched()   copies a pack of 16 bytes to shared memory, by no register where the card can; waits
 *                                         for those of this thread
 *
 * P has `typedef ... acc`, `static acc merge(acc, acc)` and, for scans, `static acc neutral()`; a scan's width is a warp or
 * the block, its K at most four. All threads of the block call together. The order of merging
 * is fixed, so the result is too. On the CPU a block has one thread and its value is the result. Includes types.cuh. */
#pragma once
#include "types.cuh"

/* Aligned for one load on the GPU (to the greatest power of two in its size); on the CPU only as
 * its elements are, where unaligned vectors cost nothing. */
template <class T, int N>
constexpr int ga_pack_alignment = GA_BLOCK == 1 ? alignof(T) : (sizeof(T) * N) & (~(sizeof(T) * N) + 1);

template <class T, int N> struct alignas(ga_pack_alignment<T, N>) ga_pack {
    T v[N];
};

template <class T, int N> GA_FN ga_pack<T, N> ga_pack_load(const T *p)
{
    return *reinterpret_cast<const ga_pack<T, N> *>(p);
}

#ifdef __CUDACC__

template <class T, int N> GA_FN void ga_pack_fetch(T *shared, const T *p)
{
    static_assert(sizeof(ga_pack<T, N>) == 16, "the one size that is copied past the first cache");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(uint32_t(__cvta_generic_to_shared(shared))), "l"(p)
                 : "memory");
#else
    *reinterpret_cast<ga_pack<T, N> *>(shared) = ga_pack_load<T, N>(p);
#endif
}

GA_FN void ga_pack_fetched()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

#define GA_LANES _Pragma("unroll")       /* a loop over accumulators: registers here, a vector on the CPU */
#define GA_NO_UNROLL _Pragma("unroll 1") /* code that is long and rarely runs */
#define GA_WARP 32

/* `value` of the thread `delta` further on within each `width` threads. */
template <class T> GA_FN T ga_warp_down(T value, int delta, int width)
{
    constexpr int words = (sizeof(T) + 3) / 4;
    uint32_t word[words] = {};
    memcpy(word, &value, sizeof(T));
    GA_UNROLL
    for (int i = 0; i < words; i++)
        word[i] = __shfl_down_sync(0xffffffffu, word[i], unsigned(delta), width);
    memcpy(&value, word, sizeof(T));
    return value;
}

template <class P> GA_FN typename P::acc ga_block_merge(typename P::acc value, int width)
{
    typedef typename P::acc A;
    int inner = width < GA_WARP ? width : GA_WARP;
    for (int delta = inner / 2; delta > 0; delta /= 2)
        value = P::merge(value, ga_warp_down(value, delta, inner));
    if (width <= GA_WARP)
        return value;
    __shared__ A slot[GA_BLOCK / GA_WARP];
    if (GA_THREAD % GA_WARP == 0)
        slot[GA_THREAD / GA_WARP] = value;
    GA_SYNC();
    if (GA_THREAD % width == 0)
        for (int warp = 1; warp < width / GA_WARP; warp++)
            value = P::merge(value, slot[GA_THREAD / GA_WARP + warp]);
    GA_SYNC();
    return value;
}

template <class P, int N> GA_FN void ga_block_merge_rows(typename P::acc (&values)[N], int width)
{
    typedef typename P::acc A;
    __shared__ A slot[N][GA_BLOCK];
    if (width == GA_BLOCK)
        return;
    GA_UNROLL
    for (int i = 0; i < N; i++)
        slot[i][GA_THREAD] = values[i];
    for (int half = GA_BLOCK / 2; half >= width; half /= 2) {
        GA_SYNC();
        if (GA_THREAD < half)
            GA_UNROLL
            for (int i = 0; i < N; i++)
                slot[i][GA_THREAD] = P::merge(slot[i][GA_THREAD], slot[i][GA_THREAD + half]);
    }
    GA_SYNC();
    GA_UNROLL
    for (int i = 0; i < N; i++)
        values[i] = slot[i][GA_THREAD];
}

GA_FN bool ga_block_arrives(uint32_t *counter, int64_t blocks)
{
    __shared__ bool last;
    GA_SYNC();
    if (GA_THREAD == 0) {
        __threadfence();
        last = atomicInc(counter, uint32_t(blocks - 1)) == uint32_t(blocks - 1); /* which makes it 0 again */
        __threadfence();
    }
    GA_SYNC();
    return last;
}

/* `value` of the thread `delta` before within its warp; its own where there is none. */
template <class T> GA_FN T ga_warp_up(T value, int delta)
{
    constexpr int words = (sizeof(T) + 3) / 4;
    uint32_t word[words] = {};
    memcpy(word, &value, sizeof(T));
    GA_UNROLL
    for (int i = 0; i < words; i++)
        word[i] = __shfl_up_sync(0xffffffffu, word[i], unsigned(delta));
    memcpy(&value, word, sizeof(T));
    return value;
}

template <class T> GA_FN T ga_warp_from(T value, int source)
{
    constexpr int words = (sizeof(T) + 3) / 4;
    uint32_t word[words] = {};
    memcpy(word, &value, sizeof(T));
    GA_UNROLL
    for (int i = 0; i < words; i++)
        word[i] = __shfl_sync(0xffffffffu, word[i], source);
    memcpy(&value, word, sizeof(T));
    return value;
}

template <class P> GA_FN typename P::acc ga_warp_scan(typename P::acc value)
{
    GA_UNROLL
    for (int delta = 1; delta < GA_WARP; delta *= 2) {
        typename P::acc before = ga_warp_up(value, delta);
        if (GA_THREAD % GA_WARP >= delta)
            value = P::merge(before, value);
    }
    return value;
}

template <class P, int K>
GA_FN void ga_block_scan(typename P::acc (&values)[K], typename P::acc &total, int width)
{
    typedef typename P::acc A;
    __shared__ A slot[K * (GA_BLOCK / GA_WARP)];
    const int lane = GA_THREAD % GA_WARP, warps = width / GA_WARP;
    const int warp = GA_THREAD % width / GA_WARP, base = GA_THREAD / width * warps * K;
    GA_UNROLL
    for (int k = 0; k < K; k++) {
        A through = ga_warp_scan<P>(values[k]);
        if (lane == GA_WARP - 1)
            slot[base + k * warps + warp] = through;
        values[k] = ga_warp_up(through, 1);
        if (lane == 0)
            values[k] = P::neutral();
    }
    GA_SYNC();
    A warp_totals = ga_warp_scan<P>(lane < K * warps ? slot[base + lane] : P::neutral());
    GA_UNROLL
    for (int k = 0; k < K; k++) {
        int place = k * warps + warp;
        A before = ga_warp_from(warp_totals, place > 0 ? place - 1 : 0);
        if (place > 0)
            values[k] = P::merge(before, values[k]);
    }
    total = ga_warp_from(warp_totals, K * warps - 1);
    GA_SYNC();
}

#else

template <class T, int N> GA_FN void ga_pack_fetch(T *shared, const T *p)
{
    *reinterpret_cast<ga_pack<T, N> *>(shared) = ga_pack_load<T, N>(p);
}

GA_FN void ga_pack_fetched() {}

#define GA_NO_UNROLL
#ifdef __clang__
#define GA_LANES
#else
#define GA_LANES _Pragma("GCC unroll 1") /* unrolled, it would be no loop to make vectors of */
#endif

template <class P> GA_FN typename P::acc ga_block_merge(typename P::acc value, int)
{
    return value;
}

template <class P, int N> GA_FN void ga_block_merge_rows(typename P::acc (&)[N], int) {}

GA_FN bool ga_block_arrives(uint32_t *, int64_t)
{
    return false;
}

template <class P, int K>
GA_FN void ga_block_scan(typename P::acc (&values)[K], typename P::acc &total, int)
{
    total = P::neutral();
    for (int k = 0; k < K; k++) {
        typename P::acc value = values[k];
        values[k] = total;
        total = P::merge(total, value);
    }
}

#endif
