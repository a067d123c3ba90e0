"""Unique slices of an array along an axis: rows of a matrix, in the order of their elements from left to right.

Rows are brought down to one number each, which orders them as their elements do. Elements become their ranks among all;
then pairs of neighbours become one number and ranks again, until one column is left: as many sorts as the logarithm of
the length of a row.
"""

import numpy

from gpuarray import _core
from gpuarray._core import empty, sum, zeros
from gpuarray._shape import moveaxis
from gpuarray._sorting import dense, sort


def rank(values):
    """For each element of a matrix how many of all are smaller: numbers with their order, equal where they are."""
    flat = dense(values).reshape(-1)
    return _core._search(sort(flat), flat).reshape(values.shape)


def join_pairs(ranks):
    """Neighbouring columns as one; the last of an odd number stays alone. Ranks are below the number of elements."""
    size, width = ranks.size, ranks.shape[1]
    joined = empty((ranks.shape[0], (width + 1) // 2), numpy.intp, device=ranks.device)
    pairs = joined[:, : width // 2]
    _core.multiply(ranks[:, : width - 1 : 2], size, out=pairs)
    pairs += ranks[:, 1::2]
    if width % 2:
        joined[:, -1] = ranks[:, -1]
    return joined


def rank_rows(rows):
    """For each row a number: they are ordered, and equal, as the rows are."""
    if rows.shape[1] == 0:
        return zeros(rows.shape[0], numpy.intp, device=rows.device)
    ranks = rank(rows)
    while ranks.shape[1] > 1:
        ranks = rank(join_pairs(ranks))
    return ranks[:, 0]


def sort_rows(rows):
    """The positions that sort the rows, and a mask of the sorted ones that are unlike the one before.

    A row with a NaN is unlike any other.
    """
    ordered, positions = _core._sort_both(dense(rank_rows(rows)))
    first = empty(len(ordered), bool, device=rows.device)
    first[:1] = True
    _core.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    if rows.dtype.kind in "fcmM":
        first |= (sum(_core.isnan(rows), axis=1) > 0)[positions]
    return positions, first


def find_unique_rows(a, axis):
    """Unique slices along an axis in order; with the positions and the mask of sort_rows."""
    lines = moveaxis(a, axis, 0)
    positions, first = sort_rows(dense(lines.reshape(len(lines), -1 if lines.size else 0)))
    chosen = _core._select(positions, first)
    return moveaxis(lines[chosen], 0, axis), chosen, positions, first
