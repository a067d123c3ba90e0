/* How elements of equal keys are shuffled, whatever sorted them: Fisher and Yates's method, from a
 * place of the source that only theirs is. Owns ga_random_shuffle. Includes random_discrete.cuh. */
#pragma once
#include "random_discrete.cuh"

/* A run of `length` elements whose first is element `first` of `size`: the keys of all are the source's first
 * words, and the blocks after those are the elements'. */
template <class T>
GA_FN_CALL void
ga_random_shuffle(const ga_random_source &source, int64_t size, int64_t first, T *run, int64_t length)
{
    const int64_t words = source.wide ? ga_philox64::words : ga_philox32::words;
    ga_draws draws = ga_draws_at(&source, (size + words - 1) / words + first);
    GA_ROLLED
    for (int64_t left = length; left > 1; left--) {
        T *last = run + left - 1, *chosen = run + int64_t(ga_draw_integer(&draws, 0, uint64_t(left)));
        T value = *last;
        *last = *chosen;
        *chosen = value;
    }
}
