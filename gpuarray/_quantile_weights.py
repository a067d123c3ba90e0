"""Quantiles of elements that have weights: where the running sum of the weights reaches a fraction of the whole.

NumPy has one method for it, "inverted_cdf". A row's weights follow its elements through the sort; an element that is
NaN weighs nothing where NaN is passed over.
"""

import numpy

from gpuarray import _core
from gpuarray._choice import where
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
    if bool((weights < 0).any()):
        raise ValueError("Weights must be non-negative.")
    return weights


class WeightedRows:
    """Sorted rows with the part of the weights that each element and those before it have."""

    def __init__(self, rows, axes, weights, pass_nan):
        self.axes = axes
        order = _core._argsort(dense(rows))
        self.ordered = take_along_axis(rows, order, -1)
        self.missing = _core.isnan(self.ordered) if rows.dtype.kind in "fmM" else None
        weights = take_along_axis(weights, order, -1)
        if pass_nan and self.missing is not None:
            weights = where(self.missing, 0, weights)
        self.parts = cumsum(weights, axis=-1, dtype=float)
        self.parts /= self.parts[..., -1:]
        self.alone = (
            _core.all(self.missing, axis=-1) if pass_nan and self.missing is not None else None
        )
        self.check_sums()

    def check_sums(self):
        bad = _core.isnan(self.parts[..., -1])
        if self.alone is not None:
            bad &= ~self.alone
        if bool(bad.any()):
            raise ValueError("Weights included NaN, inf or were all zero.")

    def read(self, q):
        """The elements at which the fractions `q`, a NumPy array, are reached; axes of q come first."""
        parts = self.parts.astype(q.dtype, copy=False) if q.dtype.kind == "f" else self.parts
        parts = where(
            parts == 0, -1, parts
        )  # no fraction, not even 0, is reached before the first weight
        places = self.find(parts, asarray(q.reshape(-1), device=parts.device))
        places = _core.minimum(places, parts.shape[-1] - 1)
        result = take_along_axis(self.ordered, places, -1)
        if self.alone is None and self.missing is not None:
            result = where(self.missing[..., -1:], self.ordered[..., -1:], result)
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
