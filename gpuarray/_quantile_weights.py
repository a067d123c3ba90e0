"""Quantiles of elements that have weights: where the running sum of the weights reaches a fraction of the whole.

NumPy has one method for it, "inverted_cdf". A row's weights follow its elements through the sort; an element that is
NaN weighs nothing where NaN is passed over.
"""

import numpy

from gpuarray import _core
from gpuarray._chains import chained, isnan, where
from gpuarray._core import asarray, sum
from gpuarray._reductions import fit_weights
from gpuarray._scans import cumsum
from gpuarray._searching import searchsorted
from gpuarray._shape import broadcast_to
from gpuarray._sorting import dense
from gpuarray._taking import take_along_axis


def check_weights(weights, a, axis, method):
    """Weights in the shape of the elements."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = broadcast_to(fit_weights(asarray(weights, device=a.device), a, axis), a.shape)
    if weights.size and bool(_core.fmin.reduce(weights, axis=None) < 0):
        raise ValueError("Weights must be non-negative.")
    return weights


class WeightedRows:
    """Sorted rows with the part of the weights that each element and those before it have."""

    def __init__(self, rows, axes, weights, pass_nan):
        self.axes = axes
        self.ordered, order = _core._sort_both(dense(rows))
        weights = take_along_axis(weights, order, -1)
        self.may_miss = rows.dtype.kind in "fmM"
        alone = None
        if pass_nan and self.may_miss:
            missing = _core.isnan(self.ordered)
            weights = where(missing, 0, weights)
            alone = missing[..., 0]  # NaN comes last
        self.pass_nan = pass_nan
        sums = cumsum(weights, axis=-1, dtype=float)
        self.parts = find_parts(sums, sums[..., -1:])
        self.check_sums(alone)

    def check_sums(self, alone):
        """ValueError if the parts of a row are NaN, unless all its elements are."""
        last = self.parts[..., -1]
        if alone is not None:
            last = where(alone, 0, last)
        if numpy.isnan(float(_core.max(last))):
            raise ValueError("Weights included NaN, inf or were all zero.")

    def read(self, q):
        """The elements at which the fractions `q`, a NumPy array, are reached; axes of q come first."""
        parts = self.parts
        if q.dtype.kind == "f" and q.dtype != parts.dtype:
            parts = unless_zero(parts.astype(q.dtype))
        places = self.find(parts, asarray(q.reshape(-1), device=parts.device))
        places = _core.minimum(places, parts.shape[-1] - 1)
        result = take_along_axis(self.ordered, places, -1)
        if self.may_miss and not self.pass_nan:
            result = unless_nan(self.ordered[..., -1:], result)
        result = result.transpose([result.ndim - 1, *range(result.ndim - 1)])
        return result.reshape(q.shape + result.shape[1:])

    @staticmethod
    def find(parts, q):
        """For each row how many parts are below each fraction, along the last axis."""
        if parts.ndim == 1:
            return searchsorted(parts, q)
        if parts.size == parts.shape[-1]:
            places = searchsorted(parts.reshape(-1), q)
            return places.reshape((1,) * (parts.ndim - 1) + places.shape)
        below = parts[..., None, :] < q[:, None]
        return sum(below, axis=-1, dtype=numpy.intp)


@chained
def find_parts(running, total):
    """Running sums as parts of their total; no fraction, not even 0, is reached before the first weight."""
    return unless_zero.function(running / total)


@chained
def unless_zero(part):
    return where(part == 0, -1, part)


@chained
def unless_nan(greatest, element):
    return where(isnan(greatest), greatest, element)
