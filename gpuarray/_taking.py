"""Elements by number: take and put, along an axis or over the flat array, and what is made of them.

Indices that come from the host stay there until they are checked; indices on the device are checked by the kernels.
"""

import functools

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core, _shape
from gpuarray._core import arange, asarray, ndarray
from gpuarray._dtypes import can_cast, result_type
from gpuarray._fallback import MUTATED, on_host_if_unheld, run_silently
from gpuarray._joining import stack
from gpuarray._shape import broadcast_arrays
from gpuarray._sorting import dense

__all__ = [
    "choose",
    "compress",
    "extract",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "take",
    "take_along_axis",
]


def as_given(value):
    """An array where it is: ours on its device, anything else as a numpy array."""
    if isinstance(value, ndarray):
        return value
    if isinstance(value, (list, tuple)) and any(isinstance(item, ndarray) for item in value):
        return asarray(value)
    return numpy.asarray(value)


def as_positions(indices, rule="same_kind"):
    """Indices as int64, where they are; TypeError for an array of what is no integer."""
    given = as_given(indices)
    if not isinstance(given, ndarray) and not isinstance(indices, (numpy.ndarray, numpy.generic)):
        return numpy.asarray(indices, dtype=numpy.int64)
    if given.dtype == numpy.int64:
        return given
    if not numpy.can_cast(given.dtype, numpy.int64, rule):
        raise TypeError(
            f"Cannot cast array data from {given.dtype!r} to dtype('int64') according to the rule {rule!r}"
        )
    return given.astype(numpy.int64)


def writes_first(function):
    """`function`, which writes to its first argument; where that is not ours, NumPy's of the same name."""
    name = function.__name__

    @functools.wraps(function)
    def checked(*args, **kwargs):
        target = args[0] if args else kwargs.get(MUTATED[name])
        if not isinstance(target, ndarray):
            return run_silently(getattr(numpy, name), f"gpuarray.{name}", args, kwargs)
        if not target.flags.writeable:
            raise ValueError("assignment destination is read-only")
        return function(*args, **kwargs)

    return checked


def write_flat(array, write):
    """Call write(flat) with the array in one dimension and C order, by way of a copy where there is no such view."""
    if array.flags.c_contiguous:
        write(array.reshape(-1))
        return
    flat = array.flatten()
    write(flat)
    array[...] = flat.reshape(array.shape)


@on_host_if_unheld
def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements at the indices along an axis; of the flat array without one."""
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    else:
        axis = normalize_axis_index(axis, max(a.ndim, 1))
    indices = as_positions(indices)
    if out is not None:  # which dtypes of out are allowed depends on NumPy's version: ask it
        numpy.take(numpy.zeros(1, a.dtype), [0], out=numpy.zeros(1, out.dtype))
    return _core._take(a if a.ndim else a.reshape(1), indices, axis, mode, out)


@writes_first
def put(a, ind, v, mode="raise"):
    """Write values, repeated as often as is needed, to the elements of the flat array at the indices."""
    positions = as_positions(ind, "safe").reshape(-1)
    values = asarray(v, device=a.device).reshape(-1)
    if positions.size and not a.size:
        raise IndexError("cannot replace elements of an empty array")
    if values.size and positions.size:
        values = repeat_to(values.astype(a.dtype, copy=False), positions.size)
        write_flat(a, lambda flat: _core._put(flat, positions, values, mode))


def repeat_to(values, count):
    """`count` of the values, from the start again when they are used up; one stands for all."""
    if values.size == 1 or values.size == count:
        return values
    if values.size > count:
        return values[:count]
    return _core._take(values, arange(count, device=values.device), 0, "wrap")


def flatten_axis(arr, indices, axis):
    """`arr`, indices and axis of a function along an axis, where None means the flat array."""
    if axis is not None:
        return arr, normalize_axis_index(axis, arr.ndim)
    if indices.ndim != 1:
        raise ValueError("when axis=None, `indices` must have a single dimension.")
    return arr.reshape(-1), 0


def check_along(arr, indices):
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")


@on_host_if_unheld
def take_along_axis(arr, indices, axis=-1):
    """Elements at the indices along an axis, an index for each point of the other axes."""
    arr, indices = asarray(arr), as_given(indices)
    arr, axis = flatten_axis(arr, indices, axis)
    check_along(arr, indices)
    others = arr.shape[:axis] + (1,) + arr.shape[axis + 1 :]
    try:
        shape = numpy.broadcast_shapes(others, indices.shape)
    except ValueError as error:
        raise IndexError(f"take_along_axis: {error}") from None
    indices = as_positions(indices)
    if indices.shape != shape:
        home = numpy if isinstance(indices, numpy.ndarray) else _shape
        indices = home.broadcast_to(indices, shape)
    return _core._take_along(arr, indices, axis, "raise")


@writes_first
def put_along_axis(arr, indices, values, axis):
    """Write values to the elements at the indices along an axis, an index for each point of the other axes."""
    indices = as_given(indices)
    flat, axis = flatten_axis(arr, indices, axis)
    check_along(flat, indices)

    def write(target):
        target[key_along(target.shape, indices, axis, arr.device)] = values

    if flat is arr:
        write(arr)
    else:
        write_flat(arr, write)


def key_along(shape, indices, axis, device):
    """The index that names, along `axis`, the indices, and along the others each position."""
    ones = (1,) * len(shape)
    return tuple(
        indices
        if each == axis
        else arange(length, device=device).reshape(ones[:each] + (-1,) + ones[each + 1 :])
        for each, length in enumerate(shape)
    )


def find_true(condition):
    """Positions in the flat condition where it is true, where the condition is."""
    return as_given(condition).reshape(-1).nonzero()[0]


def select_flat(condition, a):
    """Elements of the flat array where the flat condition is true, without positions where sizes agree."""
    flat = asarray(a).reshape(-1)
    condition = as_given(condition)
    if (
        isinstance(condition, ndarray)
        and condition.size == flat.size
        and condition.device == flat.device
    ):
        return _core._select(flat, condition.reshape(-1))
    return take(flat, find_true(condition))


@on_host_if_unheld
def compress(condition, a, axis=None, out=None):
    """Slices along an axis where the condition is true."""
    condition = as_given(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if axis is None and out is None:
        return select_flat(condition, a)
    return take(a, find_true(condition), axis, out)


@on_host_if_unheld
def extract(condition, arr):
    """Elements of the flat array where the flat condition is true."""
    return select_flat(condition, arr)


def as_values(values, target):
    """Values on the device of the array they go to; arrays must convert to its dtype safely."""
    if isinstance(values, (ndarray, numpy.ndarray)) and not can_cast(
        values.dtype, target.dtype, "safe"
    ):
        raise TypeError(
            f"Cannot cast array data from {values.dtype!r} to {target.dtype!r} according to the rule 'safe'"
        )
    return asarray(values, device=target.device)


@writes_first
def place(arr, mask, vals):
    """Write the values in turn, again from the start when they are used up, where the mask is true."""
    mask = as_given(mask)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    positions = find_true(mask)
    values = as_values(vals, arr).reshape(-1)
    if positions.size and not values.size:
        raise ValueError("Cannot insert from an empty array!")
    put(arr, positions, values)


@writes_first
def putmask(a, mask, values):
    """Write to each element where the mask is true the value at its own place, values repeated to the array's size."""
    mask = asarray(mask, device=a.device)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = as_values(values, a)
    if values.size == 0:
        return
    if values.size > 1 and values.shape != a.shape:
        values = repeat_to(values.reshape(-1), a.size).reshape(a.shape)
    values = values.reshape(()) if values.size == 1 else values
    _core._copy_masked(a, values, mask.reshape(a.shape))


def any_outside(positions, length):
    """Whether one of some int64 positions is not in [0, length): without its sign, a negative one is the greatest."""
    return positions.size > 0 and int(_core.max(positions.view(numpy.uint64))) >= length


@on_host_if_unheld
def choose(a, choices, out=None, mode="raise"):
    """For each element, the element in the same place of the choice that it numbers."""
    index = asarray(as_positions(as_given(a), "safe"))
    choices = [asarray(each, device=index.device) for each in choices]
    index, *choices = broadcast_arrays(index, *choices)
    dtype = result_type(*choices)
    table = stack([each.astype(dtype, copy=False) for each in choices])
    if mode == "raise":  # a ValueError at the call, as NumPy's: so the device is waited for
        if any_outside(index, len(choices)):
            raise ValueError("invalid entry in choice array")
        mode = "clip"
    result = _core._take_along(table, dense(index)[None], 0, mode)[0, ...]
    if out is None:
        return result[()] if result.ndim == 0 else result
    if out.shape != result.shape:
        raise ValueError("choose: wrong shape for output array")
    out[...] = result
    return out
