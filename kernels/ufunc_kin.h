/* Which element-wise loop gives the bits of another one, so that it is not compiled twice. Includes kinds.h. */
#ifndef GA_UFUNC_KIN_H
#define GA_UFUNC_KIN_H

#include "kinds.h"

struct ga_ufunc_loop {
    enum ga_ufunc op;
    enum ga_dtype dtype;
};

/* Of integers: none is infinite, NaN or a fraction. */
constexpr enum ga_ufunc
ga_ufunc_integer_kin(enum ga_ufunc op)
{
    switch (op) {
    case GA_UF_fmax:
        return GA_UF_maximum;
    case GA_UF_fmin:
        return GA_UF_minimum;
    case GA_UF_isinf:
        return GA_UF_isnan;
    case GA_UF_conjugate:
    case GA_UF_floor:
    case GA_UF_ceil:
    case GA_UF_trunc:
        return GA_UF_positive;
    default:
        return op;
    }
}

/* Of floats and complex numbers: second names. */
constexpr enum ga_ufunc
ga_ufunc_float_kin(enum ga_ufunc op)
{
    switch (op) {
    case GA_UF_fabs:
        return GA_UF_absolute;
    case GA_UF_rad2deg:
        return GA_UF_degrees;
    case GA_UF_deg2rad:
        return GA_UF_radians;
    case GA_UF_float_power:
        return GA_UF_power;
    default:
        return op;
    }
}

/* For a row's own loops, all of whose inputs are of `dtype`. */
constexpr ga_ufunc_loop
ga_ufunc_kin(enum ga_ufunc op, enum ga_dtype dtype)
{
    if (ga_kind_is_integer(dtype))
        op = ga_ufunc_integer_kin(op);
    else if (ga_dtype_kinds[dtype].kind == 'f' || ga_dtype_kinds[dtype].kind == 'c')
        op = ga_ufunc_float_kin(op);
    return {op, ga_kind_serving(op, dtype)};
}

#endif
