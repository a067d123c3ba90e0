"""Positions in arrays: flat and by axis, of diagonals, triangles and grids."""

import functools
import math
import operator

import numpy

from gpuarray._chains import chained, maximum, minimum
from gpuarray._core import arange, asarray, ones
from gpuarray._creation import tri
from gpuarray._fallback import on_host_if_unheld
from gpuarray._taking import any_outside, repeat_to, write_flat, writes_first

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "fill_diagonal",
    "mask_indices",
    "ravel_multi_index",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


INDEX = numpy.dtype(numpy.int64)
MOST_AXES = 5  # that one kernel goes through


def as_integers(value):
    """An int64 array; TypeError for what is no integer."""
    array = asarray(value)
    if array.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    return array.astype(numpy.int64, copy=False)


def strides_of(shape, order):
    """How many positions one step along each axis is."""
    if order not in ("C", "F"):
        raise ValueError(f"only 'C' or 'F' order is permitted, not {order!r}")
    steps = [1]
    for length in shape[:0:-1] if order == "C" else shape[:-1]:
        steps.append(steps[-1] * length)
    return steps[::-1] if order == "C" else steps


def into_range(position, length, mode):
    """Positions along an axis by the rule `mode`: as they are, wrapped round, or the nearest end."""
    if mode == "wrap":
        return position % length
    return minimum(maximum(position, 0), length - 1) if mode == "clip" else position


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Flat positions of indices by axis."""
    dims = (dims,) if isinstance(dims, int) else tuple(map(operator.index, dims))
    if len(multi_index) != len(dims):
        raise ValueError(
            f"parameter multi_index must be a sequence of length {len(dims)}, not {len(multi_index)}"
        )
    if math.prod(dims) > numpy.iinfo(numpy.int64).max:
        raise ValueError(
            "invalid dims: array size defined by dims is larger than the maximum possible size."
        )
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    coordinates = [as_integers(each) for each in multi_index]
    run = make_ravelling(modes)
    numbers = (*dims, *strides_of(dims, order))
    if len(dims) > MOST_AXES:
        total, outside = run.function(*coordinates, *numbers)
    else:
        total, outside = run(*coordinates, *numbers, dtype=INDEX, results=(INDEX, bool))
    if "raise" in modes and bool(outside.any()):
        raise ValueError("invalid entry in coordinates array")
    return total[()] if total.ndim == 0 else total


def is_outside(position, length):
    return (position < 0) | (position >= length)


@functools.cache
def make_ravelling(modes):
    """A function of coordinates, lengths and steps: the positions, and whether a coordinate leaves its axis."""
    for mode in modes:
        if mode not in ("raise", "wrap", "clip"):
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    count = len(modes)
    judged = [i for i, mode in enumerate(modes) if mode == "raise"] or [0]

    @chained
    def ravel(*arguments):
        coordinates, lengths = arguments[:count], arguments[count : 2 * count]
        total = into_range(coordinates[0], lengths[0], modes[0]) * arguments[2 * count]
        for i in range(1, count):
            total = (
                total + into_range(coordinates[i], lengths[i], modes[i]) * arguments[2 * count + i]
            )
        first, *others = judged
        outside = is_outside(coordinates[first], lengths[first])
        for i in others:
            outside = outside | is_outside(coordinates[i], lengths[i])
        return total, outside

    return ravel


def unravel_index(indices, shape, order="C"):
    """Indices by axis of flat positions, a tuple with an array for each axis."""
    shape = (shape,) if isinstance(shape, int) else tuple(map(operator.index, shape))
    flat, size = as_integers(indices), math.prod(shape)
    if not shape and flat.ndim:
        raise ValueError("multiple indices are not supported for 0d array")
    lengths, steps = ([max(each, 1) for each in one] for one in (shape, strides_of(shape, order)))
    if any_outside(flat, size):
        bad = int(flat.reshape(-1)[((flat < 0) | (flat >= size)).reshape(-1).argmax()])
        raise ValueError(f"index {bad} is out of bounds for array with size {size}")
    run = make_unravelling(len(shape), 0 if order == "C" else len(shape) - 1)
    if not 0 < len(shape) <= MOST_AXES:
        result = run.function(flat, *lengths, *steps)
    else:
        result = run(flat, *lengths, *steps, dtype=INDEX, results=(INDEX,) * len(shape))
    return tuple(each[()] if each.ndim == 0 else each for each in result)


@functools.cache
def make_unravelling(count, outermost):
    """A function of positions, lengths and steps: coordinates."""

    @chained
    def unravel(flat, *numbers):
        along = [flat // step for step in numbers[count:]]
        result = [
            each if axis == outermost else each % length
            for axis, (each, length) in enumerate(zip(along, numbers[:count], strict=True))
        ]
        return tuple(result)

    return unravel


def diag_indices(n, ndim=2, *, device=None):
    """Index of the main diagonal of an array with `ndim` axes of length `n`."""
    return (arange(n, device=device),) * ndim


@on_host_if_unheld
def diag_indices_from(arr):
    """diag_indices for the shape of an array, whose axes must be of one length."""
    if numpy.ndim(arr) < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim, device=getattr(arr, "device", None))


def tril_indices(n, k=0, m=None, *, device=None):
    """Index of the lower triangle of an (n, m) matrix, up to the k-th diagonal."""
    return tri(n, m, k=k, dtype=bool, device=device).nonzero()


def triu_indices(n, k=0, m=None, *, device=None):
    """Index of the upper triangle of an (n, m) matrix, from the k-th diagonal on."""
    return (~tri(n, m, k=k - 1, dtype=bool, device=device)).nonzero()


def tril_indices_from(arr, k=0):
    """tril_indices for the shape of a matrix."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[-2], k, arr.shape[-1], device=getattr(arr, "device", None))


def triu_indices_from(arr, k=0):
    """triu_indices for the shape of a matrix."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[-2], k, arr.shape[-1], device=getattr(arr, "device", None))


def mask_indices(n, mask_func, k=0, *, device=None):
    """Index of the elements that mask_func(matrix, k) leaves of an (n, n) matrix of ones."""
    return (asarray(mask_func(ones((n, n), int, device=device), k)) != 0).nonzero()


@writes_first
def fill_diagonal(a, val, wrap=False):
    """Write to the main diagonal; wrap: of a tall matrix, starting again below each square."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    end = None
    if a.ndim == 2:
        step = a.shape[1] + 1
        end = None if wrap else a.shape[1] * a.shape[1]
    elif len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    else:
        step = 1 + sum(math.prod(a.shape[:axis]) for axis in range(1, a.ndim))
    values = asarray(val, device=a.device).reshape(-1)

    def write(flat):
        target = flat[:end:step]
        if target.size and not values.size:
            raise ValueError("there are no values to assign")
        target[...] = repeat_to(values, target.size)

    write_flat(a, write)
