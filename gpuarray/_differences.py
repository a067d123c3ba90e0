"""Differences between neighbours, and what is built on them: gradients, integrals, unwrapped phases."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

import gpuarray
from gpuarray import _core
from gpuarray._chains import chained, where
from gpuarray._choice import copyto
from gpuarray._core import asarray, concatenate, empty, empty_like, subtract, sum
from gpuarray._dtypes import can_cast, is_inexact, result_type
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import broadcast_to

__all__ = ["diff", "ediff1d", "gradient", "trapezoid", "unwrap"]


MANY = 1 << 19


def diff(a, n=1, axis=-1, prepend=numpy._NoValue, append=numpy._NoValue):
    """Differences of consecutive elements along an axis, `n` times over."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    parts = [as_margin(prepend, a, axis), a, as_margin(append, a, axis)]
    parts = [part for part in parts if part is not None]
    a = concatenate(parts, axis) if len(parts) > 1 else a
    difference = _core.not_equal if a.dtype == bool else subtract
    for _ in range(operator.index(n)):
        a = difference(*neighbours(a, axis))
    return a


def as_margin(values, a, axis):
    """What diff joins to an end of `a`: a scalar becomes one layer; None if nothing was given."""
    if values is numpy._NoValue:
        return None
    values = asarray(values)
    return (
        broadcast_to(values, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
        if values.ndim == 0
        else values
    )


def neighbours(a, axis):
    """Views of all elements but the first, and of all but the last, along an axis."""
    before = (slice(None),) * axis
    return a[(*before, slice(1, None))], a[(*before, slice(None, -1))]


@on_host_if_unheld
def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of consecutive elements of the flattened array, between two given ends."""
    ary = asarray(ary).ravel()
    begin = as_end("to_begin", to_begin, ary)
    end = as_end("to_end", to_end, ary)
    if to_begin is None and to_end is None:
        return subtract(ary[1:], ary[:-1])
    count = max(ary.size - 1, 0)
    result = empty(begin.size + count + end.size, ary.dtype, device=ary.device)
    result[: begin.size] = begin
    result[begin.size + count :] = end
    subtract(ary[1:], ary[:-1], out=result[begin.size : begin.size + count])
    return result


def as_end(name, values, ary):
    """What ediff1d puts at an end, flattened; nothing for None."""
    values = ary[:0] if values is None else asarray(values, device=ary.device).ravel()
    if not can_cast(values, ary.dtype, "same_kind"):
        raise TypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
        )
    return values


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral along an axis by the trapezoidal rule."""
    y = asarray(y)
    given = axis  # that of x and of the products, too, which may have more axes
    axis = normalize_axis_index(given, y.ndim)
    if x is not None:
        x = asarray(x)
        dx = (
            diff(x, axis=given)
            if x.ndim != 1
            else diff(x).reshape((-1,) + (1,) * (y.ndim - axis - 1))
        )
    elif type(dx) in (int, float) and y.dtype.char in "fd" and y.shape[axis] > 1:
        return add_trapezoids(y, axis, dx)
    # Of truth values a chain would add the numbers.
    areas = area if y.dtype != bool else area.function
    return sum(areas(dx, *neighbours(y, axis)), axis=given)


@chained
def area(width, later, earlier):
    return width * (later + earlier) / 2.0


@chained
def add_ends(first, last, middle, width):
    return width * ((first + last) / 2.0 + middle)


def add_trapezoids(y, axis, width):
    """Areas of trapezoids of one width, added up: the ends count by half."""
    before = (slice(None),) * axis
    middle = sum(y[(*before, slice(1, -1))], axis=axis)
    first, last = y[(*before, 0, ...)], y[(*before, -1, ...)]  # views, of vectors too
    return add_ends(first, last, middle, width)


@on_host_if_unheld
def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes along axes: central differences inside, one-sided ones at the ends."""
    f = asarray(f)
    axes = range(f.ndim) if axis is None else normalize_axis_tuple(axis, f.ndim)
    spacings = as_spacings(varargs, f, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    f, dtype = as_slopes_type(f)
    slopes = tuple(
        slope_along(f, each, spacing, edge_order, dtype)
        for each, spacing in zip(axes, spacings, strict=True)
    )
    return slopes[0] if len(axes) == 1 else slopes


def as_slopes_type(f):
    """What gradient computes with, and the dtype of its results: integers become floats, dates spans of time."""
    if f.dtype.kind == "M":
        span = numpy.dtype(f.dtype.str.replace("M8", "m8"))
        return f.view(span), span
    if f.dtype.kind in "iu":
        f = f.astype(float)
    return f, f.dtype if f.dtype.kind == "m" or is_inexact(f.dtype) else numpy.dtype(float)


def as_spacings(varargs, f, axes):
    """For each axis the distance between points, or the vector of distances where they are unlike."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and gpuarray.ndim(varargs[0]) == 0:
        return list(varargs) * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    return [as_spacing(each, f, axis) for each, axis in zip(varargs, axes, strict=True)]


def as_spacing(places, f, axis):
    if gpuarray.ndim(places) == 0:
        return places
    places = asarray(places, device=f.device)
    if places.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(places) != f.shape[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if places.dtype.kind in "iu":
        places = places.astype(float)
    steps = diff(places)
    return steps[0] if bool((steps == steps[:1]).all()) else steps


def slope_along(f, axis, spacing, edge_order, dtype):
    """gradient along one axis, which is the first one of the views used here."""
    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
            "elements are required."
        )
    result = empty_like(f, dtype=dtype)
    line, out = f.swapaxes(0, axis), result.swapaxes(0, axis)
    even = gpuarray.ndim(spacing) == 0
    if even:
        set_quotient(out[1:-1], line[2:], line[:-2], 2.0 * spacing)
    else:
        spread = spacing.reshape((-1,) + (1,) * (f.ndim - 1))
        inside = line[:-2], line[1:-1], line[2:], spread[:-1], spread[1:]
        slope_inside(*inside, results=(out[1:-1],))
    if edge_order == 1:
        set_ends(out, line, *((spacing,) * 2 if even else (spacing[0, ...], spacing[-1, ...])))
        return result
    first, last = (line[i, ...] for i in range(3)), (line[i, ...] for i in range(-3, 0))
    if even:
        head, tail = even_ends(spacing)
        combine(*first, *head, results=(out[0, ...],))
        combine(*last, *tail, results=(out[-1, ...],))
    else:
        slope_first(*first, spacing[0, ...], spacing[1, ...], results=(out[0, ...],))
        slope_last(*last, spacing[-2, ...], spacing[-1, ...], results=(out[-1, ...],))
    return result


@chained
def quotient(later, earlier, run):
    return (later - earlier) / run


def set_quotient(out, later, earlier, run):
    """(later - earlier) / run, written where it belongs; of many elements two ufuncs are faster than a chain of two.

    Truth values have no difference, which the ufunc says.
    """
    is_quick = out.size >= MANY and type(run) in (int, float) and later.dtype == out.dtype
    if is_quick or later.dtype == bool:
        _core.divide(later - earlier, run, out=out)
    else:
        quotient(later, earlier, run, results=(out,))


def set_ends(out, line, first, last):
    """One-sided differences at both ends: of equal distances together, since the rows lie at one distance."""
    if first is last and len(line) > 2:
        set_quotient(
            out[:: len(line) - 1], line[1 :: len(line) - 2], line[:: len(line) - 2][:2], first
        )
    else:
        set_quotient(out[0, ...], line[1, ...], line[0, ...], first)
        set_quotient(out[-1, ...], line[-1, ...], line[-2, ...], last)


@chained
def combine(x, y, z, *weights):
    return weights[0] * x + weights[1] * y + weights[2] * z


@chained
def slope_inside(x, y, z, before, after):
    return combine.function(x, y, z, *central(before, after))


def central(before, after):
    """Weights of three neighbours, exact for parabolas, at the one in the middle."""
    return (
        -after / (before * (before + after)),
        (after - before) / (before * after),
        before / (after * (before + after)),
    )


def even_ends(step):
    """The same at the first and at the last of three neighbours at equal distances."""
    return (-1.5 / step, 2.0 / step, -0.5 / step), (0.5 / step, -2.0 / step, 1.5 / step)


@chained
def slope_first(x, y, z, one, two):
    """At the first of three neighbours at unlike distances."""
    weights = (
        -(2.0 * one + two) / (one * (one + two)),
        (one + two) / (one * two),
        -one / (two * (one + two)),
    )
    return combine.function(x, y, z, *weights)


@chained
def slope_last(x, y, z, one, two):
    """At the last of them."""
    weights = (
        two / (one * (one + two)),
        -(two + one) / (one * two),
        (2.0 * two + one) / (two * (one + two)),
    )
    return combine.function(x, y, z, *weights)


def unwrap(p, discont=None, axis=-1, *, period=2 * numpy.pi):
    """Phases with whole periods added, so that no step is longer than half of one."""
    p = asarray(p)
    axis = normalize_axis_index(axis, p.ndim)
    discont = period / 2 if discont is None else discont
    if p.dtype.char in "efd" and type(period) in (int, float) and type(discont) in (int, float):
        dtype = p.dtype
        correction = correct_step(*neighbours(p, axis), period, period / 2, -period / 2, discont)
    else:
        steps = diff(p, axis=axis)
        dtype = result_type(steps, period)
        correction = correct_steps(steps, period, discont)
    result = empty_like(p, dtype=dtype)
    before = (slice(None),) * axis
    first, later = (*before, slice(None, 1)), (*before, slice(1, None))
    result[first] = p[first]
    _core.add(p[later], gpuarray.cumsum(correction, axis=axis), out=result[later], casting="unsafe")
    return result


@chained
def correct_step(later, earlier, period, high, low, discont):
    """What brings a step within half a period, or nothing if it is shorter than `discont`."""
    step = later - earlier
    wrapped = (step - low) % period + low
    wrapped = where((wrapped == low) & (step > 0), high, wrapped)
    return where(abs(step) < discont, 0, wrapped - step)


def correct_steps(steps, period, discont):
    """The same of numbers of any kind: of an odd period of integers, no step is half."""
    whole = result_type(steps, period).kind in "iu"
    high, odd = divmod(period, 2) if whole else (period / 2, 0)
    low = -high  # which unsigned integers do not hold, and refuse
    wrapped = _core.remainder(steps - low, period) + low
    if not odd:
        copyto(wrapped, high, where=(wrapped == low) & (steps > 0))
    correction = wrapped - steps
    copyto(correction, 0, where=abs(steps) < discont)
    return correction
