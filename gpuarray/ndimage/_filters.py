"""Weighted sums of neighbours. Sums are added up in double precision; a filter over several axes makes one pass an axis
and stores each in the dtype of the result, as SciPy does."""

import functools

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray._boxes import CONSTANT, FEW, WIDE_SUM, filter_boxes
from gpuarray._core import asarray, ascontiguousarray, ndarray
from gpuarray._transfers import asarray as send
from gpuarray.ndimage._arguments import (
    check_output,
    deliver,
    holds_exactly,
    narrow_truncated,
    output_dtype,
    read_axes,
    read_border,
    spread,
    weights_on_host,
)

__all__ = [
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "uniform_filter",
    "uniform_filter1d",
]

ORIGIN_ERROR = "Invalid origin; origin must satisfy -({0} // 2) <= origin <= ({0}-1) // 2".format(
    "len(weights)"
)


# ---- the pass ----


def sum_boxes(a, weights, start, dtype, border, cval, divisor=1.0):
    """Sums of products of `a` and weights of as many axes, in a dtype."""
    is_complex = "c" in (a.dtype.kind, weights.dtype.kind)
    work = numpy.dtype(complex if is_complex else float)
    direct = (
        a.dtype == dtype
        and dtype.kind in "iufc"
        and dtype != numpy.float16
        and (not is_complex or dtype.kind == "c")
        and (border != CONSTANT or holds_exactly(cval, dtype))
    )
    if not direct:
        a = a.astype(work, copy=False)
    if isinstance(weights, ndarray):
        weights = ascontiguousarray(weights.astype(work, copy=False))
    else:
        weights = numpy.ascontiguousarray(weights, work)
        if is_complex or weights.size > FEW:
            weights = send(weights, device=a.device)
    result = filter_boxes(
        a, WIDE_SUM, weights, weights.shape, start, None, border, cval, float(divisor)
    )
    return narrow_truncated(result, dtype)


def read_weights(weights, a):
    """Weights as an array on the GPU of `a`, which to read would wait for all that is under way, or one of numpy's."""
    if isinstance(weights, ndarray) and weights.device == a.device != "cpu":
        return weights
    return weights_on_host(weights)


def check_cval(a, weights, cval):
    if numpy.iscomplexobj(cval) and a.dtype.kind != "c" and weights.dtype.kind == "c":
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")


def pass_axis(a, weights, axis, dtype, mode, cval, origin, divisor=1.0):
    """A pass with weights along one axis."""
    size = len(weights)
    shape, start = [1] * a.ndim, [0] * a.ndim
    shape[axis], start[axis] = size, -(size // 2 + origin)
    border = read_border(mode)
    return sum_boxes(a, weights.reshape(shape), start, dtype, border, cval, divisor)


# ---- weights along an axis ----


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Sums of products with weights along an axis.

    Parameters
    ----------
    input : array_like
        Array of any number of axes.
    weights : array_like
        Vector of weights; complex ones are conjugated.
    axis : int, optional
        The axis to filter along.
    output : array or dtype, optional
        Where the result goes, or its dtype.
    mode : str, optional
        How the array goes on behind its ends: reflect, constant, nearest, mirror, wrap or one of their grid- names.
    cval : scalar, optional
        What lies outside in mode "constant".
    origin : int, optional
        By how much the weights are moved to the left.
    """
    a = asarray(input)
    weights = read_weights(weights, a)
    if weights.dtype.kind == "c":
        weights = weights.conj()
    check_cval(a, weights, cval)
    dtype = output_dtype(output, a, "c" in (a.dtype.kind, weights.dtype.kind))
    if weights.ndim != 1 or weights.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    axis = normalize_axis_index(axis, a.ndim)
    check_origin(origin, len(weights))
    check_output(output, a.shape)
    return deliver(pass_axis(a, weights, axis, dtype, mode, cval, origin), output)


def check_origin(origin, size, text=ORIGIN_ERROR):
    if not -(size // 2) <= origin <= (size - 1) // 2:
        raise ValueError(text)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """`correlate1d` with the weights reversed."""
    a = asarray(input)
    weights = read_weights(weights, a)[::-1]
    origin = -origin - (len(weights) % 2 == 0)
    if weights.dtype.kind == "c":
        weights = weights.conj()
    return correlate1d(a, weights, axis, output, mode, cval, origin)


# ---- weights over all axes ----


def expand(values, axes, ndim, name):
    """Weights or a footprint over some axes as one over all; its axes are in the array's order."""
    if len(axes) < ndim:
        if values.ndim != len(axes):
            raise RuntimeError(f"{name}.ndim ({values.ndim}) must match len(axes) ({len(axes)})")
        values = values[tuple(slice(None) if axis in axes else None for axis in range(ndim))]
    if values.ndim != ndim or not values.size:
        raise RuntimeError(f"{name}.ndim ({values.ndim}) must match len(axes) ({len(axes)})")
    return values


def expand_origins(origin, axes, ndim):
    origins = spread(origin, len(axes))
    if len(axes) == ndim:
        return origins
    given = dict(zip(axes, origins, strict=True))
    return [given.get(axis, 0) for axis in range(ndim)]


def correlate_all(input, weights, output, mode, cval, origin, axes, reverses):
    a = asarray(input)
    weights = read_weights(weights, a)
    if weights.dtype.kind == "c" and not reverses:
        weights = weights.conj()
    check_cval(a, weights, cval)
    axes = read_axes(axes, a.ndim)
    weights = expand(weights, axes, a.ndim, "weights")
    origins = expand_origins(origin, axes, a.ndim)
    if reverses:
        weights = weights[(slice(None, None, -1),) * weights.ndim]
        origins = [-o - (n % 2 == 0) for o, n in zip(origins, weights.shape, strict=True)]
    for each, size in zip(origins, weights.shape, strict=True):
        check_origin(each, size, ORIGIN_ERROR.replace("len(weights)", "weights.shape[k]"))
    if not isinstance(mode, str):
        raise RuntimeError("A sequence of modes is not supported")
    dtype = output_dtype(output, a, "c" in (a.dtype.kind, weights.dtype.kind))
    check_output(output, a.shape)
    start = [-(n // 2 + o) for o, n in zip(origins, weights.shape, strict=True)]
    return deliver(sum_boxes(a, weights, start, dtype, read_border(mode), cval), output)


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Sums of products with weights of as many axes as the array, or as `axes` names.

    Parameters are those of `correlate1d`. At most three axes of the weights are longer than one.
    """
    return correlate_all(input, weights, output, mode, cval, origin, axes, reverses=False)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """`correlate` with the weights reversed along each axis."""
    return correlate_all(input, weights, output, mode, cval, origin, axes, reverses=True)


# ---- an axis after the other ----


def filter_axes(a, dtype, passes):
    """The passes one after the other, each result in the dtype; without any a copy."""
    result = a
    for one in passes:
        result = one(result)
    return narrow_truncated(result, dtype) if passes else narrow_truncated(a, dtype).copy()


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Means of `size` neighbours along an axis; parameters are those of `correlate1d`."""
    a = asarray(input)
    axis = normalize_axis_index(axis, a.ndim)
    check_size(size, origin)
    dtype = output_dtype(output, a, a.dtype.kind == "c")
    check_output(output, a.shape)
    result = pass_axis(a, numpy.ones(size), axis, dtype, mode, cval, origin, size)
    return deliver(result, output)


def check_size(size, origin):
    if size < 1:
        raise RuntimeError("incorrect filter size")
    if not 0 <= size // 2 + origin < size:
        raise ValueError("invalid origin")


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Means of boxes of neighbours; `size`, `mode` and `origin` may be one for each axis."""
    a = asarray(input)
    dtype = output_dtype(output, a, a.dtype.kind == "c")
    axes = read_axes(axes, a.ndim)
    check_output(output, a.shape)
    settings = zip(axes, *(spread(value, len(axes)) for value in (size, origin, mode)), strict=True)
    passes = [
        lambda x, axis=axis, n=int(n), o=o, m=m: uniform_filter1d(x, n, axis, dtype, m, cval, o)
        for axis, n, o, m in settings
        if n > 1
    ]
    return deliver(filter_axes(a, dtype, passes), output)


@functools.lru_cache(64, typed=True)
def gaussian_weights(sigma, order, radius):
    """A normal distribution at the integers up to a radius, or its derivative of an order.

    The derivative is the distribution times a polynomial, whose coefficients `q` each derivation changes: by the
    product rule q' - q x / sigma^2.
    """
    if order < 0:
        raise ValueError("order must be non-negative")
    x = numpy.arange(-radius, radius + 1)
    density = numpy.exp(-0.5 / (sigma * sigma) * x**2)
    density = density / density.sum()
    q = numpy.polynomial.Polynomial([1.0])
    for _ in range(order):
        q = q.deriv() + q * numpy.polynomial.Polynomial([0, -1 / (sigma * sigma)])
    weights = q(x) * density
    weights.flags.writeable = False  # the next call is given them too
    return weights


def gaussian_filter1d(
    input,
    sigma,
    axis=-1,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
):
    """Sums along an axis, weighted by a normal distribution or its derivative.

    Parameters
    ----------
    input, axis, output, mode, cval
        As in `correlate1d`.
    sigma : float
        Standard deviation.
    order : int, optional
        Of the derivative.
    truncate : float, optional
        How many standard deviations the weights reach.
    radius : int, optional
        How far they reach, in elements.
    """
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    if not isinstance(reach, (int, numpy.integer)) or reach < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    weights = gaussian_weights(float(sigma), order, reach)[::-1]
    return correlate1d(input, weights, axis, output, mode, cval, 0)


def gaussian_filter(
    input,
    sigma,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
    axes=None,
):
    """`gaussian_filter1d` along all axes, or `axes`; what it takes may be one for each."""
    a = asarray(input)
    dtype = output_dtype(output, a)
    axes = read_axes(axes, a.ndim)
    check_output(output, a.shape)
    settings = zip(
        axes, *(spread(value, len(axes)) for value in (sigma, order, mode, radius)), strict=True
    )
    passes = [
        lambda x, axis=axis, s=s, o=o, m=m, r=r: gaussian_filter1d(
            x, s, axis, o, dtype, m, cval, truncate, radius=r
        )
        for axis, s, o, m, r in settings
        if s > 1e-15
    ]
    return deliver(filter_axes(a, dtype, passes), output)
