"""Sorting along an axis: values, positions, several keys.

The kernels sort contiguous rows, stably whatever `kind` says, with NaN and NaT last; on the CPU device NumPy sorts
where it is quicker. Other axes are brought to the end by a transposed copy. `descending`, which NumPy lacks, is the
Array API standard's.
"""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core
from gpuarray._core import asarray, empty_like, ndarray
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import moveaxis

__all__ = [
    "argsort",
    "lexsort",
    "sort",
    "sort_complex",
]

KINDS = ("quicksort", "mergesort", "heapsort", "stable")


def check_kind(kind, order, stable):
    """Refuse what NumPy refuses; whether equal elements have to keep their order."""
    if kind is not None and stable is not None:
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time")
    if kind is not None:
        if not isinstance(kind, str):
            raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
        if not kind or all(not each.startswith(kind.lower()[0]) for each in KINDS):
            raise ValueError(f"sort kind must be one of {', '.join(KINDS)} (got {kind!r})")
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    return bool(stable) or kind is not None and kind[0] in "sSmM"


def dense(a):
    """The array itself if kernels that want contiguous elements can take it, else a copy."""
    return a if a.flags.c_contiguous and a.flags.aligned else a.copy("C")


def put_last(a, axis):
    """View with an axis, counted from the first, moved to the end."""
    return a if axis == a.ndim - 1 else moveaxis(a, axis, -1)


def sort_in_place(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Sort the array itself along an axis."""
    stable = check_kind(kind, order, stable)
    axis = normalize_axis_index(operator.index(axis), self.ndim)
    if not self.flags.writeable:
        raise ValueError("sort array is read-only")
    rows = put_last(self, axis)
    contiguous = dense(rows)
    _core._sort(contiguous, descending, stable=stable)
    if contiguous is not rows:
        rows[...] = contiguous


@on_host_if_unheld
def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A sorted copy of an array; NaN and NaT come last, in descending order too."""
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), -1
    if axis in (-1, a.ndim - 1) and a.ndim and dense(a) is a:
        stable = check_kind(kind, order, stable)
        result = empty_like(a)
        _core._sort(a, descending, result, stable)
        return result
    result = a.copy("K")
    sort_in_place(result, axis, kind, order, stable=stable, descending=descending)
    return result


@on_host_if_unheld
def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The positions that sort an array along an axis; equal elements keep their order."""
    check_kind(kind, order, stable)
    a = asarray(a)
    if axis is None or a.ndim == 0 and axis in (0, -1):
        a, axis = a.reshape(-1), -1
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    positions = _core._argsort(dense(put_last(a, axis)), descending)
    return moveaxis(positions, -1, axis).copy("C") if axis != a.ndim - 1 else positions


def argsort_method(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The positions that sort the array along an axis."""
    return argsort(self, axis, kind, order, stable=stable, descending=descending)


def take_keys(keys):
    """The keys of lexsort as arrays of one shape on one device."""
    keys = list(keys) if isinstance(keys, (list, tuple, ndarray)) else list(asarray(keys))
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    device = next((key.device for key in keys if isinstance(key, ndarray)), None)
    keys = [asarray(key, device=device) for key in keys]
    if any(key.shape != keys[0].shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    return keys


@on_host_if_unheld
def lexsort(keys, axis=-1):
    """The positions that sort by several keys, of which the last is the most important."""
    keys = take_keys(keys)
    if keys[0].ndim == 0:
        if operator.index(axis) not in (0, -1):
            normalize_axis_index(axis, 0)
        return asarray(0, dtype=numpy.intp, device=keys[0].device)[()]
    axis = normalize_axis_index(operator.index(axis), keys[0].ndim)
    positions = None
    for key in keys:
        positions = _core._argsort(dense(put_last(key, axis)), False, positions)
    return moveaxis(positions, -1, axis).copy("C") if axis != keys[0].ndim - 1 else positions


@on_host_if_unheld
def sort_complex(a):
    """A sorted copy, along the last axis, as complex numbers."""
    a = sort(a)
    if a.dtype.kind == "c":
        return a
    return a.astype(numpy.complex64 if a.dtype.char in "bhBH" else numpy.complex128)
