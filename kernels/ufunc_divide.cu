/* Integers divided by one number. Owns ga_divide_run.
 *
 * The quotient without its fraction is the upper half of a product, shifted (Granlund and
 * Montgomery): with 2^p / |d| rounded up to a multiplier that has as many bits as the dtype, p is
 * the least for which the error stays below a whole number for every dividend. From the quotient
 * on, floor and remainder are those of math_integer.cuh. Multipliers of unsigned dividends have one
 * bit more, which is added by the way. Bytes that are shifted to the right are products' upper
 * halves too: vectors have no shifts of theirs. Includes iterate.cuh, ufunc_divide.h. */
#include "ufunc_divide.h"

#include "iterate.cuh"

/* The upper half of a product; on the CPU of 64 bits by 32, which vectors have. */
GA_FN uint64_t
high_of_halves(uint64_t a, uint64_t b)
{
    const uint64_t low = UINT32_MAX;
    const uint64_t ends = (a & low) * (b & low), left = (a >> 32) * (b & low), right = (a & low) * (b >> 32);
    const uint64_t middle = (ends >> 32) + (left & low) + right; /* at most 2^64 - 1 */
    return (a >> 32) * (b >> 32) + (left >> 32) + (middle >> 32);
}

template <class T>
GA_FN T
high_product(T a, T b)
{
    typedef typename std::conditional<std::is_signed<T>::value, int64_t, uint64_t>::type far;
    typedef typename std::conditional<std::is_signed<T>::value, int32_t, uint32_t>::type near;
    if constexpr (sizeof(T) == 8 && GA_BLOCK == 1) {
        uint64_t high = high_of_halves(uint64_t(a), uint64_t(b));
        if constexpr (std::is_signed<T>::value)
            high -= (uint64_t(a >> 63) & uint64_t(b)) + (uint64_t(b >> 63) & uint64_t(a));
        return T(high);
    } else if constexpr (sizeof(T) == 8) {
        return T(__int128(a) * b >> 64); /* GPUs divide signed ones only */
    } else {
        typedef typename std::conditional<sizeof(T) == 4, far, near>::type wide;
        return T(wide(a) * b >> 8 * sizeof(T));
    }
}

/* Dtypes that are taken. Kernels of the rarer ones would take the GPU's compiler longer than their divisions the GPU. */
template <class T>
constexpr bool ga_divide_takes = std::is_integral<T>::value && !std::is_same<T, bool>::value &&
                                 (GA_BLOCK == 1 || std::is_same<T, int32_t>::value || std::is_same<T, int64_t>::value);

/* Masks choose what branches would: of the dividend added to the product or taken from it, and of quotient and rest. */
template <class T, bool = std::is_signed<T>::value> struct divide_by_number {
    typedef typename std::make_unsigned<T>::type U;
    static constexpr int width = 8 * sizeof(T);
    T divisor, multiplier, more, less, rests;
    int32_t shift;

    template <class> GA_METHOD T
    call(T x) const
    {
        const U high = U(high_product(x, multiplier)); /* multipliers of more than width - 1 bits come less 2^width */
        T quotient = T(T(U(high + U(x & more)) - U(x & less)) >> shift);
        quotient = T(quotient + T(U(quotient) >> (width - 1)));
        const T rest = T(U(x) - U(U(quotient) * U(divisor)));
        const T below = T(-T((rest != 0) & ((rest < 0) != (divisor < 0)))); /* a branch could not be predicted */
        return T((T(rest + (below & divisor)) & rests) | (T(quotient + below) & T(~rests)));
    }
};

template <class U> struct divide_by_number<U, false> {
    U divisor, multiplier, rests; /* the multiplier less 2^width */
    int32_t shift;

    template <class> GA_METHOD U
    call(U x) const
    {
        const U high = high_product(x, multiplier);
        const U quotient = U(U(high + U(U(x - high) >> 1)) >> shift);
        return U((U(x - U(quotient * divisor)) & rests) | (quotient & U(~rests)));
    }
};

/* Bytes as short integers that are not below zero: `start` more than they are, of which the quotient is `base`. Of a
 * divisor below zero both are turned. */
template <class T> struct divide_byte {
    uint16_t multiplier; /* 2^16 / |divisor|, rounded up */
    int16_t start, base, turn;
    T divisor, rests;

    template <class> GA_METHOD T
    call(T x) const
    {
        const uint16_t from = uint16_t(int16_t(int16_t(x ^ turn) - turn) + start);
        const T quotient = T(uint16_t(uint32_t(from) * multiplier >> 16) - base);
        const T rest = T(x - T(quotient * divisor));
        return T((rest & rests) | (quotient & T(~rests)));
    }
};

template <class T> struct shift_byte {
    typedef typename std::conditional<std::is_signed<T>::value, int16_t, uint16_t>::type wide;
    wide factor; /* 256 shifted as the bytes are to be */

    template <class> GA_METHOD T
    call(T x) const
    {
        return T(wide(wide(x) * factor) >> 8);
    }
};

/* Quotient and rest of 2^p / by, for the next p. */
template <class U>
static void
double_quotient(U by, U *quotient, U *rest)
{
    bool over = *rest >= by - *rest;
    *quotient = U(2 * *quotient + over);
    *rest = U(2 * *rest - (over ? by : 0));
}

/* The multiplier and shift of a divisor of at least 2 in magnitude. */
template <class T>
static divide_by_number<T, true>
make_divisor(T divisor, bool remainder, std::true_type)
{
    typedef typename divide_by_number<T>::U U;
    const int width = 8 * sizeof(T);
    const U half = U(U(1) << (width - 1)), size = U(divisor < 0 ? U(0) - U(divisor) : U(divisor));
    const U bound = U(half + (divisor < 0)), worst = U(bound - 1 - bound % size); /* the dividend with the largest error */
    U q1 = U(half / worst), r1 = U(half - q1 * worst), q2 = U(half / size), r2 = U(half - q2 * size);
    int p = width - 1;
    do {
        p++;
        double_quotient(worst, &q1, &r1);
        double_quotient(size, &q2, &r2);
    } while (q1 < size - r2 || (q1 == size - r2 && r1 == 0));
    const T multiplier = T(divisor < 0 ? U(0) - (q2 + 1) : q2 + 1);
    const T more = T(-(divisor > 0 && multiplier < 0)), less = T(-(divisor < 0 && multiplier > 0));
    return {divisor, multiplier, more, less, T(-remainder), p - width};
}

template <class U>
static divide_by_number<U, false>
make_divisor(U divisor, bool remainder, std::false_type)
{
    int bits = 1; /* of divisor - 1 */
    while (bits < int(8 * sizeof(U)) && U(divisor - 1) >> bits != 0)
        bits++;
    const U over = bits < int(8 * sizeof(U)) ? U((U(1) << bits) - divisor) : U(0) - divisor; /* 2^bits - divisor */
    U quotient = 0, rest = over; /* of over * 2^width / divisor */
    for (int i = 0; i < int(8 * sizeof(U)); i++)
        double_quotient(divisor, &quotient, &rest);
    return {divisor, U(quotient + 1), U(-remainder), bits - 1};
}

template <class T>
static divide_byte<T>
make_byte_divisor(T divisor, bool remainder)
{
    const int size = divisor < 0 ? -divisor : divisor, base = std::is_signed<T>::value ? 128 / size + 1 : 0;
    return {uint16_t(65536 / size + 1), int16_t(base * size), int16_t(base), int16_t(-(divisor < 0)), divisor, T(-remainder)};
}

/* Where the number stands: with the call or, as the host may read it on the CPU, in memory. */
static const void *
find_number(const ga_ufunc_call *call)
{
    const ga_operand *by = &call->args[1];
    if (!by->data)
        return &by->value;
    const bool constant = ga_map_layout_of(call, by, ga_map_itemsize(call->in[1])) == GA_MAP_CONSTANT;
    return GA_BLOCK == 1 && constant ? by->data : nullptr;
}

template <class T>
static T
read_number(const ga_ufunc_call *call)
{
    T number;
    memcpy(&number, find_number(call), sizeof number);
    return number;
}

template <class T, class F>
static int
run_with(const ga_ufunc_call *call, const F &f, ga_stream *stream)
{
    ga_ufunc_call one = *call;
    ga_map_plan plan;
    one.nin = 1;
    for (int k = 1; k < call->nout + call->has_where + 1; k++)
        one.args[k] = call->args[k + 1];
    ga_map_prepare(&one, &plan);
    return ga_map_launch<F, T, ga_none, T, ga_none>(plan, f, stream);
}

template <class T>
static bool
divides_well(const ga_ufunc_call *call)
{
    const T by = read_number<T>(call);
    return by > 1 || (std::is_signed<T>::value && T(by + 1) < 0);
}

/* What is done to one dtype; false if nothing is. */
template <class T>
static bool
run_typed(const ga_ufunc_call *call, ga_stream *stream, int *result)
{
    if (call->op == GA_UF_right_shift) {
        if constexpr (sizeof(T) == 1) {
            const int most = std::is_signed<T>::value ? 7 : 8, count = uint8_t(read_number<T>(call));
            const shift_byte<T> shift = {typename shift_byte<T>::wide(256 >> (count < most ? count : most))};
            *result = run_with<T>(call, shift, stream);
            return true;
        }
        return false;
    }
    if (!divides_well<T>(call))
        return false;
    const T by = read_number<T>(call);
    const bool remainder = call->op == GA_UF_remainder;
    if constexpr (sizeof(T) == 1)
        *result = run_with<T>(call, make_byte_divisor(by, remainder), stream);
    else
        *result = run_with<T>(call, make_divisor(by, remainder, std::is_signed<T>()), stream);
    return true;
}

bool
ga_divide_run(const ga_ufunc_call *call, ga_stream *stream, int *result)
{
    const bool divides = call->op == GA_UF_floor_divide || call->op == GA_UF_remainder;
    if (!divides && (GA_BLOCK > 1 || call->op != GA_UF_right_shift))
        return false;
    if (call->in[1] != call->in[0] || call->converts || !find_number(call))
        return false;
    switch (call->in[0]) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id: \
        if constexpr (ga_divide_takes<ctype>) \
            return run_typed<ctype>(call, stream, result); \
        return false;
#include "../csrc/tables/dtypes.def"
    default:
        return false;
    }
}
