/* Inverse trigonometric and hyperbolic functions of complex numbers, in double, and complex64 by
 * way of it.
 *
 * arcsinh, arccos and arccosh follow Hull, Fairgrieve and Tang ("Implementing the complex arcsine
 * and arccosine functions using exception handling", 1997). For x, y >= 0 the point is on an
 * ellipse and a hyperbola with foci at +-i:
 *
 *     r = |z + i|, s = |z - i|, a = (r + s) / 2, b = y / a
 *     Re arcsinh = log(a + sqrt(a*a - 1)),  Im arcsinh = arcsin(b)
 *
 * and a - 1 and a - y, which cancel, are sums of terms that do not: ga_half_gap below. arctanh is
 * Kahan's. Includes math_complex.cuh. */
#pragma once
#include "math_complex.cuh"

#define GA_EPSILON 0x1p-52
#define GA_ARC_LARGE 0x1p52   /* beyond, arcsinh(z) is log(2z) and arctanh(z) is 1/z +- i pi/2 */
#define GA_ARC_TINY 0x1p-27   /* below, each function is the first term of its series */
#define GA_B_CROSSOVER 0.6417 /* above, arcsin(b) is too steep */

/* (ga_hypot(a, b) - b) / 2, given h = ga_hypot(a, b). */
GA_FN double
ga_half_gap(double a, double b, double h)
{
    if (b < 0)
        return (h - b) / 2;
    if (b == 0)
        return a / 2;
    return a * a / (h + b) / 2;
}

/* arcsinh(x + iy), x, y >= 0: real part, and imaginary part as the angle of (cosine, sine). */
struct ga_arc {
    double log_part, sine, cosine, b;
    bool steep; /* use the angle, not arcsin(b) */
};

GA_FN double
ga_arc_log(double x, double y, double r, double s, double a)
{
    if (a >= 10)
        return log(a + sqrt(a * a - 1));
    if (y == 1 && x < GA_EPSILON * GA_EPSILON / 128)
        return sqrt(x);
    if (x >= GA_EPSILON * fabs(y - 1)) {
        double gap = ga_half_gap(x, 1 + y, r) + ga_half_gap(x, 1 - y, s); /* a - 1 */
        return log1p(gap + sqrt(gap * (a + 1)));
    }
    if (y < 1)
        return x / sqrt((1 - y) * (1 + y));
    return log1p((y - 1) + sqrt((y - 1) * (y + 1)));
}

GA_FN_CALL ga_arc
ga_arc_solve(double x, double y)
{
    double r = ga_hypot(x, y + 1), s = ga_hypot(x, y - 1), a = (r + s) / 2;
    a = a < 1 ? 1 : a;
    ga_arc arc = {ga_arc_log(x, y, r, s, a), y, 0, y / a, true};
    arc.steep = arc.b > GA_B_CROSSOVER;
    if (!arc.steep)
        return arc;
    if (y == 1 && x < GA_EPSILON / 128) {
        arc.cosine = sqrt(x) * sqrt((a + y) / 2);
    } else if (x >= GA_EPSILON * fabs(y - 1)) {
        double gap = ga_half_gap(x, y + 1, r) + ga_half_gap(x, y - 1, s); /* a - y */
        arc.cosine = sqrt(gap * (a + y));
    } else if (y > 1) { /* scaled: the cosine may be tiny */
        arc.cosine = x * 0x1p106 * y / sqrt((y + 1) * (y - 1));
        arc.sine = y * 0x1p106;
    } else {
        arc.cosine = sqrt((1 - y) * (1 + y));
    }
    return arc;
}

GA_FN_CALL ga_c128
ga_arcsinh(ga_c128 z)
{
    double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y);
    if (x != x || y != y) {
        if (ga_infinite(x))
            return {x, ga_nan<double>};
        if (ga_infinite(y))
            return {fabs(y), ga_nan<double>};
        return {ga_nan<double>, y == 0 ? y : ga_nan<double>};
    }
    if (ax > GA_ARC_LARGE || ay > GA_ARC_LARGE)
        return {copysign(ga_log_length(x, y) + GA_LN2, x), copysign(atan2(ay, ax), y)};
    if (ax < GA_ARC_TINY && ay < GA_ARC_TINY)
        return z;
    ga_arc arc = ga_arc_solve(ax, ay);
    double angle = arc.steep ? atan2(arc.sine, arc.cosine) : asin(arc.b);
    return {copysign(arc.log_part, x), copysign(angle, y)};
}
GA_FN ga_c128
ga_arcsin(ga_c128 z)
{
    return ga_swap(ga_arcsinh(ga_swap(z)));
}

GA_FN_CALL ga_c128
ga_arccos(ga_c128 z)
{
    double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y);
    if (x != x || y != y) {
        if (ga_infinite(x))
            return {ga_nan<double>, -ga_infinity<double>};
        if (ga_infinite(y))
            return {ga_nan<double>, -y};
        return {x == 0 ? GA_PI / 2 : ga_nan<double>, ga_nan<double>};
    }
    if (ax > GA_ARC_LARGE || ay > GA_ARC_LARGE)
        return {atan2(ay, x), copysign(ga_log_length(x, y) + GA_LN2, -y)};
    if (x == 1 && y == 0)
        return {0, -y};
    if (ax < GA_ARC_TINY && ay < GA_ARC_TINY)
        return {GA_PI / 2 - x, -y};
    ga_arc arc = ga_arc_solve(ay, ax);
    double angle = arc.steep ? atan2(arc.cosine, copysign(arc.sine, x)) : acos(copysign(arc.b, x));
    return {angle, copysign(arc.log_part, -y)};
}
GA_FN_CALL ga_c128
ga_arccosh(ga_c128 z)
{
    ga_c128 w = ga_arccos(z);
    if (w.im != w.im)
        return {w.im, w.re};
    return {fabs(w.im), w.re != w.re ? w.re : copysign(w.re, z.im)};
}

/* x / (x*x + y*y) for large arguments, whose squares may overflow. */
GA_FN double
ga_reciprocal_real(double x, double y)
{
    if (ga_infinite(x) || ga_infinite(y))
        return copysign(0.0, x);
    double big = ga_larger(fabs(x), fabs(y)), a = x / big, b = y / big;
    return a / (a * a + b * b) / big;
}

GA_FN double
ga_arctanh_real(double ax, double ay)
{
    if (ax == 1 && ay < GA_EPSILON)
        return (GA_LN2 - log(ay)) / 2;
    double gap = ax - 1, square = ay < 0x1p-511 ? gap * gap : gap * gap + ay * ay;
    return log1p(4 * ax / square) / 4;
}
GA_FN double
ga_arctanh_angle(double ax, double ay)
{
    if (ax == 1)
        return atan2(2.0, -ay) / 2;
    double cosine = (1 - ax) * (1 + ax);
    return atan2(2 * ay, ay < GA_EPSILON ? cosine : cosine - ay * ay) / 2;
}

GA_FN_CALL ga_c128
ga_arctanh(ga_c128 z)
{
    double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y);
    if (y == 0 && ax <= 1)
        return {atanh(x), y};
    if (x == 0)
        return {x, atan(y)};
    if (x != x || y != y) {
        if (ga_infinite(x))
            return {copysign(0.0, x), ga_nan<double>};
        if (ga_infinite(y))
            return {copysign(0.0, x), copysign(GA_PI / 2, y)};
        return {ga_nan<double>, ga_nan<double>};
    }
    if (ax > GA_ARC_LARGE || ay > GA_ARC_LARGE)
        return {ga_reciprocal_real(x, y), copysign(GA_PI / 2, y)};
    if (ax < GA_ARC_TINY && ay < GA_ARC_TINY)
        return z;
    return {copysign(ga_arctanh_real(ax, ay), x), copysign(ga_arctanh_angle(ax, ay), y)};
}
GA_FN ga_c128
ga_arctan(ga_c128 z)
{
    return ga_swap(ga_arctanh(ga_swap(z)));
}

/* ---- complex64 ---- */
#define GA_BY_DOUBLE(name) \
    GA_FN ga_c64 ga_##name(ga_c64 z) \
    { \
        return ga_convert<ga_c64>(ga_##name(ga_convert<ga_c128>(z))); \
    }
GA_BY_DOUBLE(sqrt)
GA_BY_DOUBLE(exp)
GA_BY_DOUBLE(expm1)
GA_BY_DOUBLE(exp2)
GA_BY_DOUBLE(log)
GA_BY_DOUBLE(log2)
GA_BY_DOUBLE(log10)
GA_BY_DOUBLE(log1p)
GA_BY_DOUBLE(sin)
GA_BY_DOUBLE(cos)
GA_BY_DOUBLE(tan)
GA_BY_DOUBLE(sinh)
GA_BY_DOUBLE(cosh)
GA_BY_DOUBLE(tanh)
GA_BY_DOUBLE(arcsin)
GA_BY_DOUBLE(arccos)
GA_BY_DOUBLE(arctan)
GA_BY_DOUBLE(arcsinh)
GA_BY_DOUBLE(arccosh)
GA_BY_DOUBLE(arctanh)
#undef GA_BY_DOUBLE
