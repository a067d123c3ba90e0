"""Arrays read between their elements: by splines of order 0 to 5 through them.

Interpolation is made in float64; complex arrays are two real ones. Integers of a result are rounded.
"""

import math
import warnings

import numpy

from gpuarray import _core
from gpuarray._core import asarray, ascontiguousarray, empty, full, ndarray
from gpuarray._padding import pad
from gpuarray.ndimage._arguments import (
    check_output,
    deliver,
    narrow_truncated,
    output_dtype,
    refuse_complex,
    spread,
    weights_on_host,
)
from gpuarray.ndimage._splines import by_parts, check_order, filter_axes, read_mode, spline_mode

__all__ = ["affine_transform", "map_coordinates", "rotate", "shift", "zoom"]

MARGIN = 12  # elements before and behind, where splines have no rule of their own for what follows


def prepare(a, order, mode, cval, prefilter, axes):
    """What the kernel reads for a real array, in float64 or float32, and the width of the margins it has along axes."""
    if not (prefilter and order > 1):
        exact = numpy.can_cast(a.dtype, numpy.float32)
        return a.astype(numpy.float32 if exact else float, copy=False), 0
    margin = MARGIN if mode in ("nearest", "grid-constant") else 0
    widths = [(margin * (axis in axes),) * 2 for axis in range(a.ndim)]
    if mode == "grid-constant":
        a = pad(a, widths, constant_values=cval)
    elif mode == "nearest":
        a = pad(a, widths, "edge")
    return filter_axes(a, order, axes, spline_mode(mode)), margin


def moving_axes(before, after, rows, offset):
    """The axes that an affine map does not leave as they are: along the others there is nothing to interpolate."""
    if len(before) != len(after):
        return tuple(range(len(before)))
    still = [
        n == m and start == 0 and all(x == (i == axis) for i, x in enumerate(row))
        for axis, (n, m, start, row) in enumerate(zip(before, after, offset, rows, strict=True))
    ]
    return tuple(axis for axis, stays in enumerate(still) if not stays) or (0,)


def interpolate(a, shape, dtype, order, mode, cval, prefilter, coordinates=None, affine=None):
    """Values at coordinates, or where an affine map (matrix, offset) leads from the places of the result."""
    code = read_mode(mode)
    width = dtype if dtype.kind in "iu" or dtype == numpy.float32 else numpy.dtype(float)
    matrix, offset, axes = None, None, tuple(range(a.ndim))
    if affine is not None:
        rows, offset = (numpy.asarray(each, float).tolist() for each in affine)
        axes = moving_axes(a.shape, shape, rows, offset)
        matrix = tuple(x for axis in axes for x in rows[axis])
        offset = tuple(offset[axis] for axis in axes)

    def read(part, outside):
        source, margin = prepare(part, order, mode, outside, prefilter, axes)
        result = empty(shape, width, device=part.device)
        outside = float(outside)
        _core._interpolate(
            source, result, coordinates, matrix, offset, order, code, outside, margin, axes
        )
        return result

    if a.size == 0 or 0 in shape:
        return full(shape, cval, dtype, device=a.device)
    return narrow_truncated(by_parts(read, a, cval), dtype)


def check_ranks(ndim, rank):
    if ndim < 1 or rank < 1:
        raise RuntimeError("input and output rank must be > 0")


def map_coordinates(
    input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True
):
    """Values of the spline through the elements at coordinates.

    Parameters
    ----------
    input : array_like
        Array of one to four axes.
    coordinates : array_like
        Along its first axis, the places along each axis of the input; the others are those of the result.
    output : array or dtype, optional
        Where the result goes, or its dtype.
    order : int, optional
        Of the spline, 0 to 5.
    mode : str, optional
        What lies outside: constant, nearest, reflect, mirror, wrap, grid-constant, grid-wrap or grid-mirror.
    cval : scalar, optional
        The constant of those modes.
    prefilter : bool, optional
        False if the input is coefficients that `spline_filter` made.
    """
    check_order(order)
    a = asarray(input)
    coordinates = asarray(coordinates, device=a.device)
    refuse_complex(coordinates)
    shape = coordinates.shape[1:]
    check_ranks(a.ndim, len(shape))
    if coordinates.shape[0] != a.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    dtype = output_dtype(output, a, a.dtype.kind == "c")
    check_output(output, shape)
    if coordinates.dtype != numpy.float32:
        coordinates = coordinates.astype(float, copy=False)
    places = ascontiguousarray(coordinates)
    result = interpolate(a, shape, dtype, order, mode, cval, prefilter, coordinates=places)
    return deliver(result, output)


def read_affine(matrix, offset, ndim, rank):
    """Matrix, or its diagonal as a vector, and offset; of a homogeneous matrix the parts."""
    matrix = weights_on_host(matrix).astype(float)
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if matrix.ndim == 2 and matrix.shape[1] == ndim + 1 and matrix.shape[0] in (ndim, ndim + 1):
        bottom = [0] * ndim + [1]
        if matrix.shape[0] == ndim + 1 and not numpy.all(matrix[ndim] == bottom):
            raise ValueError(
                f"Expected homogeneous transformation matrix, but bottom row was not equal to {bottom}"
            )
        matrix, offset = matrix[:ndim, :ndim], matrix[:ndim, ndim]
    if matrix.shape[0] != ndim:
        raise RuntimeError("affine matrix has wrong number of rows")
    if matrix.ndim == 2 and matrix.shape[1] != rank:
        raise RuntimeError("affine matrix has wrong number of columns")
    offset = numpy.asarray(spread(offset, ndim), float)
    return numpy.diag(matrix) if matrix.ndim == 1 else matrix, offset


def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    """The array seen through an affine map: element o of the result is the input at matrix @ o + offset.

    Parameters
    ----------
    matrix : array_like
        Of the map, or its diagonal; or a homogeneous matrix, which holds the offset too.
    offset : float or sequence of float, optional
        Of the map.
    output_shape : tuple of int, optional
        Default: that of the output, or of the input.
    input, output, order, mode, cval, prefilter
        As in `map_coordinates`.
    """
    check_order(order)
    a = asarray(input)
    if output_shape is None:
        output_shape = output.shape if isinstance(output, (ndarray, numpy.ndarray)) else a.shape
    output_shape = tuple(map(int, output_shape))
    check_ranks(a.ndim, len(output_shape))
    dtype = output_dtype(output, a, a.dtype.kind == "c")
    check_output(output, output_shape)
    matrix, offset = read_affine(matrix, offset, a.ndim, len(output_shape))
    affine = matrix, offset
    result = interpolate(a, output_shape, dtype, order, mode, cval, prefilter, affine=affine)
    return deliver(result, output)


def scale_and_move(a, shape, output, order, mode, cval, prefilter, scale, offset):
    dtype = output_dtype(output, a, a.dtype.kind == "c")
    check_output(output, shape)
    affine = numpy.diag(scale), offset
    result = interpolate(a, shape, dtype, order, mode, cval, prefilter, affine=affine)
    return deliver(result, output)


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The array moved by `shift` elements, one number or one for each axis; parameters as of `map_coordinates`."""
    check_order(order)
    a = asarray(input)
    check_ranks(a.ndim, a.ndim)
    offset = [-float(each) for each in spread(shift, a.ndim)]
    ones = numpy.ones(a.ndim)
    return scale_and_move(a, a.shape, output, order, mode, cval, prefilter, ones, offset)


def zoom(
    input,
    zoom,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
    *,
    grid_mode=False,
):
    """The array enlarged by `zoom`, one factor or one for each axis.

    Parameters are those of `map_coordinates`, and

    grid_mode : bool, optional
        Count from the borders of elements, not from their centres.
    """
    check_order(order)
    a = asarray(input)
    check_ranks(a.ndim, a.ndim)
    factors = spread(zoom, a.ndim)
    shape = tuple(round(n * factor) for n, factor in zip(a.shape, factors, strict=True))
    if all(factor == 1 for factor in factors) and prefilter:
        dtype = output_dtype(output, a, a.dtype.kind == "c")
        check_output(output, shape)
        return deliver(a.astype(dtype), output)
    if grid_mode and mode in ("constant", "wrap"):
        warnings.warn(
            f"It is recommended to use mode = grid-{mode} instead of {mode} when grid_mode is True.",
            stacklevel=2,
        )
    less = 0 if grid_mode else 1
    scale = [
        (n - less) / (m - less) if m > less else 1.0 for n, m in zip(a.shape, shape, strict=True)
    ]
    offset = [0.5 * each - 0.5 if grid_mode else 0.0 for each in scale]
    return scale_and_move(a, shape, output, order, mode, cval, prefilter, scale, offset)


def turn(angle):
    """Cosine and sine of an angle in degrees, exact at multiples of ninety."""
    quarters, rest = divmod(angle, 90.0)
    c, s = math.cos(math.radians(rest)), math.sin(math.radians(rest))
    return [(c, s), (-s, c), (-c, -s), (s, -c)][int(quarters) % 4]


def read_plane(axes, ndim):
    """The two axes of a rotation, in order."""
    if ndim < 2:
        raise ValueError("input array should be at least 2D")
    axes = list(axes)
    if len(axes) != 2:
        raise ValueError("axes should contain exactly two values")
    if not all(float(axis).is_integer() for axis in axes):
        raise ValueError("axes should contain only integer values")
    axes = sorted(int(axis) + ndim * (axis < 0) for axis in axes)
    if not all(0 <= axis < ndim for axis in axes):
        raise ValueError("invalid rotation plane specified")
    return axes


def rotate(
    input,
    angle,
    axes=(1, 0),
    reshape=True,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    """The array rotated in the plane of two axes.

    Parameters
    ----------
    angle : float
        In degrees.
    axes : (int, int), optional
        The plane.
    reshape : bool, optional
        Let the result have room for all of the input.
    input, output, order, mode, cval, prefilter
        As in `map_coordinates`.
    """
    check_order(order)
    a = asarray(input)
    plane = read_plane(axes, a.ndim)
    c, s = turn(angle)
    matrix = numpy.array([[c, s], [-s, c]])
    before = numpy.array([a.shape[axis] for axis in plane])
    after = before
    if reshape:
        corners = matrix @ [[0, 0, before[0], before[0]], [0, before[1], 0, before[1]]]
        after = (numpy.ptp(corners, axis=1) + 0.5).astype(int)
    offset = (before - 1) / 2 - matrix @ ((after - 1) / 2)
    shape = list(a.shape)
    for axis, n in zip(plane, after, strict=True):
        shape[axis] = int(n)
    dtype = output_dtype(output, a, a.dtype.kind == "c")
    check_output(output, shape)
    options = order, mode, cval, prefilter
    result = rotate_planes(a, plane, shape, dtype, matrix, offset, options)
    return deliver(result, output)


def rotate_planes(a, plane, shape, dtype, matrix, offset, options):
    """All planes at once: the other axes, joined with their neighbours, stay as they are."""
    p, q = plane
    joined = [slice(0, p), slice(p, p + 1), slice(p + 1, q), slice(q, q + 1), slice(q + 1, a.ndim)]
    joined = [each for each in joined if each.start < each.stop]
    before, after = ([math.prod(each[part]) for part in joined] for each in (a.shape, shape))
    axes = [i for i, each in enumerate(joined) if each.start in plane]
    whole_matrix, whole_offset = numpy.eye(len(joined)), numpy.zeros(len(joined))
    whole_matrix[numpy.ix_(axes, axes)] = matrix
    whole_offset[axes] = offset
    affine = whole_matrix, whole_offset
    return interpolate(a.reshape(before), after, dtype, *options, affine=affine).reshape(shape)
