"""Where elements are: nonzero and its kin, and binary search in sorted arrays."""

import numpy

from gpuarray import _core
from gpuarray._core import asarray, ndarray
from gpuarray._dtypes import comparable_type
from gpuarray._fallback import on_host_if_unheld
from gpuarray._sorting import dense

__all__ = ["argwhere", "digitize", "flatnonzero", "nonzero", "searchsorted"]


@on_host_if_unheld
def nonzero(a):
    """The indices of the elements that are not zero: a vector for each axis."""
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. "
            "If the context of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`."
        )
    indices = _core._nonzero(a)
    return tuple(indices[axis] for axis in range(a.ndim))


def nonzero_method(self, /):
    """The indices of the elements that are not zero: a vector for each axis."""
    return nonzero(self)


@on_host_if_unheld
def flatnonzero(a):
    """The positions, in the flattened array, of the elements that are not zero."""
    return _core._nonzero(asarray(a).ravel())[0]


@on_host_if_unheld
def argwhere(a):
    """The indices of the elements that are not zero, a row for each of them."""
    a = asarray(a)
    if a.ndim == 0:
        return _core._nonzero(a.reshape(1)).T[:, :0]
    return _core._nonzero(a).T


def is_right(side):
    """Whether `side` says 'right'."""
    if isinstance(side, str) and side[:1] in ("l", "r", "L", "R"):
        return side[:1] in "rR"
    if not isinstance(side, str):
        raise TypeError(f"search side must be str, not {type(side).__name__}")
    raise ValueError(f"search side must be one of 'left' or 'right' (got {side!r})")


def check_vector(a):
    """ValueError, in NumPy's words, unless the array has one dimension."""
    if a.ndim > 1:
        raise ValueError("object too deep for desired array")
    if a.ndim == 0:
        raise ValueError("object of too small depth for desired array")


def take_sorter(sorter, a):
    """The permutation that sorts `a`, as int64; None where none was given."""
    if sorter is None:
        return None
    sorter = asarray(sorter, device=a.device)
    if sorter.dtype.kind not in "iu":
        raise TypeError("sorter must only contain integers")
    check_vector(sorter)
    if sorter.size != a.size:
        raise ValueError("sorter.size must equal a.size")
    return dense(sorter.astype(numpy.intp, copy=False))


def dense_as(a, dtype):
    """The array as the kernels want it, of another dtype."""
    return dense(a if a.dtype == dtype else a.astype(dtype))


@on_host_if_unheld
def searchsorted(a, v, side="left", sorter=None):
    """Where each of the values `v` belongs in the sorted vector `a`."""
    right = is_right(side)
    if not (type(a) is type(v) is ndarray):
        device = next((each.device for each in (a, v) if isinstance(each, ndarray)), None)
        a, v = asarray(a, device=device), asarray(v, device=device)
    check_vector(a)
    dtype = comparable_type(a, v)
    order = take_sorter(sorter, a)
    places = _core._search(dense_as(a, dtype), dense_as(v, dtype), right, order)
    return places[()] if v.ndim == 0 else places


def searchsorted_method(self, v, side="left", sorter=None):
    """Where each of the values `v` belongs in the array, which is sorted."""
    return searchsorted(self, v, side, sorter)


@on_host_if_unheld
def digitize(x, bins, right=False):
    """The number of the bin into which each value falls; bins rise or fall monotonically."""
    device = next((each.device for each in (x, bins) if isinstance(each, ndarray)), None)
    x, bins = asarray(x, device=device), asarray(bins, device=device)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    check_vector(bins)
    if bins.dtype.kind not in "biuf":
        raise TypeError(
            f"Cannot cast array data from {bins.dtype!r} to dtype('float64') according to the rule 'safe'"
        )
    side = "left" if right else "right"
    if not (bins[1:] < bins[:-1]).any():
        return searchsorted(bins, x, side)
    if (bins[1:] > bins[:-1]).any():
        raise ValueError("bins must be monotonically increasing or decreasing")
    return bins.size - searchsorted(bins[::-1], x, side)
