"""Filters that choose one of the neighbours: the least, the greatest, or that of a rank."""

import math
import operator
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray._boxes import MAXIMUM, MINIMUM, RANK, filter_boxes
from gpuarray._core import asarray
from gpuarray._transfers import asarray as send
from gpuarray.ndimage._arguments import (
    check_output,
    deliver,
    narrow_truncated,
    output_dtype,
    read_axes,
    read_border,
    refuse_complex,
    spread,
    weights_on_host,
)
from gpuarray.ndimage._filters import check_size, expand, expand_origins, filter_axes

__all__ = [
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "percentile_filter",
    "rank_filter",
]


def choose_boxes(a, op, footprint, start, dtype, mode, cval, rank=0):
    """An element of each box, in a dtype; all of the box count if the footprint is whole."""
    half = a.dtype == numpy.float16
    work = a.astype("f4") if half else a
    mask = None
    if not footprint.all():
        mask = send(numpy.ascontiguousarray(footprint), device=a.device)
    result = filter_boxes(
        work, op, mask, footprint.shape, start, None, read_border(mode), cval, 1.0, rank
    )
    return narrow_truncated(result, dtype)


def extremum_along(op, input, size, axis, output, mode, cval, origin):
    a = asarray(input)
    refuse_complex(a)
    axis = normalize_axis_index(axis, a.ndim)
    check_size(size, origin)
    dtype = output_dtype(output, a)
    check_output(output, a.shape)
    box, start = [1] * a.ndim, [0] * a.ndim
    box[axis], start[axis] = size, -(size // 2 + origin)
    result = choose_boxes(a, op, numpy.ones(box, bool), start, dtype, mode, cval)
    return deliver(result, output)


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The least of `size` neighbours along an axis; parameters are those of `uniform_filter1d`."""
    return extremum_along(MINIMUM, input, size, axis, output, mode, cval, origin)


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The greatest of `size` neighbours along an axis; parameters are those of `uniform_filter1d`."""
    return extremum_along(MAXIMUM, input, size, axis, output, mode, cval, origin)


def read_footprint(size, footprint, axes, text):
    """The footprint over `axes`, on the host; that of a box where sizes are given."""
    if footprint is None:
        if size is None:
            raise RuntimeError(text)
        return numpy.ones([int(n) for n in spread(size, len(axes))], bool)
    if size is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=4)
    return weights_on_host(footprint).astype(bool)


def extremum(op, input, size, footprint, output, mode, cval, origin, axes):
    """Along one axis after the other where the footprint is a box, else over all at once."""
    a = asarray(input)
    refuse_complex(a)
    axes = read_axes(axes, a.ndim)
    footprint = read_footprint(size, footprint, axes, "no footprint provided")
    if not footprint.any():
        raise ValueError("All-zero footprint is not supported.")
    dtype = output_dtype(output, a)
    check_output(output, a.shape)
    if not footprint.all():
        return choose_over_axes(a, op, footprint, output, mode, cval, origin, axes)
    if footprint.ndim != len(axes):
        raise RuntimeError("sequence argument must have length equal to input rank")
    settings = zip(
        axes, footprint.shape, *(spread(value, len(axes)) for value in (origin, mode)), strict=True
    )
    passes = [
        lambda x, at=at, n=n, o=o, m=m: extremum_along(op, x, n, at, dtype, m, cval, o)
        for at, n, o, m in settings
        if n > 1
    ]
    return deliver(filter_axes(a, dtype, passes), output)


def choose_over_axes(a, op, footprint, output, mode, cval, origin, axes, rank=0):
    footprint = expand(footprint, axes, a.ndim, "footprint")
    origins = expand_origins(origin, axes, a.ndim)
    for each, size in zip(origins, footprint.shape, strict=True):
        if not 0 <= size // 2 + each < size:
            raise ValueError("invalid origin")
    if not isinstance(mode, str):
        raise RuntimeError("A sequence of modes is not supported for non-separable footprints")
    start = [-(n // 2 + o) for o, n in zip(origins, footprint.shape, strict=True)]
    dtype = output_dtype(output, a)
    return deliver(choose_boxes(a, op, footprint, start, dtype, mode, cval, rank), output)


def minimum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The least of the neighbours.

    Parameters
    ----------
    input : array_like
        Real array of any number of axes.
    size : int or sequence of int, optional
        Of the box of neighbours.
    footprint : array_like of bool, optional
        The neighbours that count; one that is no box has at most three axes longer than one.
    output : array or dtype, optional
        Where the result goes, or its dtype.
    mode : str, optional
        How the array goes on behind its ends; for a box one for each axis, too.
    cval : scalar, optional
        What lies outside in mode "constant".
    origin : int or sequence of int, optional
        By how much the box is moved to the left.
    axes : sequence of int, optional
        The axes to filter over; default: all.
    """
    return extremum(MINIMUM, input, size, footprint, output, mode, cval, origin, axes)


def maximum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The greatest of the neighbours; parameters are those of `minimum_filter`."""
    return extremum(MAXIMUM, input, size, footprint, output, mode, cval, origin, axes)


def choose_rank(input, rank_of, size, footprint, output, mode, cval, origin, axes):
    """The neighbour of the rank that rank_of(number of neighbours) gives."""
    a = asarray(input)
    refuse_complex(a)
    axes = read_axes(axes, a.ndim)
    footprint = read_footprint(size, footprint, axes, "no footprint or filter size provided")
    count = int(footprint.sum())
    rank = rank_of(count)
    rank += count if rank < 0 else 0
    if not 0 <= rank < count:
        raise RuntimeError("rank not within filter footprint size")
    check_output(output, a.shape)
    if rank in (0, count - 1):
        op = MINIMUM if rank == 0 else MAXIMUM
        footprint = expand(footprint, axes, a.ndim, "footprint")
        origins = expand_origins(origin, axes, a.ndim)
        return extremum(op, a, None, footprint, output, mode, cval, origins, None)
    return choose_over_axes(a, RANK, footprint, output, mode, cval, origin, axes, rank)


def rank_filter(
    input,
    rank,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """The neighbour that `rank` others come before, counted from the end if it is negative.

    Parameters are those of `minimum_filter`; at most three axes of the box are longer than one.
    """
    rank = operator.index(rank)
    return choose_rank(input, lambda count: rank, size, footprint, output, mode, cval, origin, axes)


def median_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The middle one of the neighbours, of an even number the greater; parameters as of `rank_filter`."""
    return choose_rank(
        input, lambda count: count // 2, size, footprint, output, mode, cval, origin, axes
    )


def percentile_filter(
    input,
    percentile,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """The neighbour below which a percentage of them lies; parameters as of `rank_filter`."""
    share = percentile + 100.0 if percentile < 0.0 else percentile
    if not 0 <= share <= 100:
        raise RuntimeError("invalid percentile")

    def rank_of(count):
        return count - 1 if share == 100.0 else math.floor(float(count) * share / 100.0)

    return choose_rank(input, rank_of, size, footprint, output, mode, cval, origin, axes)
