/* The reduction kernels of one dtype, GA_LOOP of dtypes.def: a kit for each binary operation with that dtype.
 *
 * Operations whose order is TREE get rows, columns and strided (the rare ones strided alone) and ordered, the others
 * ordered alone. Sums and products of narrower integers, means, and truth of any dtype have rows and columns that
 * convert on load, because NumPy itself reduces so; other conversions go through strided. Owns ga_reduce_kit_<id>.
 * Includes reduce_kit.cuh, reduce_ordered.cuh. */
#include "reduce_kit.cuh"
#include "reduce_ordered.cuh"

#define GA_JOIN_(a, b) a##b
#define GA_JOIN(a, b) GA_JOIN_(a, b)

static constexpr enum ga_dtype loop_dtype = GA_JOIN(GA_, GA_LOOP);
typedef ga_ctype<loop_dtype>::type T;

namespace { /* T is another type in every file compiled from this one */

/* ---- which kernels an operation gets ---- */

constexpr bool is_rare(int op)
{
    return op == GA_UF_gcd || op == GA_UF_hypot || op == GA_UF_logaddexp || op == GA_UF_logaddexp2;
}

template <int op>
using tree_policy = typename std::conditional<ga_reduce_is_extremum(op) && ga_is_complex<T>::value, ga_reduce_placed<op, T, false>,
                                              ga_reduce_plain<op, T, T>>::type;

template <int op>
using left_policy = typename std::conditional<op == GA_UF_subtract || op == GA_UF_divide,
                                              ga_reduce_left_wide<op, T>, ga_reduce_left<op, T>>::type;

template <int op> constexpr ga_reduce_launch rows_of()
{
    if constexpr (is_rare(op))
        return nullptr;
    else
        return launch_rows<tree_policy<op>>;
}

template <int op> constexpr ga_reduce_launch columns_of()
{
    if constexpr (is_rare(op))
        return nullptr;
    else
        return launch_columns<tree_policy<op>>;
}

/* ---- kits ---- */

/* Accumulators that look like elements need no kit of their own. */
template <int op> constexpr const ga_reduce_kit *partial_of()
{
    typedef tree_policy<op> P;
    if constexpr (std::is_same<typename P::acc, typename P::in>::value)
        return nullptr;
    else
        return &ga_reduce_partial_kit<P>::kit;
}

template <int op> struct tree_kit {
    typedef tree_policy<op> P;
    static constexpr ga_reduce_kit kit =
        ga_reduce_kit_of<P>(rows_of<op>(), columns_of<op>(), launch_strided<P>, launch_ordered<P>, partial_of<op>());
};

template <int op> struct left_kit {
    typedef left_policy<op> P;
    static constexpr ga_reduce_kit kit = ga_reduce_kit_of<P>(nullptr, nullptr, nullptr, launch_ordered<P>, nullptr);
};

/* Reads In, and leaves what tree_kit reads. */
template <int op, class In> struct convert_kit {
    typedef ga_reduce_plain<op, In, T> P;
    static constexpr ga_reduce_kit kit =
        ga_reduce_kit_of<P>(launch_rows<P>, launch_columns<P>, launch_strided<tree_policy<op>>,
                            launch_ordered<tree_policy<op>>, &tree_kit<op>::kit);
};

/* ---- conversions on load ---- */

template <int op> const ga_reduce_kit *find_integer_sum(enum ga_dtype src)
{
    if constexpr (std::is_same<T, int64_t>::value) {
        if (src == GA_b1)
            return &convert_kit<op, bool>::kit;
        if (src == GA_i8)
            return &convert_kit<op, int8_t>::kit;
        if (src == GA_i16)
            return &convert_kit<op, int16_t>::kit;
        if (src == GA_i32)
            return &convert_kit<op, int32_t>::kit;
    } else if constexpr (std::is_same<T, uint64_t>::value) {
        if (src == GA_u8)
            return &convert_kit<op, uint8_t>::kit;
        if (src == GA_u16)
            return &convert_kit<op, uint16_t>::kit;
        if (src == GA_u32)
            return &convert_kit<op, uint32_t>::kit;
    }
    return nullptr;
}

/* Sums in float64 and float32, as means take them. */
template <int op> const ga_reduce_kit *find_real_sum([[maybe_unused]] enum ga_dtype src)
{
    if constexpr (std::is_same<T, double>::value) {
        switch (src) {
#define GA_DTYPE(id, ctype, ch, kind, size, name)                                                       \
    case GA_##id:                                                                                       \
        if constexpr (std::is_integral<ctype>::value || std::is_same<ctype, float>::value)              \
            return &convert_kit<op, ctype>::kit;   \
        break;
#include "../csrc/tables/dtypes.def"
#undef GA_DTYPE
        default:
            break;
        }
    } else if constexpr (std::is_same<T, float>::value) {
        if (src == GA_f16)
            return &convert_kit<op, ga_half>::kit;
    }
    return nullptr;
}

template <int size> struct unsigned_of {
    typedef typename std::conditional<size == 1, uint8_t,
                                      typename std::conditional<size == 2, uint16_t,
                                                                ga_unsigned<ga_pack<uint8_t, size>>>::type>::type type;
};

/* Truth depends on the bits alone for what is no float: one kit a size. */
template <int op> const ga_reduce_kit *find_truth([[maybe_unused]] enum ga_dtype src)
{
    if constexpr (std::is_same<T, bool>::value) {
        switch (src) {
#define GA_DTYPE(id, ctype, ch, kind, size, name)                                                       \
    case GA_##id:                                                                                       \
        if constexpr (std::is_same<ctype, bool>::value)                                                 \
            return nullptr;                                                                             \
        else if constexpr (std::is_same<ctype, ga_half>::value || std::is_floating_point<ctype>::value  \
                           || ga_is_complex<ctype>::value)                                              \
            return &convert_kit<op, ctype>::kit;                                                        \
        else                                                                                            \
            return &convert_kit<op, typename unsigned_of<size>::type>::kit;
#include "../csrc/tables/dtypes.def"
#undef GA_DTYPE
        default:
            break;
        }
    }
    return nullptr;
}

template <int op> const ga_reduce_kit *find_converting(enum ga_dtype src)
{
    const ga_reduce_kit *kit = nullptr;
    if constexpr (op == GA_UF_add || op == GA_UF_multiply)
        kit = find_integer_sum<op>(src);
    if constexpr (op == GA_UF_add)
        kit = kit ? kit : find_real_sum<op>(src);
    if constexpr (op == GA_UF_logical_and || op == GA_UF_logical_or)
        kit = find_truth<op>(src);
    return kit;
}

/* ---- by the table ---- */

template <int op> const ga_reduce_kit *find_TREE(enum ga_dtype src)
{
    const ga_reduce_kit *kit = src == loop_dtype ? nullptr : find_converting<op>(src);
    return kit ? kit : &tree_kit<op>::kit;
}

template <int op> const ga_reduce_kit *find_LEFT(enum ga_dtype)
{
    return &left_kit<op>::kit;
}

/* A reduction needs a result of the operands' dtype. */
constexpr bool keeps_SAME = true;
constexpr bool keeps_BOOL = std::is_same<T, bool>::value;

} // namespace

#define GA_REDUCE_FIND GA_JOIN(ga_reduce_kit_, GA_LOOP)

const ga_reduce_kit *GA_REDUCE_FIND(enum ga_ufunc op, [[maybe_unused]] enum ga_dtype src)
{
    switch (op) {
#define U11(...)
#define U12(...)
#define U22(...)
#define X11(...)
#define X21(...)
#define X22(...)
#define U21(name, types, out, identity, order, domain, ulp, expression, doc)        \
    case GA_UF_##name:                                                              \
        if constexpr (keeps_##out && (GA_TYPES_##types >> loop_dtype & 1))          \
            return find_##order<GA_UF_##name>(src);                                 \
        break;
#include "../csrc/tables/ufuncs.def"
    default:
        break;
    }
    return nullptr;
}
