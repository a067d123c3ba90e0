"""Splitting: views of the parts of an array along an axis."""

import operator

from numpy.lib.array_utils import normalize_axis_index

from gpuarray._core import asarray, asnumpy
from gpuarray._shape import moveaxis

__all__ = ["array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"]


def array_split(ary, indices_or_sections, axis=0):
    """Views of the parts of an array along an axis; sections need not be of one length."""
    ary = asarray(ary)
    length = ary.shape[normalize_axis_index(axis, ary.ndim)]
    try:
        sections = operator.index(indices_or_sections)
    except TypeError:
        return cut(ary, [0, *asnumpy(indices_or_sections).tolist(), length], axis)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, extra = divmod(length, sections)
    return cut(ary, [i * each + min(i, extra) for i in range(sections + 1)], axis)


def cut(ary, bounds, axis):
    """Views between consecutive bounds along an axis."""
    before = (slice(None),) * (axis % ary.ndim)
    return [
        ary[(*before, slice(start, stop))] for start, stop in zip(bounds, bounds[1:], strict=False)
    ]


def split(ary, indices_or_sections, axis=0):
    """Views of the parts of an array along an axis; a number of sections must divide its length."""
    ary = asarray(ary)
    try:
        sections = operator.index(indices_or_sections)
    except TypeError:
        pass
    else:
        if ary.shape[normalize_axis_index(axis, ary.ndim)] % sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def split_at_least(name, ary, indices_or_sections, ndim, axis):
    """split along `axis` of an array that must have `ndim` dimensions."""
    ary = asarray(ary)
    if ary.ndim < ndim:
        raise ValueError(f"{name} only works on arrays of {ndim} or more dimensions")
    return split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """Views of the parts along the first axis."""
    return split_at_least("vsplit", ary, indices_or_sections, 2, 0)


def hsplit(ary, indices_or_sections):
    """Views of the parts along the second axis, of a vector along its only one."""
    return split_at_least("hsplit", ary, indices_or_sections, 1, 1 if asarray(ary).ndim > 1 else 0)


def dsplit(ary, indices_or_sections):
    """Views of the parts along the third axis."""
    return split_at_least("dsplit", ary, indices_or_sections, 3, 2)


def unstack(x, /, *, axis=0):
    """Tuple of the arrays along an axis."""
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0))
