/* Conversions between GA_STORED dtypes and those of GA_TYPES_BRIDGE, rounded once (stored.cuh).
 * Owns ga_cast_stored; what has no loop here the core takes by way of float32. Includes cast.cuh.
 * */
#include "cast.cuh"

/* Reading makes a float of either side, storing rounds it. */
struct pass_float {
    template <class T>
    GA_FN float
    call(float x)
    {
        return x;
    }
};

template <class From, class To>
static int
cast_one(const ga_map_plan *plan, ga_stream *stream)
{
    return ga_map_launch<pass_float, From, ga_none, To, ga_none>(*plan, pass_float{}, stream);
}

template <class T>
static int
cast_from(enum ga_dtype to, const ga_map_plan *plan, ga_stream *stream)
{
    switch (to) {
    case GA_f16:
        return cast_one<T, ga_half>(plan, stream);
    case GA_f32:
        return cast_one<T, float>(plan, stream);
    default:
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "cannot convert to dtype %d in one step", (int)to);
    }
}

template <class T>
static int
cast_to(enum ga_dtype from, const ga_map_plan *plan, ga_stream *stream)
{
    switch (from) {
    case GA_f16:
        return cast_one<ga_half, T>(plan, stream);
    case GA_f32:
        return cast_one<float, T>(plan, stream);
    default:
        return ga_kernel_fail(GA_ERR_UNSUPPORTED, "cannot convert from dtype %d in one step", (int)from);
    }
}

int
ga_cast_stored(enum ga_dtype in, enum ga_dtype out, const ga_map_plan *plan, ga_stream *stream)
{
#define GA_DTYPE(...)
#define GA_STORED(id, ctype, ...) \
    if (in == GA_##id) \
        return cast_from<ctype>(out, plan, stream); \
    if (out == GA_##id) \
        return cast_to<ctype>(in, plan, stream);
#include "../csrc/tables/dtypes.def"
    return ga_kernel_fail(GA_ERR_TYPE, "neither dtype %d nor %d is a stored one", (int)in, (int)out);
}
