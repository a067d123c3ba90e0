/* The reduction kernels of a group of dtypes: a kit for each binary operation whose order is TREE.
 *
 * It has rows, columns and strided; the rare ones strided alone. Sums and products of narrower
 * integers, means, truth of any dtype, and what is frequent of bfloat16 have rows and columns that
 * convert on load, because NumPy itself reduces so; other conversions go through strided. Owns
 * ga_reduce_kit_<id>. Includes reduce_kit.cuh, reduce_ops.cuh. */
#include "reduce_kit.cuh"
#include "reduce_ops.cuh"

/* ---- kits ---- */

/* Whether contiguous axes have kernels; where another dtype serves those, what is left are conversions. */
template <int op, class T> constexpr bool has_contiguous = !ga_reduce_is_rare<T>(op) && !ga_reduce_served<op, T>;

template <int op, class T> constexpr ga_reduce_launch rows_of()
{
    if constexpr (has_contiguous<op, T>)
        return launch_rows<ga_reduce_tree<op, T>>;
    else
        return nullptr;
}

template <int op, class T> constexpr ga_reduce_launch columns_of()
{
    if constexpr (has_contiguous<op, T>)
        return ga_reduce_columns_of<ga_reduce_tree<op, T>>();
    else
        return nullptr;
}

/* Accumulators that look like elements need no kit of their own. */
template <class P> constexpr const ga_reduce_kit *partial_of()
{
    if constexpr (std::is_same<typename P::acc, typename P::in>::value)
        return nullptr;
    else
        return &ga_reduce_partial_kit<P>::kit;
}

template <int op, class T> struct tree_kit {
    typedef ga_reduce_tree<op, T> P;
    static constexpr ga_reduce_kit kit = ga_reduce_kit_of<P, has_contiguous<op, T>>(
        rows_of<op, T>(), columns_of<op, T>(), launch_strided<P>, partial_of<P>());
};

/* Reads In, and leaves what tree_kit reads. */
template <int op, class In, class T> struct convert_kit {
    typedef ga_reduce_plain<op, In, T> P;
    static constexpr ga_reduce_kit kit = ga_reduce_kit_of<P>(
        launch_rows<P>, launch_columns<P>, launch_strided<ga_reduce_tree<op, T>>, &tree_kit<op, T>::kit);
};

/* ---- conversions on load ---- */

template <int op, class T> const ga_reduce_kit *find_integer_sum(enum ga_dtype src)
{
    if constexpr (std::is_same<T, int64_t>::value) {
        if (src == GA_b1)
            return &convert_kit<op, bool, T>::kit;
        if (src == GA_i8)
            return &convert_kit<op, int8_t, T>::kit;
        if (src == GA_i16)
            return &convert_kit<op, int16_t, T>::kit;
        if (src == GA_i32)
            return &convert_kit<op, int32_t, T>::kit;
    } else if constexpr (std::is_same<T, uint64_t>::value) {
        if (src == GA_u8)
            return &convert_kit<op, uint8_t, T>::kit;
        if (src == GA_u16)
            return &convert_kit<op, uint16_t, T>::kit;
        if (src == GA_u32)
            return &convert_kit<op, uint32_t, T>::kit;
    }
    return nullptr;
}

/* Sums in float64 and float32, as means take them. */
template <int op, class T> const ga_reduce_kit *find_real_sum([[maybe_unused]] enum ga_dtype src)
{
    if constexpr (std::is_same<T, double>::value) {
        switch (src) {
#define GA_DTYPE(id, ctype, ch, kind, size, name)                                                       \
    case GA_##id:                                                                                       \
        if constexpr (std::is_integral<ctype>::value || std::is_same<ctype, float>::value)              \
            return &convert_kit<op, ctype, T>::kit;   \
        break;
#include "../csrc/tables/dtypes.def"
        default:
            break;
        }
    } else if constexpr (std::is_same<T, float>::value) {
        if (src == GA_f16)
            return &convert_kit<op, ga_half, T>::kit;
    }
    return nullptr;
}

template <int size> struct unsigned_of {
    typedef typename std::conditional<size == 1, uint8_t,
                                      typename std::conditional<size == 2, uint16_t,
                                                                ga_unsigned<ga_pack<uint8_t, size>>>::type>::type type;
};

/* Truth depends on the bits alone for what is no float: one kit a size. Of complex numbers it is rare: the CPU alone
 * has kits, since conversions are slow there. */
template <int op, class T> const ga_reduce_kit *find_truth([[maybe_unused]] enum ga_dtype src)
{
    if constexpr (std::is_same<T, bool>::value) {
        switch (src) {
#define GA_DTYPE(id, ctype, ch, kind, size, name)                                                       \
    case GA_##id:                                                                                       \
        if constexpr (std::is_same<ctype, bool>::value)                                                 \
            return nullptr;                                                                             \
        else if constexpr (ga_is_complex<ctype>::value && GA_BLOCK > 1)                                 \
            return nullptr;                                                                             \
        else if constexpr (std::is_same<ctype, ga_half>::value || std::is_floating_point<ctype>::value  \
                           || ga_is_complex<ctype>::value)                                              \
            return &convert_kit<op, ctype, T>::kit;                                                        \
        else                                                                                            \
            return &convert_kit<op, typename unsigned_of<size>::type, T>::kit;
#include "../csrc/tables/dtypes.def"
        default:
            break;
        }
    }
    return nullptr;
}

/* Sums and extremes of bfloat16, which are float32. */
template <int op, class T> const ga_reduce_kit *find_short(enum ga_dtype src)
{
    constexpr bool frequent = op == GA_UF_add || op == GA_UF_maximum || op == GA_UF_minimum;
    if constexpr (frequent && std::is_same<T, float>::value)
        return src == GA_bf16 ? &convert_kit<op, ga_bfloat, T>::kit : nullptr;
    return nullptr;
}

template <int op, class T> const ga_reduce_kit *find_converting(enum ga_dtype src)
{
    const ga_reduce_kit *kit = find_short<op, T>(src);
    if constexpr (op == GA_UF_add || op == GA_UF_multiply)
        kit = kit ? kit : find_integer_sum<op, T>(src);
    if constexpr (op == GA_UF_add)
        kit = kit ? kit : find_real_sum<op, T>(src);
    if constexpr (op == GA_UF_logical_and || op == GA_UF_logical_or)
        kit = find_truth<op, T>(src);
    return kit;
}

/* ---- by the table ---- */

struct reduce_family {
    typedef const ga_reduce_kit *found;
    template <int op, class T> static found find(enum ga_dtype src)
    {
        found kit = src == ga_dtype_of<T>::value ? nullptr : find_converting<op, T>(src);
        return kit ? kit : &tree_kit<op, T>::kit;
    }
};

#define GA_LOOP(id)                                                                \
    const ga_reduce_kit *ga_reduce_kit_##id(enum ga_ufunc op, enum ga_dtype src)   \
    {                                                                              \
        return ga_tree_find<GA_##id, reduce_family>(op, src);                      \
    }
GA_LOOPS
