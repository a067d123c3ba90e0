/* The element types of the GA_STORED rows, bfloat16 and float8 as ml_dtypes has them, and their conversions.
 *
 *   ga_stored_widen(x)         float of an element, exact
 *   ga_stored_round<T>(f)      element nearest to f, ties to even, subnormals kept
 *
 * Above the largest finite number bfloat16 and e5m2 give infinity; e4m3, which has none, gives NaN. The sign of NaN is kept. All in
 * integer arithmetic, so that devices agree. Part of types.cuh, whose ga_bits it uses. */
#pragma once

struct ga_bfloat {
    uint16_t bits;
};
struct ga_e4m3 {
    uint8_t bits;
};
struct ga_e5m2 {
    uint8_t bits;
};

/* significand: bits of it in memory; nan: magnitude of a NaN, overflow: what stands for all that is too large. */
template <class T> struct ga_stored_format : std::false_type {
};
template <> struct ga_stored_format<ga_bfloat> : std::true_type {
    static constexpr uint32_t significand = 7, bias = 127, nan = 0x7fc0, overflow = 0x7f80;
};
template <> struct ga_stored_format<ga_e4m3> : std::true_type {
    static constexpr uint32_t significand = 3, bias = 7, nan = 0x7f, overflow = 0x7f;
};
template <> struct ga_stored_format<ga_e5m2> : std::true_type {
    static constexpr uint32_t significand = 2, bias = 15, nan = 0x7e, overflow = 0x7c;
};
template <class T> constexpr bool ga_is_stored = ga_stored_format<T>::value;

/* The bit of the sign, which is the highest. */
template <class T> constexpr uint32_t ga_stored_sign = 1u << (8 * sizeof(T) - 1);

/* m / 2^shift, rounded to nearest even; 0 < shift < 32. */
GA_FN uint32_t
ga_stored_shift(uint32_t m, uint32_t shift)
{
    return (m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift;
}

/* The bits of a float's magnitude as those of a T, without limit above: a carry moves into the
 * exponent, as the encoding is made for it. */
template <class T>
GA_FN uint32_t
ga_stored_encode(uint32_t magnitude)
{
    typedef ga_stored_format<T> format;
    constexpr uint32_t shift = 23 - format::significand;
    constexpr uint32_t smallest = (127 - format::bias + 1) << 23; /* normal number of T */
    if (magnitude >= smallest)
        return ga_stored_shift(magnitude - (smallest - (1u << 23)), shift);
    uint32_t below = (smallest >> 23) - (magnitude >> 23); /* at least 1 */
    return below > 24 - shift ? 0 : ga_stored_shift((magnitude & 0x7fffffu) | 0x800000u, shift + below);
}

template <class T>
GA_FN T
ga_stored_round(float f)
{
    typedef ga_stored_format<T> format;
    uint32_t u = ga_bits<uint32_t>(f), magnitude = u & 0x7fffffffu, code;
    uint32_t sign = u >> 31 << (8 * sizeof(T) - 1);
    if (magnitude > 0x7f800000u)
        code = format::nan;
    else if constexpr (format::bias == 127) /* every float has its place: subnormal ones too */
        code = ga_stored_shift(magnitude, 23 - format::significand);
    else
        code = ga_stored_encode<T>(magnitude);
    if (magnitude <= 0x7f800000u && code > format::overflow)
        code = format::overflow;
    return {decltype(T::bits)(sign | code)};
}

template <class T>
GA_FN float
ga_stored_widen(T x)
{
    typedef ga_stored_format<T> format;
    uint32_t sign = (x.bits & ga_stored_sign<T>) << (32 - 8 * sizeof(T));
    uint32_t magnitude = x.bits & (ga_stored_sign<T> - 1);
    uint32_t moved = magnitude << (23 - format::significand);
    if constexpr (format::bias != 127) {
        /* The product moves the bias and makes subnormals normal; what is not finite is set by hand. */
        constexpr uint32_t factor = (127 + 127 - format::bias) << 23;
        float scaled = ga_bits<float>(moved) * ga_bits<float>(factor);
        uint32_t special = magnitude > format::overflow ? 0x7fc00000u : 0x7f800000u; /* NaN comes out quiet */
        moved = magnitude < format::overflow ? ga_bits<uint32_t>(scaled) : moved | special;
    }
    return ga_bits<float>(sign | moved);
}

/* ---- steps between neighbours ---- */
template <class T>
GA_FN bool
ga_stored_is_nan(T x)
{
    float f = ga_stored_widen(x);
    return f != f;
}

template <class T>
GA_FN typename std::enable_if<ga_is_stored<T>, T>::type
ga_nextafter(T x, T y)
{
    constexpr uint32_t sign = ga_stored_sign<T>;
    uint32_t a = x.bits & (sign - 1), b = y.bits & (sign - 1);
    if (ga_stored_is_nan(x) || ga_stored_is_nan(y))
        return {decltype(T::bits)(ga_stored_format<T>::nan)};
    if (x.bits == y.bits || (a | b) == 0)
        return y;
    if (a == 0)
        return {decltype(T::bits)((y.bits & sign) + 1)};
    bool shrinks = ((x.bits ^ y.bits) & sign) != 0 || a > b;
    return {decltype(T::bits)(shrinks ? x.bits - 1 : x.bits + 1)};
}

/* The step away from zero, with the sign of x, of zeros too. */
template <class T>
GA_FN typename std::enable_if<ga_is_stored<T>, T>::type
ga_spacing(T x)
{
    constexpr uint32_t sign = ga_stored_sign<T>;
    T magnitude = {decltype(T::bits)(x.bits & (sign - 1))};
    T next = {decltype(T::bits)(magnitude.bits + 1)};
    if (ga_stored_is_nan(x) || magnitude.bits == ga_stored_format<T>::overflow)
        return {decltype(T::bits)(ga_stored_format<T>::nan)};
    T step = ga_stored_round<T>(ga_stored_widen(next) - ga_stored_widen(magnitude));
    return {decltype(T::bits)(step.bits | (x.bits & sign))};
}
