/* Beta numbers. Owns ga_draw_beta and ga_beta_trial, a rejection method of two words a try. Includes random_draws.cuh. */
#pragma once
#include "random_draws.cuh"

/* Cheng, "Generating beta variates with nonintegral shape parameters" (1978): BB where both parameters are above 1,
 * else BC, which steps aside from its logarithms where it can. `near` is the lesser parameter in BB and the greater in
 * BC, `far` the other one. */
struct ga_beta_trial {
    double near, far, sum, scale, k1, k2;
    bool small, swapped; /* one is at most 1; `near` is b */

    /* BB: most are taken without a logarithm more. */
    GA_METHOD bool
    accepts_large(double z, double v, double w) const
    {
        double r = k1 * v - 1.3862943611198906, s = near + r - w;
        if (s + 2.6094379124341003 >= 5 * z)
            return true;
        double t = ga_random_log(z);
        return s >= t || r + sum * ga_random_log(sum / (far + w)) >= t;
    }

    /* 1 to take, -1 to refuse, 0 where the logarithm tells. */
    GA_METHOD int
    judge_small(double u, double second, double z) const
    {
        if (u < 0.5)
            return 0.25 * second + z - u * second >= k1 ? -1 : 0;
        return z <= 0.25 ? 1 : z >= k2 ? -1 : 0;
    }

    GA_METHOD bool
    attempt(ga_pair<uint64_t, uint64_t> words, double *x) const
    {
        double u = ga_random_open_unit(words.first), second = ga_random_open_unit(words.second), z = u * u * second;
        int known = small ? judge_small(u, second, z) : 0;
        if (known < 0)
            return false;
        double v = scale * ga_random_log(u / (1 - u)), w = near * ga_random_exp(v);
        if (small && known == 0 && sum * (ga_random_log(sum / (far + w)) + v) - 1.3862943611198906 < ga_random_log(z))
            return false;
        if (!small && !accepts_large(z, v, w))
            return false;
        *x = (swapped ? far : w) / (far + w);
        return true;
    }
};

GA_FN ga_beta_trial
ga_beta_prepare(double a, double b)
{
    double least = a < b ? a : b, most = a < b ? b : a, sum = a + b;
    if (least > 1) {
        double scale = sqrt((sum - 2) / (2 * a * b - sum));
        return {least, most, sum, scale, least + 1 / scale, 0, false, least != a};
    }
    double scale = 1 / least, apart = 1 + most - least;
    double k1 = apart * (1.0 / 72 + least / 24) / (most * scale - 7.0 / 9);
    return {most, least, sum, scale, k1, 0.25 + (0.5 + 0.25 / apart) * least, true, most != a};
}

/* Where its exponents and differences are harmless. */
GA_FN bool
ga_beta_is_tried(double a, double b)
{
    return a >= 0.125 && b >= 0.125 && a <= 1e6 && b <= 1e6;
}

/* Else from two gamma numbers, by their logarithms, which do not vanish together. */
GA_FN_CALL double
ga_draw_beta(ga_draws *d, double a, double b)
{
    if (ga_beta_is_tried(a, b))
        return ga_draws_tried(d, ga_beta_prepare(a, b));
    double first = ga_draws_log_gamma(d, a), second = ga_draws_log_gamma(d, b);
    return 1 / (1 + ga_random_exp(second - first));
}
