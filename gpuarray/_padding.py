"""pad: an array with margins around it.

Axes are padded one after the other in one new array. While an axis is worked on, `line` is a view with that axis
first, of all that is filled already: the margins of the axes before, the middle of those that follow.
"""

import typing

import numpy

import gpuarray
from gpuarray import _core
from gpuarray._chains import chained, floor, where
from gpuarray._core import arange, asarray, asnumpy, empty
from gpuarray._creation import linspace
from gpuarray._dtypes import is_short_float
from gpuarray._fallback import on_host_if_unheld
from gpuarray._joining import WRAP, extend_into
from gpuarray._shape import moveaxis

__all__ = ["pad"]

# Modes that a kernel has, by the numbers of enum ga_border (csrc/core/call/window.h).
BORDERS = {"constant": 0, "edge": 1, "symmetric": 2, "reflect": 3, "wrap": WRAP}
# Keyword arguments by mode.
KEYWORDS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "linear_ramp": {"end_values"},
    "maximum": {"stat_length"},
    "mean": {"stat_length"},
    "median": {"stat_length"},
    "minimum": {"stat_length"},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "wrap": set(),
}


@on_host_if_unheld
def pad(array, pad_width, mode="constant", **kwargs):
    """The array with margins of given widths, filled by a rule."""
    array = asarray(array)
    widths = as_widths(pad_width, array.ndim)
    if callable(mode):
        return pad_by_function(array, widths, mode, kwargs)
    if mode not in KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    if not KEYWORDS[mode].issuperset(kwargs):
        unknown = set(kwargs) - KEYWORDS[mode]
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if mode in BORDERS and array.size and array.ndim:
        padded = extend(array, widths, mode, **kwargs)
        if padded is not None:
            return padded
    padded = place_middle(array, widths)
    if mode == "constant":
        fill_constant(padded, widths, **kwargs)
        return padded
    if mode == "empty" or array.size == 0:
        refuse_empty_axes(array, widths, mode)
        return padded
    fill = MODES[mode](array.ndim, **kwargs)
    for axis, width in enumerate(widths):
        fill(view_line(padded, widths, axis), axis, *width)
    return padded


def extend(array, widths, mode, reflect_type="even", constant_values=0):
    """The padded array by one kernel; None where the margins take more than one rule."""
    outside = find_constant(array.dtype, constant_values) if mode == "constant" else 0
    if outside is None or reflect_type != "even":
        return None
    shape = [n + before + after for n, (before, after) in zip(array.shape, widths, strict=True)]
    padded = empty(shape, array.dtype, "F" if array.flags.fnc else "C", device=array.device)
    befores = tuple(before for before, _ in widths)
    return padded if extend_into(padded, array, befores, BORDERS[mode], outside) else None


def find_constant(dtype, values):
    """The one number for all margins, as the dtype has it; None for others."""
    if (
        not isinstance(values, (int, float, numpy.integer, numpy.floating))
        or dtype.kind not in "iufc"
    ):
        return None
    if dtype.kind in "iu" and isinstance(values, (float, numpy.floating)):
        return None  # it may not fit
    with numpy.errstate(all="ignore"):
        return None if is_short_float(dtype) else numpy.asarray(values).astype(dtype).item()


def pad_by_function(array, widths, function, kwargs):
    """Margins of zeros, which a function of (vector, widths, axis, keywords) changes in one vector after the other."""
    padded = place_middle(array, widths, 0)
    for axis, width in enumerate(widths):
        lines = moveaxis(padded, axis, -1)
        for index in numpy.ndindex(lines.shape[:-1]):
            function(lines[(*index, ...)], width, axis, kwargs)
    return padded


def as_widths(pad_width, ndim):
    """Pairs of widths, one for each axis."""
    if type(pad_width) is int and pad_width >= 0:
        return [(pad_width, pad_width)] * ndim
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = as_pair(width)
        pad_width = pairs
    pad_width = asnumpy(pad_width)
    if pad_width.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    return as_pairs(pad_width, ndim, whole=True)


def as_pair(width):
    match width:
        case int(both):
            return both, both
        case tuple((int(before), int(after))):
            return before, after
        case invalid:
            typing.assert_never(invalid)


def as_pairs(values, ndim, whole=False):
    """(before, after) for each axis, from one number, one pair, or one pair an axis."""
    if values is None:
        return [(None, None)] * ndim
    values = asnumpy(values)
    if whole:
        values = numpy.round(values).astype(numpy.intp)
        if values.size and values.min() < 0:
            raise ValueError("index can't contain negative values")
    if values.ndim < 3 and (values.size == 1 or (values.size == 2 and values.shape != (2, 1))):
        values = values.ravel()
    pairs = numpy.broadcast_to(values, (ndim, 2))
    return pairs.tolist() if whole or values.size > 2 else list(map(tuple, pairs))


def place_middle(array, widths, margin=None):
    """A new array with the old one in its middle; `margin` is what is around it, if anything."""
    shape = [n + before + after for n, (before, after) in zip(array.shape, widths, strict=True)]
    padded = empty(shape, array.dtype, "F" if array.flags.fnc else "C", device=array.device)
    if margin is not None:
        padded[...] = margin
    middle = (slice(before, n - after) for n, (before, after) in zip(shape, widths, strict=True))
    padded[(*middle, ...)] = array
    return padded


def refuse_empty_axes(array, widths, mode):
    for axis, width in enumerate(widths):
        if mode != "empty" and array.shape[axis] == 0 and any(width):
            raise ValueError(
                f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            )


def view_line(padded, widths, axis):
    middles = (
        slice(before, n - after)
        for n, (before, after) in zip(padded.shape[axis + 1 :], widths[axis + 1 :], strict=True)
    )
    return moveaxis(padded[((slice(None),) * (axis + 1) + (*middles, ...))], axis, 0)


def set_margins(line, before, after, first, last):
    if before:
        line[:before] = first
    if after:
        line[len(line) - after :] = last


def fill_constant(padded, widths, constant_values=0):
    """Margins axis by axis: of all that is filled already along the axes before, of the middle along those behind."""
    small = type(constant_values) is int and 0 <= constant_values < 128  # in every dtype
    values = (
        [(constant_values,) * 2] * padded.ndim if small else as_pairs(constant_values, padded.ndim)
    )
    shape = padded.shape
    key = [slice(before, n - after) for n, (before, after) in zip(shape, widths, strict=True)]
    for axis, (before, after) in enumerate(widths):
        if before:
            key[axis] = slice(0, before)
            padded[(*key, ...)] = values[axis][0]
        if after:
            key[axis] = slice(shape[axis] - after, None)
            padded[(*key, ...)] = values[axis][1]
        key[axis] = slice(None)


def fill_edges(line, axis, before, after):
    end = len(line) - after
    set_margins(line, before, after, line[before : before + 1], line[end - 1 : end])


def fill_ramps(ndim, end_values=0):
    values = as_pairs(end_values, ndim)

    def fill(line, axis, before, after):
        first, last = values[axis]
        end = len(line) - after
        margins = (line[:before], line[end:][::-1])
        edges = line[before : end : max(end - 1 - before, 1)]
        if 0 < before == after and is_real(values[axis], edges):
            fill_ramp_pair(margins, values[axis], as_loaded(edges))
        else:
            fill_ramp(margins[0], first, edges[0, ...])
            fill_ramp(margins[1], last, edges[-1, ...])

    return fill


def is_real(starts, edge):
    """Whether ramps from numbers to an edge are computed in float64."""
    computed = [numpy.result_type(each, edge.dtype, 1.0).char for each in starts]
    return edge.dtype.kind in "biuf" and set(computed) == {"d"}


def as_loaded(edge):
    """An edge in a dtype that a chain reads."""
    return edge if edge.dtype.char in "?lfd" else edge.astype(float)


def count_steps(width, edge):
    """0, 1, 2... along the first axis of what lies in front of an edge."""
    return arange(width, dtype=float, device=edge.device).reshape((-1,) + (1,) * edge.ndim)


def fill_ramp(margin, start, edge):
    """A margin that goes from a number to the edge, as linspace does it: in float64, but for complex numbers."""
    width = len(margin)
    if not is_real([start], edge) or not width:
        margin[...] = linspace(
            start, edge, width, endpoint=False, dtype=margin.dtype, device=margin.device
        )
        return
    edge, start = as_loaded(edge), float(start)
    steps = count_steps(width, edge)
    flat = is_flat(edge, start, width, dtype=steps.dtype, results=(bool,)).any()
    run = ramp_of_integers if margin.dtype.kind in "iu" else one_ramp
    direct = margin.dtype.char in "?lfd"
    results = (margin if direct else steps.dtype,)
    made = run(steps, edge, flat, start, width, dtype=steps.dtype, results=results)
    if not direct:
        margin[...] = made


def fill_ramp_pair(margins, starts, edges):
    """Two margins of one width by the kernels of one."""
    (low, high), width = map(float, starts), len(margins[0])
    first, last = edges[0, ...], edges[-1, ...]
    steps = count_steps(width, first)
    flat = empty((2, *first.shape), bool, device=first.device)
    results = (flat[0, ...], flat[1, ...])
    are_flat(first, last, low, high, width, dtype=steps.dtype, results=results)
    flat = flat.any(axis=tuple(range(1, flat.ndim)))
    run = ramps_of_integers if margins[0].dtype.kind in "iu" else ramps
    operands = (steps, first, last, flat[0, ...], flat[1, ...], low, high, width)
    direct = margins[0].dtype.char in "?lfd"
    made = run(*operands, dtype=steps.dtype, results=margins if direct else (steps.dtype,) * 2)
    if not direct:
        for margin, ramp in zip(margins, made, strict=True):
            margin[...] = ramp


def has_no_step(edge, start, width):
    return (edge - start) / width == 0


def step_to(step, edge, flat, start, width):
    """As linspace has it: by another order of steps for all, where some would be zero."""
    span = edge - start
    return where(flat, step / width * span, step * (span / width)) + start


is_flat = chained(has_no_step)
one_ramp = chained(step_to)


@chained
def ramp_of_integers(*operands):
    return floor(step_to(*operands))


@chained
def are_flat(first, last, low, high, width):
    return has_no_step(first, low, width), has_no_step(last, high, width)


@chained
def ramps(step, first, last, flat, flat_last, low, high, width):
    return step_to(step, first, flat, low, width), step_to(step, last, flat_last, high, width)


@chained
def ramps_of_integers(*operands):
    return tuple(map(floor, ramps.function(*operands)))


def fill_statistics(function, ndim, stat_length=None):
    """Margins that hold a statistic of the elements next to them, as many as `stat_length` says."""
    lengths = as_pairs(stat_length, ndim, whole=True)

    def measure(part, dtype):
        result = function(part, axis=0, keepdims=True)
        return _core.rint(result) if dtype.kind in "iu" and result.dtype.kind == "f" else result

    def fill(line, axis, before, after):
        middle = line[before : len(line) - after]
        sizes = [len(middle) if n is None else min(n, len(middle)) for n in lengths[axis]]
        if 0 in sizes and function in (_core.max, _core.min):
            raise ValueError("stat_length of 0 yields no value for padding")
        first = measure(middle[: sizes[0]], line.dtype)
        same = sizes[0] == sizes[1] == len(middle)
        last = first if same else measure(middle[len(middle) - sizes[1] :], line.dtype)
        set_margins(line, before, after, first, last)

    return fill


def median(*args, **kwargs):
    return gpuarray.median(*args, **kwargs)


def fill_reflections(edge, ndim, reflect_type="even"):
    """Mirror images in the ends, with the end itself (`edge`) or without it."""

    def fill(line, axis, before, after):
        period = len(line) - before - after
        if period == 1 and not edge:
            return fill_edges(line, axis, before, after)
        while before or after:
            whole = count_reflected(len(line) - before - after, period, edge)
            before = reflect(line[: len(line) - after], before, whole, edge, reflect_type)
            after = reflect(line[before:][::-1], after, whole, edge, reflect_type)
        return None

    return fill


def count_reflected(filled, period, edge):
    """How many elements one mirror image has: whole periods of what is filled, else the pattern would break."""
    return filled // period * period if edge else (filled - 1) // (period - 1) * (period - 1)


def reflect(line, margin, whole, edge, reflect_type):
    """Fill the end of the margin in front of `line` with one mirror image; return what is left of the margin."""
    if not margin:
        return 0
    count = min(whole, margin)
    first = margin + (not edge)
    image, target = line[first : first + count][::-1], line[margin - count : margin]
    if reflect_type == "odd":
        _core.subtract(2 * line[margin : margin + 1], image, out=target, casting="unsafe")
    else:
        target[...] = image
    return margin - count


def fill_wrapped(line, axis, before, after):
    """Margins that go on with the other end."""
    original = len(line) - before - after
    while before or after:
        period = (len(line) - before - after) // original * original
        end = len(line) - after
        first, last = min(period, before), min(period, after)
        line[before - first : before] = line[before + period - first : before + period]
        line[end : end + last] = line[end - period : end - period + last]
        before, after = before - first, after - last


# What makes the function that fills the margins of one line, by mode.
MODES = {
    "edge": lambda ndim: fill_edges,
    "linear_ramp": fill_ramps,
    "maximum": lambda ndim, **keywords: fill_statistics(_core.max, ndim, **keywords),
    "mean": lambda ndim, **keywords: fill_statistics(_core.mean, ndim, **keywords),
    "median": lambda ndim, **keywords: fill_statistics(median, ndim, **keywords),
    "minimum": lambda ndim, **keywords: fill_statistics(_core.min, ndim, **keywords),
    "reflect": lambda ndim, **keywords: fill_reflections(False, ndim, **keywords),
    "symmetric": lambda ndim, **keywords: fill_reflections(True, ndim, **keywords),
    "wrap": lambda ndim: fill_wrapped,
}
