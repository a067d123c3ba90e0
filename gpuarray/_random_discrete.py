"""Distributions of one number an element, discrete ones: the methods that Generator and RandomState share.

Each is an operation of the kernels (kernels/random_discrete.cuh); parameters broadcast, and are judged by
_random_parameters.py and the kernels.
"""

import numpy

from gpuarray._random_drawing import Drawing

INT64 = numpy.dtype(numpy.int64)


class Discrete(Drawing):
    """Discrete distributions."""

    def binomial(self, n, p, size=None):
        """
        Binomial distribution: how many of n trials succeed.

        Parameters
        ----------
        n : int or array_like of ints
            Trials, not negative.
        p : float or array_like of floats
            Probability of a success, in [0, 1].
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of int64, or a scalar

        Notes
        -----
        For means below 10 BINV (V. Kachitvichyanukul, B. W. Schmeiser, CACM 31, 1988), else BTRS (W. Hörmann, "The
        generation of binomial random variates", J. Statist. Comput. Simul. 46, 1993).
        """
        return self._draw("binomial", (n, p), size, INT64)

    def geometric(self, p, size=None):
        """
        Geometric distribution: trials up to the first success.

        Parameters
        ----------
        p : float or array_like of floats
            Probability of a success, in (0, 1].
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of int64, or a scalar

        Notes
        -----
        By its quantile function. Numbers beyond int64 become its largest.
        """
        return self._draw("geometric", (p,), size, INT64)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """
        Hypergeometric distribution: good ones in a sample without replacement.

        Parameters
        ----------
        ngood, nbad : int or array_like of ints
            How many there are of either kind, not negative.
        nsample : int or array_like of ints
            How many are taken, at most all.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of int64, or a scalar

        Notes
        -----
        One by one for samples below 10, else HRUA (E. Stadlober, "The ratio of uniforms approach for generating
        discrete random variates", J. Comput. Appl. Math. 31, 1990).
        """
        return self._draw("hypergeometric", (ngood, nbad, nsample), size, INT64)

    def logseries(self, p, size=None):
        """
        Logarithmic series distribution.

        Parameters
        ----------
        p : float or array_like of floats
            In [0, 1).
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of int64, or a scalar

        Notes
        -----
        LK of A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", Applied
        Statistics 30 (1981).
        """
        return self._draw("logseries", (p,), size, INT64)

    def negative_binomial(self, n, p, size=None):
        """
        Negative binomial distribution: failures before n successes.

        Parameters
        ----------
        n : float or array_like of floats
            Successes, greater than 0.
        p : float or array_like of floats
            Probability of a success, in (0, 1].
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of int64, or a scalar

        Notes
        -----
        A Poisson number whose mean is a gamma number.
        """
        return self._draw("negative_binomial", (n, p), size, INT64)

    def poisson(self, lam=1.0, size=None):
        """
        Poisson distribution.

        Parameters
        ----------
        lam : float or array_like of floats, optional
            Mean, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of int64, or a scalar

        Notes
        -----
        Up the probabilities from 0 for means below 10, else PTRS (W. Hörmann, "The transformed rejection
        method for generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993).
        """
        return self._draw("poisson", (lam,), size, INT64)

    def zipf(self, a, size=None):
        """
        Zipf (zeta) distribution.

        Parameters
        ----------
        a : float or array_like of floats
            Exponent, greater than 1.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of int64, or a scalar

        Notes
        -----
        L. Devroye, "Non-uniform random variate generation", Springer 1986, X.6.1.
        """
        return self._draw("zipf", (a,), size, INT64)
