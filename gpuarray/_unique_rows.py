"""Unique slices of an array along an axis: rows of a matrix, in the order of their elements from left to right.

The rows are sorted where they lie, by comparing them; a row with a NaN is unlike any other.
"""

from gpuarray import _core
from gpuarray._shape import moveaxis
from gpuarray._sorting import dense


def find_unique_rows(a, axis):
    """Unique slices along an axis in order; their positions, those that sort all slices, and a mask of the sorted ones
    that are unlike the one before."""
    lines = moveaxis(a, axis, 0)
    rows = dense(lines.reshape(len(lines), -1 if lines.size else 0))
    positions, first = _core._sort_rows(rows)
    chosen = _core._select(positions, first)
    unique = rows[chosen].reshape((len(chosen), *lines.shape[1:]))
    return moveaxis(unique, 0, axis), chosen, positions, first
