"""Arrays with elements added or taken away: append, insert, delete, resize, trim_zeros.

Positions are worked out on the host, where they come from; elements move on the device.
"""

import math
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpuarray import _core
from gpuarray._core import array, asarray, asnumpy, concatenate, empty, ndarray
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import moveaxis, ravel

__all__ = ["append", "delete", "insert", "resize", "trim_zeros"]


def append(arr, values, axis=None):
    """The array with values joined at its end, both flattened unless an axis is named."""
    if axis is None:
        return concatenate((ravel(arr), ravel(values)))
    return concatenate((asarray(arr), asarray(values)), axis)


def along_axis(arr, axis):
    """The array and the axis to work on: the flattened array where none is named."""
    arr = asarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), -1
    return arr, normalize_axis_index(axis, arr.ndim)


def with_length(arr, axis, length):
    """New array like `arr` but for its length along one axis."""
    shape = (*arr.shape[:axis], length, *arr.shape[axis + 1 :])
    return empty(shape, arr.dtype, "F" if arr.flags.fnc else "C", device=arr.device)


def at(axis, key):
    """Index that applies `key` to one axis."""
    return (slice(None),) * axis + (key, ...)


@on_host_if_unheld
def insert(arr, obj, values, axis=None):
    """The array with values inserted before given positions along an axis."""
    arr, axis = along_axis(arr, axis)
    positions = as_positions(obj, arr.shape[axis])
    if positions.size == 1:
        return insert_one(arr, positions, obj, values, axis)
    length, count = arr.shape[axis], len(positions)
    positions[positions < 0] += length
    order = positions.argsort(kind="stable")
    positions[order] += numpy.arange(count)
    old = numpy.ones(length + count, dtype=bool)
    old[positions] = False
    result = with_length(arr, axis, length + count)
    result[at(axis, positions)] = asarray(values, device=arr.device)
    result[at(axis, old.nonzero()[0])] = arr
    return result


def as_positions(obj, length):
    """The positions that insert is given, as a numpy array."""
    if isinstance(obj, slice):
        return numpy.arange(*obj.indices(length))
    positions = numpy.array(asnumpy(obj))
    if positions.dtype == bool:
        if positions.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        return numpy.flatnonzero(positions)
    if positions.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    is_array = isinstance(obj, (ndarray, numpy.ndarray))
    return positions.astype(numpy.intp) if positions.size == 0 and not is_array else positions


def insert_one(arr, positions, obj, values, axis):
    """insert at one position, where all the values go."""
    length, index = arr.shape[axis], operator.index(positions.item())
    if not -length <= index <= length:
        raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {length}")
    index += length if index < 0 else 0
    values = array(values, copy=None, ndmin=arr.ndim, dtype=arr.dtype, device=arr.device)
    if positions.ndim == 0:
        values = moveaxis(values, 0, axis)
    count = values.shape[axis]
    result = with_length(arr, axis, length + count)
    result[at(axis, slice(None, index))] = arr[at(axis, slice(None, index))]
    result[at(axis, slice(index, index + count))] = values
    result[at(axis, slice(index + count, None))] = arr[at(axis, slice(index, None))]
    return result


@on_host_if_unheld
def delete(arr, obj, axis=None):
    """The array without the elements at given positions along an axis."""
    arr, axis = along_axis(arr, axis)
    length = arr.shape[axis]
    if isinstance(obj, slice):
        return delete_range(arr, axis, range(*obj.indices(length)))
    single = as_single(obj)
    if single is not None:
        if not -length <= single < length:
            raise IndexError(f"index {single} is out of bounds for axis {axis} with size {length}")
        return delete_range(arr, axis, range(single % length, single % length + 1))
    return arr[at(axis, kept_positions(obj, length))]


def as_single(obj):
    """The one position in `obj`, or None if it is a mask or holds any other number of them."""
    if isinstance(obj, (int, numpy.integer)) and not isinstance(obj, bool):
        return int(obj)
    host = asnumpy(obj)
    return host.item() if host.size == 1 and host.dtype.kind in "ui" else None


def kept_positions(obj, length):
    """Positions that delete leaves, of a mask or a list of positions that go."""
    host = asnumpy(obj)
    if host.size == 0 and not isinstance(obj, (ndarray, numpy.ndarray)):
        host = host.astype(numpy.intp)
    if host.dtype == bool:
        if host.shape != (length,):
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match the axis "
                f"length of {length}"
            )
        return numpy.flatnonzero(~host)
    keep = numpy.ones(length, dtype=bool)
    keep[host,] = False
    return numpy.flatnonzero(keep)


def delete_range(arr, axis, gone):
    """delete of positions at equal distances."""
    length = arr.shape[axis]
    if not gone:
        return arr.copy("F" if arr.flags.fnc else "C")
    gone = gone if gone.step > 0 else gone[::-1]
    if gone.step != 1 and len(gone) > 1:
        keep = numpy.ones(length, dtype=bool)
        keep[gone.start : gone.stop : gone.step] = False
        result = with_length(arr, axis, length - len(gone))
        result[...] = arr[at(axis, numpy.flatnonzero(keep))]
        return result
    result = with_length(arr, axis, length - len(gone))
    result[at(axis, slice(None, gone[0]))] = arr[at(axis, slice(None, gone[0]))]
    result[at(axis, slice(gone[0], None))] = arr[at(axis, slice(gone[-1] + 1, None))]
    return result


@on_host_if_unheld
def resize(a, new_shape):
    """The elements over and over, as many as a new shape takes."""
    shape = (new_shape,) if isinstance(new_shape, (int, numpy.integer)) else tuple(new_shape)
    if any(length < 0 for length in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    flat, size = ravel(a), math.prod(shape)
    if flat.size == 0 or size == 0:
        return _core.zeros(shape, flat.dtype, device=flat.device)
    result = empty(size, flat.dtype, device=flat.device)
    whole = size // flat.size * flat.size
    result[:whole].reshape(-1, flat.size)[...] = flat
    result[whole:] = flat[: size - whole]
    return result.reshape(shape)


def trim_zeros(filt, trim="fb", axis=None):
    """The array without the zeros in front ("f") and at the back ("b") of the axes."""
    a = asarray(filt)
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim, argname="axis")
    if not axes:
        return filt
    bounds = find_bounds(a)
    key = [slice(None)] * a.ndim
    for each in axes:
        start, stop = bounds[each] if bounds else (0, 0)
        key[each] = slice(
            start if "f" in trim or not bounds else None,
            stop if "b" in trim or not bounds else None,
        )
    return filt[key[0]] if len(key) == 1 else a[tuple(key)]


def find_bounds(a):
    """First and last place (after it) of what is not zero, along each axis; an empty list if all is."""
    truth = a.astype(bool, copy=False)
    bounds = []
    for axis in range(a.ndim if a.size else 0):
        others = tuple(each for each in range(a.ndim) if each != axis)
        line = truth.any(axis=others) if others else truth
        first, last = int(line.argmax()), int(line[::-1].argmax())
        if first == 0 and not line[0]:
            return []
        bounds.append((first, a.shape[axis] - last))
    return bounds
