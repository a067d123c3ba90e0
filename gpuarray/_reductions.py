"""Reductions composed of ufunc reductions: variance, range and averages."""

import builtins
import functools
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from gpuarray import _core
from gpuarray._choice import copyto
from gpuarray._core import asarray, max, min, multiply, ndarray, subtract, sum
from gpuarray._dtypes import is_short_float
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import broadcast_to

__all__ = [
    "amax",
    "amin",
    "average",
    "count_nonzero",
    "ptp",
    "std",
    "var",
]

NO_VALUE = numpy._NoValue

amax, amin = max, min


def given(**keywords):
    """The keyword arguments that were given."""
    return {name: value for name, value in keywords.items() if value is not NO_VALUE}


def count_nonzero(a, axis=None, *, keepdims=False):
    """Number of elements that are true."""
    a = asarray(a)
    if a.dtype.char in "ilqILQfd":
        return _core._count_nonzero(a, axis, keepdims)
    truth = a.view(bool) if a.dtype.char in "bB" else a.astype(bool, copy=False)
    return sum(truth, axis=axis, dtype=numpy.intp, keepdims=keepdims)


def ptp(a, axis=None, out=None, keepdims=NO_VALUE):
    """Range of values: maximum minus minimum."""
    a = asarray(a)
    keywords = given(keepdims=keepdims)
    largest = max(a, axis=axis, out=out, **keywords)
    return subtract(largest, min(a, axis=axis, **keywords), out=out)


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


def find_mean(a, axis, dtype, where):
    """Mean along axes, which keep length one, in the dtype that the sum has: truncated, if those are integers."""
    total = sum(a, axis=axis, dtype=dtype, keepdims=True, **given(where=where))
    return (total / counted(a, axis, where, True)).astype(total.dtype, copy=False)


def squared_deviations(a, mean):
    """|a - mean|**2; of real numbers from a complex mean the complex square, as in NumPy."""
    deviation = subtract(a, asarray(mean, device=a.device))
    if a.dtype.kind == "c":
        return deviation.real**2 + deviation.imag**2
    return multiply(deviation, deviation)


def computed_type(a, dtype):
    """The dtype that a variance is added up in; None for that of the elements."""
    if dtype is not None:
        return numpy.dtype(dtype)
    return numpy.dtype(float) if a.dtype.kind in "biu" else None


def pick_freedom(ddof, correction):
    """What is taken off the number of elements: ddof, under either name."""
    if correction is NO_VALUE:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def has_kernel(a, dtype, ddof, mean):
    """Whether the kernel for variances computes what is asked for."""
    real = dtype is None or (a.dtype.kind != "c" and numpy.dtype(dtype).kind == "f")
    held = dtype is None or numpy.dtype(dtype).char in "efd"
    known = a.dtype.kind in "biufc" or is_short_float(a.dtype)
    return known and real and held and mean is NO_VALUE and numpy.ndim(ddof) == 0


def compose_variance(a, axis, dtype, keepdims, where, mean, freedom, kept):
    """Variance of what the kernel does not take: a given mean, other dtypes. `kept`: the dtype of `out`, or None."""
    dtype = computed_type(a, dtype)
    narrow = dtype is None and a.dtype == numpy.float16
    a = a.astype(numpy.float32) if narrow else a
    mean = find_mean(a, axis, dtype, where) if mean is NO_VALUE else mean
    squares = squared_deviations(a, mean)
    total = sum(squares, axis=axis, dtype=dtype, keepdims=keepdims, **given(where=where))
    freedom = (
        _core.maximum(freedom, 0) if isinstance(freedom, ndarray) else builtins.max(freedom, 0)
    )
    own = numpy.dtype(numpy.float16) if narrow else total.dtype
    return (total / freedom).astype(kept or own, copy=False)


def spread(root, a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    """Variance, or with `root` the standard deviation."""
    a = asarray(a)
    ddof = pick_freedom(ddof, correction)
    keepdims = keepdims is not NO_VALUE and keepdims
    native = has_kernel(a, dtype, ddof, mean)
    if root:
        check_root(out)
    freedom = None
    if not native or where is NO_VALUE or where is True:
        freedom = counted(a, axis, where, keepdims) - ddof
        if not isinstance(freedom, ndarray) and freedom <= 0:
            warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=5)
    if native:
        kept = result_type(a) if dtype is None else numpy.dtype(dtype)
        return _core._moments(a, axis, kept, out, keepdims, where, ddof, root)
    kept = None if out is None else out.dtype
    result = compose_variance(a, axis, dtype, keepdims, where, mean, freedom, kept)
    if root:
        check_root(result if result.ndim else None)
        result = _core.sqrt(result).astype(result.dtype, copy=False)
    return store(result, out)


def check_root(holder):
    """NumPy's TypeError where a root is to be put back into an array of integers."""
    if holder is not None and holder.dtype.kind in "biu":
        integers = numpy.zeros(1, holder.dtype)
        numpy.sqrt(integers, out=integers)


def result_type(a):
    """The dtype of a variance where none is asked for."""
    return numpy.dtype(float) if a.dtype.kind in "biu" else a.real.dtype


def store(result, out):
    """The result, written to `out` where one was given."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has shape {out.shape}, the reduction gives shape {result.shape}")
    copyto(out, result, casting="unsafe")
    return out


def make_spread(name, compute, text):
    """A function with the parameters of `var`, which it hands to `compute`."""

    def function(
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
        return compute(a, axis, dtype, out, ddof, keepdims, where, mean, correction)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return on_host_if_unheld(function)


var = make_spread(
    "var",
    functools.partial(spread, False),
    "Variance along axes: the mean of squared distances from the mean.",
)
std = make_spread(
    "std",
    functools.partial(spread, True),
    "Standard deviation along axes: the square root of the variance.",
)


@on_host_if_unheld
def average(a, axis=None, weights=None, returned=False, *, keepdims=NO_VALUE):
    """Mean along axes, weighted where weights are given."""
    a = asarray(a)
    keywords = given(keepdims=keepdims)
    if axis is not None:
        axis = normalize_axis_tuple(axis, a.ndim, argname="axis")
    if weights is None:
        result = _core.mean(a, axis=axis, **keywords)
        weight = asarray(a.size / result.size, result.dtype, device=a.device)
    else:
        result, weight = average_weighted(a, axis, weights, keywords)
    return (result, spread_over(weight, result)) if returned else result


def spread_over(weight, result):
    """The sum of weights in the shape of the averages."""
    if result.ndim == 0:
        return weight[()]
    return weight if weight.shape == result.shape else broadcast_to(weight, result.shape).copy()


def average_weighted(a, axis, weights, keywords):
    """Weighted averages and the sums of their weights."""
    weights = fit_weights(asarray(weights, device=a.device), a, axis)
    floating = (float,) if a.dtype.kind in "biu" else ()
    dtype = numpy.result_type(a.dtype, weights.dtype, *floating)
    weight = sum(weights, axis=axis, dtype=dtype, **keywords)
    if not _core.all(weight):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return sum(multiply(a, weights, dtype=dtype), axis=axis, **keywords) / weight, weight


def fit_weights(weights, a, axis):
    """Weights in a shape that broadcasts against `a`: its own, or that of the given axes."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axis_tuple(axis, a.ndim, argname="axis")
    if weights.shape != tuple(a.shape[each] for each in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    shape = tuple(size if each in axes else 1 for each, size in enumerate(a.shape))
    return weights.transpose(order).reshape(shape)
