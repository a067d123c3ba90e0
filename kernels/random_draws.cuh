/* The stream of one element: as many draws as a rejection method wants, all from the element's own
 * place.
 *
 * Draw after draw takes the next block of the place (`again` of philox.cuh), of which 128 bits are
 * used, two words of 64. So a rejection more or less in one element moves no other. Owns ga_draws
 * and the draws that distributions are made of:
 *     word()      64 random bits            unit()         in (0, 1), both ends excluded
 *     positive()  in (0, 1], fine near 0
 *     normal(), gamma(shape), log_gamma(shape), poisson(mean)
 * Includes random_normal.cuh. */
#pragma once
#include "random_normal.cuh"

struct ga_draws {
    const ga_random_source *source;
    uint64_t place, again;
    uint64_t spare;
    double spare_normal;
    bool has_spare, has_normal;
};

GA_FN ga_draws
ga_draws_at(const ga_random_source *source, int64_t place)
{
    return {source, uint64_t(place), 0, 0, 0, false, false};
}

/* The next two words. */
GA_FN_CALL ga_pair<uint64_t, uint64_t>
ga_draws_pair(ga_draws *d)
{
    uint32_t w[ga_philox64::words];
    if (d->source->wide)
        ga_philox64::block(*d->source, d->place, d->again, w);
    else
        ga_philox32::block(*d->source, d->place, d->again, w);
    d->again++;
    return {ga_random_word64(w), ga_random_word64(w + 2)};
}

GA_FN uint64_t
ga_draws_word(ga_draws *d)
{
    d->has_spare = !d->has_spare;
    if (!d->has_spare)
        return d->spare;
    ga_pair<uint64_t, uint64_t> pair = ga_draws_pair(d);
    d->spare = pair.second;
    return pair.first;
}

/* (k + 1/2) 2^-52 of the first 52 bits, k. */
GA_FN double
ga_random_open_unit(uint64_t word)
{
    return ga_bits<double>(word >> 12 | 0x3ff0000000000000u) - (1 - 0x1p-53);
}

GA_FN double
ga_draws_unit(ga_draws *d)
{
    return ga_random_open_unit(ga_draws_word(d));
}

/* Rejection methods whose every try takes two words are structs of what follows from their parameters, which threads
 * that draw many numbers prepare once; their attempt() says whether a try gives a number. Here one number, tried until
 * then. */
template <class Trial>
GA_FN double
ga_draws_tried(ga_draws *d, const Trial &trial)
{
    double x;
    GA_ROLLED
    while (!trial.attempt(ga_draws_pair(d), &x))
        continue;
    return x;
}

GA_FN double
ga_draws_positive(ga_draws *d)
{
    return ga_random_positive(ga_draws_word(d));
}

/* They come in pairs. */
GA_FN_CALL double
ga_draws_normal(ga_draws *d)
{
    d->has_normal = !d->has_normal;
    if (!d->has_normal)
        return d->spare_normal;
    ga_pair<uint64_t, uint64_t> words = ga_draws_pair(d);
    ga_pair<double, double> normals = ga_random_normals(words.first, words.second);
    d->spare_normal = normals.second;
    return normals.first;
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for shapes of at
 * least 1: what follows from the shape, and what one try makes of a normal and a uniform number, -1
 * where it refuses. */
struct ga_gamma_constants {
    double b, c;
};

GA_FN ga_gamma_constants
ga_gamma_prepare(double shape)
{
    double b = shape - 1.0 / 3;
    return {b, 1 / sqrt(9 * b)};
}

GA_FN double
ga_gamma_try(const ga_gamma_constants &k, const ga_random_series &series, double normal, double unit)
{
    double root = ga_random_fused(k.c, normal, 1.0), square = normal * normal, v = root * root * root;
    if (root <= 0)
        return -1;
    if (unit >= 1 - 0.0331 * square * square &&
        ga_random_log_normal(unit, series) >= 0.5 * square + k.b * (1 - v + ga_random_log_normal(v, series)))
        return -1;
    return k.b * v;
}

GA_FN_CALL double
ga_draws_large_gamma(ga_draws *d, double shape)
{
    ga_gamma_constants k = ga_gamma_prepare(shape);
    GA_ROLLED
    for (;;) {
        double normal = ga_draws_normal(d);
        double x = ga_gamma_try(k, ga_random_known_series(), normal, ga_draws_positive(d));
        if (x >= 0)
            return x;
    }
}

/* A gamma number as the product of two, of which the second is 1 or a power of a uniform number:
 * shapes below 1 are those of shape + 1 times it. Small shapes make it smaller than doubles are,
 * so its logarithm is at hand. */
struct ga_gamma_parts {
    double large, log_power;
};

GA_FN ga_gamma_parts
ga_draws_gamma_parts(ga_draws *d, double shape)
{
    double large = ga_draws_large_gamma(d, shape < 1 ? shape + 1 : shape);
    return {large, shape < 1 ? ga_random_log(ga_draws_positive(d)) / shape : 0};
}

GA_FN double
ga_draws_log_gamma(ga_draws *d, double shape)
{
    if (!(shape > 0))
        return shape == 0 ? -ga_infinity<double> : ga_nan<double>;
    ga_gamma_parts parts = ga_draws_gamma_parts(d, shape);
    return ga_random_log(parts.large) + parts.log_power;
}

GA_FN_CALL double
ga_draws_gamma(ga_draws *d, double shape)
{
    if (!(shape > 0) || shape == ga_infinity<double>)
        return shape;
    ga_gamma_parts parts = ga_draws_gamma_parts(d, shape);
    return shape < 1 ? parts.large * ga_random_exp(parts.log_power) : parts.large;
}

/* log(k!) for whole k >= 0, Stirling's series; small ones are moved up to where it holds. */
GA_FN_CALL double
ga_log_factorial(double k)
{
    double x = k + 1, product = 1;
    GA_ROLLED
    while (x < 10)
        product *= x++;
    double r = 1 / (x * x);
    double series = 1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)));
    double half_log_2pi = 0.91893853320467274178, sum = (x - 0.5) * ga_random_log(x) - x + half_log_2pi + series / x;
    return product == 1 ? sum : sum - ga_random_log(product);
}

/* By products of uniform numbers. */
GA_FN double
ga_draws_small_poisson(ga_draws *d, double mean)
{
    double limit = ga_random_exp(-mean), product = ga_draws_unit(d);
    int count = 0;
    GA_ROLLED
    for (; product > limit; count++)
        product *= ga_draws_unit(d);
    return count;
}

/* PTRS of Hörmann, "The transformed rejection method for generating Poisson random variables"
 * (1993), for means of at least 10: the hat under which tries are made. Most of them need no more to be taken. */
struct ga_poisson_hat {
    double mean, a, b, v_r;

    /* What a try gives, and 1 where it is taken, -1 where it is not, 0 where the logarithms decide. */
    GA_METHOD int
    attempt(ga_pair<uint64_t, uint64_t> words, double *k, double *slope) const
    {
        double u = ga_random_open_unit(words.first) - 0.5, v = ga_random_open_unit(words.second);
        double us = 0.5 - fabs(u), r = 1 / us;
        *k = floor((2 * a * r + b) * u + mean + 0.43);
        *slope = a * r * r + b;
        if (us >= 0.07 && v <= v_r)
            return 1;
        return *k < 0 || (us < 0.013 && v > us) ? -1 : 0;
    }
};

GA_FN ga_poisson_hat
ga_poisson_cover(double mean)
{
    double b = 0.931 + 2.53 * sqrt(mean);
    return {mean, -0.059 + 0.02483 * b, b, 0.9277 - 3.6224 / (b - 2)};
}

struct ga_poisson_trial {
    ga_poisson_hat hat;
    double log_mean, inverse_alpha;

    GA_METHOD bool
    attempt(ga_pair<uint64_t, uint64_t> words, double *k) const
    {
        double slope, v = ga_random_open_unit(words.second);
        int taken = hat.attempt(words, k, &slope);
        if (taken)
            return taken > 0;
        return ga_random_log(v * inverse_alpha / slope) <= *k * log_mean - hat.mean - ga_log_factorial(*k);
    }
};

GA_FN ga_poisson_trial
ga_poisson_prepare(double mean)
{
    ga_poisson_hat hat = ga_poisson_cover(mean);
    return {hat, ga_random_log(mean), 1.1239 + 1.1328 / (hat.b - 3.4)};
}

/* A whole number, as a double: its callers may need more than int64 holds. */
GA_FN_CALL double
ga_draws_poisson(ga_draws *d, double mean)
{
    if (!(mean > 0))
        return 0;
    if (mean > 0x1p64)
        return mean;
    return mean < 10 ? ga_draws_small_poisson(d, mean) : ga_draws_tried(d, ga_poisson_prepare(mean));
}
