"""Median, quantiles and percentiles, with and without regard to NaN: the elements that a sort would put at positions.

Rows find them by selection, all that a call needs at once. In WholeRows a NaN counts, and makes a row's results NaN;
all rows are of one length, and positions are the host's. In PresentRows the elements are those that a sort puts before
the NaNs: lengths and positions, of each row, lie on the device. Which of the two a function uses is all that tells
`quantile` from `nanquantile`.
"""

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from gpuarray import _core
from gpuarray._chains import chained, isnan, maximum, where
from gpuarray._core import asarray, asnumpy, empty, ndarray, sum
from gpuarray._dtypes import can_cast
from gpuarray._fallback import on_host_if_unheld, run_silently
from gpuarray._quantile_methods import (
    find_method,
    find_neighbours,
    interpolate,
    interpolate_integers,
    interpolate_present,
    make_positions,
)
from gpuarray._quantile_weights import WeightedRows, check_weights
from gpuarray._shape import broadcast_to, memory_order
from gpuarray._sorting import dense

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]

NANS = "fcmM"
MOST_PLACES = 32  # that _order_statistics takes from the host


def take_rows(a, axis):
    """The elements along the axes as contiguous rows, not to be written to; and which axes those were."""
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    kept = [i for i in range(a.ndim) if i not in axes]
    rows = dense(a.transpose([*kept, *axes]))
    length = 1
    for each in axes:
        length *= a.shape[each]
    return rows.reshape([a.shape[i] for i in kept] + [length]), axes


def select_places(rows, places):
    """The elements at a sorted NumPy vector of places of each row; the axis of places comes first."""
    if len(places) <= MOST_PLACES:
        return _core._order_statistics(rows, tuple(places.tolist()))
    places = asarray(places.reshape([-1] + [1] * (rows.ndim - 1)), device=rows.device)
    return _core._order_statistics(
        rows, dense(broadcast_to(places, (len(places), *rows.shape[:-1])))
    )


def read_places(found, index):
    """What was found, at indices of the host along its first axis: where they have one distance, a view."""
    if index.ndim == 0:
        return found[int(index), ...]
    places = index.tolist() if index.ndim == 1 and index.size else [0, 0]
    step = places[1] - places[0] if len(places) > 1 else 1
    end = places[-1] + (1 if step > 0 else -1)
    if step and places == list(range(places[0], end, step)):
        return found[places[0] : end if end >= 0 else None : step]
    return found[asarray(index, device=found.device)]


class WholeRows:
    """Rows of which every element counts."""

    def __init__(self, a, axis):
        self.rows, self.axes = take_rows(a, axis)
        self.length = self.rows.shape[-1]
        self.last = self.length - 1
        self.greatest = None

    def find(self, *positions):
        """The elements at each of some arrays of positions, NumPy's: their axes come first."""
        wanted = [each.ravel() for each in positions]
        has_nan = self.rows.dtype.kind in NANS
        places = numpy.sort(numpy.concatenate([*wanted, [self.last]] if has_nan else wanted))
        found = select_places(self.rows, places.astype(numpy.intp, copy=False))
        if has_nan:
            self.greatest = found[-1, ...]
        return [read_places(found, numpy.searchsorted(places, each)) for each in positions]

    def read(self, q, method, weak):
        """The quantiles by a method: what a sort puts at their positions, or between the neighbours of those."""
        locate, weigh = find_method(method)
        position = numpy.asarray(locate(numpy, self.length, q))
        if weigh is None or (method == "linear" and position.dtype.kind in "iu"):
            return self.settle(self.find(position)[0])
        lower, upper = find_neighbours(numpy, position, self.last)
        weight = weigh(numpy, position - lower, position).astype(position.dtype, copy=False)
        found = self.find(lower, upper)
        if self.greatest is None:
            return interpolate_integers(*found, self.take_weight(weight, weak))
        return interpolate(*found, self.take_weight(weight, weak), self.greatest)

    def take_weight(self, weight, weak):
        """Weights of the host as a Python number if its dtype gives way to that of the elements, or as an array."""
        if weight.ndim == 0 and (weak or weight.dtype == self.rows.dtype):
            return float(weight)
        weight = weight.reshape(weight.shape + (1,) * (self.rows.ndim - 1))
        return asarray(weight, device=self.rows.device)

    def settle(self, result):
        """NaN in the results of rows that have one: there the greatest element is NaN."""
        if self.greatest is None:
            return result
        return where(_core.isnan(self.greatest), self.greatest, result)


class PresentRows:
    """Rows of which the elements that are no NaN count; each has a length of its own."""

    def __init__(self, a, axis):
        self.rows, self.axes = take_rows(a, axis)
        self.shape = self.rows.shape[:-1]
        self.length = sum(_core.equal(self.rows, self.rows), axis=-1)  # NaN equals nothing

    def read(self, q, method, weak):
        """The quantiles by a method."""
        fractions = asarray(q.reshape(q.shape + (1,) * len(self.shape)), device=self.rows.device)
        floating = q.dtype.kind == "f"
        if method == "linear" and not floating:
            return self.settle(self.find((self.length - 1) * fractions))
        find_positions = make_positions(method)
        how = {"dtype": q.dtype if floating else None}
        if find_method(method)[1] is None:
            position = find_positions(self.length, fractions, results=(numpy.intp,), **how)
            return self.settle(self.find(position))
        places = empty((2, *q.shape, *self.shape), numpy.intp, device=self.rows.device)
        wide = q.dtype if floating else numpy.dtype(float)
        results = (places[0, ...], places[1, ...], bool, wide, wide, bool)
        weights = find_positions(self.length, fractions, results=results, **how)[2:]
        found = self.find(places)
        operands = (found[0, ...], found[1, ...], *weights, self.rows[..., 0])
        floats = self.rows.dtype.kind == "f"
        return interpolate_present(*operands, dtype=self.rows.dtype if weak and floats else None)

    def find(self, positions):
        """The elements at positions of each row, whose axes come last."""
        found = _core._order_statistics(self.rows, dense(positions.reshape((-1, *self.shape))))
        return found.reshape(positions.shape)

    def settle(self, result):
        """NaN in the results of rows where nothing counts: there the first element is NaN."""
        return where(self.length == 0, self.rows[..., 0], result)


def restore_axes(result, axes, keepdims, leading):
    """The result with axes of length one in the place of the reduced ones; `leading` axes of q come first."""
    if not keepdims:
        return result
    ndim = result.ndim - leading + len(axes)
    index = tuple(None if i in axes else slice(None) for i in range(ndim))
    return result[(slice(None),) * leading + (index or (...,))]


def finish(result, out, keepdims, casting="same_kind"):
    """The result as NumPy hands it over: a scalar if it has no axes, or in `out`."""
    if out is not None:
        if out.shape != result.shape:
            raise ValueError(
                f"out of shape {out.shape} is given for a result of shape {result.shape}"
            )
        if not can_cast(result, out.dtype, casting):
            raise TypeError(f"Cannot cast the result from {result.dtype!r} to {out.dtype!r}")
        out[...] = result
        return out
    return result[()] if result.ndim == 0 and not keepdims else result


# ---- median ----


@chained
def halve_whole(lower, upper, greatest):
    return where(isnan(greatest), greatest, (lower + upper) / 2)


def middle_of_whole(a, axis):
    """The medians, and the axes that they are of."""
    rows = WholeRows(a, axis)
    (found,) = rows.find(numpy.arange((rows.length - 1) // 2, rows.length // 2 + 1))
    if len(found) == 2 and a.dtype.char in "fd":
        return halve_whole(found[0, ...], found[1, ...], rows.greatest), rows.axes
    return rows.settle(_core.mean(found, axis=0)), rows.axes


@chained
def find_middle(length):
    last = maximum(length - 1, 0)
    return last // 2, (last + 1) // 2


@chained
def halve_present(lower, upper, length, first):
    return where(length == 0, first, where(length % 2 == 1, lower, (lower + upper) / 2))


def middle_of_present(a, axis):
    """The same of the elements that are no NaN."""
    if a.dtype.kind not in NANS:
        return middle_of_whole(a, axis)
    rows = PresentRows(a, axis)
    places = empty((2, *rows.shape), numpy.intp, device=a.device)
    find_middle(rows.length, dtype=rows.length.dtype, results=(places[0, ...], places[1, ...]))
    # The sum of two float16 may not be one.
    wide = numpy.dtype(numpy.float32) if a.dtype == numpy.float16 else a.dtype
    found = rows.find(places).astype(wide, copy=False)
    first = rows.rows[..., 0].astype(wide, copy=False)
    dtype = wide if wide.kind == "f" else None
    middle = halve_present(found[0, ...], found[1, ...], rows.length, first, dtype=dtype)
    return middle.astype(a.dtype, copy=False), rows.axes


def is_numpys(a):
    """Whether NumPy has the answer: an empty array's, and the error for times that have no mean."""
    return not isinstance(a, ndarray) or a.size == 0


def middle_in_order(middle_of, a, axes):
    """The medians; those along one axis lie in memory as the array does."""
    if len(axes) != 1 or a.ndim < 3 or a.flags.c_contiguous:
        return middle_of(a, axes)[0]
    order = memory_order(a)
    result = middle_of(a.transpose(order), order.index(axes[0]))[0]
    kept = [axis for axis in order if axis != axes[0]]
    return result.transpose(sorted(range(result.ndim), key=kept.__getitem__))


def compute_median(name, middle_of, a, axis, out, keepdims):
    a = asarray(a)
    keepdims = False if keepdims is numpy._NoValue else keepdims
    if is_numpys(a):
        arguments = {"axis": axis, "out": out, "keepdims": keepdims}
        return run_silently(getattr(numpy, name), f"gpuarray.{name}", (a,), arguments)
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    result = middle_in_order(middle_of, a, axes)
    casting = "same_kind" if result.dtype.kind == "c" else "unsafe"
    return finish(restore_axes(result, axes, keepdims, 0), out, keepdims, casting)


@on_host_if_unheld
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle of the sorted elements, or the mean of the two in the middle; NaN if there is a NaN."""
    return compute_median("median", middle_of_whole, a, axis, out, keepdims)


@on_host_if_unheld
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=numpy._NoValue):
    """The median of the elements that are no NaN; NaN where there is none."""
    return compute_median("nanmedian", middle_of_present, a, axis, out, keepdims)


# ---- quantiles ----


def take_fraction(q, unit):
    """`q` as a NumPy array of fractions; and whether its dtype gives way to that of the elements."""
    weak = type(q) in (int, float)
    host = asnumpy(q) if isinstance(q, ndarray) else numpy.asarray(q)
    fraction = numpy.asarray(host if unit == 1 else numpy.true_divide(host, unit))
    if not ((fraction >= 0) & (fraction <= 1)).all():
        kind, most = ("Quantiles", "1") if unit == 1 else ("Percentiles", "100")
        raise ValueError(f"{kind} must be in the range [0, {most}]")
    return fraction, weak


def compute_quantiles(name, rows_of, a, q, axis, out, method, keepdims, weights):
    """quantile, percentile and their forms that pass over NaN: `name` says which, `rows_of` makes the rows."""
    a = asarray(a)
    keepdims = False if keepdims is numpy._NoValue else keepdims
    if is_numpys(a):
        arguments = {"out": out, "method": method, "keepdims": keepdims, "weights": weights}
        return run_silently(getattr(numpy, name), f"gpuarray.{name}", (a, q, axis), arguments)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    fraction, weak = take_fraction(q, 100 if "percentile" in name else 1)
    if axis is not None:
        axis = normalize_axis_tuple(axis, a.ndim)
    if weights is not None:
        weights = check_weights(weights, a, axis, method)
    if fraction.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if weights is not None:
        rows = WeightedRows(
            *take_rows(a, axis), take_rows(weights, axis)[0], rows_of is PresentRows
        )
        result = rows.read(fraction)
    else:
        rows = (rows_of if a.dtype.kind in NANS else WholeRows)(a, axis)
        result = rows.read(fraction, method, weak)
    result = restore_axes(result, rows.axes, keepdims, fraction.ndim)
    return finish(result, out, keepdims or weights is not None)


def make_function(name, rows_of, text):
    """One of the four functions, which have the same parameters."""

    def function(
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
        return compute_quantiles(name, rows_of, a, q, axis, out, method, keepdims, weights)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return on_host_if_unheld(function)


quantile = make_function(
    "quantile", WholeRows, "The value below which the fraction `q` of the elements along axes lies."
)
percentile = make_function(
    "percentile", WholeRows, "The value below which `q` per cent of the elements along axes lie."
)
nanquantile = make_function(
    "nanquantile",
    PresentRows,
    "The value below which the fraction `q` of the elements that are no NaN lies.",
)
nanpercentile = make_function(
    "nanpercentile",
    PresentRows,
    "The value below which `q` per cent of the elements that are no NaN lie.",
)
