"""Sets held in arrays: unique elements, membership, and the operations on two sets.

All stand on a sort; which elements to keep is a mask over the sorted ones, and _core._select compacts by it. Integers
from a small range are counted instead, where nobody asks for their first positions.
"""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core
from gpuarray._chains import chained
from gpuarray._choice import where
from gpuarray._core import asarray, concatenate, empty, empty_like, ndarray, ones
from gpuarray._counting import count_places, find_limits
from gpuarray._dtypes import comparable_type
from gpuarray._fallback import on_host_if_unheld, run_silently
from gpuarray._scans import cumsum
from gpuarray._sorting import dense, sort
from gpuarray._unique_rows import find_unique_rows

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

NANS = "fcmM"
COUNTED_SIZE = 1 << 12  # from here on it may pay to count
COUNTED_RANGE = 1 << 16


def flatten_all(*arrays):
    """The arrays flattened, in the dtype they promote to, on the device of the first device array."""
    device = next((each.device for each in arrays if isinstance(each, ndarray)), None)
    arrays = [asarray(each, device=device).reshape(-1) for each in arrays]
    dtype = comparable_type(*arrays)
    return [each.astype(dtype, copy=False) for each in arrays]


def mark_first(ordered, equal_nan):
    """A mask of the sorted elements that differ from the one before; NaNs are all one with equal_nan."""
    mask = empty(ordered.shape, bool, device=ordered.device)
    mask[:1] = True
    rest, before = mask[1:], ordered[:-1]
    if equal_nan and ordered.dtype.kind in NANS:
        is_new(ordered[1:], before, results=(rest,))
    else:
        _core.not_equal(ordered[1:], before, out=rest)
    return mask


@chained
def is_new(element, before):
    """NaNs come last: behind one there are only more."""
    return (element != before) & (before == before)


def lengths_of_runs(starts, size):
    """How many elements each of some positions stands for: up to the next one, the last one up to `size`."""
    lengths = empty_like(starts)
    _core.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    _core.subtract(size, starts[-1:], out=lengths[-1:])
    return lengths


def number_runs(mask, positions):
    """For each element before sorting the number of the run it is in."""
    runs = cumsum(mask, dtype=numpy.intp)
    runs -= 1
    numbers = empty(positions.shape, numpy.intp, device=positions.device)
    _core._put(numbers, positions, runs, "clip", True)
    return numbers


def unique_sorted(a, return_index, return_inverse, return_counts, equal_nan):
    """The results of `unique` for a flat array, as a list: by sorting."""
    if return_index or return_inverse:
        ordered, positions = _core._sort_both(a)
    else:
        ordered, positions = sort(a), None
    mask = mark_first(ordered, equal_nan)
    sources = [positions] if return_index else []
    values, *more = _core._select_each(mask, ordered, *sources, *([None] if return_counts else []))
    results = [values, *more[: len(sources)]]
    if return_inverse:
        results.append(number_runs(mask, positions))
    if return_counts:
        results.append(lengths_of_runs(more[-1], mask.size))
    return results


def find_small_range(a):
    """The least integer of a flat array and how many there are up to the greatest, if they are few, else None."""
    if a.dtype.kind not in "biu" or a.size < COUNTED_SIZE:
        return None
    if a.dtype.itemsize == 1:
        return (0, 256) if a.dtype.kind != "i" else (-128, 256)
    least, greatest = map(int, find_limits(a))
    return (least, greatest - least + 1) if greatest - least < COUNTED_RANGE else None


def unique_counted(a, least, bins, return_inverse, return_counts):
    """The results of `unique` for a flat array of integers from a small range, as a list: by counting them."""
    counts = count_places(a, bins, least)
    present = counts != 0
    places, *lengths = _core._select_each(present, None, *([counts] if return_counts else []))
    values = places.astype(a.dtype)
    results = [values + a.dtype.type(least) if least else values]
    if return_inverse:
        numbers = cumsum(present, dtype=numpy.intp)
        numbers -= 1
        results.append(numbers[subtract_least(a, least)])
    return results + lengths


def subtract_least(a, least):
    """The places of integers in a range that begins with the least of them."""
    if least == 0 and a.dtype.kind != "b":
        return a
    if a.dtype == numpy.uint64:
        return (a - a.dtype.type(least)).astype(numpy.intp)
    return _core.subtract(a, least, dtype=numpy.intp)


def find_unique(a, return_index, return_inverse, return_counts, equal_nan):
    """The results of `unique` for a flat array, as a list."""
    small = None if return_index else find_small_range(a)
    if small is not None:
        return unique_counted(a, *small, return_inverse, return_counts)
    return unique_sorted(a, return_index, return_inverse, return_counts, equal_nan)


def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """The sorted unique elements, and on demand where they first are, which one each element is, and how many."""
    a = asarray(ar)
    wanted = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    if not isinstance(a, ndarray):
        keywords = {**wanted, "axis": axis, "equal_nan": equal_nan}
        return run_silently(numpy.unique, "gpuarray.unique", (ar,), keywords)
    if axis is not None:
        axis = normalize_axis_index(axis, a.ndim)
        if a.ndim > 1:
            return pack_results(unique_along(a, axis, **wanted))
    flat = a.flatten() if not a.flags.c_contiguous else a.reshape(-1)
    results = find_unique(flat, return_index, return_inverse, return_counts, equal_nan)
    if return_inverse:
        place = 1 + bool(return_index)
        results[place] = results[place].reshape(a.shape)
    return pack_results(results)


def unique_along(a, axis, return_index, return_inverse, return_counts):
    """The results of `unique` for slices along an axis, as a list."""
    values, chosen, positions, first = find_unique_rows(a, axis)
    results = [values]
    if return_index:
        results.append(chosen)
    if return_inverse:
        results.append(number_runs(first, positions))
    if return_counts:
        results.append(lengths_of_runs(_core._nonzero(first)[0], first.size))
    return results


def pack_results(results):
    return results[0] if len(results) == 1 else tuple(results)


def named(function, results):
    """Results as the named tuple that NumPy's function gives."""
    return type(function([0]))(*results)


def unique_all(x):
    """Unique elements, first positions, inverse positions and counts; each NaN counts for itself."""
    results = unique(x, True, True, True, equal_nan=False)
    return named(numpy.unique_all, results)


def unique_counts(x):
    """Unique elements and how often each of them is there; each NaN counts for itself."""
    return named(numpy.unique_counts, unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """Unique elements, and which of them each element is; each NaN counts for itself."""
    return named(numpy.unique_inverse, unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    """The unique elements; each NaN counts for itself."""
    return unique(x, equal_nan=False)


def contains(tests, a):
    """Whether each element of a flat array is among others of its dtype; NaN is not even itself."""
    return _core._contains(sort(tests), dense(a))


def check_table(*arrays):
    """NumPy's demand on the dtypes of a table, which is searched here as any other kind is."""
    if any(asarray(each).dtype.kind not in "biu" for each in arrays):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind."
        )


@on_host_if_unheld
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is among the test elements."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    a, tests = flatten_all(element, test_elements)
    if kind == "table":
        check_table(element, test_elements)
    found = contains(tests, a)
    return (_core.logical_not(found) if invert else found).reshape(asarray(element).shape)


@on_host_if_unheld
def union1d(ar1, ar2):
    """The sorted unique elements that are in either array."""
    return unique(concatenate((ar1, ar2), None))


@on_host_if_unheld
def setdiff1d(ar1, ar2, assume_unique=False):
    """The unique elements of the first array that are not in the second."""
    a, tests = flatten_all(ar1, ar2)
    a = asarray(ar1, device=a.device).reshape(-1)
    a = a if assume_unique else unique(a)
    return _core._select(a, isin(a, tests, invert=True))


@on_host_if_unheld
def setxor1d(ar1, ar2, assume_unique=False):
    """The sorted elements that are in one of the arrays only."""
    a, b = flatten_all(ar1, ar2)
    both = concatenate((a, b))
    if both.size == 0:
        return both
    if assume_unique:
        both = sort(both)
        edges = mark_edges(both)
        return _core._select(both, edges[1:] & edges[:-1])
    # Of elements alike those of the first array are in front: one set alone has them if the first one is the second
    # array's, or the last one is the first array's.
    both, positions = _core._sort_both(both)
    second = positions >= a.size
    edges = mark_edges(both, second)
    return _core._select(both, where(second, edges[:-1], edges[1:]))


def mark_edges(ordered, second=None):
    """Where another element begins, and the end; NaNs are another each, or once an array where `second` says whose."""
    edges = ones(ordered.size + 1, bool, device=ordered.device)
    inner = edges[1:-1]
    if second is None or ordered.dtype.kind not in NANS:
        _core.not_equal(ordered[1:], ordered[:-1], out=inner)
    else:
        is_new_there(ordered[1:], ordered[:-1], second[1:], second[:-1], results=(inner,))
    return edges


@chained
def is_new_there(element, before, whose, whose_before):
    """As is_new, but that NaNs of two arrays are two."""
    return (element != before) & ((before == before) | (whose != whose_before))


@chained
def is_shared(element, before, whose, whose_before):
    """Whether two neighbours are alike, each of another array."""
    return (element == before) & (whose != whose_before)


@on_host_if_unheld
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The sorted unique elements that are in both arrays, and on demand where each array has them first."""
    a, b = flatten_all(ar1, ar2)
    if not return_indices and not assume_unique:
        a = unique(a)
        return _core._select(a, contains(b, a))
    if not return_indices:
        both = sort(concatenate((a, b)))
        return _core._select(both[:-1], both[1:] == both[:-1])
    both, positions = _core._sort_both(concatenate((a, b)))
    if assume_unique:
        joint = both[1:] == both[:-1]
    else:  # of elements alike those of the first array are in front
        second = positions >= a.size
        joint = is_shared(both[1:], both[:-1], second[1:], second[:-1], results=(bool,))
    found, first, second = _core._select_each(joint, both[:-1], positions[:-1], positions[1:])
    second -= a.size
    if not assume_unique:
        first = positions[_core._search(both, found, False)]
    return found, first, second
