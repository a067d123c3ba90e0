"""Splines of order 0 to 5 through the elements of arrays: their coefficients, and how they go on behind the ends.

Coefficients are float64; those of a complex array are two real ones.
"""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core
from gpuarray._core import asarray, empty
from gpuarray._shape import moveaxis
from gpuarray.ndimage._arguments import check_output, deliver, narrow_truncated, output_dtype

__all__ = ["spline_filter", "spline_filter1d"]

# In the order of enum ga_resample_mode (csrc/core/call/resample.h).
MODES = ("constant", "nearest", "reflect", "mirror", "wrap", "grid-constant", "grid-wrap")


def read_mode(mode):
    mode = "reflect" if mode == "grid-mirror" else mode
    if mode not in MODES:
        raise RuntimeError("boundary mode not supported")
    return MODES.index(mode)


def check_order(order, least=0):
    if not least <= order <= 5:
        raise RuntimeError("spline order not supported")


def spline_mode(mode):
    """How the spline goes on: exactly as the mode says where there is a rule for it, else mirrored."""
    mode = {"grid-mirror": "reflect", "nearest": "reflect"}.get(mode, mode)
    read_mode(mode)
    return read_mode(mode if mode in ("reflect", "grid-wrap") else "mirror")


def filter_axes(a, order, axes, mode):
    """Coefficients along axes of a real array, as a new array of float64 in C order.

    A GPU filters lines that lie side by side: for the last axis, which is filtered first, the array is turned.
    """
    last = a.ndim - 1
    if last in axes and last > 0 and a.device != "cpu":
        turned = moveaxis(a, last, 0).copy().astype(float, copy=False)
        _core._spline(turned, 0, order, mode)
        a = moveaxis(turned, 0, last).copy()
    else:
        a = a.astype(float, order="C")
        last = None
    for axis in axes:
        if axis != last:
            _core._spline(a, axis, order, mode)
    return a


def spline_filter1d(input, order=3, axis=-1, output=numpy.float64, mode="mirror"):
    """Coefficients along an axis of the spline through the elements.

    Parameters
    ----------
    input : array_like
        Array of any number of axes.
    order : int, optional
        Of the spline, up to 5.
    axis : int, optional
        The axis.
    output : array or dtype, optional
        Where the result goes, or its dtype.
    mode : str, optional
        How the array goes on behind its ends.
    """
    check_order(order)
    a = asarray(input)
    axis = normalize_axis_index(axis, a.ndim)
    return make_coefficients(a, order, (axis,), output, mode)


def spline_filter(input, order=3, output=numpy.float64, mode="mirror"):
    """`spline_filter1d` along all axes."""
    check_order(order, 2)
    a = asarray(input)
    return make_coefficients(a, order, range(a.ndim), output, mode)


def make_coefficients(a, order, axes, output, mode):
    dtype = output_dtype(output, a, a.dtype.kind == "c")
    check_output(output, a.shape)

    def filter_real(x):
        return filter_axes(x, order, axes if order > 1 else (), spline_mode(mode))

    return deliver(narrow_truncated(by_parts(filter_real, a), dtype), output)


def by_parts(function, a, *numbers):
    """function(a, *numbers), of complex arrays for each part with that part of the numbers."""
    if a.dtype.kind != "c":
        return function(a, *numbers)
    real = function(a.real, *map(numpy.real, numbers))
    result = empty(real.shape, complex, device=real.device)
    result.real = real
    result.imag = function(a.imag, *map(numpy.imag, numbers))
    return result
