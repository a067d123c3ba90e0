"""Questions about dtypes, answered by NumPy: a device array stands for its dtype, and no element is looked at."""

import numpy

from gpuarray import _core
from gpuarray._core import asnumpy, ndarray

__all__ = [
    "can_cast",
    "common_type",
    "iscomplexobj",
    "isrealobj",
    "min_scalar_type",
    "result_type",
]


def is_short_float(dtype):
    """Whether it is bfloat16 or float8 of ml_dtypes, whose `kind` says nothing."""
    return dtype.isbuiltin == 2 and _core._holds(dtype)


def is_inexact(dtype):
    """Whether NumPy takes it for a float or complex number, which it does not for bfloat16 and float8."""
    return dtype.kind in "fc" and dtype.isbuiltin == 1


def as_type(value):
    """What NumPy's promotion sees of an argument: Python scalars stay as they are, since they are weak."""
    return value.dtype if isinstance(value, ndarray) else value


def result_type(*arrays_and_dtypes):
    """The dtype that NumPy's promotion gives for arrays, dtypes and Python scalars."""
    return numpy.result_type(*map(as_type, arrays_and_dtypes))


def comparable_type(*arrays):
    """The dtype in which arrays are compared: of their promotion, or float64 where bfloat16 or float8 have none."""
    if len({each.dtype for each in arrays}) == 1:
        return arrays[0].dtype
    try:
        return numpy.result_type(*(each.dtype for each in arrays))
    except numpy.exceptions.DTypePromotionError:
        if not any(is_short_float(each.dtype) for each in arrays):
            raise
        return numpy.dtype(float)


def can_cast(from_, to, casting="safe"):
    """Whether a cast between dtypes is allowed by the rule `casting`."""
    return numpy.can_cast(as_type(from_), to, casting)


def min_scalar_type(a, /):
    """The smallest dtype that holds a scalar; for an array its dtype."""
    if isinstance(a, ndarray):
        return numpy.min_scalar_type(asnumpy(a)) if a.ndim == 0 else a.dtype
    return numpy.min_scalar_type(a)


def common_type(*arrays):
    """The floating-point scalar class that holds all arrays."""
    hosts = (numpy.empty(0, a.dtype) if isinstance(a, ndarray) else a for a in arrays)
    return numpy.common_type(*hosts)


def iscomplexobj(x):
    """Whether the dtype is complex."""
    return x.dtype.kind == "c" if isinstance(x, ndarray) else numpy.iscomplexobj(x)


def isrealobj(x):
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)
