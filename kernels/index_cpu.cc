/* gather and scatter on the CPU: index.cuh over the compiler's atomics. */
#include "index.cuh"

GA_FN bool index_claim(int32_t *word)
{
    int32_t empty = 0;
    return __atomic_compare_exchange_n(word, &empty, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

GA_FN void index_publish(int32_t *word)
{
    __atomic_store_n(word, 2, __ATOMIC_RELEASE);
}

GA_FN int64_t index_exchange(int64_t *word, int64_t expected, int64_t desired)
{
    __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

template <class Word>
static inline void
raise_word(Word *word, Word value)
{
    Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (seen < value
           && !__atomic_compare_exchange_n(word, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

GA_FN void index_raise(int64_t *word, int64_t value)
{
    raise_word(word, value);
}

GA_FN void index_raise(int32_t *word, int32_t value)
{
    raise_word(word, value);
}
