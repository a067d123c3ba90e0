/* Conversions from a group of dtypes to every dtype, without those that another one's loop serves
 * (ga_cast_kin). The rules are those of convert.cuh. Owns ga_cast_loops_<id>. Includes cast.cuh
 * and math_integer.cuh. */
#include "cast.cuh"
#include "math_integer.cuh"

/* A change of unit. */
struct scale_time {
    ga_cast_scale scale;
    template <class T>
    GA_METHOD T
    call(T x) const
    {
        return {x.v == GA_NAT ? GA_NAT : ga_floor_divide(ga_multiply(x.v, scale.num), scale.den)};
    }
};

template <enum ga_dtype in, enum ga_dtype out>
static int
cast_to(ga_cast_scale scale, const ga_map_plan *plan, ga_stream *stream)
{
    typedef typename ga_ctype<in>::type From;
    typedef typename ga_ctype<out>::type To;
    constexpr ga_cast_pair kin = ga_cast_kin(in, out);
    if constexpr (in == GA_m8 && out == GA_m8)
        return ga_map_launch<scale_time, From, ga_none, To, ga_none>(*plan, scale_time{scale},
                                                                     stream);
    else if constexpr (kin.in == in && kin.out == out && in != out)
        return ga_map_launch<ga_cast_functor<From, To>, From, ga_none, To, ga_none>(
            *plan, ga_cast_functor<From, To>{}, stream);
    else
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "this conversion is another one's kin");
}

template <enum ga_dtype in>
static int
cast_from(enum ga_dtype to, ga_cast_scale scale, const ga_map_plan *plan, ga_stream *stream)
{
    switch (to) {
#define GA_DTYPE(id, ...) \
    case GA_##id: \
        return cast_to<in, GA_##id>(scale, plan, stream);
#include "../csrc/tables/dtypes.def"
    default:
        return ga_kernel_fail(GA_ERR_TYPE, "cannot convert to dtype %d", (int)to);
    }
}

#define GA_LOOP(id) \
    int ga_cast_loops_##id(enum ga_dtype to, ga_cast_scale scale, const ga_map_plan *plan, \
                           ga_stream *stream) \
    { \
        return cast_from<GA_##id>(to, scale, plan, stream); \
    }
GA_LOOPS
