"""Reductions composed of ufunc reductions: variance, range, counts; and what is built on differences."""

import operator
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpuarray import _core
from gpuarray._core import asarray, concatenate, empty, max, min, multiply, ndarray, subtract, sum
from gpuarray._fallback import on_host_if_unheld, run
from gpuarray._shape import broadcast_to

__all__ = [
    "amax",
    "amin",
    "average",
    "count_nonzero",
    "diff",
    "ediff1d",
    "ptp",
    "std",
    "trapezoid",
    "var",
]

NO_VALUE = numpy._NoValue

amax, amin = max, min


def given(**keywords):
    """The keyword arguments that were given."""
    return {name: value for name, value in keywords.items() if value is not NO_VALUE}


def count_nonzero(a, axis=None, *, keepdims=False):
    """Number of elements that are true."""
    truth = asarray(a).astype(bool, copy=False)
    return sum(truth, axis=axis, dtype=numpy.intp, keepdims=keepdims)


def ptp(a, axis=None, out=None, keepdims=NO_VALUE):
    """Range of values: maximum minus minimum."""
    a = asarray(a)
    keywords = given(keepdims=keepdims)
    return subtract(max(a, axis=axis, **keywords), min(a, axis=axis, **keywords), out=out)


def counted(a, axis, where, keepdims):
    """How many elements each result of a reduction is made of: an int, or an array where there is a mask."""
    if where is not NO_VALUE and where is not True:
        mask = broadcast_to(asarray(where, dtype=bool, device=a.device), a.shape)
        return sum(mask, axis=axis, dtype=numpy.intp, keepdims=keepdims)
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    count = 1
    for each in axes:
        count *= a.shape[each]
    return count


def squared_deviations(a, axis, dtype, where, mean):
    """|a - mean|**2 in floating point."""
    if mean is NO_VALUE:
        total = sum(a, axis=axis, dtype=dtype, keepdims=True, **given(where=where))
        mean = total / counted(a, axis, where, True)
    deviation = subtract(a, asarray(mean, device=a.device))
    if deviation.dtype.kind == "c":
        return deviation.real**2 + deviation.imag**2
    return multiply(deviation, deviation)


def computed_type(a, dtype):
    """The dtype that a variance is computed in."""
    if dtype is not None:
        return numpy.dtype(dtype)
    if a.dtype.kind in "biu":
        return numpy.dtype(float)
    return numpy.dtype(numpy.float32) if a.dtype == numpy.float16 else a.dtype


def variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    """Variance in the dtype it is computed in, and the dtype of the result."""
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    a = asarray(a)
    computed = computed_type(a, dtype)
    keepdims = False if keepdims is NO_VALUE else keepdims
    squares = squared_deviations(a.astype(computed, copy=False), axis, computed, where, mean)
    freedom = counted(a, axis, where, keepdims) - ddof
    if not isinstance(freedom, ndarray):
        if freedom <= 0:
            warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
        freedom = freedom if freedom > 0 else 0
    else:
        freedom = _core.maximum(freedom, 0)
    result = sum(squares, axis=axis, keepdims=keepdims, **given(where=where)) / freedom
    half = numpy.dtype(numpy.float16)
    return result.astype(half) if dtype is None and a.dtype == half else result


def store(result, out):
    """The result, written to `out` where one was given."""
    if out is None:
        return result
    return _core.positive(result, out=out, casting="unsafe")


@on_host_if_unheld
def var(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=NO_VALUE,
    *,
    where=NO_VALUE,
    mean=NO_VALUE,
    correction=NO_VALUE,
):
    """Variance along axes: the mean of squared distances from the mean."""
    return store(variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction), out)


@on_host_if_unheld
def std(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=NO_VALUE,
    *,
    where=NO_VALUE,
    mean=NO_VALUE,
    correction=NO_VALUE,
):
    """Standard deviation along axes: the square root of the variance."""
    return store(
        _core.sqrt(variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction)),
        out,
    )


@on_host_if_unheld
def average(a, axis=None, weights=None, returned=False, *, keepdims=NO_VALUE):
    """Mean along axes, weighted where weights are given."""
    if weights is not None:
        arguments = {"weights": weights, "returned": returned, **given(keepdims=keepdims)}
        return run(numpy.average, "gpuarray.average", (a, axis), arguments)
    a = asarray(a)
    result = _core.mean(a, axis=axis, **given(keepdims=keepdims))
    if not returned:
        return result
    weight = empty(result.shape, result.dtype, device=a.device)
    weight[...] = a.size / result.size if result.size else 0
    return result, weight[()] if weight.ndim == 0 else weight


def diff(a, n=1, axis=-1, prepend=NO_VALUE, append=NO_VALUE):
    """Differences of consecutive elements along an axis, `n` times over."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    parts = [as_margin(prepend, a, axis), a, as_margin(append, a, axis)]
    parts = [part for part in parts if part is not None]
    a = concatenate(parts, axis) if len(parts) > 1 else a
    difference = _core.not_equal if a.dtype == bool else subtract
    for _ in range(operator.index(n)):
        a = difference(*neighbours(a, axis))
    return a


def as_margin(values, a, axis):
    """What diff joins to an end of `a`: a scalar becomes one layer; None if nothing was given."""
    if values is NO_VALUE:
        return None
    values = asarray(values)
    return (
        broadcast_to(values, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
        if values.ndim == 0
        else values
    )


def neighbours(a, axis):
    """Views of all elements but the first, and of all but the last, along an axis."""
    before = (slice(None),) * axis
    return a[(*before, slice(1, None))], a[(*before, slice(None, -1))]


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of consecutive elements of the flattened array, between two given ends."""
    if to_end is not None or to_begin is not None:
        return run(numpy.ediff1d, "gpuarray.ediff1d", (ary, to_end, to_begin), {})
    ary = asarray(ary).ravel()
    return subtract(ary[1:], ary[:-1])


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral along an axis by the trapezoidal rule."""
    y = asarray(y)
    axis = normalize_axis_index(axis, y.ndim)
    if x is not None:
        x = asarray(x)
        dx = (
            diff(x, axis=axis)
            if x.ndim != 1
            else diff(x).reshape((-1,) + (1,) * (y.ndim - axis - 1))
        )
    later, earlier = neighbours(y, axis)
    return sum(dx * (later + earlier) / 2.0, axis=axis)
