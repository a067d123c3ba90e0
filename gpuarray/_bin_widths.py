"""How wide the bins of a histogram should be: the estimators that NumPy knows by name.

An estimator takes a Sample and gives a width, zero where it knows none. Statistics of the sample come from the device;
what is done with them are a few operations on NumPy scalars.
"""

import functools
import warnings

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._bin_edges import find_edge_type, space_in_turns
from gpuarray._chains import chained
from gpuarray._counting import bring_numbers, find_limits
from gpuarray._quantiles import select_places
from gpuarray._searching import searchsorted
from gpuarray._sorting import dense, sort


def number(value):
    """A result of the device as a NumPy scalar."""
    return bring_numbers(value)[()]


def send(host, x):
    """Positions or edges that were worked out on the host, on the device of the sample."""
    return _core._asked["asarray"](host, device=x.device)


def unsigned_difference(high, low):
    """high - low, of signed integers in the unsigned type that holds it."""
    dtype = numpy.result_type(high, low)
    if dtype.kind != "i":
        return numpy.subtract(high, low, dtype=dtype)
    high, low = numpy.asarray(high, dtype), numpy.asarray(low, dtype)
    unsigned = numpy.dtype(dtype.str.replace("i", "u"))
    return numpy.subtract(high, low, casting="unsafe", dtype=unsigned)


class Sample:
    """What an estimator may ask: a vector that is not empty, its size, its extent, and the outer edges of the bins."""

    def __init__(self, x, outer, limits):
        self.x, self.size, self.outer, self.limits = x, x.size, outer, limits

    @functools.cached_property
    def extent(self):
        low, high = find_limits(self.x) if self.limits is None else self.limits
        return unsigned_difference(high, low)


def by_square_root(sample):
    return sample.extent / numpy.sqrt(sample.size)


def by_sturges(sample):
    return sample.extent / (numpy.log2(sample.size) + 1.0)


def by_rice(sample):
    return sample.extent / (2.0 * sample.size ** (1.0 / 3))


def by_scott(sample):
    deviation = number(gpuarray.std(sample.x))
    return (24.0 * numpy.pi**0.5 / sample.size) ** (1.0 / 3.0) * deviation


def by_doane(sample):
    """Sturges' rule with a correction for skewness."""
    x, n = sample.x, sample.size
    if n <= 2:
        return 0.0
    error = numpy.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    deviation = gpuarray.std(x).item()
    if not deviation > 0.0:
        return 0.0
    floats = x if x.dtype.kind == "f" else x.astype(float)
    skewness = number(_core.mean(cube_scaled(floats, _core.mean(x), deviation)))
    correction = numpy.log2(1.0 + numpy.absolute(skewness) / error)
    return sample.extent / (1.0 + numpy.log2(n) + correction)


@chained
def cube_scaled(x, mean, deviation):
    scaled = (x - mean) / deviation
    return scaled * scaled * scaled


def by_quartiles(sample):
    """The rule of Freedman and Diaconis."""
    lower, upper = find_quartiles(sample.x)
    return 2.0 * (upper - lower) * sample.size ** (-1.0 / 3.0)


def find_quartiles(x):
    """The lower and the upper quartile: the device finds their neighbours, the host what lies between those."""
    positions = (x.size - 1) * numpy.array([0.25, 0.75])
    below = numpy.floor(positions).astype(numpy.intp)
    above = numpy.minimum(below + 1, x.size - 1)
    places, which = numpy.unique(numpy.concatenate((below, above)), return_inverse=True)
    low, high = bring_numbers(select_places(dense(x), places))[which].reshape(2, 2)
    difference, weight = high - low, positions - below
    return numpy.where(weight >= 0.5, high - difference * (1 - weight), low + difference * weight)


def by_default(sample):
    """The rule of Freedman and Diaconis within limits that the others set."""
    least = by_square_root(sample) / 2
    return min(max(by_quartiles(sample), least), by_sturges(sample))


def by_stone(sample):
    """The number of bins that minimises the estimated loss, among all up to the square root of the sample's size."""
    n, span = sample.size, sample.extent
    if n <= 1 or span == 0:
        return 0
    most = max(100, int(numpy.sqrt(n)))
    counts = numpy.arange(1, most + 1)
    widths = span / counts.astype((span / 1).dtype)
    loss = (2 - (n + 1) * sum_squares(sample, counts)) / widths
    best = int(counts[numpy.argmin(loss)])
    if best == most:
        text = "The number of bins estimated may be suboptimal."
        warnings.warn(text, RuntimeWarning, stacklevel=6)
    return span / best


def sum_squares(sample, counts):
    """For each number of equal bins the sum of squared fractions of the elements in a bin.

    All edges of all numbers of bins are looked up in the sorted sample together.
    """
    x, (first, last) = sample.x, sample.outer
    edges = space_in_turns(first, last, counts, find_edge_type(first, last, x))
    highest = edges.max()  # what lies there is in the last bin
    edges[edges == highest] = numpy.nextafter(highest, highest.dtype.type(numpy.inf))
    before = searchsorted(sort(x).astype(edges.dtype, copy=False), send(edges, x))
    squares = square_fractions(before[:-1], before[1:], x.size, dtype=numpy.dtype(float))
    starts = numpy.cumsum(counts) - counts
    return bring_numbers(_core.add.reduceat(squares, send(starts, x)))


@chained
def square_fractions(before, after, size):
    fraction = (after - before) / size
    return fraction * fraction


ESTIMATORS = {
    "stone": by_stone,
    "auto": by_default,
    "doane": by_doane,
    "fd": by_quartiles,
    "rice": by_rice,
    "scott": by_scott,
    "sqrt": by_square_root,
    "sturges": by_sturges,
}


def find_estimator(name):
    if name not in ESTIMATORS:
        raise ValueError(f"{name!r} is not a valid estimator for `bins`")
    return ESTIMATORS[name]


def count_bins(sample, estimate):
    """The number of equal bins between the outer edges that an estimator asks for."""
    width = estimate(sample)
    if not width:
        return 1
    if sample.x.dtype.kind in "iu" and width < 1:
        width = 1
    first, last = sample.outer
    return int(numpy.ceil(unsigned_difference(last, first) / width))
