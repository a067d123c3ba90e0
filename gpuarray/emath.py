"""Functions that answer in complex numbers where real ones do not reach, as numpy.emath.

Whether they must is a question to the values: a call with real operands waits for the device. Complex arrays need no
question; NumPy, which asks them too, has the same answers.
"""

import functools

import numpy
import numpy.lib.scimath

from gpuarray import _core
from gpuarray._core import asarray
from gpuarray._fallback import on_host_if_unheld

__all__ = list(numpy.lib.scimath.__all__)

SINGLE = tuple("fbhBHF")  # dtypes, by their characters, that become complex64

on_host_if_unheld = functools.partial(on_host_if_unheld, home=numpy.lib.scimath)


def as_complex(x):
    return x.astype("F" if x.dtype.char in SINGLE else "D")


def reach_below_zero(x):
    """`x`, in complex numbers if one of its real elements is negative."""
    x = asarray(x)
    return as_complex(x) if x.dtype.kind != "c" and bool((x < 0).any()) else x


def reach_beyond_one(x):
    """`x`, in complex numbers if the magnitude of one of its real elements is greater than one."""
    x = asarray(x)
    return as_complex(x) if x.dtype.kind != "c" and bool((abs(x) > 1).any()) else x


@on_host_if_unheld
def sqrt(x):
    """Square root; of negative numbers the imaginary one."""
    return _core.sqrt(reach_below_zero(x))


@on_host_if_unheld
def log(x):
    """Natural logarithm; of negative numbers the principal complex one."""
    return _core.log(reach_below_zero(x))


@on_host_if_unheld
def log10(x):
    """Logarithm to base 10; of negative numbers the principal complex one."""
    return _core.log10(reach_below_zero(x))


@on_host_if_unheld
def log2(x):
    """Logarithm to base 2; of negative numbers the principal complex one."""
    return _core.log2(reach_below_zero(x))


@on_host_if_unheld
def logn(n, x):
    """Logarithm of `x` to base `n`; of negative numbers the principal complex one."""
    x, n = reach_below_zero(x), reach_below_zero(n)
    return _core.log(x) / _core.log(n)


@on_host_if_unheld
def power(x, p):
    """`x` to the power `p`: complex where `x` is negative, floating point where `p` is."""
    x, p = reach_below_zero(x), asarray(p)
    if p.dtype.kind != "c" and bool((p < 0).any()):
        p = p * 1.0
    return _core.power(x, p)


@on_host_if_unheld
def arccos(x):
    """Inverse cosine; complex beyond [-1, 1]."""
    return _core.arccos(reach_beyond_one(x))


@on_host_if_unheld
def arcsin(x):
    """Inverse sine; complex beyond [-1, 1]."""
    return _core.arcsin(reach_beyond_one(x))


@on_host_if_unheld
def arctanh(x):
    """Inverse hyperbolic tangent; complex beyond [-1, 1]."""
    return _core.arctanh(reach_beyond_one(x))
