/* Kinds and sizes of dtypes as constants, and which bits two dtypes share: what decides that one loop serves several
 * dtypes. Includes csrc/tables only. */
#ifndef GA_KINDS_H
#define GA_KINDS_H

#include "../csrc/tables/tables.h"

struct ga_dtype_kind {
    char kind;
    int size;
};
constexpr ga_dtype_kind ga_dtype_kinds[] = {
#define GA_DTYPE(id, ctype, ch, kind, size, name) {#kind[0], size},
#define GA_STORED GA_DTYPE
#include "../csrc/tables/dtypes.def"
};

constexpr bool
ga_kind_is_integer(enum ga_dtype dtype)
{
    return ga_dtype_kinds[dtype].kind == 'i' || ga_dtype_kinds[dtype].kind == 'u';
}

/* The unsigned integer of an integer's size. */
constexpr enum ga_dtype
ga_kind_unsigned(enum ga_dtype dtype)
{
    int size = ga_dtype_kinds[dtype].size;
    return size == 1 ? GA_u8 : size == 2 ? GA_u16 : size == 4 ? GA_u32 : GA_u64;
}

/* Operations that give the same bits for a signed and an unsigned integer, which wrap. */
constexpr bool
ga_kind_ignores_sign(enum ga_ufunc op)
{
    switch (op) {
    case GA_UF_add:
    case GA_UF_subtract:
    case GA_UF_multiply:
    case GA_UF_negative:
    case GA_UF_positive:
    case GA_UF_square:
    case GA_UF_equal:
    case GA_UF_not_equal:
    case GA_UF_isfinite:
    case GA_UF_isnan:
    case GA_UF_logical_not:
    case GA_UF_logical_and:
    case GA_UF_logical_or:
    case GA_UF_logical_xor:
    case GA_UF_bitwise_and:
    case GA_UF_bitwise_or:
    case GA_UF_bitwise_xor:
    case GA_UF_invert:
    case GA_UF_left_shift:
        return true;
    default:
        return false;
    }
}

/* The dtype whose kernels of `op` give the bits of those of `dtype`. */
constexpr enum ga_dtype
ga_kind_serving(enum ga_ufunc op, enum ga_dtype dtype)
{
    return ga_kind_is_integer(dtype) && ga_kind_ignores_sign(op) ? ga_kind_unsigned(dtype) : dtype;
}

#endif
