"""Where quantiles lie among sorted elements: NumPy's thirteen methods.

A method is a row of METHODS: where in n sorted elements a quantile lies (a position that may fall between two), and how
the fraction of that position weighs the two neighbours. Lengths and positions are NumPy arrays where all rows are of
one length, and `xp` is numpy; where each row has its own they lie on the device, and `xp` is _chains.
"""

import functools

import numpy

from gpuarray import _chains
from gpuarray._chains import chained, isnan, maximum, where
from gpuarray._core import ndarray


def between(alpha, beta):
    """The position of a quantile by the two constants of Hyndman and Fan."""
    return lambda xp, n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def keep(xp, fraction, position):
    return fraction


def boundary(xp, position, take_lower):
    """Positions moved to a neighbouring integer, not below 0."""
    lower = xp.floor(position)
    chosen = xp.where(take_lower(position - lower, lower), lower, lower + 1)
    return xp.maximum(chosen, 0).astype(numpy.intp)


def on_boundary(xp, fraction, _):
    return xp.where(fraction == 0, 0.5, 1.0)


def middle(xp, n, q):
    return 0.5 * (xp.floor((n - 1) * q) + xp.ceil((n - 1) * q))


def on_middle(xp, _, position):
    return xp.where(position % 1 == 0, 0.0, 0.5)


def to_integer(rounding):
    """Positions of the default method, rounded by a function of that name."""
    return lambda xp, n, q: getattr(xp, rounding)((n - 1) * q).astype(numpy.intp)


# Method: position in n sorted elements, and weight of the upper neighbour (None: positions are integers).
METHODS = {
    "inverted_cdf": (lambda xp, n, q: boundary(xp, n * q - 1, lambda f, _: f == 0), None),
    "averaged_inverted_cdf": (lambda xp, n, q: n * q - 1, on_boundary),
    "closest_observation": (
        lambda xp, n, q: boundary(
            xp, n * q - 1 - 0.5, lambda f, lower: (f == 0) & (lower % 2 == 1)
        ),
        None,
    ),
    "interpolated_inverted_cdf": (between(0, 1), keep),
    "hazen": (between(0.5, 0.5), keep),
    "weibull": (between(0, 0), keep),
    "linear": (lambda xp, n, q: (n - 1) * q, keep),
    "median_unbiased": (between(1 / 3.0, 1 / 3.0), keep),
    "normal_unbiased": (between(3 / 8.0, 3 / 8.0), keep),
    "lower": (to_integer("floor"), None),
    "higher": (to_integer("ceil"), None),
    "midpoint": (middle, on_middle),
    "nearest": (to_integer("around"), None),
}


def find_method(name):
    if name not in METHODS:
        raise ValueError(f"{name!r} is not a valid method. Use one of: {METHODS.keys()}")
    return METHODS[name]


def find_neighbours(xp, position, last):
    """The positions below and above, within [0, last]: those outside have one neighbour, the end."""
    lower = xp.minimum(xp.maximum(xp.floor(position), 0), last)
    upper = xp.where(position < 0, 0, xp.minimum(xp.floor(position) + 1, last))
    return lower.astype(numpy.intp), upper.astype(numpy.intp)


@chained
def interpolate(lower, upper, weight, greatest):
    """Between two arrays by the weight of the upper one; NaN if the greatest element is."""
    result = blend(lower, upper, upper - lower, weight >= 0.5, weight, 1 - weight)
    return where(isnan(greatest), greatest, result)


def blend(lower, upper, difference, near, part, rest):
    """From the nearer end, so that weights of 0 and 1 are exact: `near` says whether that is the upper number, `part`
    is the weight of that, `rest` the other's."""
    return where(near, upper - difference * rest, lower + difference * part)


def interpolate_integers(lower, upper, weight):
    """The same of numbers that are never NaN. Their difference is an integer, and may wrap."""
    difference = upper - lower
    several = isinstance(weight, ndarray)
    exact = lower.dtype.char in "lq" or (several and lower.dtype.char in "bBhHiI")
    if exact and (not several or weight.dtype.char == "d"):
        operands = (each.astype(int, copy=False) for each in (lower, upper, difference))
        return blend_at(*operands, weight, dtype=numpy.dtype(float))
    if several:
        return blend(lower, upper, difference, weight >= 0.5, weight, 1 - weight)
    return upper - difference * (1 - weight) if weight >= 0.5 else lower + difference * weight


@chained
def blend_at(lower, upper, difference, weight):
    return blend(lower, upper, difference, weight >= 0.5, weight, 1 - weight)


@chained
def interpolate_present(lower, upper, near, part, rest, empty, first):
    """The same for rows that have lengths of their own, and may have no element at all."""
    return where(empty, first, blend(lower, upper, upper - lower, near, part, rest))


@functools.cache
def make_positions(method):
    """A function of the lengths of rows and a fraction: the position where the method has one element, else the two
    neighbours, and what `blend` wants to know."""
    locate, weigh = find_method(method)

    @chained
    def find_positions(length, fraction):
        position = locate(_chains, length, fraction)
        if weigh is None:
            return position
        lower, upper = find_neighbours(_chains, position, maximum(length - 1, 0))
        weight = weigh(_chains, position - lower, position).astype(position.dtype)
        return lower, upper, weight >= 0.5, weight, 1 - weight, length == 0

    return find_positions
