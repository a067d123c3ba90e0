"""How wide the bins of a histogram should be: the estimators that NumPy knows by name.

An estimator takes the sample and its outer edges and gives a width, zero where it knows none. Statistics of the sample
come from the device; what is done with them are a few operations on NumPy scalars.
"""

import warnings

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._counting import bring_numbers, find_limits
from gpuarray._searching import searchsorted
from gpuarray._sorting import sort


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


def extent(x):
    low, high = find_limits(x)
    return unsigned_difference(high, low)


def by_square_root(x, outer):
    return extent(x) / numpy.sqrt(x.size)


def by_sturges(x, outer):
    return extent(x) / (numpy.log2(x.size) + 1.0)


def by_rice(x, outer):
    return extent(x) / (2.0 * x.size ** (1.0 / 3))


def by_scott(x, outer):
    return (24.0 * numpy.pi**0.5 / x.size) ** (1.0 / 3.0) * number(gpuarray.std(x))


def by_doane(x, outer):
    """Sturges' rule with a correction for skewness."""
    if x.size <= 2:
        return 0.0
    error = numpy.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
    deviation = number(gpuarray.std(x))
    if not deviation > 0.0:
        return 0.0
    scaled = (x - _core.mean(x)) / deviation
    skewness = number(_core.mean(scaled * scaled * scaled))
    return extent(x) / (
        1.0 + numpy.log2(x.size) + numpy.log2(1.0 + numpy.absolute(skewness) / error)
    )


def by_quartiles(x, outer):
    """The rule of Freedman and Diaconis."""
    upper, lower = bring_numbers(gpuarray.percentile(x, [75, 25]))
    return 2.0 * (upper - lower) * x.size ** (-1.0 / 3.0)


def by_default(x, outer):
    """The rule of Freedman and Diaconis within limits that the others set."""
    span = extent(x)
    least = span / numpy.sqrt(x.size) / 2
    return min(max(by_quartiles(x, outer), least), span / (numpy.log2(x.size) + 1.0))


def by_stone(x, outer):
    """The number of bins that minimises the estimated loss, among all up to the square root of the sample's size."""
    n, span = x.size, extent(x)
    if n <= 1 or span == 0:
        return 0
    most = max(100, int(numpy.sqrt(n)))
    counts = numpy.arange(1, most + 1)
    squares = sum_squares(x, outer, counts)
    loss = (2 - (n + 1) * squares) / (span / counts)
    best = int(counts[numpy.argmin(loss)])
    if best == most:
        text = "The number of bins estimated may be suboptimal."
        warnings.warn(text, RuntimeWarning, stacklevel=6)
    return span / best


def sum_squares(x, outer, counts):
    """For each number of equal bins the sum of squared fractions of the elements in a bin.

    All edges of all numbers of bins are looked up in the sorted sample together.
    """
    first, last = outer
    starts = numpy.concatenate(([0], numpy.cumsum(counts + 1)[:-1]))
    of_which = numpy.repeat(numpy.arange(len(counts)), counts + 1)
    places = numpy.arange(len(of_which)) - starts[of_which]
    edges = places * ((last - first) / counts)[of_which] + first
    ends = starts + counts
    edges[ends] = last
    dtype = numpy.result_type(gpuarray.result_type(first, last, x), float)
    ordered = sort(x).astype(dtype, copy=False)
    before = searchsorted(ordered, send(edges.astype(dtype), x))
    before[send(ends, x)] = searchsorted(ordered, last, "right")
    fractions = (before[1:] - before[:-1]) / x.size
    fractions[send(ends[:-1], x)] = 0  # from the last edge to the first one of the next
    return bring_numbers(_core.add.reduceat(fractions * fractions, send(starts, x)))


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


def count_bins(x, estimate, first, last):
    """The number of equal bins from the first to the last edge that an estimator asks for."""
    if x.size == 0:
        return 1
    width = estimate(x, (first, last))
    if not width:
        return 1
    if x.dtype.kind in "iu" and width < 1:
        width = 1
    return int(numpy.ceil(unsigned_difference(last, first) / width))
