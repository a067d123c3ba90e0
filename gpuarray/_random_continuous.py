"""Distributions of one number an element, continuous ones: the methods that Generator and RandomState share.

Each is an operation of the kernels (kernels/random_continuous.cuh); parameters broadcast, and are judged by
_random_parameters.py and the kernels.
"""

from gpuarray._random_drawing import Drawing


class Continuous(Drawing):
    """Continuous distributions."""

    def beta(self, a, b, size=None):
        """
        Beta distribution, of numbers in [0, 1].

        Parameters
        ----------
        a, b : float or array_like of floats
            Shapes, greater than 0.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        From two gamma numbers, of which the logarithms are drawn, so that small shapes lose nothing.
        """
        return self._draw("beta", (a, b), size)

    def chisquare(self, df, size=None):
        """
        Chi-square distribution.

        Parameters
        ----------
        df : float or array_like of floats
            Degrees of freedom, greater than 0.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        Twice a gamma number of shape ``df / 2``.
        """
        return self._draw("chisquare", (df,), size)

    def exponential(self, scale=1.0, size=None):
        """
        Exponential distribution.

        Parameters
        ----------
        scale : float or array_like of floats, optional
            Mean, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        The logarithm of a uniform number of 64 bits.
        """
        return self._scaled("exponential", self._exponential, (scale,), size)

    def f(self, dfnum, dfden, size=None):
        """
        F distribution.

        Parameters
        ----------
        dfnum, dfden : float or array_like of floats
            Degrees of freedom, greater than 0.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        The quotient of two chi-square numbers.
        """
        return self._draw("f", (dfnum, dfden), size)

    def gamma(self, shape, scale=1.0, size=None):
        """
        Gamma distribution.

        Parameters
        ----------
        shape : float or array_like of floats
            Not negative.
        scale : float or array_like of floats, optional
            Not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).
        """
        return self._draw("gamma", (shape, scale), size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """
        Gumbel (extreme value) distribution.

        Parameters
        ----------
        loc : float or array_like of floats, optional
            Mode.
        scale : float or array_like of floats, optional
            Not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        By its quantile function.
        """
        return self._draw("gumbel", (loc, scale), size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """
        Laplace (double exponential) distribution.

        Parameters
        ----------
        loc : float or array_like of floats, optional
            Middle.
        scale : float or array_like of floats, optional
            Not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        An exponential number with a random sign.
        """
        return self._draw("laplace", (loc, scale), size)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """
        Logistic distribution.

        Parameters
        ----------
        loc : float or array_like of floats, optional
            Middle.
        scale : float or array_like of floats, optional
            Not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        By its quantile function.
        """
        return self._draw("logistic", (loc, scale), size)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """
        Log-normal distribution.

        Parameters
        ----------
        mean : float or array_like of floats, optional
            Mean of the logarithm.
        sigma : float or array_like of floats, optional
            Standard deviation of the logarithm, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        The exponential of a normal number.
        """
        return self._draw("lognormal", (mean, sigma), size)

    def noncentral_chisquare(self, df, nonc, size=None):
        """
        Noncentral chi-square distribution.

        Parameters
        ----------
        df : float or array_like of floats
            Degrees of freedom, greater than 0.
        nonc : float or array_like of floats
            Noncentrality, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        A chi-square number with a shifted degree of freedom, or with a Poisson number of degrees more.
        """
        return self._draw("noncentral_chisquare", (df, nonc), size)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """
        Noncentral F distribution.

        Parameters
        ----------
        dfnum, dfden : float or array_like of floats
            Degrees of freedom, greater than 0.
        nonc : float or array_like of floats
            Noncentrality of the numerator, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        The quotient of a noncentral and a central chi-square number.
        """
        return self._draw("noncentral_f", (dfnum, dfden, nonc), size)

    def pareto(self, a, size=None):
        """
        Pareto II (Lomax) distribution.

        Parameters
        ----------
        a : float or array_like of floats
            Shape, greater than 0.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        By its quantile function.
        """
        return self._draw("pareto", (a,), size)

    def power(self, a, size=None):
        """
        Power distribution on [0, 1], of density ``a * x**(a - 1)``.

        Parameters
        ----------
        a : float or array_like of floats
            Exponent, greater than 0.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        By its quantile function.
        """
        return self._draw("power", (a,), size)

    def rayleigh(self, scale=1.0, size=None):
        """
        Rayleigh distribution.

        Parameters
        ----------
        scale : float or array_like of floats, optional
            Mode, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        The root of an exponential number.
        """
        return self._draw("rayleigh", (scale,), size)

    def standard_t(self, df, size=None):
        """
        Student's t distribution.

        Parameters
        ----------
        df : float or array_like of floats
            Degrees of freedom, greater than 0.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        A normal number over the root of a gamma number.
        """
        return self._draw("standard_t", (df,), size)

    def triangular(self, left, mode, right, size=None):
        """
        Triangular distribution on [left, right].

        Parameters
        ----------
        left, mode, right : float or array_like of floats
            Limits, and where the density is largest.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        By its quantile function.
        """
        return self._draw("triangular", (left, mode, right), size)

    def vonmises(self, mu, kappa, size=None):
        """
        Von Mises distribution, of angles in [-pi, pi].

        Parameters
        ----------
        mu : float or array_like of floats
            Mode.
        kappa : float or array_like of floats
            Concentration, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        D. J. Best, N. I. Fisher, "Efficient simulation of the von Mises distribution", Applied Statistics 28
        (1979).
        """
        return self._draw("vonmises", (mu, kappa), size)

    def wald(self, mean, scale, size=None):
        """
        Wald (inverse Gaussian) distribution.

        Parameters
        ----------
        mean, scale : float or array_like of floats
            Greater than 0.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        J. R. Michael, W. R. Schucany, R. W. Haas, "Generating random variates using transformations with multiple
        roots", The American Statistician 30 (1976).
        """
        return self._draw("wald", (mean, scale), size)

    def weibull(self, a, size=None):
        """
        Weibull distribution of scale 1.

        Parameters
        ----------
        a : float or array_like of floats
            Shape, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        A power of an exponential number.
        """
        return self._draw("weibull", (a,), size)

    def standard_cauchy(self, size=None):
        """
        Standard Cauchy distribution.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; by default a scalar.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        The quotient of the coordinates of a random direction.
        """
        return self._draw("standard_cauchy", (), size, operation="cauchy")

    def uniform(self, low=0.0, high=1.0, size=None):
        """
        Uniform distribution on [low, high).

        Parameters
        ----------
        low, high : float or array_like of floats, optional
            Limits.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        ``low + (high - low) * random()``, as in NumPy.
        """
        return self._scaled("uniform", self._uniform, (low, high), size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """
        Normal (Gaussian) distribution.

        Parameters
        ----------
        loc : float or array_like of floats, optional
            Mean.
        scale : float or array_like of floats, optional
            Standard deviation, not negative.
        size : int or tuple of ints, optional
            Shape of the result; by default that of the parameters.

        Returns
        -------
        ndarray of float64, or a scalar

        Notes
        -----
        G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", Ann. Math. Statist. 29
        (1958), with a radius of 64 bits: the tails reach 9.4 standard deviations.
        """
        return self._scaled("normal", self._normal, (loc, scale), size)
