"""convolve and correlate of vectors: NumPy's functions, made directly, in the operands' own arithmetic."""

import numpy

from gpuarray import _core
from gpuarray._boxes import NOTHING, correlate_full
from gpuarray._core import asarray, ascontiguousarray, conjugate
from gpuarray._dtypes import result_type
from gpuarray._fallback import on_host_if_unheld, run

__all__ = ["convolve", "correlate"]

MODES = ("valid", "same", "full")


def read_mode(mode):
    """A mode by its name, the beginning of it, or its number, as NumPy reads it."""
    if isinstance(mode, str):
        found = [name for name in MODES if mode and name.startswith(mode.lower())]
        if not found:
            raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
        return found[0]
    if not 0 <= mode < len(MODES):
        raise ValueError(f"integer mode must be 0, 1 or 2 (got {mode})")
    return MODES[mode]


def place_box(n, m, mode):
    """Length of the result and start of the boxes, for a vector of n and m weights, n not below m."""
    match mode:
        case "valid":
            return n - m + 1, 0
        case "same":
            return n, -(m // 2)
    return n + m - 1, 1 - m


def correlate_vectors(a, v, mode):
    """Sums of products of `a` and a moving `v`; the longer one of them stays."""
    dtype = result_type(a, v)
    a, v = _core._widen(a), _core._widen(v)
    computed = result_type(a, v)
    swapped = len(a) < len(v)
    long, short = (v, a) if swapped else (a, v)
    length, start = place_box(len(long), len(short), mode)
    long, short = (each.astype(computed, copy=False) for each in (long, short))
    result = correlate_full(long, ascontiguousarray(short), (start,), (length,), border=NOTHING)
    result = result.astype(dtype, copy=False)
    return result[::-1].copy() if swapped else result


def take_vectors(a, v):
    """Both on the device of the one that is there already, at least one axis each."""
    a = asarray(a, device=getattr(v, "device", None) if not hasattr(a, "device") else None)
    v = asarray(v, device=a.device)
    vectors = [x.reshape(1) if x.ndim == 0 else x for x in (a, v)]
    if any(x.ndim > 1 for x in vectors):
        raise ValueError("object too deep for desired array")
    return vectors


@on_host_if_unheld
def convolve(a, v, mode="full"):
    """Sums of products of a vector and another one that moves along it, reversed.

    Parameters
    ----------
    a, v : array_like
        Vectors; the longer one stays.
    mode : {"full", "same", "valid"}, optional
        Wherever they meet, as many places as the longer has, or where they overlap wholly.
    """
    a, v = take_vectors(a, v)
    if not a.size:
        raise ValueError("a cannot be empty")
    if not v.size:
        raise ValueError("v cannot be empty")
    if {a.dtype.kind, v.dtype.kind} & {"m", "M"}:
        return run(numpy.convolve, "gpuarray.convolve", (a, v, mode), {})
    if len(v) > len(a):
        a, v = v, a
    return correlate_vectors(a, v[::-1], read_mode(mode))


@on_host_if_unheld
def correlate(a, v, mode="valid"):
    """Sums of products of a vector and the conjugate of another one that moves along it.

    Parameters are those of `convolve`.
    """
    a, v = take_vectors(a, v)
    for x, which in ((a, "first"), (v, "second")):
        if not x.size:
            raise ValueError(f"{which} array argument cannot be empty")
    if {a.dtype.kind, v.dtype.kind} & {"m", "M"}:
        return run(numpy.correlate, "gpuarray.correlate", (a, v, mode), {})
    return correlate_vectors(a, conjugate(v) if v.dtype.kind == "c" else v, read_mode(mode))
