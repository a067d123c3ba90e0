/* The rows of ufuncs.def as functors: ga_op_add::call<A>(x, y), for ufunc_groups.cu and whoever else
 * runs a row.
 *
 * A is the dtype's C type, which an expression knows as T; x and y come in compute types. The value
 * may be wider than the dtype: ga_narrow brings it home. `ulp` is the row's column: 0 where the value is exact or
 * rounded once. `op` is the row, or -1 for a loop of its own types. Includes math.cuh and csrc/tables only. */
#pragma once
#include "math.cuh"

#define GA_OP1(name, row, error, expression) \
    struct ga_op_##name { \
        static constexpr int op = row; \
        static constexpr int ulp = error; \
        template <class T> \
        GA_FN auto \
        call([[maybe_unused]] ga_compute<T> x) \
        { \
            return expression; \
        } \
    };
#define GA_OP2(name, row, error, expression) \
    struct ga_op_##name { \
        static constexpr int op = row; \
        static constexpr int ulp = error; \
        template <class T> \
        GA_FN auto \
        call(ga_compute<T> x, ga_compute<T> y) \
        { \
            return expression; \
        } \
    };
/* A loop of its own types. */
#define GA_OPX(name, in, in2, expression) \
    struct ga_op_##name##_##in##_##in2 { \
        static constexpr int op = -1; \
        static constexpr int ulp = 0; \
        template <class T> \
        GA_FN auto \
        call(ga_compute<T> x, ga_compute<ga_ctype<GA_##in2>::type> y) \
        { \
            return expression; \
        } \
    };

#define U11(name, types, out, domain, ulp, expression, doc) GA_OP1(name, GA_UF_##name, ulp, (expression))
#define U12(name, types, out, out2, domain, ulp, expression, doc) GA_OP1(name, GA_UF_##name, ulp, (expression))
#define U21(name, types, out, identity, order, domain, ulp, expression, doc) \
    GA_OP2(name, GA_UF_##name, ulp, (expression))
#define U22(name, types, out, out2, domain, ulp, expression, doc) GA_OP2(name, GA_UF_##name, ulp, (expression))
#define X11(name, in, out, expression) GA_OP1(name##_##in, -1, 0, (expression))
#define X21(name, in, in2, out, expression) GA_OPX(name, in, in2, (expression))
#define X22(name, in, in2, out, out2, expression) GA_OPX(name, in, in2, (expression))
#include "../csrc/tables/ufuncs.def"
#undef GA_OP1
#undef GA_OP2
#undef GA_OPX

/* C type of an `out` column for a loop of T. */
template <class T> using ga_out_SAME = T;
template <class T> using ga_out_BOOL = bool;
template <class T> using ga_out_REAL = ga_real<T>;
template <class T> using ga_out_U8 = uint8_t;
template <class T> using ga_out_I32 = int32_t;
