/* x ** y of float32 on the CPU: exp2(y * log2(|x|)) in float64, with selections for what is special, so that loops of it
 * are made vectors of. The C library's vectors take three times as long. Owns ga_power_run. Includes iterate.cuh and
 * ufunc_power_cpu.h.
 *
 * A number below float32's normal ones is a normal float64, and a power that float32 does not hold is still one of
 * float64: conversions round and overflow as they should. Both series are cut where what is left is below 2^-36. */
#include "ufunc_power_cpu.h"

#include "iterate.cuh"

template <class R>
static inline R
choose(bool which, R x, R y)
{
    return which ? x : y;
}

/* a * b + c, rounded once where the processor can. */
static inline double
add_product(double a, double b, double c)
{
#ifdef __FMA__
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* Of a positive normal number: of its fraction m, between the roots of 1/2 and 2, the series of (m - 1) / (m + 1). */
static inline double
log2_of(double x)
{
    const int64_t half_root = 0x3fe6a09e667f3bcd, bits = ga_bits<int64_t>(x) - half_root;
    const int64_t fraction = (bits & 0x000fffffffffffff) + half_root;
    const double magic = 0x1.8p52; /* whole numbers in the last bits */
    const double exponent = ga_bits<double>(ga_bits<int64_t>(magic) + (bits >> 52)) - magic;
    const double m = ga_bits<double>(fraction), above = m + 1, near = 1 / float(above); /* divisions take long */
    const double s = (m - 1) * (near * add_product(-near, above, 2)), squared = s * s;
    double sum = 2.885390081777926815 / 15;
    sum = add_product(sum, squared, 2.885390081777926815 / 13);
    sum = add_product(sum, squared, 2.885390081777926815 / 11);
    sum = add_product(sum, squared, 2.885390081777926815 / 9);
    sum = add_product(sum, squared, 2.885390081777926815 / 7);
    sum = add_product(sum, squared, 2.885390081777926815 / 5);
    sum = add_product(sum, squared, 2.885390081777926815 / 3);
    sum = add_product(sum, squared, 2.885390081777926815);
    return add_product(s, sum, exponent);
}

/* Of a number below 1000 in magnitude. */
static inline double
exp2_of(double x)
{
    const double magic = 0x1.8p52, rounded = x + magic, u = (x - (rounded - magic)) * 0.693147180559945309;
    double sum = 1. / 362880;
    sum = add_product(sum, u, 1. / 40320);
    sum = add_product(sum, u, 1. / 5040);
    sum = add_product(sum, u, 1. / 720);
    sum = add_product(sum, u, 1. / 120);
    sum = add_product(sum, u, 1. / 24);
    sum = add_product(sum, u, 1. / 6);
    sum = add_product(sum, u, 0.5);
    sum = add_product(sum, u, 1.);
    sum = add_product(sum, u, 1.);
    return ga_bits<double>(ga_bits<uint64_t>(sum) + (ga_bits<uint64_t>(rounded) << 52));
}

/* Of a positive normal number. */
static inline float
find_power(double x, double y)
{
    const double most = 300, product = y * log2_of(x), above = choose(product < -most, -most, product);
    return float(exp2_of(choose(above > most, most, above)));
}

struct power_of_floats {
    template <class> float
    call(float x, float y) const
    {
        const float size = __builtin_fabsf(x), infinity = __builtin_inff(), largest = 0x1.fffffep127f;
        const float finite = choose(y > largest, largest, choose(y < -largest, -largest, y));
        const bool limit = (size == 0) | (size == infinity), whole = __builtin_rintf(y) == y;
        const bool odd = whole & (__builtin_rintf(y / 2) * 2 != y);
        float power = find_power(choose((size > 0) & (size <= largest), size, 1.f), finite);
        power = choose(limit, choose((y > 0) == (size > 0), infinity, 0.f), power);
        power = choose(odd & (ga_bits<int32_t>(x) < 0), -power, power);
        power = choose((x < 0) & (x >= -largest) & !whole, __builtin_nanf(""), power);
        power = choose((x != x) | (y != y), x + y, power);
        return choose((y == 0) | (x == 1), 1.f, power);
    }
};

bool
ga_power_run(const ga_ufunc_call *call, ga_stream *stream, int *result)
{
    if (call->op != GA_UF_power || call->in[0] != GA_f32 || call->in[1] != GA_f32)
        return false;
    ga_map_plan plan;
    ga_map_prepare(call, &plan);
    *result = ga_map_launch<power_of_floats, float, float, float, ga_none>(plan, power_of_floats{}, stream);
    return true;
}
