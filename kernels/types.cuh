/* The element types that C++ lacks, and what templates need to know of each type.
 *
 * Owns ga_half, ga_complex, ga_datetime, ga_timedelta, ga_pair and the traits:
 *   ga_ctype<GA_f32>::type   C type of a dtype          ga_dtype_of<float>::value  and back
 *   ga_compute<T>            type arithmetic runs in: float for ga_half and stored dtypes, T otherwise
 *   ga_real<T>               float of a complex, T otherwise
 *   ga_unsigned<T>           unsigned type of at least 32 bits: wraps without undefined behaviour
 * and the step between memory and arithmetic: ga_load(p) (any non-zero bool byte is true),
 * ga_widen(x), ga_narrow<T>(x). All types have the layout of NumPy's elements and no larger
 * alignment. Includes port.cuh, stored.cuh and csrc/tables only. */
#pragma once
#include <type_traits>

#include "../csrc/tables/tables.h"
#include "port.cuh"

#define GA_NAT INT64_MIN

/* ---- bits ---- */
template <class To, class From>
GA_FN To
ga_bits(From x)
{
    static_assert(sizeof(To) == sizeof(From), "same size");
    To y;
    memcpy(&y, &x, sizeof y);
    return y;
}

#include "stored.cuh"

/* float16 as bits; arithmetic goes through float. */
struct ga_half {
    uint16_t bits;
};
struct ga_datetime {
    int64_t v;
};
struct ga_timedelta {
    int64_t v;
};
template <class R> struct ga_complex {
    R re, im;
};
typedef ga_complex<float> ga_c64;
typedef ga_complex<double> ga_c128;
template <class A, class B> struct ga_pair {
    A first;
    B second;
};

/* ---- traits ---- */
template <int id> struct ga_ctype;
template <class T> struct ga_dtype_of;
#define GA_DTYPE(id, ctype, ...) \
    template <> struct ga_ctype<GA_##id> { \
        typedef ctype type; \
    }; \
    template <> struct ga_dtype_of<ctype> { \
        static constexpr enum ga_dtype value = GA_##id; \
    };
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"

template <class T> struct ga_compute_of {
    typedef typename std::conditional<ga_is_stored<T>, float, T>::type type;
};
template <> struct ga_compute_of<ga_half> {
    typedef float type;
};
template <class T> using ga_compute = typename ga_compute_of<T>::type;

template <class T> struct ga_real_of {
    typedef T type;
};
template <class R> struct ga_real_of<ga_complex<R>> {
    typedef R type;
};
template <class T> using ga_real = typename ga_real_of<T>::type;

template <class T>
using ga_unsigned = typename std::conditional<sizeof(T) <= 4, uint32_t, uint64_t>::type;

template <class T> struct ga_is_complex : std::false_type {
};
template <class R> struct ga_is_complex<ga_complex<R>> : std::true_type {
};
template <class T>
struct ga_is_time : std::integral_constant<bool, std::is_same<T, ga_datetime>::value ||
                                                     std::is_same<T, ga_timedelta>::value> {
};
/* Integers proper: bool is none. */
template <class T>
struct ga_is_int
    : std::integral_constant<bool, std::is_integral<T>::value && !std::is_same<T, bool>::value> {
};

/* ---- float16: round to nearest even, subnormals and infinities kept, NaN stays NaN ---- */
#ifdef __CUDACC__

GA_FN float
ga_half_to_float(ga_half h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
    return f;
}
GA_FN ga_half
ga_half_from(float f)
{
    ga_half h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
    return h;
}
GA_FN ga_half
ga_half_from(double d)
{
    ga_half h;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h.bits) : "d"(d));
    return h;
}

#else

/* Shifts the significand m right by s, rounding to nearest even. */
static inline uint32_t
ga_half_round(uint32_t m, unsigned s)
{
    uint32_t half = 1u << (s - 1), rest = m & ((1u << s) - 1), q = m >> s;
    return q + (rest > half || (rest == half && (q & 1)));
}

/* From the bits of a float. */
static inline ga_half
ga_half_encode(uint32_t u)
{
    uint16_t sign = uint16_t((u >> 16) & 0x8000);
    uint32_t frac = u & 0x7fffff;
    int expo = int((u << 1) >> 24);
    if (expo == 255) {
        uint16_t payload = uint16_t(frac >> 13);
        return {uint16_t(sign | 0x7c00 | (frac ? (payload | 0x200) : 0))};
    }
    int e = expo - 127 + 15;
    if (e >= 31)
        return {uint16_t(sign | 0x7c00)};
    if (e <= -11)
        return {sign};
    uint32_t m = frac | 0x800000;
    if (e <= 0)
        return {uint16_t(sign | ga_half_round(m, unsigned(14 - e)))};
    /* The carry out of the significand moves into the exponent, up to infinity: the encoding is
     * made for it. */
    return {uint16_t(sign | ((unsigned(e - 1) << 10) + ga_half_round(m, 13)))};
}

#ifdef __F16C__
/* The processor's conversions of four, by the compilers' names: <immintrin.h> would be half of what
 * a file has to read. */
typedef short ga_four_halves __attribute__((vector_size(16)));
typedef float ga_four_floats __attribute__((vector_size(16)));
#endif

GA_FN float
ga_half_to_float(ga_half h)
{
#ifdef __F16C__
    return __builtin_ia32_vcvtph2ps(ga_four_halves{short(h.bits)})[0];
#else
    /* Scaling by 2^112 moves the exponent bias and normalises subnormals; the top exponent is set
     * by hand. */
    uint32_t magnitude = uint32_t(h.bits & 0x7fff) << 13, sign = uint32_t(h.bits & 0x8000) << 16;
    uint32_t scaled = ga_bits<uint32_t>(ga_bits<float>(magnitude) * 0x1p112f);
    uint32_t special = magnitude | 0x7f800000u;
    return ga_bits<float>(sign | (magnitude >= 0x0f800000u ? special : scaled));
#endif
}
GA_FN ga_half
ga_half_from(float f)
{
#ifdef __F16C__
    return {uint16_t(__builtin_ia32_vcvtps2ph(ga_four_floats{f}, 0)[0])}; /* 0: to nearest, ties to even */
#else
    return ga_half_encode(ga_bits<uint32_t>(f));
#endif
}
/* x as a float without the digits beyond, whose last bit is set if there were any: rounded on to a float16, it gives what
 * x would. */
GA_FN float
ga_round_to_odd(double x)
{
    const uint64_t bits = ga_bits<uint64_t>(x), beyond = (uint64_t(1) << 29) - 1;
    return float(ga_bits<double>((bits & ~beyond) | ((bits & beyond) != 0 ? beyond + 1 : 0)));
}
GA_FN ga_half
ga_half_from(double d)
{
    return ga_half_from(ga_round_to_odd(d));
}

#endif

/* ---- memory to arithmetic and back ---- */
template <class T>
GA_FN T
ga_load(const T *p)
{
    if constexpr (std::is_same<T, bool>::value)
        return *reinterpret_cast<const uint8_t *>(p) != 0;
    else
        return *p;
}

template <class T>
GA_FN ga_compute<T>
ga_widen(T x)
{
    if constexpr (std::is_same<T, ga_half>::value)
        return ga_half_to_float(x);
    else if constexpr (ga_is_stored<T>)
        return ga_stored_widen(x);
    else
        return x;
}

/* T from a value of its compute type, or of T itself. */
template <class T, class V>
GA_FN T
ga_narrow(V x)
{
    if constexpr (std::is_same<T, V>::value)
        return x;
    else if constexpr (std::is_same<T, ga_half>::value)
        return ga_half_from(x);
    else if constexpr (ga_is_stored<T>)
        return ga_stored_round<T>(static_cast<float>(x));
    else
        return static_cast<T>(x);
}
