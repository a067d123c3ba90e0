"""Median, quantiles and percentiles of the elements that are not NaN.

A sort brings NaN to the end of each row, so the rest of a row is a sorted row of its own, whose length the device
counts. The positions of its quantiles are therefore computed on the device too.
"""

import numpy

from gpuarray import _core
from gpuarray._core import arange, asarray, sum
from gpuarray._fallback import on_host_if_unheld, run
from gpuarray._quantiles import (
    finish,
    interpolate,
    median,
    on_host,
    percentile,
    quantile,
    restore_axes,
    sort_rows,
)

__all__ = ["nanmedian", "nanpercentile", "nanquantile"]


def serves(a, method, weights):
    """Whether the device computes these; other methods than the default one stay on the host."""
    return weights is None and method == "linear" and a.dtype.kind == "f" and a.size > 0


class PresentRows:
    """Rows sorted, NaN last: `length` is how many elements of each row are no NaN."""

    def __init__(self, a, axis):
        ordered, self.axes = sort_rows(a, axis)
        rows = ordered.transpose([*range(1, ordered.ndim), 0])
        self.shape, self.width = rows.shape[:-1], rows.shape[-1]
        self.elements = rows.reshape(-1)
        self.length = sum(_core.logical_not(_core.isnan(rows)), axis=-1)
        self.last = _core.maximum(self.length - 1, 0)
        starts = arange(0, self.elements.size, self.width, device=a.device)
        self.starts = starts.reshape(self.shape)

    def pick(self, positions):
        """The elements at one position of each row; leading axes of `positions` are those of q."""
        return self.elements[self.starts + positions]


@on_host_if_unheld
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of the elements that are not NaN; NaN where there is none."""
    a = asarray(a)
    keepdims = False if keepdims is numpy._NoValue else keepdims
    if a.dtype.kind in "biu":
        return median(a, axis, out, overwrite_input, keepdims)
    if not serves(a, "linear", None):
        arguments = {"axis": axis, "out": out, "keepdims": keepdims}
        return run(numpy.nanmedian, "gpuarray.nanmedian", (a,), arguments)
    rows = PresentRows(a, axis)
    wide = numpy.result_type(a.dtype, numpy.float32)  # the sum of two float16 may not be one
    lower, upper = (rows.pick(each // 2).astype(wide) for each in (rows.last, rows.last + 1))
    result = ((lower + upper) / 2).astype(a.dtype, copy=False)
    return finish(restore_axes(result, rows.axes, keepdims, 0), out)


def quantiles_of_rows(a, q, axis, out, keepdims, weak):
    """Quantiles by linear interpolation for a `q` on the host that lies in [0, 1]."""
    rows = PresentRows(a, axis)
    fraction = asarray(q.reshape(q.shape + (1,) * len(rows.shape)), device=a.device)
    position = rows.last * fraction
    lower = _core.floor(position)
    weight = position - lower
    lower = lower.astype(numpy.intp)
    upper = _core.minimum(lower + 1, rows.last)
    dtype = a.dtype if weak else None
    result = interpolate(rows.pick(lower), rows.pick(upper), weight, dtype)
    return finish(restore_axes(result, rows.axes, keepdims, q.ndim), out)


@on_host_if_unheld
def nanquantile(
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
    """The value below which the fraction `q` of the elements that are not NaN lies."""
    a = asarray(a)
    keepdims = False if keepdims is numpy._NoValue else keepdims
    if a.dtype.kind in "iu":
        return quantile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights)
    if not serves(a, method, weights):
        arguments = {"out": out, "method": method, "keepdims": keepdims, "weights": weights}
        return run(numpy.nanquantile, "gpuarray.nanquantile", (a, q, axis), arguments)
    host_q = on_host(q)
    if not ((host_q >= 0) & (host_q <= 1)).all():
        raise ValueError("Quantiles must be in the range [0, 1]")
    return quantiles_of_rows(a, host_q, axis, out, keepdims, type(q) in (int, float))


@on_host_if_unheld
def nanpercentile(
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
    """The value below which `q` per cent of the elements that are not NaN lie."""
    a = asarray(a)
    keepdims = False if keepdims is numpy._NoValue else keepdims
    if a.dtype.kind in "iu":
        return percentile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights)
    if not serves(a, method, weights):
        arguments = {"out": out, "method": method, "keepdims": keepdims, "weights": weights}
        return run(numpy.nanpercentile, "gpuarray.nanpercentile", (a, q, axis), arguments)
    host_q = numpy.asarray(numpy.true_divide(on_host(q), 100))
    if not ((host_q >= 0) & (host_q <= 1)).all():
        raise ValueError("Percentiles must be in the range [0, 100]")
    return quantiles_of_rows(a, host_q, axis, out, keepdims, type(q) in (int, float))
