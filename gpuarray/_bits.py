"""Bits of bytes: packing truth values eight to a byte, and taking them out again."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core
from gpuarray._core import arange, asarray, empty
from gpuarray._shape import moveaxis
from gpuarray._sorting import dense

__all__ = ["packbits", "unpackbits"]

BIT_ORDERS = ("big", "little")


def check_order(bitorder):
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be str, not {type(bitorder).__name__}")
    if bitorder not in BIT_ORDERS:
        raise ValueError("'order' must be either 'little' or 'big'")


def to_last(a, axis):
    """The array with the axis, or all elements, along the last axis; and the axis."""
    if axis is None:
        return a.reshape(-1), -1
    a = a.reshape(1) if a.ndim == 0 else a
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    return moveaxis(a, axis, -1), axis


def new_bytes(a, shape, axis):
    """A result of NumPy's memory order, and its elements with the axis last."""
    fortran = a.flags.fnc
    result = empty(shape, numpy.uint8, "F" if fortran else "C", device=a.device)
    return result, moveaxis(result, axis, -1)


def shape_along(lines, axis, length):
    """The shape of a result in which the last axis of `lines`, which was `axis`, has another length."""
    shape = list(lines.shape[:-1])
    shape.insert(axis if axis >= 0 else lines.ndim - 1, length)
    return shape


def packbits(a, /, axis=None, bitorder="big"):
    """Truth values along an axis as the bits of bytes, zeros behind the last."""
    check_order(bitorder)
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    lines, axis = to_last(a, axis)
    count = -(-lines.shape[-1] // 8)
    result, target = new_bytes(a, shape_along(lines, axis, count), axis)
    if lines.size:
        straight = target.flags.c_contiguous
        packed = target if straight else empty(target.shape, numpy.uint8, device=a.device)
        truth = lines if lines.dtype.itemsize == 1 else lines.astype(bool)
        _core._pack_bits(dense(truth), packed, bitorder == "little")
        if not straight:
            target[...] = packed
    return result


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of bytes along an axis as zeros and ones; the first `count` of them, or all but the last -count."""
    check_order(bitorder)
    a = asarray(a)
    if a.dtype != numpy.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    lines, axis = to_last(a, axis)
    length = lines.shape[-1] * 8
    wanted = count_bits(length, count)
    if wanted == length:
        result, target = new_bytes(a, shape_along(lines, axis, length), axis)
        spread_bits(lines, bitorder, target)
        return result
    bits = empty((*lines.shape[:-1], length), numpy.uint8, device=a.device)
    spread_bits(lines, bitorder, bits)
    result, target = new_bytes(a, shape_along(lines, axis, wanted), axis)
    target[..., :length] = bits[..., :wanted]
    target[..., length:] = 0
    return result


def spread_bits(lines, bitorder, target):
    """Writes the eight bits of each byte one after the other along the last axis."""
    first, step = (7, -1) if bitorder == "big" else (0, 1)
    places = arange(first, first + 8 * step, step, numpy.int8, device=lines.device)
    shifted = _core.right_shift(lines[..., None], places.view(numpy.uint8))
    _core.bitwise_and(shifted, 1, out=target.reshape((*lines.shape, 8)))


def count_bits(length, count):
    """How many bits of `length` are wanted."""
    wanted = length if count is None else operator.index(count)
    if wanted < 0:
        wanted += length
        if wanted < 0:
            raise ValueError(f"-count {count} is larger than the number of elements {length}")
    return wanted
