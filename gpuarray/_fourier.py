"""Fourier transforms on a GPU: what numpy.fft does, as steps that the backend's fft slot makes.

A step transforms up to three axes at once, and scales where that costs nothing. Here is decided what comes before it
(dtype, cropping, zeros behind the end of an axis, a copy where the step spoils its input) and after it (the scale, once
for all axes, unless a step took it along, and where the result goes). Real signals come of complex steps over all axes
but the last one, which a real step follows, so that what a spectrum of real signals cannot hold is ignored as NumPy
ignores it.
"""

import functools
import math
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpuarray import _core
from gpuarray._core import ascontiguousarray, conjugate, empty_like, multiply, ndarray, zeros_like
from gpuarray._libraries import use_wheels
from gpuarray._memory import may_share_memory
from gpuarray._shape import moveaxis

MOST_AXES = 3  # of one step
DENSE_AXES = 8  # with no more, any strides can be told to the backend

SWAPPED = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}


@dataclass(frozen=True)
class Kind:
    """A function of numpy.fft: its steps, the direction that `norm` speaks of, the sign of the exponent."""

    run: Callable
    forward: bool  # for the scale
    inverse: bool  # the exponent is positive
    one_axis: bool
    host: str  # NumPy's function over one axis that has the same dtypes
    conjugated: bool = False

    @property
    def halved(self):
        return self.run is real_spectrum

    @functools.cached_property
    def is_plain(self):
        """Over one axis, in one step that leaves its source as it is."""
        return self.one_axis and not self.conjugated and self.run in PLAIN


# ---- arguments ----


@functools.cache
def ask_dtype(name, dtype, out_dtype, is_odd):
    """The dtype that NumPy's function over one axis gives; its TypeError for what it does not take or cannot write.

    Its words name another ufunc for odd lengths.
    """
    n = 1 if is_odd else 2
    out = None if out_dtype is None else numpy.empty(n, out_dtype)
    function = getattr(numpy.fft, name)
    function(numpy.ones(1, dtype), n, out=out)
    return function(numpy.ones(1, dtype), n).dtype


def scale_of(norm, lengths, forward):
    """What a transform over axes of these lengths is multiplied with."""
    if norm not in SWAPPED:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    count = math.prod(lengths)
    match norm if forward else SWAPPED[norm]:
        case "ortho":
            return 1 / math.sqrt(count)
        case "forward":
            return 1 / count
    return 1


def read_axes(a, s, axes, kind):
    """Lengths and axes as lists, from those of a function over several axes."""
    whole = s is None
    if whole:
        s = list(a.shape) if axes is None else [a.shape[axis] for axis in axes]
    s = list(s)
    if axes is None:
        if not whole:
            warn_of(
                "`axes` should not be `None` if `s` is not `None`: name the axes that `s` speaks of"
            )
        axes = range(-len(s), 0)
    axes = list(axes)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if kind.halved and whole:
        s[-1] = 2 * (a.shape[axes[-1]] - 1)
    if None in s:
        warn_of("`None` in `s` is deprecated: -1 stands for the length of the axis")
    return [default_length(a, n, axis, kind) for n, axis in zip(s, axes, strict=True)], axes


def warn_of(text):
    warnings.warn(text + " (deprecated since NumPy 2.0)", DeprecationWarning, stacklevel=5)


def default_length(a, n, axis, kind):
    if n == -1 and not kind.one_axis:
        return a.shape[axis]
    if n is None:
        return 2 * (a.shape[axis] - 1) if kind.halved else a.shape[axis]
    return n


def check_lengths(lengths):
    lengths = [operator.index(n) for n in lengths]
    for n in lengths:
        if n < 1:
            raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return lengths


def check_out(out, shape):
    """NumPy's errors for an out of another shape; broadcasting is not for transforms."""
    if out is None:
        return
    if not isinstance(out, ndarray):
        raise TypeError(f"return arrays must be of ArrayType, not {type(out).__name__}")
    if out.shape != tuple(shape):
        raise ValueError(f"output array has wrong shape: {out.shape}, not {tuple(shape)}.")


# ---- steps ----


@functools.cache
def find_library():
    """Tell the backend, once, where wheels put libraries."""
    use_wheels()


def group_axes(axes, lengths):
    """Runs of at most three distinct axes with their lengths, in the order given."""
    groups = []
    for axis, n in zip(axes, lengths, strict=True):
        if not groups or axis in groups[-1] or len(groups[-1]) == MOST_AXES:
            groups.append({})
        groups[-1][axis] = n
    return groups


def fit(a, dtype, lengths):
    """`a` in a dtype, cropped or with zeros up to a length along axes, and whether its memory is its own."""
    shape = list(a.shape)
    for axis, n in lengths.items():
        shape[axis] = n
    part = a[tuple(slice(min(n, have)) for n, have in zip(shape, a.shape, strict=True))]
    if part.shape != tuple(shape):
        padded = zeros_like(part, dtype, shape=shape)
        padded[tuple(map(slice, part.shape))] = part
        return padded, True
    if part.dtype != dtype:
        return part.astype(dtype), True
    is_odd = part.ndim > DENSE_AXES and not (part.flags.c_contiguous or part.flags.f_contiguous)
    return (ascontiguousarray(part) if is_odd else part), is_odd


@dataclass
class Rest:
    """What a transform has to do beside its steps, which take along what costs no pass of its own."""

    scale: float
    signals: int = 0  # not 0: the ends of the axis that stands for so many are to be made real


def step(source, dtype, last, axes, inverse, rest, target=None):
    """One step, to a new array unless there is a target; the last axis of the result has `last` elements."""
    find_library()
    if target is None:
        shape = list(source.shape)
        shape[axes[-1]] = last
        target = empty_like(source, dtype, shape=shape)
    scaled, ended = _core._fft(source, target, tuple(axes), inverse, rest.scale, rest.signals)
    rest.scale = 1 if scaled else rest.scale
    rest.signals = 0 if ended else rest.signals
    return target


def complex_steps(a, owned, axes, lengths, inverse, rest, target=None):
    """Complex transforms of an array in its dtype, the last axis first; `owned` says that it may be overwritten."""
    groups = group_axes(axes[::-1], lengths[::-1])
    for place, group in enumerate(groups):
        a, fresh = fit(a, a.dtype, group)
        inner = list(group)
        to = a if owned or fresh else None
        if place == len(groups) - 1 and target is not None:
            to = target
        a = step(a, a.dtype, group[inner[-1]], inner, inverse, rest, to)
        owned = True
    return a


def complex_spectrum(a, dtype, axes, lengths, inverse, rest, target):
    """fft and ifft over any axes."""
    first = dict(group_axes(axes[::-1], lengths[::-1])[0])
    source, owned = fit(a, dtype, first)
    return complex_steps(source, owned, axes, lengths, inverse, rest, target)


def half_spectrum(a, dtype, axes, lengths, inverse, rest, target):
    """rfft over any axes: a real step over the last axis and those that fit in with it, then complex ones."""
    groups = group_axes(axes[::-1], lengths[::-1])
    first, count = groups[0], len(groups[0])
    real = numpy.dtype("f4" if dtype == numpy.complex64 else "f8")
    source, _ = fit(a, real, first)
    last = lengths[-1] // 2 + 1
    inner = list(first)[::-1]
    if count == len(axes):
        return step(source, dtype, last, inner, inverse, rest, target)
    result = step(source, dtype, last, inner, inverse, rest)
    return complex_steps(result, True, axes[:-count], lengths[:-count], inverse, rest, target)


def real_spectrum(a, dtype, axes, lengths, inverse, rest, target):
    """irfft over any axes: complex steps over all but the last, in NumPy's order, then one to real numbers."""
    kept = numpy.dtype("c8" if dtype in (numpy.float16, numpy.float32) else "c16")
    real = numpy.dtype("f4" if kept == numpy.complex64 else "f8")
    n, axis = lengths[-1], axes[-1]
    source, owned = fit(a, kept, {axis: n // 2 + 1} if axis not in axes[:-1] else {})
    is_plain = len(axes) == 2 and axes[0] < axis == a.ndim - 1 and source.flags.c_contiguous
    if len(axes) > 1:
        rest.signals = n if is_plain else 0
        source = complex_steps(source, owned, axes[-2::-1], lengths[-2::-1], True, rest)
    source, fresh = fit(source, kept, {axis: n // 2 + 1})
    if target is None or target.dtype != real:
        shape = [*source.shape[:axis], n, *source.shape[axis + 1 :]]
        target = empty_like(source, real, shape=shape)
    if not (owned or fresh or len(axes) > 1):
        source, rest.scale = copy_rows(source, axis, rest.scale)
    if rest.signals or not is_plain:
        drop_imaginary(source, axis, n)
    rest.signals = 0
    return step(source, real, n, [axis], True, rest, target)


def copy_rows(a, axis, scale):
    """A copy in which an axis lies innermost, multiplied where that needs no pass of its own; the scale left."""
    if scale != 1 and axis == a.ndim - 1 and a.flags.c_contiguous:
        return multiply(a.view(a.real.dtype), scale).view(a.dtype), 1
    return moveaxis(moveaxis(a, axis, -1).copy("C"), -1, axis), scale


def drop_imaginary(spectrum, axis, n):
    """Real spectra begin, and those of an even number of elements end, with real numbers."""
    before = (slice(None),) * axis
    ends = slice(None, None, n // 2) if n % 2 == 0 else slice(1)
    spectrum.imag[(*before, ends)] = 0


# ---- the whole ----


def scale_in_place(result, scale):
    """Multiply by a real number: complex elements as two reals each."""
    if scale == 1 or result.size == 0:
        return
    parts = [result]
    if result.dtype.kind == "c":
        dense = result if result.flags.c_contiguous else result.T
        real = result.real.dtype
        parts = [dense.view(real)] if dense.flags.c_contiguous else [result.real, result.imag]
    for part in parts:
        multiply(part, scale, out=part)


def result_shape(a, axes, lengths, kind):
    """Shape of the result; of an axis named twice the length that is made last."""
    shape, made = list(a.shape), list(zip(axes, lengths, strict=True))
    if kind.run is half_spectrum:
        made[-1] = axes[-1], lengths[-1] // 2 + 1
    for axis, n in made if kind.halved else reversed(made):
        shape[axis] = n
    return shape


def direct_target(out, dtype, a, single_step):
    """`out` if the last step may write to it: of its dtype, and apart from the input or the same elements."""
    if out is None or out.dtype != dtype or out.device != a.device:
        return None
    same = out is a and single_step
    return out if same or not may_share_memory(out, a) else None


def transform_plainly(a, axis, norm, kind):
    """One step over an axis as it is, to a new array: what most calls are, without the questions of the others."""
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    n = a.shape[axis]
    if n < 1:
        check_lengths([n])
    rest = Rest(scale_of(norm, (n,), kind.forward))
    last = n // 2 + 1 if kind.run is half_spectrum else n
    result = step(a, PLAIN[kind.run][a.dtype.char], last, (axis,), kind.inverse, rest)
    scale_in_place(result, rest.scale)
    return result


def transform(name, a, s, axes, norm, out):
    """What numpy.fft.<name> gives for an array on a GPU."""
    kind = KINDS[name]
    if (
        kind.is_plain
        and s is None
        and out is None
        and a.dtype.char in PLAIN[kind.run]
        and a.ndim <= DENSE_AXES
    ):
        return transform_plainly(a, axes, norm, kind)
    if kind.one_axis:
        lengths, axes = [default_length(a, s, axes, kind)], [axes]
    else:
        lengths, axes = read_axes(a, s, axes, kind)
        if not axes and kind.run is complex_spectrum:
            return a
    lengths = check_lengths(lengths)
    scale = scale_of(norm, lengths, kind.forward)
    axes = [normalize_axis_index(operator.index(axis), a.ndim) for axis in axes]
    check_out(out, result_shape(a, axes, lengths, kind))
    out_dtype = out.dtype if out is not None else None
    given = a.dtype
    if kind.halved and len(axes) > 1:  # complex transforms over the other axes come before
        given = ask_dtype("ifft", given, None, True)
    dtype = ask_dtype(kind.host, given, out_dtype, lengths[-1] % 2 == 1)
    a = _core._widen(a)
    if kind.conjugated and kind.halved:
        a = conjugate(a)
    target = direct_target(out, dtype, a, len(axes) <= MOST_AXES)
    rest = Rest(scale)
    result = kind.run(a, dtype, axes, lengths, kind.inverse, rest, target)
    scale_in_place(result, rest.scale)
    if kind.conjugated and not kind.halved:
        conjugate(result, out=result)
    return result.astype(dtype, copy=False) if out is None else deliver(result, out)


def deliver(result, out):
    if result is not out:
        out[...] = result
    return out


# The dtypes of signals that a step takes as they are, by their characters, with those of what it gives.
PLAIN = {
    complex_spectrum: {char: numpy.dtype(char) for char in "FD"},
    half_spectrum: {"f": numpy.dtype("F"), "d": numpy.dtype("D")},
}
KINDS = {
    "fft": Kind(complex_spectrum, True, False, True, "fft"),
    "ifft": Kind(complex_spectrum, False, True, True, "ifft"),
    "rfft": Kind(half_spectrum, True, False, True, "rfft"),
    "irfft": Kind(real_spectrum, False, True, True, "irfft"),
    "hfft": Kind(real_spectrum, True, True, True, "hfft", conjugated=True),
    "ihfft": Kind(half_spectrum, False, False, True, "ihfft", conjugated=True),
}
KINDS |= {
    name + suffix: Kind(kind.run, kind.forward, kind.inverse, False, name)
    for name, kind in KINDS.items()
    if not kind.conjugated
    for suffix in ("2", "n")
}
