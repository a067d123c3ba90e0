/* The scan kernels of one dtype, GA_LOOP of dtypes.def: a kit for each binary operation with that dtype. Operations
 * whose order is LEFT get lanes alone. Owns ga_scan_kit_<id>. Includes scan.cuh, scan_policy.cuh. */
#include "scan.cuh"
#include "scan_policy.cuh"

#define GA_JOIN_(a, b) a##b
#define GA_JOIN(a, b) GA_JOIN_(a, b)

static constexpr enum ga_dtype loop_dtype = GA_JOIN(GA_, GA_LOOP);
typedef ga_ctype<loop_dtype>::type T;

namespace { /* T is another type in every file compiled from this one */

template <class P> constexpr ga_scan_kit make_kit(ga_scan_launch rows, ga_scan_launch totals)
{
    return {int32_t(sizeof(typename P::in)),
            int32_t(sizeof(typename P::out)),
            int32_t(sizeof(typename P::acc)),
            ga_scan_row_lanes<P>,
            ga_scan_row_lanes<P> * ga_scan_rounds<P>,
            ga_scan_column_lanes<P>,
            rows,
            launch_scan_lanes<P>,
            totals};
}

template <int op> const ga_scan_kit *find_TREE()
{
    typedef ga_scan_tree<op, T> P;
    static constexpr ga_scan_kit kit = make_kit<P>(launch_scan_rows<P>, launch_scan_totals<P>);
    return &kit;
}

template <int op> const ga_scan_kit *find_LEFT()
{
    static constexpr ga_scan_kit kit = make_kit<ga_scan_left<op, T>>(nullptr, nullptr);
    return &kit;
}

/* A scan needs a result of the operands' dtype. */
constexpr bool keeps_SAME = true;
constexpr bool keeps_BOOL = std::is_same<T, bool>::value;

} // namespace

#define GA_SCAN_FIND GA_JOIN(ga_scan_kit_, GA_LOOP)

const ga_scan_kit *GA_SCAN_FIND(enum ga_ufunc op)
{
    switch (op) {
#define U11(...)
#define U12(...)
#define U22(...)
#define X11(...)
#define X21(...)
#define X22(...)
#define U21(name, types, out, identity, order, domain, ulp, expression, doc) \
    case GA_UF_##name:                                                       \
        if constexpr (keeps_##out && (GA_TYPES_##types >> loop_dtype & 1))   \
            return find_##order<GA_UF_##name>();                             \
        break;
#include "../csrc/tables/ufuncs.def"
    default:
        break;
    }
    return nullptr;
}
