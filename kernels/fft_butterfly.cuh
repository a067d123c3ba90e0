/* Transforms of a few complex numbers in a thread's registers, e^(-2 pi i / n) in the exponent.
 *
 *   fft_butterfly<n>::run<step>(v)  of v[0], v[step], ..., in place, for n of 1, 2, 4, 8 and 16; number f of the result is
 *                                   at v[fft_butterfly<n>::place(f) * step]
 *   fft_turn<n>(v, step, w)         multiplies number f by w^f, of which w[b] is w^(2^b): three roundings at the most
 *
 * A conjugate transform is that of numbers whose parts have changed places, with the result's changed back. Included by CUDA
 * files only. Includes math_complex.cuh. */
#ifndef GA_FFT_BUTTERFLY_CUH
#define GA_FFT_BUTTERFLY_CUH

#include "math_complex.cuh"

template <class R>
GA_FN ga_complex<R>
fft_multiply(ga_complex<R> x, ga_complex<R> y)
{
    return {fma(x.re, y.re, -(x.im * y.im)), fma(x.re, y.im, x.im * y.re)};
}

/* Times -i. */
template <class R>
GA_FN ga_complex<R>
fft_quarter(ga_complex<R> x)
{
    return {x.im, -x.re};
}

template <class R>
GA_FN void
fft_two(ga_complex<R> &x, ga_complex<R> &y)
{
    ga_complex<R> sum = ga_add(x, y);
    y = ga_subtract(x, y);
    x = sum;
}

template <class R>
GA_FN void
fft_four(ga_complex<R> &x, ga_complex<R> &y, ga_complex<R> &z, ga_complex<R> &t)
{
    fft_two(x, z);
    fft_two(y, t);
    t = fft_quarter(t);
    fft_two(x, y);
    fft_two(z, t);
    ga_complex<R> second = z;
    z = y;
    y = second;
}

/* e^(-2 pi i k / 16); k is known when this is compiled. */
template <class R>
GA_FN ga_complex<R>
fft_root(int k)
{
    const R cosine[] = {R(1), R(0.92387953251128675613), R(0.70710678118654752440), R(0.38268343236508977173), R(0)};
    ga_complex<R> w = {cosine[k % 4], -cosine[4 - k % 4]};
    GA_UNROLL
    for (int i = 0; i < k / 4; i++)
        w = fft_quarter(w);
    return w;
}

template <int n> struct fft_butterfly;

template <> struct fft_butterfly<1> {
    template <int step, class R> GA_FN void run(ga_complex<R> *) {}
    static constexpr GA_MEMBER int place(int f) { return f; }
};

template <> struct fft_butterfly<2> {
    template <int step, class R> GA_FN void run(ga_complex<R> *v) { fft_two(v[0], v[step]); }
    static constexpr GA_MEMBER int place(int f) { return f; }
};

template <> struct fft_butterfly<4> {
    template <int step, class R>
    GA_FN void
    run(ga_complex<R> *v)
    {
        fft_four(v[0], v[step], v[2 * step], v[3 * step]);
    }
    static constexpr GA_MEMBER int place(int f) { return f; }
};

/* Fours of numbers n / 4 apart, turned, then transforms of n / 4 neighbours. */
template <int n> struct fft_butterfly {
    static constexpr int rest = n / 4;
    template <int step, class R>
    GA_FN void
    run(ga_complex<R> *v)
    {
        GA_UNROLL
        for (int i = 0; i < rest; i++)
            fft_four(v[i * step], v[(i + rest) * step], v[(i + 2 * rest) * step], v[(i + 3 * rest) * step]);
        GA_UNROLL
        for (int p = 0; p < 4; p++) {
            GA_UNROLL
            for (int i = 1; p > 0 && i < rest; i++)
                v[(p * rest + i) * step] = fft_multiply(v[(p * rest + i) * step], fft_root<R>(16 / n * i * p));
            fft_butterfly<rest>::template run<step>(v + p * rest * step);
        }
    }
    static constexpr GA_MEMBER int place(int f) { return f % 4 * rest + f / 4; }
};

template <int n, class R>
GA_FN void
fft_turn(ga_complex<R> *v, int step, const ga_complex<R> *w)
{
    ga_complex<R> power[n];
    GA_UNROLL
    for (int f = 1; f < n; f++) {
        int b = f >= 8 ? 3 : f >= 4 ? 2 : f >= 2 ? 1 : 0, rest = f - (1 << b);
        power[f] = rest == 0 ? w[b] : fft_multiply(w[b], power[rest]);
        int place = fft_butterfly<n>::place(f) * step;
        v[place] = fft_multiply(v[place], power[f]);
    }
}

#endif
