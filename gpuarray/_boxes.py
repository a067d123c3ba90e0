"""Filters whose elements are made of boxes of neighbours: what convolution, gpuarray.signal and gpuarray.ndimage share.

A box is told by its lengths along all axes and by where it starts: element i of the result sees the elements from
i + start on.
"""

import math

import numpy

from gpuarray import _core
from gpuarray._core import asarray, empty
from gpuarray._padding import pad

# In the order of enum ga_window_op and enum ga_border (csrc/core/call/window.h).
SUM, WIDE_SUM, MINIMUM, MAXIMUM, RANK = range(5)
CONSTANT, NEAREST, REFLECT, MIRROR, WRAP, NOTHING = range(6)
PADDINGS = {
    CONSTANT: "constant",
    NEAREST: "edge",
    REFLECT: "symmetric",
    MIRROR: "reflect",
    WRAP: "wrap",
}
FEW = 64  # weights, which a launch takes along: GA_WINDOW_FEW
MOST_TILED = 1024  # places of boxes that leave room for a tile


def filter_boxes(
    a, op, weights, box, start, shape=None, border=CONSTANT, outside=0, divisor=1.0, rank=0
):
    """A new array in the dtype of `a`, of its shape unless told otherwise.

    Weights, of sums, are of that dtype, of WIDE_SUM float64 or complex128; FEW float64 ones at most may be numpy's. For
    the other filters they are a mask that shows elements of the box, or None.
    """
    shape = a.shape if shape is None else shape
    result = empty(shape, a.dtype, device=a.device)
    outside = numpy.asarray(outside).astype(a.dtype)
    box, start = tuple(map(int, box)), tuple(map(int, start))
    if a.device != "cpu" and not settles_borders(op, a.dtype, box, weights):
        a, start = extend(a, box, start, shape, border, outside)
    _core._window(a, result, op, weights, box, start, border, outside, divisor, rank)
    return result


def correlate_full(a, weights, start, shape, border=CONSTANT, outside=0):
    """Sums of products of `a` and weights, both of one dtype, in its own arithmetic."""
    weights = asarray(weights, order="C", copy=None if weights.flags.c_contiguous else True)
    return filter_boxes(a, SUM, weights, weights.shape, start, shape, border, outside)


def settles_borders(op, dtype, box, weights):
    """Whether a GPU's kernel takes it that brings elements into shared memory, and settles borders there once for all
    boxes: kernels/window_lines.h, window_tiles.h and window_ranks.h."""
    count, long = math.prod(box), dtype.kind in "iu" and dtype.itemsize == 8
    if dtype.kind not in "iuf" or dtype.itemsize == 2 and dtype.kind == "f":
        return False
    if op == RANK:
        return count <= (27 if dtype.itemsize == 8 else 49)
    if op in (SUM, WIDE_SUM):
        return count <= MOST_TILED
    if weights is None:
        return not long and sum(n > 1 for n in box) < 2
    return not long and count <= MOST_TILED


def extend(a, box, start, shape, border, outside):
    """The array with what lies behind its ends, and where boxes start then.

    On a GPU the other kernels' neighbours of an element at a border would wait for it: its box costs many times as much
    as one inside.
    """
    ends = [
        (n, first, m + first + k - 1)
        for n, first, m, k in zip(a.shape, start, shape, box, strict=True)
    ]
    widths = [(max(0, -first), max(0, last - n)) for n, first, last in ends]
    most = [n - 1 if border == MIRROR else n for n in a.shape]
    fits = all(max(width) <= limit for width, limit in zip(widths, most, strict=True))
    if border not in PADDINGS or not fits or not any(map(any, widths)):
        return a, start
    values = {"constant_values": outside[()]} if border == CONSTANT else {}
    start = tuple(first + before for first, (before, _) in zip(start, widths, strict=True))
    return pad(a, widths, PADDINGS[border], **values), start
