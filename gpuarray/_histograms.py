"""Histograms: one kernel where bins are even and each element counts one, else a search for each element's bin, and a
count of the bins.

Outer edges and the number of bins are decided on the host, as NumPy decides them; the estimators of that number stand
in _bin_widths.py, equal bins' edges in _bin_edges.py. The bin of an element is the number of edges at or below it, so
that what lies before the first edge is in bin 0, what lies beyond the last one in a bin at the end, and both are left
out.
"""

import operator
import warnings

import numpy

import gpuarray
from gpuarray import _bin_widths, _core
from gpuarray._bin_edges import space_edges
from gpuarray._chains import chained
from gpuarray._core import asarray, empty, ndarray, zeros
from gpuarray._counting import (
    add_by_place,
    bring_numbers,
    count_places,
    find_limits,
    take_weights,
)
from gpuarray._creation import linspace
from gpuarray._differences import diff
from gpuarray._dtypes import comparable_type
from gpuarray._fallback import on_host_if_unheld, run
from gpuarray._sorting import dense

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

MOST_EVEN_BINS = 1023  # that one kernel counts
NAME = "gpuarray.histogram of complex numbers or times"


def find_device(*values):
    """The device of the first device array, also of those within a list."""
    for value in values:
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, ndarray):
                return each.device
    return None


def take_sample(a, bins, weights):
    """The flattened elements, and their flattened weights or None."""
    device = find_device(a, bins, weights)
    a = asarray(a, device=device)
    if a.dtype == bool:
        text = f"Converting input from {a.dtype} to {numpy.uint8} for compatibility."
        warnings.warn(text, RuntimeWarning, stacklevel=4)
        a = a.astype(numpy.uint8)
    if weights is not None:
        weights = asarray(weights, device=device)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.reshape(-1)
    return a.reshape(-1), weights


def is_foreign(a, bins):
    """Whether NumPy has to find the edges: equal bins of times, and anything of complex numbers."""
    even = isinstance(bins, str) or gpuarray.ndim(bins) == 0
    return a.dtype.kind == "c" or (even and a.dtype.kind in "mM")


def find_range(given, limits):
    """The outer edges: the range that was given, or the limits of the sample; None for those of an empty one."""
    if given is not None:
        first, last = (
            bring_numbers(each)[()] if isinstance(each, ndarray) else each for each in given
        )
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        text = "supplied range of"
    else:
        first, last = (0, 1) if limits is None else limits
        text = "autodetected range of"
    if not (numpy.isfinite(first) and numpy.isfinite(last)):
        raise ValueError(f"{text} [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def limits_of(a, given):
    """The limits of the sample, if the outer edges are not given and it has some."""
    return find_limits(a) if given is None and a.size else None


def count_bins(a, bins, given, weights):
    """The number of equal bins that `bins` asks for, and the outer edges."""
    if not isinstance(bins, str):
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if count < 1:
            raise ValueError("`bins` must be positive, when an integer")
        return count, find_range(given, limits_of(a, given))
    estimate = _bin_widths.find_estimator(bins)
    if weights is not None:
        raise TypeError(
            "Automated estimation of the number of bins is not supported for weighted data"
        )
    limits = limits_of(a, given)
    first, last = find_range(given, limits)
    if given is not None:
        a = a[(a >= first) & (a <= last)]
    if a.size == 0:
        return 1, (first, last)
    sample = _bin_widths.Sample(a, (first, last), limits)
    return _bin_widths.count_bins(sample, estimate), (first, last)


def check_rising(edges, name):
    """ValueError unless a vector of edges, on the host or a device, rises."""
    if bool((edges[:-1] > edges[1:]).any()):
        raise ValueError(f"{name} must increase monotonically, when an array")


def make_edges(a, bins, given, weights):
    """The edges, and whether they are equally spaced."""
    ndim = 0 if isinstance(bins, str) else gpuarray.ndim(bins)
    if ndim == 0:
        count, (first, last) = count_bins(a, bins, given, weights)
        return space_edges(a, first, last, count), True
    if ndim > 1:
        raise ValueError("`bins` must be 1d, when an array")
    edges = asarray(bins, device=a.device)
    check_rising(edges, "`bins`")
    return edges, False


def find_bins(a, edges, even=False, narrow=True):
    """For each element its bin, from 1 on, the last with its upper edge: 0 before the edges, and one more than bins
    behind them. Bytes if `narrow` and there are few edges: less to write and to count.
    """
    dtype = edges.dtype if even else comparable_type(edges, a)
    edges, a = (dense(each.astype(dtype, copy=False)) for each in (edges, a))
    return _core._bins(edges, a, narrow)


def add_up(places, weights, bins):
    """Counts, or sums of weights in their dtype, of the bins 1 to `bins`."""
    if weights is None:
        return count_places(places, bins, 1)
    return add_by_place(places, weights, bins, 1)


def count_elements(a, edges, even):
    """How many elements are in each bin."""
    bins = len(edges) - 1
    if not (even and bins <= MOST_EVEN_BINS and edges.dtype.char in "fd"):
        return add_up(find_bins(a, edges, even), None, bins)
    counts = zeros(bins, numpy.intp, device=a.device)
    _core._histogram(dense(edges), dense(a.astype(edges.dtype, copy=False)), counts)
    return counts


@on_host_if_unheld
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins that `histogram` would count in."""
    a, weights = take_sample(a, bins, weights)
    if is_foreign(a, bins):
        return run(numpy.histogram_bin_edges, NAME, (a, bins, range, weights), {})
    return make_edges(a, bins, range, weights)[0]


@on_host_if_unheld
def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements fall into each bin, and the edges of the bins.

    Parameters
    ----------
    a : array_like
        The sample; it is flattened.
    bins : int, str or vector of edges
        A number of equal bins, the name of an estimator of it, or where bins begin and end.
    range : (float, float), optional
        Outer edges of equal bins; those of the sample otherwise.
    density : bool, optional
        Divide by the number of elements and the width of each bin.
    weights : array_like, optional
        What each element counts; one otherwise.
    """
    a, weights = take_sample(a, bins, weights)
    if is_foreign(a, bins):
        return run(numpy.histogram, NAME, (a, bins, range, density, weights), {})
    edges, even = make_edges(a, bins, range, weights)
    if weights is not None and weights.dtype == bool and not even and a.size:
        numpy.add(
            numpy.zeros(1, bool), 1, out=numpy.zeros(1, bool)
        )  # a TypeError: sums are integers
    if len(edges) < 2:
        counts = zeros(0, numpy.intp if weights is None else weights.dtype, device=a.device)
    elif weights is None:
        counts = count_elements(a, edges, even)
    else:
        counts = add_up(find_bins(a, edges, even), weights, len(edges) - 1)
    if density:
        counts = counts / diff(edges).astype(float, copy=False) / counts.sum()
    return counts, edges


# ---- several dimensions ----


def take_columns(sample, device):
    """A sample of shape (N, D) from one, or from D vectors."""
    if getattr(sample, "ndim", None) != 2:
        sample = gpuarray.atleast_2d(
            gpuarray.stack([asarray(each, device=device) for each in sample])
            if isinstance(sample, (list, tuple))
            else asarray(sample, device=device)
        ).T
    return asarray(sample, device=device)


def spread_argument(name, value, dimensions):
    """An entry for each dimension from one for all, or from a sequence of them."""
    if value is None:
        return (None,) * dimensions
    try:
        entries = len(value)
    except TypeError:
        return (value,) * dimensions
    if entries != dimensions:
        raise ValueError(f"The dimension of {name} must be equal to the dimension of the sample x.")
    return value


def find_all_limits(sample):
    """Least and greatest element of each column as NumPy scalars, brought over together; None for an empty sample."""
    if sample.shape[0] == 0:
        return (None,) * sample.shape[1]
    limits = empty((2, sample.shape[1]), sample.dtype, device=sample.device)
    _core.min(sample, axis=0, out=limits[0])
    _core.max(sample, axis=0, out=limits[1])
    return list(bring_numbers(limits).T)


def make_axis_edges(bins, given, limits, device, position):
    """Edges along one dimension, on the device."""
    ndim = gpuarray.ndim(bins)
    if ndim == 1:
        edges = asarray(bins, device=device)
        if bool((edges[:-1] > edges[1:]).any()):
            raise ValueError(f"`bins[{position}]` must be monotonically increasing, when an array")
        return edges
    if ndim > 1:
        raise ValueError(f"`bins[{position}]` must be a scalar or 1d array")
    if bins < 1:
        raise ValueError(f"`bins[{position}]` must be positive, when an integer")
    first, last = find_range(given, limits)
    try:
        count = operator.index(bins)
    except TypeError as error:
        raise TypeError(f"`bins[{position}]` must be an integer, when a scalar") from error
    return linspace(first, last, count + 1, device=device)


def find_cells(sample, edges):
    """The cell of each point among all, with a margin cell at either end of each dimension, counted in C order."""
    cells, columns = None, dense(sample.T)
    for i, along in enumerate(edges):
        places = find_bins(columns[i], along, narrow=False)
        cells = (
            places
            if cells is None
            else add_cells(cells, len(along) + 1, places, dtype=places.dtype)
        )
    return cells


@chained
def add_cells(cells, length, places):
    """Cells counted along one more dimension."""
    return cells * length + places


def divide_by_volumes(counts, edges):
    """Counts as a density: divided by their sum and by the widths of each cell."""
    total = counts.sum()
    for i, along in enumerate(edges):
        along = along.reshape((-1,) + (1,) * (len(edges) - i - 1))
        counts = divide_by_widths(counts, along[1:], along[:-1])
    return counts / total


@chained
def divide_by_widths(count, upper, lower):
    return count / (upper - lower)


@on_host_if_unheld
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """How many points of several dimensions fall into each cell of a grid, and the edges along each dimension.

    Parameters
    ----------
    sample : array_like of shape (N, D), or D vectors
        The points.
    bins : int or sequence
        Numbers of equal bins, or edges, for each dimension; one number for all.
    range : sequence of pairs, optional
        Outer edges for each dimension, or None for those of the sample.
    density : bool, optional
        Divide by the number of points and the volume of each cell.
    weights : array_like, optional
        What each point counts; one otherwise.
    """
    device = find_device(sample, bins, weights)
    sample = take_columns(sample, device)
    device, dimensions = sample.device, sample.shape[1]
    bins = spread_argument("bins", bins, dimensions)
    if range is not None and len(range) != dimensions:
        raise ValueError("range argument must have one entry per dimension")
    given = spread_argument("range", range, dimensions)
    limits = find_all_limits(sample)
    edges = [
        make_axis_edges(bins[i], given[i], limits[i], device, i) for i in builtin_range(dimensions)
    ]
    shape = [len(along) + 1 for along in edges]
    cells, size = find_cells(sample, edges), int(numpy.prod(shape))
    if weights is None:
        counts = count_places(cells, size)
    else:
        counts = add_by_place(cells, take_weights(weights, cells), size)
    counts = counts.reshape(shape)[(slice(1, -1),) * dimensions].astype(float)
    return (divide_by_volumes(counts, edges) if density else counts), edges


builtin_range = range


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points (x, y) fall into each cell of a grid, and the edges along both axes."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    try:
        entries = len(bins)
    except TypeError:
        entries = 1
    if entries not in (1, 2):
        bins = [asarray(bins)] * 2
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]
