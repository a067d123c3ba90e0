/* Conversions from dtype GA_LOOP to every dtype: this file is compiled once for each dtype. The
 * rules are those of convert.cuh. Includes convert.cuh, math_integer.cuh and cast.cuh. */
#include "cast.cuh"
#include "convert.cuh"
#include "math_integer.cuh"

#define GA_PASTE(a, b) a##b
#define GA_EXPAND(a, b) GA_PASTE(a, b)

typedef ga_ctype<GA_EXPAND(GA_, GA_LOOP)>::type own_type;

template <class To> struct convert_to {
    template <class T>
    GA_FN To
    call(ga_compute<T> x)
    {
        return ga_convert<To>(x);
    }
};

/* Between two times. */
template <class To> struct scale_to {
    ga_cast_scale scale;
    template <class T>
    GA_METHOD To
    call(T x) const
    {
        return {x.v == GA_NAT ? GA_NAT : ga_floor_divide(ga_multiply(x.v, scale.num), scale.den)};
    }
};

template <class To>
static int
cast_to(ga_cast_scale scale, const ga_map_plan *plan, ga_stream *stream)
{
    if constexpr (ga_is_time<own_type>::value && ga_is_time<To>::value)
        return ga_map_launch<scale_to<To>, own_type, ga_none, To, ga_none>(
            *plan, scale_to<To>{scale}, stream);
    else if constexpr (!std::is_same<own_type, To>::value) /* equal dtypes are copied by cast.cu */
        return ga_map_launch<convert_to<To>, own_type, ga_none, To, ga_none>(
            *plan, convert_to<To>{}, stream);
    else
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "a copy is not a conversion");
}

int
GA_EXPAND(ga_cast_loops_, GA_LOOP)(enum ga_dtype to, ga_cast_scale scale, const ga_map_plan *plan,
                                   ga_stream *stream)
{
    switch (to) {
#define GA_DTYPE(id, ctype, ...) \
    case GA_##id: \
        return cast_to<ctype>(scale, plan, stream);
#include "../csrc/tables/dtypes.def"
#undef GA_DTYPE
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "cannot convert to dtype %d", (int)to);
    }
}
