/* Element-wise formulas with parameters, which GA_FORMULA_... name (csrc/core/call/formula.h), as
 * functors of the element-wise framework: ga_formula_clip<T>{low, high}.call<T>(x). x is in T's
 * compute type, and so is the value, which ga_narrow brings home. For formula.cu, and for fused
 * functions. Includes math_compare.cuh, math_real.cuh. */
#pragma once
#include "math_compare.cuh"
#include "math_real.cuh"

/* A step of the chain that the formula stands for: rounded as its ufunc's result is. */
template <class T> GA_FN ga_compute<T> ga_formula_step(ga_compute<T> x)
{
    return ga_widen(ga_narrow<T>(x));
}

template <class T> struct ga_formula_close {
    typedef ga_compute<T> C;
    T relative, absolute;
    bool nan;

    template <class> GA_METHOD bool call(C x, C y) const
    {
        C apart = ga_formula_step<T>(x - y), size = y < 0 ? -y : y;
        C bound = ga_formula_step<T>(ga_widen(absolute) + ga_formula_step<T>(ga_widen(relative) * size));
        bool near = (apart < 0 ? -apart : apart) <= bound && ga_isfinite(y);
        return near || x == y || (nan && ga_isnan(x) && ga_isnan(y));
    }
};

template <class T> struct ga_formula_clip {
    typedef ga_compute<T> C;
    T low, high;

    template <class> GA_METHOD C call(C x) const
    {
        const C least = ga_widen(low), most = ga_widen(high), raised = x < least ? least : x;
        return raised > most ? most : raised; /* selects that the CPU's compiler makes vectors of */
    }
};

template <class T> struct ga_formula_present {
    typedef ga_compute<T> C;
    T otherwise;

    template <class> GA_METHOD C call(C x) const
    {
        return ga_isnan(x) ? ga_widen(otherwise) : x;
    }
};

template <class T> struct ga_formula_finite {
    typedef ga_compute<T> C;
    T nan, high, low;

    template <class> GA_METHOD C call(C x) const
    {
        C value = ga_isnan(x) ? ga_widen(nan) : x > 0 ? ga_widen(high) : ga_widen(low);
        return ga_isfinite(x) ? x : value;
    }
};

template <class T> struct ga_formula_sinc {
    typedef ga_compute<T> C;
    static constexpr int ulp = 4;
    T pi, least;

    template <class> GA_METHOD C call(C x) const
    {
        C y = ga_formula_step<T>(ga_widen(pi) * (x == 0 ? ga_widen(least) : x));
        return ga_formula_step<T>(ga_sin(y)) / y;
    }
};

template <class T> struct ga_formula_round {
    typedef ga_compute<T> C;
    T factor;
    bool inverse;

    template <class> GA_METHOD C call(C x) const
    {
        C by = ga_widen(factor), whole = ga_rint(ga_formula_step<T>(inverse ? x / by : x * by));
        return inverse ? whole * by : whole / by;
    }
};
