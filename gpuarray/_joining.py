"""Joining and repeating: new arrays that hold the elements of others, copied on the device."""

import itertools
import math
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

import gpuarray
from gpuarray import _core
from gpuarray._core import arange, array, asarray, concatenate, empty, empty_like, ndarray
from gpuarray._dtypes import can_cast, result_type
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import atleast_1d, atleast_2d, atleast_3d, expand_dims
from gpuarray._shape import ndim as count_dimensions

__all__ = [
    "block",
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
LARGE_BLOCK = 2 * 512 * 512  # from where on NumPy does not concatenate
WRAP = 4  # of enum ga_border (csrc/core/call/window.h)
MOST_EXTENDED_AXES, MOST_EXTENDED_BYTES = 8, 1 << 22


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
    key = (slice(None),) * axis + (None,)
    return concatenate(
        [each[key] for each in arrays], axis=axis, out=out, dtype=dtype, casting=casting
    )


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


@on_host_if_unheld
def block(arrays):
    """Arrays put together from nested lists of blocks: innermost lists along the last axis, and so on outwards."""
    depth, ndim = measure_blocks(arrays, ())
    blocks = list(place_blocks(arrays, depth, max(depth, ndim)))
    parts = [part for part, _ in blocks]
    shape = [max(place[i].stop for _, place in blocks) for i in range(max(depth, ndim))]
    result = empty_block(parts, shape, depth)
    for part, place in blocks:
        result[(*place, ...)] = part
    return result


def empty_block(parts, shape, depth):
    """Room for blocks, in the order of axes that all of them have; a large one in NumPy is in C or Fortran order."""
    dtype = result_type(*parts)
    if depth == 0:
        return empty(shape, dtype, device=parts[0].device)
    small = depth * math.prod(shape) <= LARGE_BLOCK and all(1 not in each.shape for each in parts)
    if small and len({order_axes(each) for each in parts}) == 1:
        return empty_like(parts[0], dtype, shape=shape)
    fortran = all(each.flags.f_contiguous for each in parts)
    order = "F" if fortran and not all(each.flags.c_contiguous for each in parts) else "C"
    return empty(shape, dtype, order, device=parts[0].device)


def order_axes(a):
    """The axes from the one with the greatest stride on."""
    return tuple(numpy.argsort(-numpy.abs(a.strides), kind="stable").tolist())


def measure_blocks(arrays, path):
    """Depth of nested lists, which must be one for all, and the most dimensions that a block has."""
    if isinstance(arrays, tuple):
        raise TypeError(
            f"{name_block(path)} is a tuple. Only lists can be used to arrange blocks, and block does not allow "
            "implicit conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        return 0, count_dimensions(arrays)
    if not arrays:
        raise ValueError(f"List at {name_block(path)} cannot be empty")
    depths, ndims = zip(
        *(measure_blocks(each, (*path, i)) for i, each in enumerate(arrays)), strict=True
    )
    if len(set(depths)) > 1:
        raise ValueError(
            f"List depths are mismatched: {name_block(path)} holds depths {sorted(set(depths))}"
        )
    return depths[0] + 1, max(ndims)


def name_block(path):
    return "arrays" + "".join(f"[{i}]" for i in path)


def place_blocks(arrays, depth, ndim):
    """Each block with the slices where it belongs, and its shape checked against its neighbours'."""
    if depth == 0:
        part = array(arrays, copy=None, ndmin=ndim)
        return [(part, [slice(0, n) for n in part.shape])]
    axis, start, result, before = ndim - depth, 0, [], None
    for each in arrays:
        inner = place_blocks(each, depth - 1, ndim)
        lengths = [max(place[i].stop for _, place in inner) for i in range(ndim)]
        others = lengths[:axis] + lengths[axis + 1 :]
        if before is not None and others != before:
            raise ValueError(f"Mismatched array shapes in block along axis {axis}.")
        before = others
        for part, place in inner:
            place[axis] = slice(start + place[axis].start, start + place[axis].stop)
            result.append((part, place))
        start += lengths[axis]
    return result


@on_host_if_unheld
def repeat(a, repeats, axis=None):
    """Each element `repeats` times in a row."""
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    a = a if a.ndim > 0 else a.reshape(1)  # which has an axis 0 here, as in NumPy
    axis = normalize_axis_index(axis, a.ndim)
    try:
        count = operator.index(repeats)
    except TypeError:
        return repeat_each(a, repeats, axis)
    if count < 0 and a.shape[axis]:
        raise ValueError("repeats may not contain negative values.")
    return repeat_all(a, max(count, 0), axis)


def repeat_all(a, count, axis):
    """Each element equally often: one copy with broadcasting."""
    before, length, after = a.shape[:axis], a.shape[axis], a.shape[axis + 1 :]
    out = empty((*before, length, count, *after), a.dtype, device=a.device)
    out[...] = expand_dims(a, axis + 1)
    return out.reshape((*before, length * count, *after))


def repeat_each(a, repeats, axis):
    """Each element by a count of its own: the element of a place is found among the sums of counts."""
    if not isinstance(repeats, (ndarray, numpy.ndarray)):
        repeats = numpy.asarray(repeats, numpy.intp)  # floats are cut off, as NumPy does
    repeats = asarray(repeats, device=a.device)
    if repeats.size and not can_cast(repeats, numpy.intp, "same_kind"):
        raise TypeError(
            f"Cannot cast array data from {repeats.dtype!r} to dtype('int64') according to the rule 'safe'"
        )
    if repeats.ndim > 1:
        raise ValueError("object too deep for desired array")
    if repeats.size == 1:
        return repeat(a, int(repeats.reshape(())), axis)
    if repeats.size != a.shape[axis]:
        raise ValueError(
            f"operands could not be broadcast together with shape ({a.shape[axis]},) ({repeats.size},)"
        )
    if repeats.size and int(_core.min(repeats)) < 0:
        raise ValueError("repeats may not contain negative values.")
    ends = gpuarray.cumsum(repeats, dtype=numpy.intp)
    places = arange(int(ends[-1]) if ends.size else 0, device=a.device)
    return gpuarray.take(a, gpuarray.searchsorted(ends, places, side="right"), axis)


@on_host_if_unheld
def tile(A, reps):
    """The array laid out several times along each axis."""
    a = asarray(A)
    reps = tuple(reps) if isinstance(reps, (list, tuple, numpy.ndarray, ndarray)) else (reps,)
    reps = tuple(map(operator.index, reps))
    reps = (1,) * (a.ndim - len(reps)) + reps
    if all(rep == 1 for rep in reps):
        return array(a, copy=True, ndmin=len(reps))  # in the order of the array
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
    return move_parts(a, totals)


def extend_into(result, a, befores, border, outside):
    """Fill a new array with one that begins within it, and with what a border's rule has beyond, by one kernel.

    False, and nothing written, where the kernel does not take them, or copies of parts are faster: of large arrays.
    """
    fits = isinstance(a, ndarray) and 0 < a.ndim <= MOST_EXTENDED_AXES
    if not fits or result.nbytes > MOST_EXTENDED_BYTES:
        return False
    if not result.flags.c_contiguous:
        if not result.flags.f_contiguous:
            return False
        result, a, befores = result.T, a.T, befores[::-1]
    _core._extend(a, result, befores, border, outside)
    return True


def move_parts(a, shifts):
    """Copy of `a` with its elements moved round along axes, part by part if not at once: two parts for each axis."""
    out = empty_like(a)
    befores = tuple(shifts.get(axis, 0) for axis in range(a.ndim))
    if a.size and extend_into(out, a, befores, WRAP, 0):
        return out
    choices = [[(slice(None), slice(None))] for _ in range(a.ndim)]
    for axis, shift in shifts.items():
        length = a.shape[axis]
        shift %= max(length, 1)
        if shift:
            choices[axis] = [
                (slice(shift, None), slice(None, length - shift)),
                (slice(None, shift), slice(length - shift, None)),
            ]
    for parts in itertools.product(*choices):
        target, source = zip(*parts, strict=True) if parts else ((), ())
        out[(*target, ...)] = a[(*source, ...)]
    return out
