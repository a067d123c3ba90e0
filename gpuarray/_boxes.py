"""Filters whose elements are made of boxes of neighbours: what convolution, gpuarray.signal and gpuarray.ndimage share.

A box is told by its lengths along all axes and by where it starts: element i of the result sees the elements from
i + start on.
"""

import numpy

from gpuarray import _core
from gpuarray._core import asarray, empty

# In the order of enum ga_window_op and enum ga_border (csrc/core/call/window.h).
SUM, WIDE_SUM, MINIMUM, MAXIMUM, RANK = range(5)
CONSTANT, NEAREST, REFLECT, MIRROR, WRAP, NOTHING = range(6)
FEW = 64  # weights, which a launch takes along: GA_WINDOW_FEW


def filter_boxes(
    a, op, weights, box, start, shape=None, border=CONSTANT, outside=0, divisor=1.0, rank=0
):
    """A new array in the dtype of `a`, of its shape unless told otherwise.

    Weights, of sums, are of that dtype, of WIDE_SUM float64 or complex128; FEW float64 ones at most may be numpy's. For
    the other filters they are a mask that shows elements of the box, or None.
    """
    result = empty(a.shape if shape is None else shape, a.dtype, device=a.device)
    outside = numpy.asarray(outside).astype(a.dtype)
    box, start = tuple(map(int, box)), tuple(map(int, start))
    _core._window(a, result, op, weights, box, start, border, outside, divisor, rank)
    return result


def correlate_full(a, weights, start, shape, border=CONSTANT, outside=0):
    """Sums of products of `a` and weights, both of one dtype, in its own arithmetic."""
    weights = asarray(weights, order="C", copy=None if weights.flags.c_contiguous else True)
    return filter_boxes(a, SUM, weights, weights.shape, start, shape, border, outside)
