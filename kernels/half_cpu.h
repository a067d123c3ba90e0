/* Of the CPU build: runs of float16 to float32 and back, eight at once where the processor converts them. Single
 * elements are types.cuh's; both round alike. Includes types.cuh. */
#ifndef GA_HALF_CPU_H
#define GA_HALF_CPU_H

#include "types.cuh"

#ifdef __F16C__
typedef short ga_eight_halves __attribute__((vector_size(16)));
typedef float ga_eight_floats __attribute__((vector_size(32)));
#endif

static inline void
ga_half_widen_run(const ga_half *from, float *to, int64_t n)
{
    int64_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= n; i += 8) {
        ga_eight_halves halves;
        memcpy(&halves, from + i, sizeof halves);
        ga_eight_floats floats = __builtin_ia32_vcvtph2ps256(halves);
        memcpy(to + i, &floats, sizeof floats);
    }
#endif
    for (; i < n; i++)
        to[i] = ga_half_to_float(from[i]);
}

static inline void
ga_half_narrow_run(const float *from, ga_half *to, int64_t n)
{
    int64_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= n; i += 8) {
        ga_eight_floats floats;
        memcpy(&floats, from + i, sizeof floats);
        ga_eight_halves halves = __builtin_ia32_vcvtps2ph256(floats, 0); /* 0: to nearest, ties to even */
        memcpy(to + i, &halves, sizeof halves);
    }
#endif
    for (; i < n; i++)
        to[i] = ga_half_from(from[i]);
}

#endif
