/* Continuous distributions: one number in double from an element's draws and its parameters.
 *
 * Where a distribution has a closed quantile function of an exponential or uniform number it is
 * that; the others are ratios of gamma and normal numbers, or rejection methods named where they
 * stand. Includes random_beta.cuh. */
#pragma once
#include "random_beta.cuh"

GA_FN double
ga_draw_chisquare(ga_draws *d, double df)
{
    return 2 * ga_draws_gamma(d, df / 2);
}

/* With more than one degree of freedom one of them takes the shift, else a Poisson number of
 * degrees is added. */
GA_FN_CALL double
ga_draw_noncentral_chisquare(ga_draws *d, double df, double shift)
{
    if (shift == 0)
        return ga_draw_chisquare(d, df);
    if (df > 1) {
        double z = ga_draws_normal(d) + sqrt(shift);
        return ga_draw_chisquare(d, df - 1) + z * z;
    }
    return ga_draw_chisquare(d, df + 2 * ga_draws_poisson(d, shift / 2));
}

/* Bailey, "Polar generation of random variates with the t-distribution" (1994): as Box and Muller's normal numbers,
 * with another radius. */
GA_FN double
ga_draw_standard_t(ga_draws *d, double df)
{
    double radius = sqrt(df * ga_random_expm1(2 / df * ga_draws_exponential(d)));
    return radius * ga_random_direction(ga_draws_word(d)).second;
}

GA_FN double
ga_draw_laplace(ga_draws *d, double loc, double scale)
{
    uint64_t word = ga_draws_word(d);
    double distance = -scale * ga_random_log(ga_random_positive(word << 1));
    return word >> 63 ? loc - distance : loc + distance;
}

GA_FN double
ga_draw_logistic(ga_draws *d, double loc, double scale)
{
    double u = ga_draws_unit(d);
    return loc + scale * ga_random_log(u / (1 - u));
}

GA_FN double
ga_draw_triangular(ga_draws *d, double left, double mode, double right)
{
    double base = right - left, rising = mode - left, u = ga_draws_unit(d);
    if (u <= rising / base)
        return left + sqrt(u * (rising * base));
    return right - sqrt((1 - u) * ((right - mode) * base));
}

/* To within half a turn of 0. */
GA_FN_CALL double
ga_wrap_angle(double angle)
{
    if (fabs(angle) <= GA_PI)
        return angle;
    double wrapped = fmod(fabs(angle) + GA_PI, 2 * GA_PI) - GA_PI;
    return angle < 0 ? -wrapped : wrapped;
}

/* Best and Fisher, "Efficient simulation of the von Mises distribution" (1979); their (1 + rho^2) / (2 rho) is `s`.
 * The angle has the sign of the sine beside the cosine that is tried. */
struct ga_mises_trial {
    double mu, kappa, s;

    GA_METHOD bool
    attempt(ga_pair<uint64_t, uint64_t> words, double *x) const
    {
        ga_pair<double, double> at = ga_random_direction(words.first);
        double w = (1 + s * at.second) / (s + at.second), y = kappa * (s - w), v = ga_random_open_unit(words.second);
        if (y * (2 - y) < v && ga_random_log(y / v) + 1 - y < 0)
            return false;
        double angle = ga_random_arccos(w > 1 ? 1 : w < -1 ? -1 : w);
        *x = ga_wrap_angle(mu + (at.first < 0 ? -angle : angle));
        return true;
    }
};

GA_FN ga_mises_trial
ga_mises_prepare(double mu, double kappa)
{
    return {mu, kappa, (1 + sqrt(1 + 4 * kappa * kappa)) / (2 * kappa)};
}

/* Where it is neither nearly uniform nor nearly normal. */
GA_FN bool
ga_mises_is_tried(double kappa)
{
    return kappa >= 1e-8 && kappa <= 1e6;
}

GA_FN_CALL double
ga_draw_vonmises(ga_draws *d, double mu, double kappa)
{
    if (ga_mises_is_tried(kappa))
        return ga_draws_tried(d, ga_mises_prepare(mu, kappa));
    if (kappa < 1e-8)
        return GA_PI * (2 * ga_draws_unit(d) - 1);
    return ga_wrap_angle(mu + ga_draws_normal(d) / sqrt(kappa));
}

/* Michael, Schucany and Haas, "Generating random variates using transformations with multiple
 * roots" (1976). The smaller root is written so that nothing cancels. */
GA_FN_CALL double
ga_draw_wald(ga_draws *d, double mean, double scale)
{
    double z = ga_draws_normal(d), y = mean * z * z;
    double x = 2 * mean * scale / (y + sqrt(y * (4 * scale + y)) + 2 * scale);
    return ga_draws_unit(d) <= mean / (mean + x) ? x : mean * (mean / x);
}

/* Distributions of an exponential or normal number alone. */
GA_FN_CALL double
ga_draw_transformed(enum ga_random_op op, ga_draws *d, double a, double b)
{
    switch (op) {
    case GA_RANDOM_gumbel:
        return a - b * ga_random_log(ga_draws_exponential(d));
    case GA_RANDOM_lognormal:
        return ga_random_exp(a + b * ga_draws_normal(d));
    case GA_RANDOM_pareto:
        return ga_random_expm1(ga_draws_exponential(d) / a);
    case GA_RANDOM_power:
        return ga_random_power(-ga_random_expm1(-ga_draws_exponential(d)), 1 / a);
    case GA_RANDOM_rayleigh:
        return a * sqrt(2 * ga_draws_exponential(d));
    default: /* weibull */
        return a == 0 ? 0 : ga_random_power(ga_draws_exponential(d), 1 / a);
    }
}

GA_FN double
ga_draw_cauchy(ga_draws *d)
{
    ga_pair<double, double> at = ga_random_direction(ga_draws_word(d));
    return at.first / at.second;
}

/* NaN where a parameter is: no rejection ends with one. */
GA_FN double
ga_draw_continuous(enum ga_random_op op, ga_draws *d, double a, double b, double c)
{
    if (a != a || b != b || c != c)
        return ga_nan<double>;
    switch (op) {
    case GA_RANDOM_gamma:
        return b * ga_draws_gamma(d, a);
    case GA_RANDOM_log_gamma:
        return ga_draws_log_gamma(d, a);
    case GA_RANDOM_beta:
        return ga_draw_beta(d, a, b);
    case GA_RANDOM_chisquare:
        return ga_draw_chisquare(d, a);
    case GA_RANDOM_f: {
        double above = ga_draw_chisquare(d, a);
        return above * b / (ga_draw_chisquare(d, b) * a);
    }
    case GA_RANDOM_noncentral_chisquare:
        return ga_draw_noncentral_chisquare(d, a, b);
    case GA_RANDOM_noncentral_f: {
        double above = ga_draw_noncentral_chisquare(d, a, c);
        return above * b / (ga_draw_chisquare(d, b) * a);
    }
    case GA_RANDOM_standard_t:
        return ga_draw_standard_t(d, a);
    case GA_RANDOM_laplace:
        return ga_draw_laplace(d, a, b);
    case GA_RANDOM_logistic:
        return ga_draw_logistic(d, a, b);
    case GA_RANDOM_cauchy:
        return ga_draw_cauchy(d);
    case GA_RANDOM_triangular:
        return ga_draw_triangular(d, a, b, c);
    case GA_RANDOM_vonmises:
        return ga_draw_vonmises(d, a, b);
    case GA_RANDOM_wald:
        return ga_draw_wald(d, a, b);
    default:
        return ga_draw_transformed(op, d, a, b);
    }
}
