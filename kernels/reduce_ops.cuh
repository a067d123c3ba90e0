/* Which binary operations of ufuncs.def reduce in which dtype, and by whose kernels: the one walk over the table for
 * reductions, scans and slices. Includes kinds.h, reduce_policy.cuh.
 *
 *   ga_tree_find<dtype, Family>(op, ...)   Family::find<op, T>(...) of an operation whose order is TREE, else NULL
 *   ga_reduce_is_rare<T>(op), ga_reduce_kin<T>(op)   which kernels it gets, and through which operation
 *   ga_reduces_<order>_<out>               whether a row of the table reduces in a dtype, for trees or left to right */
#pragma once
#include "kinds.h"
#include "reduce_policy.cuh"

/* A reduction needs a result of the operands' dtype. */
template <enum ga_dtype dtype, unsigned types, bool tree>
constexpr bool ga_reduces_TREE_SAME = tree && (types >> dtype & 1) != 0;
template <enum ga_dtype dtype, unsigned types, bool tree>
constexpr bool ga_reduces_TREE_BOOL = ga_reduces_TREE_SAME<dtype, types & GA_TYPES_B, tree>;
template <enum ga_dtype dtype, unsigned types, bool tree>
constexpr bool ga_reduces_LEFT_SAME = ga_reduces_TREE_SAME<dtype, types, !tree>;
template <enum ga_dtype dtype, unsigned types, bool tree>
constexpr bool ga_reduces_LEFT_BOOL = ga_reduces_TREE_BOOL<dtype, types, !tree>;

/* Whether another dtype's kernels serve `op` on what needs no conversion. */
template <int op, class T> constexpr bool ga_reduce_served =
    ga_kind_serving(static_cast<enum ga_ufunc>(op), ga_dtype_of<T>::value) != ga_dtype_of<T>::value;

/* Not worth kernels of their own for contiguous axes. */
template <class T> constexpr bool ga_reduce_is_rare(int op)
{
    const bool extreme = op == GA_UF_maximum || op == GA_UF_minimum || op == GA_UF_fmax || op == GA_UF_fmin;
    return op == GA_UF_gcd || op == GA_UF_hypot || op == GA_UF_logaddexp || op == GA_UF_logaddexp2 ||
           (GA_BLOCK > 1 && ga_is_complex<T>::value && extreme);
}

/* The operation whose kernels serve `op` too: every one of bool is one of three, and no integer is NaN. */
template <class T> constexpr int ga_reduce_kin(int op)
{
    const bool truth = std::is_same<T, bool>::value, whole = ga_is_int<T>::value;
    switch (op) {
    case GA_UF_multiply:
    case GA_UF_minimum:
    case GA_UF_bitwise_and:
        return truth ? GA_UF_logical_and : op;
    case GA_UF_add:
    case GA_UF_maximum:
    case GA_UF_bitwise_or:
        return truth ? GA_UF_logical_or : op;
    case GA_UF_bitwise_xor:
        return truth ? GA_UF_logical_xor : op;
    case GA_UF_fmin:
        return truth ? GA_UF_logical_and : whole ? GA_UF_minimum : op;
    case GA_UF_fmax:
        return truth ? GA_UF_logical_or : whole ? GA_UF_maximum : op;
    default:
        return op;
    }
}

template <enum ga_dtype dtype, class Family, class... A> typename Family::found ga_tree_find(enum ga_ufunc op, A... more)
{
    typedef typename ga_ctype<dtype>::type T;
    switch (op) {
#define U21(name, types, out, identity, order, ...)                               \
    case GA_UF_##name:                                                            \
        if constexpr (ga_reduces_##order##_##out<dtype, GA_TYPES_##types, true>)  \
            return Family::template find<ga_reduce_kin<T>(GA_UF_##name), T>(more...); \
        break;
#include "../csrc/tables/ufuncs.def"
    default:
        break;
    }
    return nullptr;
}
