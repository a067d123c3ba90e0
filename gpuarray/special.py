"""Special functions with the names, signatures and values of scipy.special.

Functions of each element are ufuncs, rows of csrc/tables/ufuncs.def, with all keywords of a ufunc; they compute in
float32 or float64 (`xlogy` in complex too), and what is neither becomes float64. The others are composed here.
"""

import math

from gpuarray import _chains
from gpuarray._chains import chained
from gpuarray._choice import where
from gpuarray._core import (
    _special,
    absolute,
    asarray,
    exp,
    isfinite,
    log,
    logaddexp,
    maximum,
    sign,
    ufunc,
)
from gpuarray._core._special import binom, digamma
from gpuarray._dtypes import is_short_float, result_type
from gpuarray._shape import broadcast_arrays

# The rows of the table, so that a new one is a name here.
UFUNCS = {name: value for name, value in vars(_special).items() if isinstance(value, ufunc)}
globals().update(UFUNCS)

__all__ = sorted([*UFUNCS, "comb", "log_softmax", "logsumexp", "psi", "softmax"])

psi = digamma

# Bytes of an element from which on the largest, the exponentials and their sum, a kernel each, take less time than one
# reduction by logaddexp, which computes two functions for each element.
WIDE_ELEMENT = 8


# ---- sums of exponentials ----


def as_inexact(x, *others):
    """An array of the dtype that all of them compute in, which is float64 for integers."""
    x = asarray(x)
    dtype = result_type(x, *others)
    is_inexact = dtype.kind in "fc" or is_short_float(dtype)
    return x.astype(dtype if is_inexact else "f8", copy=False)


def as_axes(x, axis):
    return tuple(range(x.ndim)) if axis is None else axis


def finite_or_zero(x):
    """The largest elements as what exponents are shifted by: nothing where they are infinite or NaN."""
    return where(isfinite(x), x, x.dtype.type(0))


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """Logarithm of the sum of exponentials, without overflow.

    Parameters
    ----------
    a : array_like
        Exponents.
    axis : None, int or tuple of int, optional
        Axes to add up along; all by default.
    b : array_like, optional
        Factors of the exponentials; shapes are broadcast. What a factor of zero belongs to does not count, even if it
        is infinite or NaN.
    keepdims : bool, optional
        Whether the axes stay, with length one.
    return_sign : bool, optional
        Whether to give the sign of the sum (its unit, if it is complex) and the logarithm of its magnitude. If not, the
        logarithm of a negative sum is NaN.

    Returns
    -------
    res : ndarray
    sgn : ndarray
        With `return_sign` only.
    """
    if b is not None:
        a, b = asarray(a), asarray(b)
        a, b = broadcast_arrays(as_inexact(a, b), as_inexact(b, a))
    else:
        a = as_inexact(a)
    if a.ndim == 0:
        a, b = a.reshape(1), None if b is None else b.reshape(1)
    axis = as_axes(a, axis)
    if b is None and a.dtype.kind != "c" and a.dtype.itemsize < WIDE_ELEMENT:
        return sum_in_one(a, axis, keepdims, return_sign)
    return sum_shifted(a, b, axis, keepdims, return_sign)


def sum_in_one(a, axis, keepdims, return_sign):
    """By one reduction, whose sums are all positive."""
    result = logaddexp.reduce(a, axis=axis, keepdims=keepdims)
    if not return_sign:
        return result
    one = sign(absolute(result) + 1)  # or NaN
    return result, where(result == -math.inf, one.dtype.type(0), one)[()]


def sum_shifted(a, b, axis, keepdims, return_sign):
    """With factors, or complex: exponents are shifted by the largest, whose exponential is then one."""
    mask = True if b is None else b != 0
    size = a.real if a.dtype.kind == "c" else a
    shift = maximum.reduce(size, axis=axis, keepdims=True, initial=-math.inf, where=mask)
    shift = finite_or_zero(shift)
    terms = exp(a - shift)
    if b is not None:
        terms *= b
    total = terms.sum(axis=axis, keepdims=keepdims, where=mask)
    shift = shift.reshape(total.shape)
    if return_sign:
        return log(absolute(total)) + shift, sign(total)
    return log(total) + shift


def softmax(x, axis=None):
    """Exponentials, divided by their sum.

    Parameters
    ----------
    x : array_like
    axis : None, int or tuple of int, optional
        Axes along which the results add up to one; all by default.

    Returns
    -------
    ndarray
        As large as `x`.
    """
    x = as_inexact(x)
    axis = as_axes(x, axis)
    terms = shifted_exp(x, maximum.reduce(x, axis=axis, keepdims=True))
    return terms / terms.sum(axis=axis, keepdims=True)


@chained
def shifted_exp(x, shift):
    return _chains.exp(x - shift)


def log_softmax(x, axis=None):
    """Logarithms of what softmax gives, without underflow.

    Parameters
    ----------
    x : array_like
    axis : None, int or tuple of int, optional
        Axes along which the exponentials of the results add up to one; all by default.

    Returns
    -------
    ndarray
        As large as `x`.
    """
    x = as_inexact(x)
    axis = as_axes(x, axis)
    shifted = x - finite_or_zero(maximum.reduce(x, axis=axis, keepdims=True))
    return shifted - log(exp(shifted).sum(axis=axis, keepdims=True))


# ---- combinations ----


def comb(N, k, *, exact=False, repetition=False):
    """Number of ways to take k things out of N.

    Parameters
    ----------
    N, k : array_like
        Where `k` is not between 0 and `N` there is no way.
    exact : bool, optional
        Whether to give a Python integer, of any size; then N and k are single integers.
    repetition : bool, optional
        Whether a thing may be taken again.

    Returns
    -------
    ndarray or int
    """
    if exact:
        return count_ways(N, k, repetition)
    N, k = asarray(N), asarray(k)
    if repetition:
        return where((k == 0) & (N >= 0), 1.0, binom(N + k - 1, k))[()]
    ways = binom(N, k)
    return where((k <= N) & (N >= 0) & (k >= 0), ways, ways.dtype.type(0))[()]


def count_ways(N, k, repetition):
    """As a Python integer."""
    if int(N) != N or int(k) != k:
        raise ValueError("Non-integer `N` and `k` with `exact=True` is not supported.")
    N, k = int(N), int(k)
    if repetition:
        if k == 0 and N >= 0:
            return 1
        N = N + k - 1
    return math.comb(N, k) if 0 <= k <= N else 0
