"""Selection: partitions, and the k largest or smallest elements.

Kernels select in contiguous rows (_core._partition and its kin) without sorting them; only for several places at once
a row is sorted, which is a partition too. Other axes are brought to the end by a transposed copy.
"""

import operator
from collections import namedtuple

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core
from gpuarray._core import asarray, empty_like, ndarray
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import moveaxis
from gpuarray._sorting import argsort, check_kind, dense, put_last, sort

__all__ = ["argpartition", "partition", "top_k"]

TopK = namedtuple("TopK", ["values", "indices"])


def check_selection(kind, order):
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    check_kind(None, order, None)


def find_places(kth, length, axis, empty):
    """The distinct places along an axis, from its start; nothing is looked for in an empty array."""
    kth = numpy.asarray(_core.asnumpy(kth) if isinstance(kth, ndarray) else kth)
    if kth.dtype.kind not in "iub":
        raise TypeError("Partition index must be integer")
    if kth.ndim > 1:
        raise ValueError("object too deep for desired array")
    places = [] if empty else [int(each) for each in kth.ravel()]
    for each in places:
        if not -length <= each < length:
            raise ValueError(f"kth(={each}) out of bounds ({length}) along axis {axis}")
    return {each % length for each in places}


def partition_rows(rows, places):
    """A copy of contiguous rows in which each of the places has its element."""
    if len(places) == 1:
        return _core._partition(rows, *places)
    return sort(rows) if places else rows.copy()


def partition_in_place(self, kth, axis=-1, kind="introselect", order=None):
    """Put the element that belongs at position kth there, smaller ones before and larger ones behind it."""
    check_selection(kind, order)
    axis = normalize_axis_index(operator.index(axis), self.ndim)
    places = find_places(kth, self.shape[axis], axis, self.size == 0)
    if not self.flags.writeable:
        raise ValueError("partition array is read-only")
    rows = put_last(self, axis)
    rows[...] = partition_rows(dense(rows), places)


@on_host_if_unheld
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy with the element that belongs at position kth there, smaller ones before, larger ones behind it."""
    check_selection(kind, order)
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), -1
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    rows = put_last(a, axis)
    parted = partition_rows(dense(rows), find_places(kth, a.shape[axis], axis, a.size == 0))
    if axis == a.ndim - 1 and a.flags.c_contiguous:
        return parted
    result = empty_like(a)
    moveaxis(result, axis, -1)[...] = parted
    return result


@on_host_if_unheld
def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The positions that partition an array."""
    check_selection(kind, order)
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), -1
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    places = find_places(kth, a.shape[axis], axis, a.size == 0)
    if len(places) != 1:
        return argsort(a, axis)
    positions = _core._argpartition(dense(put_last(a, axis)), *places)
    return moveaxis(positions, -1, axis).copy("C") if axis != a.ndim - 1 else positions


def argpartition_method(self, kth, axis=-1, kind="introselect", order=None):
    """The positions that partition the array."""
    return argpartition(self, kth, axis, kind, order)


def sort_selected(values, indices, descending):
    """What was selected, in order; elements alike keep theirs."""
    order = _core._argsort(values, descending)
    return tuple(
        _core._take_along(each, order, values.ndim - 1, "clip") for each in (values, indices)
    )


@on_host_if_unheld
def top_k(a, k, /, *, axis=-1, mode="largest", sorted=True):
    """The k largest or smallest elements along an axis, and where they are.

    Parameters
    ----------
    a : array_like
        Where to look. NaN counts as the last of all in either mode.
    k : int
        How many elements, at most as many as there are along the axis.
    axis : int
        The axis along which to look.
    mode : {"largest", "smallest"}
        Which elements.
    sorted : bool
        Whether they come in order, the largest, or the smallest, first.

    Returns
    -------
    TopK
        A named tuple of two arrays: `values` and `indices`, `k` long along the axis. Of elements alike the first are
        taken.
    """
    a, k = asarray(a), operator.index(k)
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    if mode not in ("largest", "smallest"):
        raise ValueError(f"top_k: mode must be 'largest' or 'smallest', not {mode!r}")
    if not 0 <= k <= a.shape[axis]:
        raise ValueError(
            f"top_k: k={k} is out of bounds for {a.shape[axis]} elements along axis {axis}"
        )
    descending = mode == "largest"
    found = _core._first_of_rows(dense(put_last(a, axis)), k, descending)
    if sorted and k > 1:
        found = sort_selected(*found, descending)
    if axis != a.ndim - 1:
        found = (moveaxis(each, -1, axis).copy("C") for each in found)
    return TopK(*found)
