"""Curves at given points: lines between points."""

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._choice import where
from gpuarray._core import asarray, concatenate, empty, ndarray
from gpuarray._dtypes import can_cast

__all__ = ["interp"]


def take_numbers(values, dtype, device, casting="safe"):
    """Values in a dtype; TypeError for times, and for what the casting rule forbids."""
    values = asarray(values, device=device)
    if values.dtype.kind in "mM" or not can_cast(values, dtype, casting):
        text = f"Cannot cast array data from {values.dtype!r} to {numpy.dtype(dtype)!r} according to the rule 'safe'"
        raise TypeError(text)
    return values.astype(dtype, copy=False)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Values at points `x` of the lines that join the points (xp, fp); xp must increase."""
    dtype = complex if gpuarray.iscomplexobj(fp) else float
    device = next((each.device for each in (fp, xp, x) if isinstance(each, ndarray)), None)
    fp = take_numbers(fp, dtype, device)
    casting = "safe" if period is None else "unsafe"  # NumPy drops the imaginary part then
    x, xp = (take_numbers(each, float, fp.device, casting) for each in (x, xp))
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("object too deep for desired array")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        left = right = None
        x, xp, fp = unroll_period(x, xp, fp, period)
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    if fp.dtype.kind != "c":
        if isinstance(left, complex) or isinstance(right, complex):
            raise TypeError("must be real number, not complex")
        return find_on_lines(x, xp, fp, left, right)
    result = empty(x.shape, complex, device=fp.device)
    left, right = (
        asarray(left, complex, device=fp.device),
        asarray(right, complex, device=fp.device),
    )
    result.real = find_on_lines(x, xp, fp.real, left.real, right.real)
    result.imag = find_on_lines(x, xp, fp.imag, left.imag, right.imag)
    return result[()]


def unroll_period(x, xp, fp, period):
    """Points brought into one period and sorted, with the nearest neighbour of either side added."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    x, xp = x % period, xp % period
    order = gpuarray.argsort(xp)
    xp, fp = gpuarray.take(xp, order), gpuarray.take(fp, order)
    return (
        x,
        concatenate((xp[-1:] - period, xp, xp[:1] + period)),
        concatenate((fp[-1:], fp, fp[:1])),
    )


def find_on_lines(x, xp, fp, left, right):
    place = gpuarray.searchsorted(xp, x, side="right") - 1
    before = _core.minimum(_core.maximum(place, 0), max(len(xp) - 2, 0))
    x0, f0 = gpuarray.take(xp, before), gpuarray.take(fp, before)
    x1, f1 = (gpuarray.take(each, before + (len(xp) > 1)) for each in (xp, fp))
    slope = (f1 - f0) / (x1 - x0)
    result = slope * (x - x0) + f0
    result = where(_core.isnan(result), slope * (x - x1) + f1, result)
    result = where(_core.isnan(result) & (f0 == f1), f0, result)
    result = where(x == x0, f0, result)
    result = where(x == xp[-1], fp[-1], result)
    result = where(x < xp[0], left, where(x > xp[-1], right, result))
    return where(_core.isnan(x), x, result)[()]
