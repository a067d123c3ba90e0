/* Continuous distributions: one number in double from an element's draws and its parameters.
 *
 * They are ratios of gamma and normal numbers, or rejection methods named where they stand; those that one block of
 * random bits is enough for are in random_single.cu. Includes random_beta.cuh. */
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

/* Where it is not tried. */
GA_FN_CALL double
ga_draw_vonmises(ga_draws *d, double mu, double kappa)
{
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
    default:
        return ga_draw_wald(d, a, b);
    }
}
