"""Counting: how often each small integer is there."""

import operator

import numpy

from gpuarray import _core
from gpuarray._core import arange, asarray, zeros
from gpuarray._fallback import on_host_if_unheld, run
from gpuarray._sorting import sort

__all__ = ["bincount"]


@on_host_if_unheld
def bincount(x, /, weights=None, minlength=0):
    """How often each of 0, 1, 2... is among the elements, up to the greatest of them."""
    if weights is not None:
        return run(numpy.bincount, "gpuarray.bincount", (x, weights, minlength), {})
    x = asarray(x)
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if x.ndim != 1:
        raise ValueError(
            f"object {'too deep' if x.ndim else 'of too small depth'} for desired array"
        )
    if x.size == 0:
        return zeros(minlength, numpy.intp, device=x.device)
    if x.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'"
        )
    return count_sorted(sort(x.astype(numpy.intp, copy=False)), minlength)


def count_sorted(ordered, minlength):
    """The counts of sorted elements: the distances between where the elements of each value end."""
    least, greatest = int(ordered[0]), int(ordered[-1])
    if least < 0:
        raise ValueError("'list' argument must have no negative elements")
    bins = arange(max(greatest + 1, minlength) + 1, device=ordered.device)
    starts = _core._search(ordered, bins)
    return starts[1:] - starts[:-1]
