"""Covariances and correlation coefficients: matrix products of deviations from the mean."""

import warnings

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._chains import chained, maximum, minimum, rint, sqrt
from gpuarray._core import array, asarray, concatenate, dot, ndarray, zeros
from gpuarray._dtypes import result_type
from gpuarray._fallback import on_host_if_unheld
from gpuarray._reductions import average_weighted

__all__ = ["corrcoef", "cov"]


def take_variables(m, y, rowvar, dtype):
    """The variables of both arrays as rows of a new matrix."""
    device = next((each.device for each in (m, y) if isinstance(each, ndarray)), None)
    parts = {
        name: asarray(each, device=device)
        for name, each in (("m", m), ("y", y))
        if each is not None
    }
    for name, each in parts.items():
        if each.ndim > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    if dtype is None:
        dtype = result_type(*parts.values(), numpy.float64)
    rows = array(parts["m"], ndmin=2, copy=None)
    if not rowvar and parts["m"].ndim != 1:
        rows = rows.T
    if y is None or rows.shape[0] == 0:
        return rows.astype(dtype)
    more = array(parts["y"], ndmin=2, copy=None)
    more = more.T if not rowvar and more.shape[0] != 1 else more
    return concatenate((rows, more), axis=0, dtype=dtype, casting="unsafe")


def take_weights(name, weights, count, device):
    """Weights of the observations as float64; None for None."""
    if weights is None:
        return None
    given = asarray(weights, device=device)
    weights = given.astype(float, copy=False)
    if name == "fweights" and given.dtype.kind not in "biu" and not is_whole(weights).all().item():
        raise TypeError("fweights must be integer")
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape[0] != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if weights.size and given.dtype.kind not in "bu" and _core.fmin.reduce(weights).item() < 0:
        raise ValueError(f"{name} cannot be negative")
    return weights


@chained
def is_whole(number):
    return number == rint(number)


def find_divisor(rows, ddof, weights, total, reliability):
    """What the sums of products are divided by; `reliability` are the aweights."""
    if weights is None:
        return rows.shape[1] - ddof
    total = total.item().real  # of complex dtype where the rows are
    if ddof == 0:
        return total
    if reliability is None:
        return total - ddof
    return total - ddof * float((weights * reliability).sum()) / total


@on_host_if_unheld
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariance matrix of variables, which are the rows, or with rowvar=False the columns.

    Parameters
    ----------
    m, y : array_like
        Observations of the variables; those of y are further variables.
    rowvar : bool
        Whether each row is a variable.
    bias : bool
        Divide by the number of observations instead of one less; `ddof` says otherwise.
    ddof : int, optional
        What is taken off the number of observations.
    fweights, aweights : array_like, optional
        How often each observation counts, and how much it is worth.
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    rows = take_variables(m, y, rowvar, dtype)
    if rows.shape[0] == 0:
        return zeros((0, 0), device=rows.device)
    if ddof is None:
        ddof = 1 if bias == 0 else 0
    frequency = take_weights("fweights", fweights, rows.shape[1], rows.device)
    reliability = take_weights("aweights", aweights, rows.shape[1], rows.device)
    both = [each for each in (frequency, reliability) if each is not None]
    weights = None if not both else both[0] if len(both) == 1 else both[0] * both[1]
    if weights is None:
        mean, total = _core.mean(rows, axis=1), None
    else:
        mean, total = average_weighted(rows, (1,), weights, {})
    divisor = find_divisor(rows, ddof, weights, total, reliability)
    if divisor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
        divisor = 0.0
    rows -= mean[:, None]
    weighted = rows if weights is None else rows * weights
    products = dot(rows, _core.conjugate(weighted.T) if rows.dtype.kind == "c" else weighted.T)
    products *= numpy.true_divide(1, divisor)
    return products.squeeze()


@on_host_if_unheld
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Correlation coefficients of variables, which are the rows, or with rowvar=False the columns."""
    products = cov(x, y, rowvar, dtype=dtype)
    if products.ndim == 0:
        return products / products
    if products.dtype.kind == "f":
        variances = products.diagonal()
        return correlate_pair(products, variances[:, None], variances)
    deviation = _core.sqrt(products.diagonal().real)
    products /= deviation[:, None]
    products /= deviation[None, :]
    for part in (products.real, products.imag):
        gpuarray.clip(part, -1, 1, out=part)
    return products


@chained
def correlate_pair(product, variance, other):
    """A correlation from a covariance and the variances of its two variables."""
    return minimum(maximum(product / sqrt(variance) / sqrt(other), -1), 1)
