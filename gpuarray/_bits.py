"""Bits of bytes: packing truth values eight to a byte, and taking them out again."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core
from gpuarray._core import arange, asarray, empty, zeros
from gpuarray._shape import moveaxis

__all__ = ["packbits", "unpackbits"]

# Eight bytes that are 0 or 1, read as one number, times this: the top byte holds them as bits, and nothing carries into
# it, since the 64 products fall on 64 different places.
PACKERS = {"big": 0x8040201008040201, "little": 0x0102040810204080}


def check_order(bitorder):
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be str, not {type(bitorder).__name__}")
    if bitorder not in PACKERS:
        raise ValueError("'order' must be either 'little' or 'big'")


def to_last(a, axis):
    """The array with the axis, or all elements, along the last axis; and the axis."""
    if axis is None:
        return a.reshape(-1), -1
    a = a.reshape(1) if a.ndim == 0 else a
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    return moveaxis(a, axis, -1), axis


def pad_lines(lines, width):
    """Truth values as they are, if they fill their lines without gaps, else a copy with zeros behind them."""
    length = lines.shape[-1]
    if lines.dtype == bool and length == width and lines.flags.c_contiguous and lines.flags.aligned:
        return lines
    padded = (empty if width == length else zeros)(
        (*lines.shape[:-1], width), bool, device=lines.device
    )
    padded[..., :length] = lines
    return padded


def packbits(a, /, axis=None, bitorder="big"):
    """Truth values along an axis as the bits of bytes, zeros behind the last."""
    check_order(bitorder)
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    lines, axis = to_last(a, axis)
    length = lines.shape[-1]
    count = -(-length // 8)
    eights = pad_lines(lines, count * 8).view(numpy.uint64)
    packed = _core.right_shift(_core.multiply(eights, PACKERS[bitorder]), 56).astype(numpy.uint8)
    return moveaxis(packed, -1, axis)


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of bytes along an axis as zeros and ones; the first `count` of them, or all but the last -count."""
    check_order(bitorder)
    a = asarray(a)
    if a.dtype != numpy.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    lines, axis = to_last(a, axis)
    first, step = (7, -1) if bitorder == "big" else (0, 1)
    places = arange(first, first + 8 * step, step, numpy.int8, device=a.device).view(numpy.uint8)
    bits = _core.bitwise_and(_core.right_shift(lines[..., None], places), 1)
    bits = bits.reshape((*lines.shape[:-1], lines.shape[-1] * 8))
    return moveaxis(cut_bits(bits, count), -1, axis)


def cut_bits(bits, count):
    """The first `count` bits along the last axis, with zeros where there are no more."""
    length = bits.shape[-1]
    wanted = length if count is None else operator.index(count)
    if wanted < 0:
        wanted += length
        if wanted < 0:
            raise ValueError(f"-count {count} is larger than the number of elements {length}")
    if wanted <= length:
        return bits[..., :wanted]
    longer = zeros((*bits.shape[:-1], wanted), numpy.uint8, device=bits.device)
    longer[..., :length] = bits
    return longer
