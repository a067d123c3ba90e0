"""Curves at given points: lines between points."""

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._core import asarray, ascontiguousarray, empty, ndarray
from gpuarray._dtypes import can_cast
from gpuarray._sorting import dense

__all__ = ["interp"]


def take_numbers(values, dtype, device, casting="safe"):
    """Values in a dtype; TypeError for times, and for what the casting rule forbids."""
    values = asarray(values, device=device)
    if values.dtype.kind in "mM" or not can_cast(values, dtype, casting):
        text = f"Cannot cast array data from {values.dtype!r} to {numpy.dtype(dtype)!r} according to the rule 'safe'"
        raise TypeError(text)
    return values.astype(dtype, copy=False)


def take_abscissae(x, device, period):
    """float32 stays: the kernel widens it. With a period NumPy drops the imaginary part."""
    x = asarray(x, device=device)
    if x.dtype == numpy.float32 and period is None:
        return x
    return take_numbers(x, float, device, "safe" if period is None else "unsafe")


def interp(x, xp, fp, left=None, right=None, period=None):
    """Values at points `x` of the lines that join the points (xp, fp); xp must increase."""
    dtype = complex if gpuarray.iscomplexobj(fp) else float
    device = next((each.device for each in (fp, xp, x) if isinstance(each, ndarray)), None)
    fp = take_numbers(fp, dtype, device)
    x, xp = take_abscissae(x, fp.device, period), take_abscissae(xp, fp.device, period)
    xp = xp.astype(float, copy=False)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("object too deep for desired array")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        left = right = None
        x, xp, fp = unroll_period(x, xp, fp, period)
    result = empty(x.shape, dtype, device=fp.device)
    ends = take_end(left, fp[0, ...]), take_end(right, fp[-1, ...])
    _core._interp(ascontiguousarray(x), ascontiguousarray(xp), ascontiguousarray(fp), *ends, result)
    return result[()]


def take_end(value, otherwise):
    """The value beyond an end, in the dtype of `otherwise`, which is the value at the end itself."""
    if value is None:
        return otherwise
    if otherwise.dtype.kind != "c" and gpuarray.iscomplexobj(value):
        raise TypeError("must be real number, not complex")
    value = asarray(value, otherwise.dtype, device=otherwise.device)
    if value.size != 1:
        raise TypeError("only length-1 arrays can be converted to Python scalars")
    return value


def unroll_period(x, xp, fp, period):
    """Points brought into one period and sorted, with the nearest neighbour of either side added."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    x, xp = x % period, xp % period
    xp, order = _core._sort_both(dense(xp))
    xp, fp = (gpuarray.pad(each, 1, "wrap") for each in (xp, gpuarray.take(fp, order)))
    xp[:1] -= period
    xp[-1:] += period
    return x, xp, fp
