/* Discrete distributions: one int64 from an element's draws and its parameters, which are doubles. Those that one block
 * of random bits is enough for are in random_single.cu, Poisson's in random_poisson.cu.
 *
 * Numbers beyond int64 become its largest. Includes random_draws.cuh. */
#pragma once
#include "random_draws.cuh"

GA_FN int64_t
ga_draw_whole(double x)
{
    return x < 0x1p63 ? int64_t(x) : INT64_MAX;
}

/* ---- binomial, for p of at most a half ---- */

/* Kachitvichyanukul and Schmeiser's BINV (1988), for means below 10: goes up the probabilities
 * from 0. */
GA_FN double
ga_draw_small_binomial(ga_draws *d, double n, double p)
{
    double q = 1 - p, none = ga_random_exp(n * ga_random_log1p(-p));
    double mean = n * p, bound = mean + 10 * sqrt(mean * q + 1);
    bound = bound < n ? bound : n;
    GA_ROLLED
    for (;;) {
        double k = 0, here = none, u = ga_draws_unit(d);
        GA_ROLLED
        for (; u > here && k <= bound; k++) {
            u -= here;
            here *= (n - k) * p / ((k + 1) * q);
        }
        if (k <= bound)
            return k;
    }
}

/* BTRS of Hörmann, "The generation of binomial random variates" (1993). */
GA_FN double
ga_draw_large_binomial(ga_draws *d, double n, double p)
{
    double q = 1 - p, spread = sqrt(n * p * q), b = 1.15 + 2.53 * spread;
    double a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5, alpha = (2.83 + 5.1 / b) * spread;
    double v_r = 0.92 - 4.2 / b, log_odds = ga_random_log(p / q), m = floor((n + 1) * p);
    double top = ga_log_factorial(m) + ga_log_factorial(n - m);
    GA_ROLLED
    for (;;) {
        double u = ga_draws_unit(d) - 0.5, v = ga_draws_unit(d), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + c);
        if (us >= 0.07 && v <= v_r)
            return k;
        if (k < 0 || k > n)
            continue;
        v = ga_random_log(v * alpha / (a / (us * us) + b));
        if (v <= top - ga_log_factorial(k) - ga_log_factorial(n - k) + (k - m) * log_odds)
            return k;
    }
}

GA_FN_CALL double
ga_draw_binomial(ga_draws *d, double n, double p)
{
    n = floor(n);
    if (!(n > 0) || !(p > 0))
        return 0;
    double rare = p <= 0.5 ? p : 1 - p, k = 0;
    if (rare > 0)
        k = n * rare < 10 ? ga_draw_small_binomial(d, n, rare) : ga_draw_large_binomial(d, n, rare);
    return p <= 0.5 ? k : n - k;
}

/* ---- hypergeometric: the good ones among `sample` drawn of good + bad ---- */

/* One draw after the other. */
GA_FN double
ga_draw_small_hypergeometric(ga_draws *d, double good, double bad, double sample)
{
    double left = good, total = good + bad;
    GA_ROLLED
    for (double i = 0; i < sample && left > 0; i++)
        if (ga_draws_unit(d) * (total - i) < left)
            left--;
    return good - left;
}

/* -log of the probability of k, up to a constant, of `sample` drawn from a minority and the
 * others. */
GA_FN_CALL double
ga_hypergeometric_weight(double k, double minority, double majority, double sample)
{
    return ga_log_factorial(k) + ga_log_factorial(minority - k) + ga_log_factorial(sample - k) +
           ga_log_factorial(majority - sample + k);
}

/* HRUA of Stadlober, "The ratio of uniforms approach for generating discrete random variates"
 * (1990): k of the minority, for samples of at most half. */
GA_FN double
ga_draw_large_hypergeometric(ga_draws *d, double minority, double majority, double sample)
{
    double total = minority + majority, p = minority / total, center = sample * p + 0.5;
    double spread =
        sqrt((total - sample) * sample * p * (1 - p) / (total - 1) + 0.5);
    double width = 1.7155277699214135 * spread + 0.8989161620588988;
    double mode = floor((sample + 1) * (minority + 1) / (total + 2));
    double least = ga_hypergeometric_weight(mode, minority, majority, sample);
    double most = sample < minority ? sample : minority, limit = floor(center + 16 * spread);
    limit = limit < most + 1 ? limit : most + 1;
    GA_ROLLED
    for (;;) {
        double u = ga_draws_unit(d), v = ga_draws_unit(d), x = center + width * (v - 0.5) / u;
        if (!(x >= 0 && x < limit))
            continue;
        double k = floor(x);
        if (2 * ga_random_log(u) <= least - ga_hypergeometric_weight(k, minority, majority, sample))
            return k;
    }
}

/* Symmetries bring any case to a sample of at most half, and a minority. */
GA_FN_CALL double
ga_draw_hypergeometric(ga_draws *d, double good, double bad, double sample)
{
    double total = good + bad;
    if (!(good > 0 && sample > 0))
        return 0;
    if (!(bad > 0))
        return sample;
    bool most = sample > total / 2;
    double taken = most ? total - sample : sample, k;
    if (taken < 10)
        k = ga_draw_small_hypergeometric(d, good, bad, taken);
    else if (good <= bad)
        k = ga_draw_large_hypergeometric(d, good, bad, taken);
    else
        k = taken - ga_draw_large_hypergeometric(d, bad, good, taken);
    return most ? good - k : k;
}

/* ---- the others ---- */

/* Devroye, "Non-uniform random variate generation" (1986), X.6.1, with the tail beyond int64 cut
 * off. */
struct ga_zipf_trial {
    double s, power, excess, least; /* a - 1, -1 / s, 2^s - 1, and the power that 2^63 has */

    GA_METHOD bool
    attempt(ga_pair<uint64_t, uint64_t> words, double *x) const
    {
        double part = ga_random_open_unit(words.first), v = ga_random_open_unit(words.second);
        *x = floor(ga_random_power(part * least + (1 - part), power));
        if (!(*x >= 1 && *x < 0x1p63))
            return false;
        double t = ga_random_expm1(s * ga_random_log1p(1 / *x)); /* (1 + 1 / x)^s - 1 */
        return v * *x * t * (excess + 1) <= (t + 1) * excess;
    }
};

GA_FN ga_zipf_trial
ga_zipf_prepare(double a)
{
    double s = a - 1;
    return {s, -1 / s, ga_random_expm1(s * GA_LN2), ga_random_power(0x1p63, -s)};
}

/* low + [0, width), or all 64 bits where width is 0: Lemire's, as random_kinds.cuh has it. */
GA_FN uint64_t
ga_draw_integer(ga_draws *d, uint64_t low, uint64_t width)
{
    if (width == 0)
        return low + ga_draws_word(d);
    uint64_t threshold = (0 - width) % width;
    ga_uint128 product;
    do
        product = ga_uint128(ga_draws_word(d)) * width;
    while (uint64_t(product) < threshold);
    return low + uint64_t(product >> 64);
}

/* The largest or smallest int64 where a parameter is NaN: no rejection ends with one. */
GA_FN int64_t
ga_draw_discrete(enum ga_random_op op, ga_draws *d, double a, double b, double c)
{
    if (op == GA_RANDOM_each_integer)
        return int64_t(ga_draw_integer(d, ga_bits<uint64_t>(a), ga_bits<uint64_t>(b)));
    if (a != a || b != b || c != c)
        return INT64_MIN;
    switch (op) {
    case GA_RANDOM_binomial:
        return ga_draw_whole(ga_draw_binomial(d, a, b));
    case GA_RANDOM_negative_binomial:
        return ga_draw_whole(ga_draws_poisson(d, ga_draws_gamma(d, a) * ((1 - b) / b)));
    default:
        return ga_draw_whole(ga_draw_hypergeometric(d, a, b, c));
    }
}
