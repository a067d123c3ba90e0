"""Shapes: views with other axes, other orders of the same elements, and broadcasting.

Everything here is a view, as in NumPy, or one copy on the device.
"""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpuarray._core import asarray, ndarray

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "diagonal",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "isfortran",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "rot90",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "transpose",
]


def shape(a):
    """Shape of an array, or of what would be made of nested sequences."""
    return a.shape if isinstance(a, ndarray) else numpy.shape(as_nested(a))


def ndim(a):
    """Number of dimensions."""
    return a.ndim if isinstance(a, ndarray) else numpy.ndim(as_nested(a))


def size(a, axis=None):
    """Number of elements, or the length along one axis or several."""
    if not isinstance(a, ndarray):
        return numpy.size(as_nested(a), axis)
    if axis is None:
        return a.size
    count = 1
    for each in normalize_axis_tuple(axis, a.ndim):
        count *= a.shape[each]
    return count


def as_nested(a):
    """Nested sequences that hold device arrays as one device array; anything else as it is."""
    return asarray(a) if isinstance(a, (list, tuple)) and holds_device_array(a) else a


def holds_device_array(items):
    return any(
        isinstance(x, ndarray) or (isinstance(x, (list, tuple)) and holds_device_array(x))
        for x in items
    )


def isfortran(a):
    """Whether an array is Fortran contiguous and not C contiguous."""
    return a.flags.fnc


def reshape(a, /, shape, order="C", *, copy=None):
    """The elements in another shape; a view where the strides allow it."""
    # Without copy= where it is not asked for: NumPy 2.0's method, of what stays on the host, lacks it.
    return asarray(a).reshape(shape, order=order, **({} if copy is None else {"copy": copy}))


def ravel(a, order="C"):
    """The elements in one dimension; a view where the strides allow it."""
    return asarray(a).ravel(order)


def transpose(a, axes=None):
    """View with the axes permuted, reversed if no order is given."""
    return asarray(a).transpose(axes)


permute_dims = transpose


def matrix_transpose(x, /):
    """View with the last two axes exchanged."""
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.swapaxes(-1, -2)


def swapaxes(a, axis1, axis2):
    """View with two axes exchanged."""
    return asarray(a).swapaxes(axis1, axis2)


def squeeze(a, axis=None):
    """View without the axes of length one, or without the ones named."""
    return asarray(a).squeeze(axis)


def expand_dims(a, axis):
    """View with new axes of length one at the positions that `axis` has in the result."""
    a = asarray(a)
    if not isinstance(axis, (tuple, list)):
        axis = (axis,)
    ndim = len(axis) + a.ndim
    axis = normalize_axis_tuple(axis, ndim)
    lengths = iter(a.shape)
    return a.reshape([1 if each in axis else next(lengths) for each in range(ndim)])


def moveaxis(a, source, destination):
    """View with some axes moved to other positions, the others kept in their order."""
    a = asarray(a)
    both_int = type(source) is type(destination) is int
    if both_int and -a.ndim <= source < a.ndim and -a.ndim <= destination < a.ndim:
        order = list(range(a.ndim))
        axis = order.pop(source)
        order.insert(destination % a.ndim, axis)
        return a.transpose(order)
    source = normalize_axis_tuple(source, a.ndim, "source")
    destination = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [axis for axis in range(a.ndim) if axis not in source]
    for target, axis in sorted(zip(destination, source, strict=True)):
        order.insert(target, axis)
    return a.transpose(order)


def rollaxis(a, axis, start=0):
    """View with one axis moved backwards to lie before position `start`."""
    a = asarray(a)
    axis = normalize_axis_index(axis, a.ndim)
    if start < 0:
        start += a.ndim
    if not 0 <= start < a.ndim + 1:
        raise numpy.exceptions.AxisError(
            f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in"
        )
    order = [each for each in range(a.ndim) if each != axis]
    order.insert(start - (axis < start), axis)
    return a.transpose(order)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """View of the diagonal of two axes, as the last axis; it cannot be written to."""
    return asarray(a).diagonal(offset, axis1, axis2)


def flip(m, axis=None):
    """View with the order of elements reversed along some axes, or all."""
    m = asarray(m)
    axes = range(m.ndim) if axis is None else normalize_axis_tuple(axis, m.ndim)
    return m[tuple(slice(None, None, -1 if each in axes else 1) for each in range(m.ndim))]


def flipud(m):
    """View with the order reversed along the first axis."""
    m = asarray(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


def fliplr(m):
    """View with the order reversed along the second axis."""
    m = asarray(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def rot90(m, k=1, axes=(0, 1)):
    """View turned by `k` quarter turns in the plane of two axes."""
    m = asarray(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = (int(axis) for axis in axes)
    if first == second or abs(first - second) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= axis < m.ndim for axis in (first, second)):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    turns = k % 4
    if turns == 0:
        return m[...]
    if turns == 2:
        return flip(flip(m, first), second)
    return (
        flip(m, second).swapaxes(first, second)
        if turns == 1
        else flip(m.swapaxes(first, second), second)
    )


def atleast(arys, enlarge):
    """Each of the arrays through `enlarge`: one alone, several as a tuple."""
    result = tuple(enlarge(asarray(ary)) for ary in arys)
    return result[0] if len(result) == 1 else result


def atleast_1d(*arys):
    """The arrays with at least one dimension."""
    return atleast(arys, lambda a: a.reshape(1) if a.ndim == 0 else a)


def atleast_2d(*arys):
    """The arrays with at least two dimensions; a vector becomes a row."""
    return atleast(arys, lambda a: a.reshape((1,) * (2 - a.ndim) + a.shape) if a.ndim < 2 else a)


def enlarge_to_3d(a):
    shapes = {0: (1, 1, 1), 1: (1, *a.shape, 1), 2: (*a.shape, 1)}
    return a.reshape(shapes[a.ndim]) if a.ndim < 3 else a


def atleast_3d(*arys):
    """The arrays with at least three dimensions; a matrix (M, N) becomes (M, N, 1), a vector (1, N, 1)."""
    return atleast(arys, enlarge_to_3d)


def memory_order(a):
    """The axes from that of the largest stride to that of the smallest, which is order "K"."""
    return sorted(range(a.ndim), key=lambda axis: -abs(a.strides[axis]))


def in_memory_order(a, function):
    """What a function that goes element by element and gives C order makes of an array, in the array's order."""
    order = memory_order(a)
    back = sorted(range(a.ndim), key=order.__getitem__)
    return function(a.transpose(order)).transpose(back)


def broadcast_to(array, shape, subok=False):
    """Read-only view with another shape, in which axes of length one, and new ones in front, are repeated."""
    array = asarray(array)
    shape = (
        (operator.index(shape),)
        if not hasattr(shape, "__len__")
        else tuple(map(operator.index, shape))
    )
    if not isinstance(array, ndarray):  # strings and objects
        return numpy.broadcast_to(array, shape)
    added = len(shape) - array.ndim
    pairs = zip(array.shape, shape[max(added, 0) :], strict=False)
    if any(length < 0 for length in shape):
        raise ValueError(f"all elements of broadcast shape must be non-negative, not {shape}")
    if added < 0 or any(length not in (1, asked) for length, asked in pairs):
        raise ValueError(
            f"broadcast_to: an array of shape {array.shape} cannot be broadcast to shape {shape}"
        )
    strides = [
        stride if length != 1 else 0
        for stride, length in zip(array.strides, array.shape, strict=True)
    ]
    view = ndarray(shape, array.dtype, array, 0, [0] * added + strides)
    view.flags.writeable = False
    return view


def broadcast_arrays(*args, subok=False):
    """Views of the arrays with the shape that they have in common."""
    arrays = [asarray(arg) for arg in args]
    common = numpy.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == common else broadcast_to(a, common) for a in arrays)
