"""Distributions of vectors: multinomial, multivariate_hypergeometric, dirichlet, multivariate_normal.

Counts are drawn category after category by a kernel, a thread a row. The parameters that give all rows their law
(a covariance matrix, colours) are small and belong on the host, where NumPy checks them.
"""

import numpy

from gpuarray._core import asarray, asnumpy, exp, ndarray
from gpuarray._random_drawing import Drawing
from gpuarray._random_parameters import (
    count_elements,
    find_device,
    find_judge,
    fit_size,
    read_shape,
)
from gpuarray._shape import broadcast_to

INT64 = numpy.dtype(numpy.int64)


def on_host(value):
    return asnumpy(value) if isinstance(value, ndarray) else value


class Multivariate(Drawing):
    """Distributions of vectors."""

    def _rows(self, operation, shape, first, second, device):
        """A row of counts for each element of `shape`."""
        columns = second.shape[-1]
        source = self._stream.places(count_elements(shape))
        operands = (first, second)
        return self._run(operation, source, (*shape, columns), INT64, operands, device=device)

    def _multinomial(self, n, pvals, size):
        device = find_device(self._device, (n, pvals))
        n, pvals = numpy.asarray(on_host(n)), on_host(pvals)
        batch = numpy.broadcast_shapes(n.shape, numpy.shape(pvals)[:-1])
        find_judge(self._kind).multinomial(n if n.ndim else n[()], pvals, size=(0, *batch))
        pvals = numpy.asarray(pvals, dtype=numpy.float64)
        shape = fit_size(size, batch)
        trials = float(n) if n.ndim == 0 else spread(n, shape, device)
        weights = (
            asarray(pvals, device=device)
            if pvals.ndim == 1
            else spread(pvals, (*shape, pvals.shape[-1]), device)
        )
        return self._rows("multinomial", shape, trials, weights, device)

    def _dirichlet(self, alpha, size):
        device = find_device(self._device, (alpha,))
        alpha = on_host(alpha)
        find_judge(self._kind).dirichlet(alpha, size=0)
        alpha = numpy.asarray(alpha, dtype=numpy.float64)
        shape = (*(read_shape(size) or ()), alpha.size)
        operand = broadcast_to(asarray(alpha, device=device), shape)
        source = self._stream.places(count_elements(shape))
        result = self._run("log_gamma", source, shape, "f8", (operand,), device=device)
        if result.size == 0:
            return result
        result -= result.max(axis=-1, keepdims=True)
        exp(result, out=result)
        result /= result.sum(axis=-1, keepdims=True)
        return result

    def _multivariate_normal(self, mean, cov, size, method, **checks):
        device = find_device(self._device, (mean, cov))
        mean, cov = on_host(mean), on_host(cov)
        if method is not None:
            checks["method"] = method
        find_judge(self._kind).multivariate_normal(mean, cov, size=0, **checks)
        mean = numpy.asarray(mean, dtype=numpy.float64)
        factor = asarray(
            find_factor(numpy.asarray(cov, dtype=numpy.float64), method), device=device
        )
        shape = (*(read_shape(size) or ()), mean.size)
        drawn = self._normal(shape, device=device)
        return drawn @ factor + asarray(mean, device=device)


def spread(array, shape, device):
    """A host array on the device, with `shape`, contiguous, float64."""
    return broadcast_to(asarray(array, dtype=numpy.float64, device=device), shape).copy("C")


def find_factor(cov, method):
    """A matrix f with f.T @ f == cov."""
    if method == "cholesky":
        return numpy.linalg.cholesky(cov).T
    if method == "eigh":
        values, vectors = numpy.linalg.eigh(cov)
        return (vectors * numpy.sqrt(numpy.abs(values))).T
    values, vectors = numpy.linalg.svd(cov)[1:]
    return numpy.sqrt(values)[:, None] * vectors


class ModernMultivariate(Multivariate):
    """Distributions of vectors as Generator has them."""

    def multinomial(self, n, pvals, size=None):
        """
        Multinomial distribution: how often each category comes up in n trials.

        Parameters
        ----------
        n : int or array_like of ints
            Trials.
        pvals : array_like of floats
            Probabilities of the categories, along the last axis.
        size : int or tuple of ints, optional
            Shape of the result without the last axis; by default that of the parameters.

        Returns
        -------
        ndarray of int64

        Notes
        -----
        Category after category, binomial numbers of the trials that are left.
        """
        return self._multinomial(n, pvals, size)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """
        Multivariate hypergeometric distribution: colours in a sample without replacement.

        Parameters
        ----------
        colors : array_like of ints
            How many there are of each colour.
        nsample : int
            How many are taken.
        size : int or tuple of ints, optional
            Shape of the result without the last axis.
        method : {"count", "marginals"}, optional
            NumPy's; both are computed by marginals here: colour after colour, hypergeometric numbers.

        Returns
        -------
        ndarray of int64
        """
        device = find_device(self._device, (colors,))
        colors = on_host(colors)
        find_judge(self._kind).multivariate_hypergeometric(colors, nsample, 0, method)
        weights = asarray(numpy.asarray(colors, dtype=numpy.float64), device=device)
        shape = read_shape(size) or ()
        return self._rows("multivariate_hypergeometric", shape, float(nsample), weights, device)

    def dirichlet(self, alpha, size=None):
        """
        Dirichlet distribution: weights that add up to 1.

        Parameters
        ----------
        alpha : sequence of floats
            Shapes, greater than 0.
        size : int or tuple of ints, optional
            Shape of the result without the last axis.

        Returns
        -------
        ndarray of float64

        Notes
        -----
        Gamma numbers over their sum, by their logarithms, so that small shapes lose nothing.
        """
        return self._dirichlet(alpha, size)

    def multivariate_normal(
        self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"
    ):
        """
        Multivariate normal distribution.

        Parameters
        ----------
        mean : array_like of floats
            Mean, a vector.
        cov : array_like of floats
            Covariance matrix.
        size : int or tuple of ints, optional
            Shape of the result without the last axis.
        check_valid : {"warn", "raise", "ignore"}, optional
            What happens when the matrix is not positive semidefinite.
        tol : float, optional
            Tolerance of that check.
        method : {"svd", "eigh", "cholesky"}, optional
            How the matrix is factored, on the host.

        Returns
        -------
        ndarray of float64
        """
        return self._multivariate_normal(mean, cov, size, method, check_valid=check_valid, tol=tol)
