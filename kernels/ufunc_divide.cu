/* Integers divided by one number. Owns ga_divide_fits and ga_divide_run.
 *
 * The quotient without its fraction is the upper half of a product, shifted (Granlund and
 * Montgomery): with 2^p / |d| rounded up to a multiplier that has as many bits as the dtype, p is
 * the least for which the error stays below a whole number for every dividend. From the quotient
 * on, floor and remainder are those of math_integer.cuh. Includes iterate.cuh, ufunc_divide.h. */
#include "ufunc_divide.h"

#include "iterate.cuh"

template <class T> struct divide_by_number {
    typedef typename std::make_unsigned<T>::type U;
    typedef typename std::conditional<sizeof(T) == 4, int64_t, __int128>::type Wide;
    static constexpr int width = 8 * sizeof(T);
    T divisor, multiplier;
    int32_t shift;
    bool remainder;

    template <class> GA_METHOD T
    call(T x) const
    {
        U high = U(Wide(x) * multiplier >> width); /* multipliers of more than width - 1 bits come less 2^width */
        high += divisor > 0 && multiplier < 0 ? U(x) : divisor < 0 && multiplier > 0 ? U(0) - U(x) : U(0);
        T quotient = T(high) >> shift;
        quotient += T(U(quotient) >> (width - 1));
        T rest = T(U(x) - U(quotient) * U(divisor));
        bool below = (rest != 0) & ((rest < 0) != (divisor < 0)); /* a branch could not be predicted */
        return remainder ? T(U(rest) + (below ? U(divisor) : U(0))) : T(quotient - below);
    }
};

/* Quotient and rest of 2^p / by, for the next p. */
template <class U>
static void
double_quotient(U by, U *quotient, U *rest)
{
    bool over = *rest >= by - *rest;
    *quotient = U(2 * *quotient + over);
    *rest = U(2 * *rest - (over ? by : 0));
}

/* The multiplier and shift of a divisor of at least 2 in magnitude. */
template <class T>
static divide_by_number<T>
make_divisor(T divisor, bool remainder)
{
    typedef typename divide_by_number<T>::U U;
    const int width = 8 * sizeof(T);
    const U half = U(U(1) << (width - 1)), size = divisor < 0 ? U(0) - U(divisor) : U(divisor);
    const U bound = half + (divisor < 0), worst = bound - 1 - bound % size; /* the dividend with the largest error */
    U q1 = half / worst, r1 = half - q1 * worst, q2 = half / size, r2 = half - q2 * size;
    int p = width - 1;
    do {
        p++;
        double_quotient(worst, &q1, &r1);
        double_quotient(size, &q2, &r2);
    } while (q1 < size - r2 || (q1 == size - r2 && r1 == 0));
    return {divisor, T(divisor < 0 ? U(0) - (q2 + 1) : q2 + 1), p - width, remainder};
}

template <class T>
static T
number_of(const ga_ufunc_call *call)
{
    T number;
    memcpy(&number, &call->args[1].value, sizeof number);
    return number;
}

bool
ga_divide_fits(const ga_ufunc_call *call)
{
    enum ga_dtype dtype = call->in[0];
    const bool fits = dtype == GA_i64 || (dtype == GA_i32 && GA_BLOCK > 1); /* CPUs divide those in vectors */
    if ((call->op != GA_UF_floor_divide && call->op != GA_UF_remainder) || !fits ||
        call->in[1] != dtype || call->args[1].data || call->converts)
        return false;
    int64_t by = dtype == GA_i32 ? number_of<int32_t>(call) : number_of<int64_t>(call);
    return by < -1 || by > 1;
}

template <class T>
static int
run_typed(const ga_ufunc_call *call, ga_stream *stream)
{
    ga_ufunc_call one = *call;
    ga_map_plan plan;
    one.nin = 1;
    for (int k = 1; k < call->nout + call->has_where + 1; k++)
        one.args[k] = call->args[k + 1];
    ga_map_prepare(&one, &plan);
    return ga_map_launch<divide_by_number<T>, T, ga_none, T, ga_none>(
        plan, make_divisor(number_of<T>(call), call->op == GA_UF_remainder), stream);
}

int
ga_divide_run(const ga_ufunc_call *call, ga_stream *stream)
{
    return call->in[0] == GA_i32 ? run_typed<int32_t>(call, stream) : run_typed<int64_t>(call, stream);
}
