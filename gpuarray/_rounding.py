"""Rounding to decimals, and the parts and angles of complex numbers."""

import operator

import numpy

from gpuarray import _chains, _core
from gpuarray._chains import chained
from gpuarray._choice import where
from gpuarray._core import arctan2, asarray, divide, empty, empty_like, multiply, ndarray, rint
from gpuarray._dtypes import is_short_float

__all__ = ["angle", "around", "fix", "imag", "real", "round", "sinc"]

FLOAT = numpy.dtype(float)


def round(a, decimals=0, out=None):
    """Elements rounded to a number of decimals, halves to even."""
    a, decimals = asarray(a), operator.index(decimals)
    if a.dtype.kind in "iu":
        return round_integers(a, decimals, out)
    if decimals == 0:
        return rint(a, out=out)
    if a.dtype == bool and out is None:
        out = empty_like(a)  # for NumPy's sentence: it cannot hold a scaled truth value
    if a.dtype.kind == "c":
        return round_complex(a, decimals, out)
    factor = raise_ten(abs(decimals))
    alike = out is None or (isinstance(out, ndarray) and out.dtype == a.dtype)
    if alike and a.dtype.char in "efd" and factor <= numpy.finfo(a.dtype).max:
        return _core._round(a, factor, decimals < 0, out)
    if is_short_float(a.dtype):
        factor = asarray(factor, a.dtype, device=a.device)
    scale, restore = (multiply, divide) if decimals > 0 else (divide, multiply)
    scaled = scale(a, factor, out=out, order="A")
    if out is None and scaled.ndim:  # the steps after the first need no memory of their own
        out = scaled
    return restore(rint(scaled, out=out), factor, out=out)


def raise_ten(n):
    """Ten to the n as NumPy has it, which beyond 1e22 misses what 10.0 ** n gives by what rounding adds up."""
    power = 10.0 ** min(n, 9)
    while n > 9 and power < numpy.inf:
        power *= 10
        n -= 1
    return power


def round_complex(a, decimals, out):
    """Real and imaginary part are rounded by themselves, which keeps the signs of zeros."""
    result = empty_like(a) if out is None else out
    result.real = round(a.real, decimals)
    result.imag = round(a.imag, decimals)
    return result[()] if a.ndim == 0 and out is None else result


def round_integers(a, decimals, out):
    """Integers are whole; a negative number of decimals rounds them to a power of ten."""
    if decimals >= 0:
        return a.copy(order="K")[()] if out is None else _core.positive(a, out=out)
    factor = 10.0**-decimals
    if out is not None:
        return multiply(rint(divide(a, factor, out=out), out=out), factor, out=out)
    order = "F" if a.flags.fnc else "C"
    if a.dtype.char == "l":
        result = empty(a.shape, a.dtype, order, device=a.device)
        to_multiple(a, factor, dtype=FLOAT, results=(result,))
    else:
        result = multiply(rint(divide(a, factor)), factor).astype(a.dtype, order)
    return result[()] if a.ndim == 0 else result


@chained
def to_multiple(value, factor):
    return _chains.rint(value / factor) * factor


around = round


def real(val):
    """Real part: a view where the numbers are complex, else the array itself."""
    return val.real if hasattr(val, "real") else asarray(val).real


def imag(val):
    """Imaginary part: a view where the numbers are complex, else zeros."""
    return val.imag if hasattr(val, "imag") else asarray(val).imag


def angle(z, deg=False):
    """Angle of complex numbers to the positive real axis."""
    z = asarray(z)
    result = arctan2(z.imag, z.real) if z.dtype.kind == "c" else arctan2(0, z)
    return result * (180 / numpy.pi) if deg else result


def fix(x, out=None):
    """Elements rounded towards zero."""
    return _core.trunc(x, out=out)


def sinc(x):
    """sin(pi x) / (pi x), and 1 at zero."""
    x = asarray(x)
    if numpy.result_type(x.dtype, 1.0) != x.dtype:  # short floats of ml_dtypes, of some versions
        x = _core._widen(x)
    if x.dtype.kind in "biu":
        x = x.astype(float)
    if x.dtype.char in "efd":
        return _core._sinc(x, numpy.pi, float(numpy.finfo(x.dtype).eps))
    # where all of them round to 1, in float8_e4m3fn the smallest number with all its digits
    least = 2.0**-6 if is_short_float(x.dtype) else numpy.finfo(x.dtype).eps
    scaled = numpy.pi * where(x == 0, least, x)
    return _core.sin(scaled) / scaled
