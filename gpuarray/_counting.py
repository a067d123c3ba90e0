"""Counting: how often each small integer is there, or how much the weights at it add up to.

Both are kernels of their own. On a GPU that of weights sorts them by place and adds up each place in a fixed order, so
that the same call gives the same bits.
"""

import operator

import numpy

from gpuarray import _core
from gpuarray._core import asarray, empty, ndarray, zeros
from gpuarray._dtypes import can_cast
from gpuarray._fallback import on_host_if_unheld
from gpuarray._sorting import dense

__all__ = ["bincount"]

MOST_INTP = numpy.iinfo(numpy.intp).max


def count_places(places, bins, least=0):
    """How often each of the `bins` integers from `least` on is among the places; others do not count."""
    counts = zeros(bins, numpy.intp, device=places.device)
    _core._count(dense(places), counts, least)
    return counts


def add_by_place(places, weights, bins, least=0):
    """Sums of the weights at each of the `bins` integers from `least` on among the places; others do not count."""
    wide = weights.astype(complex if weights.dtype.kind == "c" else float, copy=False)
    sums = empty(bins, wide.dtype, device=places.device)
    _core._weigh(dense(places), dense(wide), sums, least)
    return sums.astype(weights.dtype, copy=False)


def bring_numbers(a):
    """A few numbers that decide what happens next, as a NumPy array."""
    return numpy.asarray(a.tolist(), a.dtype)


def find_limits(a):
    """The least and the greatest element as NumPy scalars, brought over together."""
    limits = empty(2, a.dtype, device=a.device)
    _core.min(a, out=limits[0, ...])
    _core.max(a, out=limits[1, ...])
    return bring_numbers(limits)


def check_places(x):
    """TypeError or ValueError for what bincount does not count."""
    if x.ndim != 1:
        raise ValueError(
            f"object {'too deep' if x.ndim else 'of too small depth'} for desired array"
        )
    if x.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'"
        )


def take_weights(weights, x):
    """Weights as float64, one for each element of x."""
    weights = asarray(weights, device=x.device)
    if not can_cast(weights, float):
        raise TypeError(
            f"Cannot cast array data from {weights.dtype!r} to dtype('float64') according to the rule 'safe'"
        )
    if weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    return weights.astype(float, copy=False)


@on_host_if_unheld
def bincount(x, /, weights=None, minlength=0):
    """How often each of 0, 1, 2... is among the elements, or the sum of the weights there.

    Parameters
    ----------
    x : array_like of integers, one-dimensional
        What is counted; it may not be negative.
    weights : array_like, optional
        A number for each element, added up instead of one.
    minlength : int
        The least number of results.
    """
    device = next((each.device for each in (x, weights) if isinstance(each, ndarray)), None)
    x = asarray(x, dtype=numpy.intp if isinstance(x, list) and not x else None, device=device)
    check_places(x)
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size == 0:
        return zeros(minlength, numpy.intp, device=x.device)
    least, greatest = map(int, find_limits(x))
    if least < 0 or greatest > MOST_INTP:
        raise ValueError("'list' argument must have no negative elements")
    bins = max(greatest + 1, minlength)
    if weights is None:
        return count_places(x, bins)
    return add_by_place(x, take_weights(weights, x), bins)
