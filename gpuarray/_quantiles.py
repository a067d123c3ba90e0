"""Median, quantiles and percentiles, by sorting along the axis and reading at positions that the host computes.

A method is a row of METHODS: where in the sorted elements a quantile lies (a position that may fall between two), and
how the fraction of that position weighs the two neighbours. Positions and weights depend on the length and on `q`
alone, so they are NumPy arrays, and the device only reads, interpolates, and puts NaN where a NaN was.
"""

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from gpuarray import _core
from gpuarray._choice import where
from gpuarray._core import asarray, asnumpy, ndarray
from gpuarray._fallback import on_host_if_unheld, run
from gpuarray._reductions import store
from gpuarray._shape import moveaxis

__all__ = ["median", "percentile", "quantile"]


def between(alpha, beta):
    """The position of a quantile by the two constants of Hyndman and Fan."""
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def keep(fraction, position):
    return fraction


def boundary(position, take_lower):
    """Positions moved to a neighbouring integer, not below 0."""
    lower = numpy.floor(position)
    chosen = numpy.where(take_lower(position - lower, lower), lower, lower + 1)
    return numpy.maximum(chosen, 0).astype(numpy.intp)


# Method: position in n sorted elements, and weight of the upper neighbour (None: positions are integers).
METHODS = {
    "inverted_cdf": (lambda n, q: boundary(n * q - 1, lambda f, _: f == 0), None),
    "averaged_inverted_cdf": (
        lambda n, q: n * q - 1,
        lambda fraction, _: numpy.where(fraction == 0, 0.5, 1.0),
    ),
    "closest_observation": (
        lambda n, q: boundary(n * q - 1 - 0.5, lambda f, lower: (f == 0) & (lower % 2 == 1)),
        None,
    ),
    "interpolated_inverted_cdf": (between(0, 1), keep),
    "hazen": (between(0.5, 0.5), keep),
    "weibull": (between(0, 0), keep),
    "linear": (lambda n, q: (n - 1) * q, keep),
    "median_unbiased": (between(1 / 3.0, 1 / 3.0), keep),
    "normal_unbiased": (between(3 / 8.0, 3 / 8.0), keep),
    "lower": (lambda n, q: numpy.floor((n - 1) * q).astype(numpy.intp), None),
    "higher": (lambda n, q: numpy.ceil((n - 1) * q).astype(numpy.intp), None),
    "midpoint": (
        lambda n, q: 0.5 * (numpy.floor((n - 1) * q) + numpy.ceil((n - 1) * q)),
        lambda fraction, position: numpy.where(position % 1 == 0, 0.0, 0.5),
    ),
    "nearest": (lambda n, q: numpy.around((n - 1) * q).astype(numpy.intp), None),
}


# ---- axes ----


def sort_rows(a, axis):
    """The elements along the axes sorted, as the first axis of a view, and which axes those were."""
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    kept = [i for i in range(a.ndim) if i not in axes]
    rows = a.transpose([*kept, *axes]).copy("C").reshape([a.shape[i] for i in kept] + [-1])
    _core._sort(rows)
    return moveaxis(rows, -1, 0), axes


def restore_axes(result, axes, keepdims, leading):
    """The result with axes of length one in the place of the reduced ones; `leading` axes of q come first."""
    if not keepdims:
        return result
    ndim = result.ndim - leading + len(axes)
    index = tuple(None if i in axes else slice(None) for i in range(ndim))
    return result[(slice(None),) * leading + index]


def spread_nan(result, ordered):
    """NaN in the results of slices that have one: there the last sorted element is NaN."""
    if ordered.dtype.kind != "f":
        return result
    last = ordered[-1]
    return where(_core.isnan(last), last, result)


def finish(result, out):
    """The result as NumPy hands it over: a scalar if it has no axes, or in `out`."""
    if out is not None:
        return store(result, out)
    return result[()] if result.ndim == 0 else result


# ---- median ----


@on_host_if_unheld
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle of the sorted elements, or the mean of the two in the middle; NaN if there is a NaN."""
    a = asarray(a)
    if a.dtype.kind not in "biuf" or a.size == 0:
        arguments = {"axis": axis, "out": out, "keepdims": keepdims}
        return run(numpy.median, "gpuarray.median", (a,), arguments)
    ordered, axes = sort_rows(a, axis)
    n = ordered.shape[0]
    middle = _core.mean(ordered[(n - 1) // 2 : n // 2 + 1], axis=0)
    return finish(restore_axes(spread_nan(middle, ordered), axes, keepdims, 0), out)


# ---- quantiles ----


def find_neighbours(position, n):
    """The positions below and above, within [0, n): those outside have one neighbour, the end."""
    lower = numpy.floor(position)
    upper = lower + 1
    lower = numpy.where(position >= n - 1, n - 1, numpy.where(position < 0, 0, lower))
    upper = numpy.where(position >= n - 1, n - 1, numpy.where(position < 0, 0, upper))
    return lower.astype(numpy.intp), upper.astype(numpy.intp)


def pick(ordered, positions):
    """The sorted elements at host positions: their axes come first."""
    if positions.ndim == 0:
        return ordered[int(positions)]
    return ordered[asarray(positions, device=ordered.device)]


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


def read_quantiles(ordered, q, method, weak):
    """The quantiles of sorted elements along their first axis."""
    n = ordered.shape[0]
    locate, weigh = METHODS[method]
    position = numpy.asarray(locate(n, q))
    if weigh is None or (method == "linear" and position.dtype.kind in "iu"):
        return pick(ordered, position)
    lower, upper = find_neighbours(position, n)
    weight = numpy.asarray(weigh(position - lower, position), dtype=position.dtype)
    if weak:
        weight = float(weight)
    elif weight.ndim == 0:
        weight = weight[()]
    else:
        weight = weight.reshape(weight.shape + (1,) * (ordered.ndim - 1))
    return interpolate(pick(ordered, lower), pick(ordered, upper), weight)


def quantile_checked(a, q, axis, out, method, keepdims, weak):
    """Quantiles for a `q` on the host that lies in [0, 1]."""
    if method not in METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {METHODS.keys()}")
    ordered, axes = sort_rows(a, axis)
    result = spread_nan(read_quantiles(ordered, q, method, weak), ordered)
    return finish(restore_axes(result, axes, keepdims, q.ndim), out)


def serves(a, weights):
    """Whether the device computes quantiles of these."""
    return weights is None and a.dtype.kind in "iuf" and a.size > 0


def on_host(q):
    return asnumpy(q) if isinstance(q, ndarray) else numpy.asarray(q)


@on_host_if_unheld
def quantile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    """The value below which the fraction `q` of the elements along the axes lies."""
    a = asarray(a)
    if not serves(a, weights):
        arguments = {"out": out, "method": method, "keepdims": keepdims, "weights": weights}
        return run(numpy.quantile, "gpuarray.quantile", (a, q, axis), arguments)
    host_q = on_host(q)
    if not ((host_q >= 0) & (host_q <= 1)).all():
        raise ValueError("Quantiles must be in the range [0, 1]")
    return quantile_checked(a, host_q, axis, out, method, keepdims, type(q) in (int, float))


@on_host_if_unheld
def percentile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    """The value below which `q` per cent of the elements along the axes lie."""
    a = asarray(a)
    if not serves(a, weights):
        arguments = {"out": out, "method": method, "keepdims": keepdims, "weights": weights}
        return run(numpy.percentile, "gpuarray.percentile", (a, q, axis), arguments)
    host_q = numpy.asarray(numpy.true_divide(on_host(q), 100))
    if not ((host_q >= 0) & (host_q <= 1)).all():
        raise ValueError("Percentiles must be in the range [0, 100]")
    return quantile_checked(a, host_q, axis, out, method, keepdims, type(q) in (int, float))
