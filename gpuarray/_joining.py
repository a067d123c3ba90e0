"""Joining and repeating: new arrays that hold the elements of others, copied on the device."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpuarray._core import asarray, concatenate, empty, empty_like, ndarray
from gpuarray._fallback import on_host_if_unheld, run
from gpuarray._shape import atleast_1d, atleast_2d, atleast_3d, expand_dims, ravel

__all__ = [
    "append",
    "column_stack",
    "concat",
    "dstack",
    "hstack",
    "repeat",
    "roll",
    "row_stack",
    "stack",
    "tile",
    "vstack",
]

concat = concatenate


def as_arrays(function, arrays):
    """The arrays of a sequence, or the rows of one array."""
    if not isinstance(arrays, (list, tuple, ndarray)) and not hasattr(arrays, "__getitem__"):
        raise TypeError(
            f'{function}: arrays to stack must be passed as a "sequence" type such as list or tuple.'
        )
    return [asarray(each) for each in arrays]


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays of one shape along a new axis."""
    arrays = as_arrays("stack", arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    if len({each.shape for each in arrays}) != 1:
        raise ValueError(
            f"all input arrays must have the same shape, not {[each.shape for each in arrays]}"
        )
    axis = normalize_axis_index(axis, arrays[0].ndim + 1)
    arrays = [expand_dims(each, axis) for each in arrays]
    return concatenate(arrays, axis=axis, out=out, dtype=dtype, casting=casting)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays along the first axis, vectors as rows."""
    arrays = [atleast_2d(each) for each in as_arrays("vstack", tup)]
    return concatenate(arrays, 0, dtype=dtype, casting=casting)


row_stack = vstack


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays along the second axis, vectors along their only one."""
    arrays = [atleast_1d(each) for each in as_arrays("hstack", tup)]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup):
    """Join arrays along the third axis."""
    return concatenate([atleast_3d(each) for each in as_arrays("dstack", tup)], 2)


def column_stack(tup):
    """Join arrays along the second axis, vectors as columns."""
    arrays = as_arrays("column_stack", tup)
    return concatenate([a if a.ndim >= 2 else a.reshape(-1, 1) for a in arrays], 1)


def append(arr, values, axis=None):
    """The array with values joined at its end, both flattened unless an axis is named."""
    if axis is None:
        return concatenate((ravel(arr), ravel(values)))
    return concatenate((asarray(arr), asarray(values)), axis)


@on_host_if_unheld
def repeat(a, repeats, axis=None):
    """Each element `repeats` times in a row."""
    a = asarray(a)
    try:
        count = operator.index(repeats)
    except TypeError:  # as many counts as elements
        return run(numpy.repeat, "gpuarray.repeat", (a, repeats, axis), {})
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normalize_axis_index(axis, a.ndim)
    before, length, after = a.shape[:axis], a.shape[axis], a.shape[axis + 1 :]
    out = empty((*before, length, count, *after), a.dtype, device=a.device)
    out[...] = expand_dims(a, axis + 1)
    return out.reshape((*before, length * count, *after))


@on_host_if_unheld
def tile(A, reps):
    """The array laid out several times along each axis."""
    a = asarray(A)
    reps = tuple(reps) if isinstance(reps, (list, tuple, numpy.ndarray, ndarray)) else (reps,)
    reps = tuple(map(operator.index, reps))
    reps = (1,) * (a.ndim - len(reps)) + reps
    lengths = (1,) * (len(reps) - a.ndim) + a.shape
    out = empty(
        [n for pair in zip(reps, lengths, strict=True) for n in pair], a.dtype, device=a.device
    )
    out[...] = a.reshape([n for length in lengths for n in (1, length)])
    return out.reshape([rep * length for rep, length in zip(reps, lengths, strict=True)])


def roll(a, shift, axis=None):
    """The elements moved along axes, those that leave one end coming in at the other."""
    a = asarray(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    shifts = numpy.atleast_1d(numpy.asarray(shift))
    if shifts.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    totals = dict.fromkeys(axes, 0)
    for amount, each in numpy.broadcast(shifts, axes):
        totals[int(each)] += operator.index(amount)
    for each, amount in totals.items():
        a = roll_axis(a, amount, each)
    return a


def roll_axis(a, shift, axis):
    """Copy of `a` with its elements moved along one axis."""
    out = empty_like(a)
    length = a.shape[axis]
    if length == 0:
        return out
    shift %= length
    before = (slice(None),) * axis
    out[(*before, slice(shift, None))] = a[(*before, slice(None, length - shift))]
    out[(*before, slice(None, shift))] = a[(*before, slice(length - shift, None))]
    return out
