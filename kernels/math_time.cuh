/* Arithmetic of datetime64 and timedelta64: int64 that wraps, NaT in gives NaT out; a count divided
 * by zero is NaT. The dtypes' units are resolved before the launch. Includes math_integer.cuh. */
#pragma once
#include "math_integer.cuh"

/* ---- sums ---- */
GA_FN int64_t
ga_time_add(int64_t x, int64_t y)
{
    return x == GA_NAT || y == GA_NAT ? GA_NAT : ga_add(x, y);
}
GA_FN int64_t
ga_time_subtract(int64_t x, int64_t y)
{
    return x == GA_NAT || y == GA_NAT ? GA_NAT : ga_subtract(x, y);
}
GA_FN ga_timedelta
ga_add(ga_timedelta x, ga_timedelta y)
{
    return {ga_time_add(x.v, y.v)};
}
GA_FN ga_datetime
ga_add(ga_datetime x, ga_timedelta y)
{
    return {ga_time_add(x.v, y.v)};
}
GA_FN ga_datetime
ga_add(ga_timedelta x, ga_datetime y)
{
    return {ga_time_add(x.v, y.v)};
}
GA_FN ga_timedelta
ga_subtract(ga_timedelta x, ga_timedelta y)
{
    return {ga_time_subtract(x.v, y.v)};
}
GA_FN ga_datetime
ga_subtract(ga_datetime x, ga_timedelta y)
{
    return {ga_time_subtract(x.v, y.v)};
}
GA_FN ga_timedelta
ga_subtract(ga_datetime x, ga_datetime y)
{
    return {ga_time_subtract(x.v, y.v)};
}

/* ---- products and quotients with numbers ---- */

/* Towards zero; what is not finite is NaT. */
GA_FN ga_timedelta
ga_time_from(double x)
{
    return {ga_convert<int64_t>(x)};
}
GA_FN ga_timedelta
ga_multiply(ga_timedelta x, int64_t y)
{
    return {x.v == GA_NAT ? GA_NAT : ga_multiply(x.v, y)};
}
GA_FN ga_timedelta
ga_multiply(int64_t x, ga_timedelta y)
{
    return ga_multiply(y, x);
}
GA_FN ga_timedelta
ga_multiply(ga_timedelta x, double y)
{
    return x.v == GA_NAT ? x : ga_time_from(double(x.v) * y);
}
GA_FN ga_timedelta
ga_multiply(double x, ga_timedelta y)
{
    return ga_multiply(y, x);
}
GA_FN ga_timedelta
ga_divide(ga_timedelta x, int64_t y)
{
    if (x.v == GA_NAT || y == 0)
        return {GA_NAT};
    return {x.v / y}; /* x is not the least integer, so -1 does not overflow */
}
GA_FN ga_timedelta
ga_divide(ga_timedelta x, double y)
{
    return x.v == GA_NAT ? x : ga_time_from(double(x.v) / y);
}
GA_FN double
ga_divide(ga_timedelta x, ga_timedelta y)
{
    return x.v == GA_NAT || y.v == GA_NAT ? ga_nan<double> : double(x.v) / double(y.v);
}
GA_FN ga_timedelta
ga_floor_divide(ga_timedelta x, int64_t y)
{
    return ga_divide(x, y); /* NumPy truncates here */
}
GA_FN ga_timedelta
ga_floor_divide(ga_timedelta x, double y)
{
    return ga_divide(x, y);
}
GA_FN int64_t
ga_floor_divide(ga_timedelta x, ga_timedelta y)
{
    return x.v == GA_NAT || y.v == GA_NAT ? 0 : ga_floor_divide(x.v, y.v);
}
GA_FN ga_timedelta
ga_remainder(ga_timedelta x, ga_timedelta y)
{
    return {x.v == GA_NAT || y.v == GA_NAT || y.v == 0 ? GA_NAT : ga_remainder(x.v, y.v)};
}
GA_FN ga_pair<int64_t, ga_timedelta>
ga_divmod(ga_timedelta x, ga_timedelta y)
{
    return {ga_floor_divide(x, y), ga_remainder(x, y)};
}

/* ---- one duration ----
 * The negative of NaT, the least integer, is itself; its sign is -1, as in NumPy. */
GA_FN ga_timedelta
ga_negative(ga_timedelta x)
{
    return {ga_negative(x.v)};
}
GA_FN ga_timedelta
ga_absolute(ga_timedelta x)
{
    return {ga_absolute(x.v)};
}
GA_FN ga_timedelta
ga_sign(ga_timedelta x)
{
    return {ga_sign(x.v)};
}
