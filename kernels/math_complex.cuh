/* Complex arithmetic in the dtype itself, and the elementary functions with the special values of
 * C99 Annex G.
 *
 * The elementary functions are written once, in double: complex64 goes through it (correctly
 * rounded but for double rounding, and overflow comes only where the result overflows). They are
 * GA_FN_CALL: large, and called. Inverse functions are in math_complex_inverse.cuh. Includes
 * math_integer.cuh. */
#pragma once
#include "math_integer.cuh"

/* ---- arithmetic ---- */
template <class R>
GA_FN ga_complex<R>
ga_add(ga_complex<R> x, ga_complex<R> y)
{
    return {x.re + y.re, x.im + y.im};
}
template <class R>
GA_FN ga_complex<R>
ga_subtract(ga_complex<R> x, ga_complex<R> y)
{
    return {x.re - y.re, x.im - y.im};
}
template <class R>
GA_FN ga_complex<R>
ga_multiply(ga_complex<R> x, ga_complex<R> y)
{
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class R>
GA_FN ga_complex<R>
ga_negative(ga_complex<R> x)
{
    return {-x.re, -x.im};
}
template <class R>
GA_FN ga_complex<R>
ga_conjugate(ga_complex<R> x)
{
    return {x.re, -x.im};
}
template <class R>
GA_FN ga_complex<R>
ga_rint(ga_complex<R> x)
{
    return {ga_rint(x.re), ga_rint(x.im)};
}
template <class R>
GA_FN R
ga_absolute(ga_complex<R> x)
{
    return ga_hypot(x.re, x.im);
}

/* Smith's quotient: by the larger component of the divisor, so that its square is never formed. */
template <class R>
GA_FN_CALL ga_complex<R>
ga_divide(ga_complex<R> x, ga_complex<R> y)
{
    R re = ga_float_abs(y.re), im = ga_float_abs(y.im);
    if (re >= im) {
        if (re == R(0))
            return {x.re / re, x.im / re};
        R ratio = y.im / y.re, scale = R(1) / (y.re + y.im * ratio);
        return {(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale};
    }
    R ratio = y.re / y.im, scale = R(1) / (y.im + y.re * ratio);
    return {(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};
}
template <class R>
GA_FN_CALL ga_complex<R>
ga_reciprocal(ga_complex<R> x)
{
    if (ga_float_abs(x.im) <= ga_float_abs(x.re)) {
        R ratio = x.im / x.re, d = x.re + x.im * ratio;
        return {R(1) / d, -ratio / d};
    }
    R ratio = x.re / x.im, d = x.re * ratio + x.im;
    return {ratio / d, R(-1) / d};
}

/* x / |x|. Where |x| is infinite, the direction is that of an infinite real part, else of the
 * imaginary part. */
template <class R>
GA_FN_CALL ga_complex<R>
ga_sign(ga_complex<R> x)
{
    R length = ga_absolute(x);
    if (length == R(0))
        return {0, 0};
    if (length < ga_infinity<R>)
        return {x.re / length, x.im / length};
    bool re = ga_float_abs(x.re) == ga_infinity<R>, im = ga_float_abs(x.im) == ga_infinity<R>;
    if (length != length || (re && im))
        return {ga_nan<R>, ga_nan<R>};
    return {re ? ga_sign(x.re) : R(0), re ? R(0) : ga_sign(x.im)};
}

/* ---- shared by the functions below ---- */
GA_FN bool
ga_finite(double x)
{
    return fabs(x) < ga_infinity<double>;
}
GA_FN bool
ga_infinite(double x)
{
    return fabs(x) == ga_infinity<double>;
}
/* The larger or the smaller of two magnitudes. */
GA_FN double
ga_larger(double x, double y)
{
    return x > y ? x : y;
}
GA_FN double
ga_smaller(double x, double y)
{
    return x > y ? y : x;
}

/* ---- square root ---- */
GA_FN_CALL ga_c128
ga_sqrt(ga_c128 z)
{
    double x = z.re, y = z.im;
    if (x == 0 && y == 0)
        return {0, y};
    if (ga_infinite(y))
        return {ga_infinity<double>, y};
    if (x != x)
        return {x, ga_nan<double>};
    if (ga_infinite(x))
        return x < 0 ? ga_c128{fabs(y - y), copysign(x, y)} : ga_c128{x, copysign(y - y, y)};
    if (y != y)
        return {y, y};
    /* Brought to where |z| neither overflows nor loses bits. */
    double size = ga_larger(fabs(x), fabs(y)), scale = 1;
    if (size > 0x1p1020)
        x *= 0.25, y *= 0.25, scale = 2;
    else if (size < 0x1p-1000)
        x *= 0x1p108, y *= 0x1p108, scale = 0x1p-54;
    double root = sqrt((fabs(x) + ga_hypot(x, y)) * 0.5), other = fabs(y) / (2 * root);
    if (x < 0)
        return {other * scale, copysign(root * scale, y)};
    return {root * scale, copysign(other * scale, y)};
}

/* ---- exponentials ---- */
GA_FN_CALL ga_c128
ga_exp(ga_c128 z)
{
    double x = z.re, y = z.im;
    if (y == 0)
        return {exp(x), y};
    if (x == 0)
        return {cos(y), sin(y)};
    if (!ga_finite(y)) {
        if (x == -ga_infinity<double>)
            return {0, 0};
        return {x == ga_infinity<double> ? x : y - y, y - y};
    }
    if (x > 709 && ga_finite(x)) { /* exp(x) may overflow where the product does not */
        double half = exp(x * 0.5);
        return {half * cos(y) * half, half * sin(y) * half};
    }
    double length = exp(x);
    return {length * cos(y), length * sin(y)};
}
GA_FN_CALL ga_c128
ga_expm1(ga_c128 z)
{
    double half = sin(z.im / 2);
    return {expm1(z.re) * cos(z.im) - 2 * half * half, exp(z.re) * sin(z.im)};
}
GA_FN_CALL ga_c128
ga_exp2(ga_c128 z)
{
    return ga_exp(ga_c128{z.re * GA_LN2, z.im * GA_LN2});
}

/* ---- logarithms ---- */

/* x*x + y*y - 1 as if with twice the digits. */
GA_FN double
ga_square_less_one(double x, double y)
{
    double xx = x * x, xx_low = fma(x, x, -xx), yy = y * y, yy_low = fma(y, y, -yy);
    double less = xx - 1, less_low = (xx - (less + 1)) + (-1 - (less - (less + 1)));
    double sum = less + yy, back = sum - less;
    double sum_low = (less - (sum - back)) + (yy - back);
    return sum + (sum_low + less_low + xx_low + yy_low);
}
/* log(ga_hypot(x, y)) */
GA_FN_CALL double
ga_log_length(double x, double y)
{
    double big = ga_larger(fabs(x), fabs(y)), small = ga_smaller(fabs(x), fabs(y));
    if (big > 0x1p1020 && ga_finite(big))
        return log(ga_hypot(big * 0.5, small * 0.5)) + GA_LN2;
    if (big < 0x1p-900 && big > 0)
        return log(ga_hypot(big * 0x1p200, small * 0x1p200)) - 200 * GA_LN2;
    if (big >= 0.5 && big < 2) /* the logarithm may be near zero */
        return 0.5 * log1p(ga_square_less_one(big, small));
    return log(ga_hypot(x, y));
}
GA_FN_CALL ga_c128
ga_log(ga_c128 z)
{
    return {ga_log_length(z.re, z.im), atan2(z.im, z.re)};
}
GA_FN_CALL ga_c128
ga_log2(ga_c128 z)
{
    ga_c128 w = ga_log(z);
    return {w.re * GA_LOG2E, w.im * GA_LOG2E};
}
GA_FN_CALL ga_c128
ga_log10(ga_c128 z)
{
    ga_c128 w = ga_log(z);
    return {w.re * GA_LOG10E, w.im * GA_LOG10E};
}
GA_FN_CALL ga_c128
ga_log1p(ga_c128 z)
{
    double x = z.re, y = z.im, angle = atan2(y, x + 1);
    if (fabs(x) < 0.5 && fabs(y) < 0.5)
        return {0.5 * log1p(x * (2 + x) + y * y), angle};
    return {ga_log_length(x + 1, y), angle};
}

/* ---- hyperbolic functions; the trigonometric ones are theirs turned by i ---- */
GA_FN_CALL ga_c128
ga_cosh(ga_c128 z)
{
    double x = z.re, y = z.im;
    if (y == 0)
        return {cosh(x), copysign(0.0, x) * y};
    if (!ga_finite(y)) {
        double re = ga_infinite(x) ? fabs(x) : ga_nan<double>;
        return {re, x == 0 ? copysign(0.0, x) : ga_nan<double>};
    }
    if (fabs(x) > 709 && ga_finite(x)) {
        double half = exp(fabs(x) * 0.5);
        return {0.5 * half * cos(y) * half, copysign(0.5 * half, x) * sin(y) * half};
    }
    return {cosh(x) * cos(y), sinh(x) * sin(y)};
}
GA_FN_CALL ga_c128
ga_sinh(ga_c128 z)
{
    double x = z.re, y = z.im;
    if (y == 0)
        return {sinh(x), y};
    if (!ga_finite(y)) /* the sign of the infinity is not specified: as the GNU C library has it */
        return {x == 0 ? x : ga_infinite(x) ? fabs(x) : ga_nan<double>, ga_nan<double>};
    if (x == 0)
        return {copysign(0.0, x * cos(y)), sin(y)};
    if (fabs(x) > 709 && ga_finite(x)) {
        double half = exp(fabs(x) * 0.5);
        return {copysign(0.5 * half, x) * cos(y) * half, 0.5 * half * sin(y) * half};
    }
    return {sinh(x) * cos(y), cosh(x) * sin(y)};
}

/* Kahan's: through the tangent of y and the hyperbolic sine of x, without cancellation. */
GA_FN_CALL ga_c128
ga_tanh(ga_c128 z)
{
    double x = z.re, y = z.im;
    if (x != x)
        return {x, y == 0 ? y : x};
    if (ga_infinite(x))
        return {copysign(1.0, x), copysign(0.0, ga_finite(y) ? sin(y) * cos(y) : y)};
    if (!ga_finite(y))
        return {x == 0 ? x : ga_nan<double>, ga_nan<double>};
    if (fabs(x) >= 22) {
        double small = exp(-fabs(x));
        return {copysign(1.0, x), 4 * sin(y) * cos(y) * small * small};
    }
    double t = tan(y), beta = 1 + t * t, s = sinh(x), rho = sqrt(1 + s * s);
    if (ga_infinite(t))
        return {rho / s, 1 / t};
    double d = 1 + beta * s * s;
    return {beta * rho * s / d, t / d};
}

GA_FN ga_c128
ga_swap(ga_c128 z)
{
    return {z.im, z.re};
}
GA_FN ga_c128
ga_sin(ga_c128 z)
{
    return ga_swap(ga_sinh(ga_swap(z)));
}
GA_FN ga_c128
ga_cos(ga_c128 z)
{
    return ga_cosh({-z.im, z.re});
}
GA_FN ga_c128
ga_tan(ga_c128 z)
{
    return ga_swap(ga_tanh(ga_swap(z)));
}

/* ---- power ---- */
GA_FN_CALL ga_c128
ga_power_general(ga_c128 x, ga_c128 y)
{
    return ga_exp(ga_multiply(y, ga_log(x)));
}
/* By squaring; 0 < n < 100. */
template <class R>
GA_FN ga_complex<R>
ga_power_integer(ga_complex<R> x, int n)
{
    ga_complex<R> result = {1, 0};
    for (;;) {
        if (n & 1)
            result = ga_multiply(result, x);
        n >>= 1;
        if (n == 0)
            return result;
        x = ga_multiply(x, x);
    }
}
/* Small whole exponents multiply, so that they are as exact as products. */
template <class R>
GA_FN_CALL ga_complex<R>
ga_power(ga_complex<R> x, ga_complex<R> y)
{
    if (y.re == R(0) && y.im == R(0))
        return {1, 0};
    if (x.re == R(0) && x.im == R(0)) {
        if (y.re > R(0))
            return {0, 0};
        return {ga_nan<R>, ga_nan<R>};
    }
    R size = ga_float_abs(y.re);
    if (y.im == R(0) && size < R(100) && size == ga_float_floor(size)) {
        if (y.re == R(1))
            return x;
        if (y.re == R(3))
            return ga_multiply(x, ga_multiply(x, x));
        ga_complex<R> power = y.re == R(2) ? ga_multiply(x, x) : ga_power_integer(x, int(size));
        return y.re < R(0) ? ga_divide(ga_complex<R>{1, 0}, power) : power;
    }
    return ga_convert<ga_complex<R>>(
        ga_power_general(ga_convert<ga_c128>(x), ga_convert<ga_c128>(y)));
}
