/* Inputs that lie in memory in another dtype than the loop computes in, on a GPU: what map_strided
 * and map_converted call to read them.
 *
 * One function a loop dtype for either, called and not inlined, which learns the elements' dtype as
 * it runs, so that every operation has its conversions without a kernel more. The compiler copies
 * it into each kernel that calls it, so it is short: integers of any width become int64 first.
 * GA_WIDENS_<id> says which dtypes it is given. Included by map_vector.cuh. */
#pragma once
#include "../csrc/core/call/widen.h"
#include "convert.cuh"

constexpr unsigned ga_convert_sets[] = {
#define GA_DTYPE(id, ...) GA_WIDENS_##id,
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
};
template <class T> constexpr unsigned ga_convert_set = ga_convert_sets[ga_dtype_of<T>::value];
template <> constexpr unsigned ga_convert_set<ga_none> = 0;

/* Functors that say how exact they are are rows of ufuncs.def. They convert, but for
 * bools and times. */
template <class F, class = void> struct ga_convert_row : std::false_type {
};
template <class F> struct ga_convert_row<F, decltype(void(F::ulp))> : std::true_type {
};
template <class F, class A, class B>
constexpr bool ga_map_converts =
    ga_convert_row<F>::value && ga_convert_set<A> != 0 && (ga_convert_set<B> != 0 || !ga_present<B>);
/* Arithmetic of floats and complex64 has a kernel that converts runs by whole vectors: map_rows
 * would lose by calling. */
constexpr bool
ga_convert_has_vectors(int op, int dtype)
{
    const bool arithmetic = op == GA_UF_add || op == GA_UF_subtract || op == GA_UF_multiply || op == GA_UF_divide;
    return arithmetic && (dtype == GA_f32 || dtype == GA_f64 || dtype == GA_c64);
}

template <class F, class A, bool converts>
constexpr bool ga_map_converts_vectors = false;
template <class F, class A>
constexpr bool ga_map_converts_vectors<F, A, true> = ga_convert_has_vectors(ga_map_row<F>, ga_dtype_of<A>::value);

/* All bits of N elements, those of smaller ones from the lowest on. */
template <int N> struct ga_convert_bits {
    uint64_t of[N];
};
typedef int32_t ga_convert_places[GA_STRIDED_ITEMS];

template <class U>
GA_FN void
ga_convert_load(const char *from, const ga_convert_places &at, ga_convert_bits<GA_STRIDED_ITEMS> &bits)
{
    GA_UNROLL
    for (int j = 0; j < GA_STRIDED_ITEMS; j++)
        bits.of[j] = *reinterpret_cast<const U *>(from + at[j]);
}

/* All reads are under way together. */
GA_FN void
ga_convert_load_all(const char *from, int size, const ga_convert_places &at, ga_convert_bits<GA_STRIDED_ITEMS> &bits)
{
    if (size == 1)
        ga_convert_load<uint8_t>(from, at, bits);
    else if (size == 2)
        ga_convert_load<uint16_t>(from, at, bits);
    else if (size == 4)
        ga_convert_load<uint32_t>(from, at, bits);
    else
        ga_convert_load<uint64_t>(from, at, bits);
}

/* Neighbours, aligned as a whole. */
template <class U, int N>
GA_FN void
ga_convert_load_vector(const char *from, ga_convert_bits<N> &bits)
{
    const ga_vector<U, N> whole = *reinterpret_cast<const ga_vector<U, N> *>(from);
    GA_UNROLL
    for (int j = 0; j < N; j++)
        bits.of[j] = whole.item[j];
}

/* From what a float's or complex number's bits stand for. */
template <class From, class T, int N>
GA_FN void
ga_convert_items(const ga_convert_bits<N> &bits, ga_vector<T, N> &to)
{
    if constexpr ((ga_convert_set<T> >> ga_dtype_of<From>::value & 1) != 0) {
        GA_UNROLL
        for (int j = 0; j < N; j++) {
            From item;
            memcpy(&item, &bits.of[j], sizeof item);
            to.item[j] = ga_convert<T>(item);
        }
    }
}

/* Integers whose bits Whole holds. The bits above an integer's own become its sign's, or zeros. */
template <class Whole, class T, int N>
GA_FN void
ga_convert_integers(const ga_convert_bits<N> &bits, int dtype, int size, ga_vector<T, N> &to)
{
    typedef typename std::make_unsigned<Whole>::type U;
    const int width = int(sizeof(Whole)), spare = size < width ? 8 * (width - size) : 0;
    const bool truth = dtype == GA_b1, wraps = dtype == GA_i8 || dtype == GA_i16 || dtype == GA_i32 || dtype == GA_i64;
    GA_UNROLL
    for (int j = 0; j < N; j++) {
        U whole = truth ? U(bits.of[j] != 0) : U(bits.of[j]);
        whole = wraps ? U(Whole(whole << spare) >> spare) : whole;
        to.item[j] = ga_convert<T>(Whole(whole));
    }
}

/* Of 32 bits, the step to a float is quicker; integers of 32 bits keep no more. */
template <class T, int N>
GA_FN void
ga_convert_whole(const ga_convert_bits<N> &bits, int dtype, int size, ga_vector<T, N> &to)
{
    constexpr bool integer = std::is_integral<T>::value, longs = !integer || sizeof(T) == 8;
    if (!longs || (!integer && (size < 4 || dtype == GA_i32)))
        ga_convert_integers<int32_t>(bits, dtype, size, to);
    else if constexpr (longs)
        ga_convert_integers<int64_t>(bits, dtype, size, to);
}

template <class T, int N>
GA_FN ga_vector<T, N>
ga_convert_all(const ga_convert_bits<N> &bits, int dtype, int size)
{
    ga_vector<T, N> items;
    if (dtype == GA_f16)
        ga_convert_items<ga_half>(bits, items);
    else if (dtype == GA_f32)
        ga_convert_items<float>(bits, items);
    else if (dtype == GA_f64)
        ga_convert_items<double>(bits, items);
    else if (dtype == GA_c64)
        ga_convert_items<ga_c64>(bits, items);
    else if (dtype == GA_u64 && !std::is_integral<T>::value)
        ga_convert_items<uint64_t>(bits, items);
    else
        ga_convert_whole(bits, dtype, size, items);
    return items;
}

/* Elements at four places. */
template <class T>
GA_FN_CALL ga_vector<T, GA_STRIDED_ITEMS>
ga_convert_read(const char *from, int dtype, int size, int32_t at0, int32_t at1, int32_t at2, int32_t at3)
{
    const ga_convert_places at = {at0, at1, at2, at3};
    ga_convert_bits<GA_STRIDED_ITEMS> bits;
    ga_convert_load_all(from, size, at, bits);
    return ga_convert_all<T>(bits, dtype, size);
}

/* N neighbours, aligned as a whole. */
template <class T, int N>
GA_FN_CALL ga_vector<T, N>
ga_convert_vector(const char *from, int dtype, int size)
{
    ga_convert_bits<N> bits;
    if (size == 1)
        ga_convert_load_vector<uint8_t>(from, bits);
    else if (size == 2)
        ga_convert_load_vector<uint16_t>(from, bits);
    else if (size == 4)
        ga_convert_load_vector<uint32_t>(from, bits);
    else
        ga_convert_load_vector<uint64_t>(from, bits);
    return ga_convert_all<T>(bits, dtype, size);
}
