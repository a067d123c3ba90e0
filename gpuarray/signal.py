"""Convolution and correlation with SciPy's names, keywords and values: directly, or by transforms.

Direct sums are made in the arithmetic of the operands' common dtype, so integers are exact. They take up to three axes
along which the smaller operand has more than one element.
"""

import functools
import math
import operator
import time

import numpy

from gpuarray import _boxes, _core, fft
from gpuarray._core import arange, asarray, ndarray, rint
from gpuarray._dtypes import result_type
from gpuarray._products import conjugated

__all__ = [
    "choose_conv_method",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "fftconvolve",
]

MODES = ("valid", "same", "full")
BORDERS = {
    "fill": _boxes.CONSTANT,
    "pad": _boxes.CONSTANT,
    "wrap": _boxes.WRAP,
    "circular": _boxes.WRAP,
    "symm": _boxes.REFLECT,
    "symmetric": _boxes.REFLECT,
}
# A transform costs as much an element and level as this many products of a direct sum.
TRANSFORM_COST = 12
EXACT_BITS = 52  # of the integers that a float64 holds


# ---- arguments ----


def take_operands(in1, in2):
    """Both as arrays on the device of the one that is there already."""
    known = next((x.device for x in (in1, in2) if isinstance(x, ndarray)), None)
    return asarray(in1, device=known), asarray(in2, device=known)


def check_mode(mode):
    if mode not in MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")


def check_axes_agree(in1, in2):
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")


def must_swap(mode, shape1, shape2, axes=None):
    """Whether the second operand is the one that the first moves along; of none is it known in mode "valid"."""
    if mode != "valid":
        return False
    axes = range(len(shape1)) if axes is None else axes
    if all(shape1[i] >= shape2[i] for i in axes):
        return False
    if not all(shape2[i] >= shape1[i] for i in axes):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every dimension"
        )
    return True


def reversed_conjugate(x):
    flipped = x[(slice(None, None, -1),) * x.ndim]
    return conjugated(flipped)


# ---- direct sums ----


def correlate_boxes(in1, in2, mode, same_start, border=_boxes.CONSTANT, outside=0):
    """Correlation without conjugation; same_start says where boxes of a length start in mode "same"."""
    dtype = result_type(in1, in2)
    box = in2.shape
    match mode:
        case "full":
            shape = [n + m - 1 for n, m in zip(in1.shape, box, strict=True)]
            start = [1 - m for m in box]
        case "same":
            shape, start = in1.shape, [same_start(m) for m in box]
        case _:
            shape = [n - m + 1 for n, m in zip(in1.shape, box, strict=True)]
            start = [0] * len(box)
    in1, in2 = in1.astype(dtype, copy=False), in2.astype(dtype, copy=False)
    return _boxes.correlate_full(in1, in2, start, shape, border, outside)


def half_before(m):
    """Where the box of an element starts whose place in it is the middle, or behind it."""
    return -(m // 2)


def half_behind(m):
    return -((m - 1) // 2)


def correlate_directly(in1, in2, mode):
    """The correlation as sums over the smaller operand."""
    swapped = (mode == "full" and in2.size > in1.size) or must_swap(mode, in1.shape, in2.shape)
    if in1.size == 0 or in2.size == 0:
        raise ValueError("in1 and in2 must have elements")
    if swapped:
        result = correlate_boxes(in2, conjugated(in1), mode, half_before)
        return reversed_conjugate(result)
    return correlate_boxes(in1, conjugated(in2), mode, half_before)


def correlate(in1, in2, mode="full", method="auto"):
    """Correlation of two arrays with as many axes.

    Parameters
    ----------
    in1, in2 : array_like
        The second one, conjugate, moves along the first.
    mode : {"full", "valid", "same"}, optional
        Wherever they meet, where they overlap wholly, or as many places as in1 has, in the middle of all.
    method : {"auto", "direct", "fft"}, optional
        Sums of products, products of transforms, or what `choose_conv_method` says.
    """
    in1, in2 = take_operands(in1, in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * conjugated(in2)
    check_axes_agree(in1, in2)
    check_mode(mode)
    if method in ("fft", "auto"):
        return convolve(in1, reversed_conjugate(in2), mode, method)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    return correlate_directly(in1, in2, mode)


def convolve(in1, in2, mode="full", method="auto"):
    """Convolution of two arrays with as many axes; parameters are those of `correlate`."""
    volume, kernel = take_operands(in1, in2)
    if volume.ndim == kernel.ndim == 0:
        return volume * kernel
    if volume.ndim != kernel.ndim:
        raise ValueError("volume and kernel should have the same dimensionality")
    if must_swap(mode, volume.shape, kernel.shape):
        volume, kernel = kernel, volume
    if method == "auto":
        method = choose_conv_method(volume, kernel, mode)
    if method == "direct":
        return correlate(volume, reversed_conjugate(kernel), mode, "direct")
    if method != "fft":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    dtype = result_type(volume, kernel)
    result = fftconvolve(volume, kernel, mode)
    return (rint(result) if dtype.kind in "iu" else result).astype(dtype, copy=False)


def read_mode(mode):
    """A mode by name or number."""
    if mode in (0, 1, 2):
        return MODES[mode]
    check_mode(mode)
    return mode


def read_border(boundary):
    if boundary not in BORDERS:
        raise ValueError(
            "Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm')."
        )
    return BORDERS[boundary]


def take_planes(name, in1, in2):
    in1, in2 = take_operands(in1, in2)
    if not in1.ndim == in2.ndim == 2:
        raise ValueError(f"{name} inputs must both be 2-D arrays")
    if not in1.size or not in2.size:
        raise ValueError(f"{name} inputs must have elements")
    return in1, in2


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Convolution of two planes, as sums.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with two axes.
    mode : {"full", "valid", "same"}, optional
        As in `correlate`.
    boundary : {"fill", "wrap", "symm"}, optional
        How in1 goes on behind its ends: with `fillvalue`, from the start, or mirrored.
    fillvalue : scalar, optional
        What lies outside.
    """
    in1, in2 = take_planes("convolve2d", in1, in2)
    if must_swap(mode, in1.shape, in2.shape):
        in1, in2 = in2, in1
    mode, border = read_mode(mode), read_border(boundary)
    return correlate_boxes(in1, in2[::-1, ::-1], mode, half_before, border, fillvalue)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Correlation of two planes, as sums; parameters are those of `convolve2d`."""
    in1, in2 = take_planes("correlate2d", in1, in2)
    swapped = must_swap(mode, in1.shape, in2.shape)
    if swapped:
        in1, in2 = in2, in1
    mode, border = read_mode(mode), read_border(boundary)
    result = correlate_boxes(in1, conjugated(in2), mode, half_behind, border, fillvalue)
    return result[::-1, ::-1] if swapped else result


# ---- by transforms ----


@functools.cache
def fast_length(n):
    """The least length not below n that has no prime factor above 7."""
    best = 1 << (n - 1).bit_length()
    for sevens in multiples(1, 7, best):
        for fives in multiples(sevens, 5, best):
            for threes in multiples(fives, 3, best):
                best = min(best, threes << (-(-n // threes) - 1).bit_length())
    return best


def multiples(value, factor, limit):
    """`value` times the powers of a factor, below a limit."""
    while value < limit:
        yield value
        value *= factor


def read_axes(in1, axes):
    if axes is None:
        return list(range(in1.ndim))
    axes = [axes] if numpy.ndim(axes) == 0 else list(axes)
    axes = [operator.index(axis) for axis in axes]
    if not axes:
        raise ValueError("when provided, axes cannot be empty")
    if any(not -in1.ndim <= axis < in1.ndim for axis in axes):
        raise ValueError("axes exceeds dimensionality of input")
    axes = [axis % in1.ndim for axis in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("all axes must be unique")
    return axes


def multiply_spectra(in1, in2, axes, lengths):
    """The circular convolution over axes of those lengths."""
    is_complex = "c" in (in1.dtype.kind, in2.dtype.kind)
    forward, back = (fft.fftn, fft.ifftn) if is_complex else (fft.rfftn, fft.irfftn)
    return back(forward(in1, lengths, axes) * forward(in2, lengths, axes), lengths, axes)


def crop_centre(full, shape):
    """The middle of an array."""
    starts = [(have - want) // 2 for have, want in zip(full.shape, shape, strict=True)]
    return full[tuple(slice(i, i + n) for i, n in zip(starts, shape, strict=True))].copy()


def fftconvolve(in1, in2, mode="full", axes=None):
    """Convolution by Fourier transforms.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with as many axes.
    mode : {"full", "valid", "same"}, optional
        As in `correlate`.
    axes : int or sequence of int, optional
        The axes to convolve over; along the others shapes are broadcast. Default: all.
    """
    in1, in2 = take_operands(in1, in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2
    check_axes_agree(in1, in2)
    if in1.size == 0 or in2.size == 0:
        return asarray([], device=in1.device)
    shapes = in1.shape, in2.shape
    axes = [i for i in read_axes(in1, axes) if shapes[0][i] != 1 and shapes[1][i] != 1]
    rest = [i for i in range(in1.ndim) if i not in axes]
    if not all(shapes[0][i] == shapes[1][i] or 1 in (shapes[0][i], shapes[1][i]) for i in rest):
        raise ValueError(f"incompatible shapes for in1 and in2: {shapes[0]} and {shapes[1]}")
    if must_swap(mode, *shapes, axes):
        in1, in2 = in2, in1
    if mode not in MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    full = convolve_whole(in1, in2, axes)
    if mode == "full":
        return full
    shape = in1.shape
    if mode == "valid":
        shape = [
            in1.shape[i] - in2.shape[i] + 1 if i in axes else full.shape[i] for i in range(in1.ndim)
        ]
    return crop_centre(full, shape)


def convolve_whole(in1, in2, axes):
    if not axes:
        return in1 * in2
    wanted = [in1.shape[i] + in2.shape[i] - 1 for i in axes]
    result = multiply_spectra(in1, in2, axes, [fast_length(n) for n in wanted])
    cut = [slice(None)] * result.ndim
    for axis, n in zip(axes, wanted, strict=True):
        cut[axis] = slice(n)
    return result[tuple(cut)].copy()


# ---- which of the two ----


def count_work(shape1, shape2, mode):
    """Products of direct sums, and what transforms cost in the same measure."""
    full = [n + m - 1 for n, m in zip(shape1, shape2, strict=True)]
    result = {"full": full, "same": shape1}.get(
        mode, [abs(n - m) + 1 for n, m in zip(shape1, shape2, strict=True)]
    )
    direct = math.prod(result) * min(math.prod(shape1), math.prod(shape2))
    transformed = math.prod(map(fast_length, full))
    return direct, 3 * TRANSFORM_COST * transformed * math.log2(max(2, transformed))


def needs_exact_sums(in1, in2):
    """Whether integers, or bools, would not come out of float64 as they should."""
    kinds = in1.dtype.kind + in2.dtype.kind
    if "b" in kinds:
        return kinds == "bb" or not set(kinds) <= set("bfc")
    if not set(kinds) & set("iu"):
        return False
    largest = [int(abs(x).max()) if x.size else 0 for x in (in1, in2)]
    return largest[0] * largest[1] * min(in1.size, in2.size) >= 1 << EXACT_BITS


def faster(shape1, shape2, mode):
    direct, transformed = count_work(shape1, shape2, mode)
    return "fft" if transformed < direct else "direct"


@functools.lru_cache(256)
def choose_by_shape(shape1, shape2, kind1, kind2, mode):
    """The method, or None where the values of integers decide."""
    check_mode(mode)
    if sum(n > 1 for n in shape2) > 3 and sum(n > 1 for n in shape1) > 3:
        return "fft"
    if set(kind1 + kind2) & set("biu"):
        return None
    return faster(shape1, shape2, mode)


def choose_conv_method(in1, in2, mode="full", measure=False):
    """Which `method` of `convolve` is faster, "direct" or "fft", and exact for integers.

    Parameters
    ----------
    in1, in2 : array_like
        The operands.
    mode : {"full", "valid", "same"}, optional
        As in `correlate`.
    measure : bool, optional
        Time both instead, and return the times in seconds too.
    """
    if not measure:
        try:
            method = choose_by_shape(in1.shape, in2.shape, in1.dtype.kind, in2.dtype.kind, mode)
        except AttributeError:
            method = None  # of what are no arrays yet
        if method:
            return method
    in1, in2 = take_operands(in1, in2)
    if measure:
        times = {method: time_call(in1, in2, mode, method) for method in ("fft", "direct")}
        return min(times, key=times.get), times
    method = choose_by_shape(in1.shape, in2.shape, in1.dtype.kind, in2.dtype.kind, mode)
    return method or (
        "direct" if needs_exact_sums(in1, in2) else faster(in1.shape, in2.shape, mode)
    )


def time_call(in1, in2, mode, method):
    """Seconds of a call, the least of three."""
    times = []
    for _ in range(3):
        _core.synchronize(in1.device)
        start = time.perf_counter()
        convolve(in1, in2, mode, method)
        _core.synchronize(in1.device)
        times.append(time.perf_counter() - start)
    return min(times)


def correlation_lags(in1_len, in2_len, mode="full"):
    """By how many places the second operand is shifted at each element of a correlation of vectors."""
    check_mode(mode)
    if mode == "full":
        return arange(1 - in2_len, in1_len)
    if mode == "same":
        first = (in1_len + in2_len - 1) // 2 - in1_len // 2 + 1 - in2_len
        return arange(first, first + in1_len)
    bound = in1_len - in2_len
    return arange(bound + 1) if bound >= 0 else arange(bound, 1)
