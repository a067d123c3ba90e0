"""Functions of the caller's, applied along axes or element by element.

Slices are views on the device, so that a function made of gpuarray's runs there; it is called once for each slice.
`vectorize` calls it with Python numbers, so that its elements have to come to the host.
"""

import itertools

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray._core import asarray, empty, ndarray
from gpuarray._fallback import run
from gpuarray._shape import expand_dims, moveaxis

__all__ = ["apply_along_axis", "apply_over_axes", "vectorize"]


class vectorize(numpy.vectorize):
    """numpy.vectorize, whose results go to the device."""

    runs_on_host = True

    def __call__(self, *args, **kwargs):
        return run(super().__call__, "gpuarray.vectorize", args, kwargs)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function gives for each vector along an axis, in the place of that axis.

    Parameters
    ----------
    func1d : callable
        Called as func1d(vector, *args, **kwargs); its results are of one shape.
    axis : int
        The axis that the vectors lie along.
    arr : array_like
        The array that they are views of.
    """
    arr = asarray(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    lines = moveaxis(arr, axis, -1)
    outer = lines.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = (func1d(lines[(*index, ...)], *args, **kwargs) for index in numpy.ndindex(outer))
    first = asarray(next(results), device=arr.device)
    whole = empty(outer + first.shape, first.dtype, device=arr.device)
    for index, result in zip(numpy.ndindex(outer), itertools.chain([first], results), strict=True):
        whole[(*index, ...)] = result
    inner = range(len(outer), whole.ndim)
    return whole.transpose([*range(axis), *inner, *range(axis, len(outer))])


def apply_over_axes(func, a, axes):
    """A function of array and axis, applied for one axis after the other.

    Parameters
    ----------
    func : callable
        Called as func(array, axis); it keeps the number of dimensions, or takes away the axis.
    a : array_like
        The array to begin with.
    axes : int or sequence of int
        The axes.
    """
    value = asarray(a)
    ndim = value.ndim
    axes = axes.tolist() if isinstance(axes, ndarray) else axes
    for axis in numpy.array(axes, ndmin=1).tolist():
        axis = ndim + axis if axis < 0 else axis
        result = func(value, axis)
        if result.ndim != value.ndim:
            result = expand_dims(result, axis)
        if result.ndim != value.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value
