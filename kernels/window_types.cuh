/* The type of elements, looked up as a kernel runs: for kernels that compute in float64 whatever they read and write.
 * Owns choose_type. Includes convert.cuh. */
#pragma once
#include "convert.cuh"

/* what(T()) for the type of a real dtype other than bool and float16; nothing for those of other than `bytes` bytes, or
 * of up to four where that is four, unless it is 0. */
template <int bytes = 0, class What> GA_FN void choose_type(enum ga_dtype dtype, const What &what)
{
    switch (dtype) {
#define GA_TYPE_OF(id)                                                                                       \
    case GA_##id:                                                                                            \
        if constexpr (bytes == 0 || sizeof(ga_ctype<GA_##id>::type) / 8 == bytes / 8)                        \
            what(ga_ctype<GA_##id>::type());                                                                 \
        break;
        GA_TYPE_OF(i8)
        GA_TYPE_OF(u8)
        GA_TYPE_OF(i16)
        GA_TYPE_OF(u16)
        GA_TYPE_OF(i32)
        GA_TYPE_OF(u32)
        GA_TYPE_OF(i64)
        GA_TYPE_OF(u64)
        GA_TYPE_OF(f32)
    default:
        GA_TYPE_OF(f64)
#undef GA_TYPE_OF
    }
}

static inline bool is_chosen_type(enum ga_dtype dtype)
{
    return dtype != GA_b1 && (dtype <= GA_u64 || dtype == GA_f32 || dtype == GA_f64);
}
