/* gather and scatter on CUDA: index.cuh over the device's atomics. */
#include "index.cuh"

GA_FN bool index_claim(int32_t *word)
{
    return atomicCAS(reinterpret_cast<int *>(word), 0, 1) == 0;
}

/* The host may look once the rest of the record is on its way. */
GA_FN void index_publish(int32_t *word)
{
    __threadfence_system();
    *reinterpret_cast<volatile int32_t *>(word) = 2;
}

GA_FN int64_t index_exchange(int64_t *word, int64_t expected, int64_t desired)
{
    typedef unsigned long long word_type;
    return int64_t(atomicCAS(reinterpret_cast<word_type *>(word), word_type(expected), word_type(desired)));
}

GA_FN void index_raise(int64_t *word, int64_t value)
{
    atomicMax(reinterpret_cast<long long *>(word), (long long)value);
}

GA_FN void index_raise(int32_t *word, int32_t value)
{
    atomicMax(word, value);
}
