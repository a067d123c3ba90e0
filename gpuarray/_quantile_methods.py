"""Where quantiles lie among sorted elements: NumPy's thirteen methods.

A method is a row of METHODS: where in n sorted elements a quantile lies (a position that may fall between two), and how
the fraction of that position weighs the two neighbours. Lengths and positions are NumPy arrays where all rows are of
one length; where each row has its own they lie on the device, and `xp` is gpuarray.
"""

import numpy

from gpuarray._choice import where
from gpuarray._core import asarray, ndarray


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


def interpolate(lower, upper, weight, dtype=None):
    """Between two arrays by the weight of the upper one, from the nearer end, so that 0 and 1 are exact.

    `dtype` is what an array of weights multiplies in, if not its own.
    """
    difference = upper - lower
    if not isinstance(weight, (numpy.ndarray, ndarray)):
        return upper - difference * (1 - weight) if weight >= 0.5 else lower + difference * weight
    weight = asarray(weight, device=lower.device)
    part, rest = (each.astype(dtype or weight.dtype, copy=False) for each in (weight, 1 - weight))
    return where(weight >= 0.5, upper - difference * rest, lower + difference * part)
