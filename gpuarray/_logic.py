"""Tests of values and of equality, and what replaces the values that fail them."""

import warnings

import numpy

from gpuarray import _core
from gpuarray._chains import chained
from gpuarray._choice import as_operand, copyto, is_python
from gpuarray._core import asarray, asnumpy, isfinite, isinf, isnan, ndarray, signbit, zeros
from gpuarray._dtypes import is_inexact, result_type
from gpuarray._scalars import is_scalar

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "isscalar",
    "nan_to_num",
    "real_if_close",
]


def isclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False):
    """Whether elements are equal within tolerances: |a - b| <= atol + rtol * |b|."""
    x, y, rtol, atol = map(as_operand, (a, b, rtol, atol))
    warn_of_tolerances(rtol, atol)
    if is_python(x) and is_python(y):
        x = asarray(x)
    x, y = in_one_type(x, y)
    if is_plain_comparison(x, y) and type(rtol) is type(atol) is float:
        return _core._close(x, y, rtol, atol, equal_nan)
    if isinstance(y, ndarray):
        if y.dtype.kind != "m":  # the magnitude of the least integer does not fit
            y = y.astype(result_type(y, 1.0), copy=False)
    elif isinstance(y, int):
        y = float(y)
    result = is_near(abs(x - y), abs(y), isfinite(y), x == y, rtol, atol)
    if equal_nan:
        result = result | (isnan(x) & isnan(y))
    return result[()]


@chained
def is_near(distance, size, finite, equal, rtol, atol):
    return (distance <= atol + rtol * size) & finite | equal


def in_one_type(x, y):
    """Real numbers in the floats that they are compared in, if those are the second's, which scales the tolerance."""
    if not (isinstance(x, ndarray) and isinstance(y, ndarray)):
        return x, y
    if x.dtype == y.dtype and x.dtype.kind not in "biu":
        return x, y
    dtype = result_type(y, 1.0) if y.dtype.kind in "biuf" and x.dtype.kind in "biuf" else None
    if dtype is None or dtype.char not in "efd" or result_type(x, dtype) != dtype:
        return x, y
    return x.astype(dtype, copy=False), y.astype(dtype, copy=False)


def is_plain_comparison(x, y):
    """Whether two operands are floats of one dtype, or one of them an ordinary Python number."""
    dtypes = [each.dtype for each in (x, y) if isinstance(each, ndarray)]
    numbers = [each for each in (x, y) if is_python(each)]
    return (
        is_inexact(dtypes[0])
        and dtypes[0].kind == "f"
        and dtypes[0] == dtypes[-1]
        and all(type(each) is float or (type(each) is int and abs(each) < 1024) for each in numbers)
    )


def warn_of_tolerances(rtol, atol):
    """NumPy's warning about tolerances that are infinite or NaN."""
    if not all(numpy.all(numpy.isfinite(each)) for each in (rtol, atol) if is_python(each)):
        text = f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}"
        if numpy.geterr()["invalid"] == "raise":
            raise FloatingPointError(text)
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def allclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False):
    """Whether all elements are equal within tolerances, as a Python bool."""
    return bool(_core.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have one shape and equal elements, as a Python bool."""
    try:
        a1, a2 = asarray(a1), asarray(a2)
    except TypeError:  # strings and objects
        return bool(numpy.array_equal(host_of(a1), host_of(a2), equal_nan))
    except ValueError:  # no rectangular shape
        return False
    if a1.shape != a2.shape:
        return False
    nans = equal_nan and a1.dtype.kind in "fcmM" and a2.dtype.kind in "fcmM"
    return bool(_core.all(is_alike(a1, a2) if nans else a1 == a2))


@chained
def is_alike(x, y):
    """Whether two numbers are equal or both NaN."""
    return (x == y) | (x != x) & (y != y)


def array_equiv(a1, a2):
    """Whether two arrays can be broadcast together and have equal elements then, as a Python bool."""
    try:
        a1, a2 = asarray(a1), asarray(a2)
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except (TypeError, ValueError):
        return False
    return bool(_core.all(a1 == a2))


def host_of(value):
    return asnumpy(value) if isinstance(value, ndarray) else value


def isscalar(element):
    """Whether an object is a scalar of Python or NumPy, or a device array that stands for one."""
    return is_scalar(element) if isinstance(element, ndarray) else numpy.isscalar(element)


def iscomplex(x):
    """Whether elements have an imaginary part."""
    x = asarray(x)
    return x.imag != 0 if x.dtype.kind == "c" else zeros(x.shape, bool, device=x.device)[()]


def isreal(x):
    """Whether elements have no imaginary part."""
    return asarray(x).imag == 0


def test_infinity(name, x, out, negative):
    """Whether elements are infinite with the sign asked for."""
    x = asarray(x)
    if x.dtype.kind in "cmM":
        raise TypeError(
            f"{name}: This operation is not supported for {x.dtype} values because it would be ambiguous."
        )
    if is_inexact(x.dtype):
        return _core.equal(x, -numpy.inf if negative else numpy.inf, out=out)
    return _core.logical_and(isinf(x), signbit(x), out=out)  # no integer is infinite


def isneginf(x, out=None):
    """Whether elements are minus infinity."""
    return test_infinity("isneginf", x, out, True)


def isposinf(x, out=None):
    """Whether elements are plus infinity."""
    return test_infinity("isposinf", x, out, False)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Array with NaN and infinities replaced by numbers."""
    given, x = x, asarray(x)
    if is_inexact(x.dtype):
        limits = numpy.finfo(x.dtype)
        values = (
            nan,
            limits.max if posinf is None else posinf,
            limits.min if neginf is None else neginf,
        )
        if x.dtype.char in "efdFD" and all(
            isinstance(value, (float, int, numpy.floating)) for value in values
        ):
            with numpy.errstate(over="ignore"):  # what the dtype cannot hold is infinity there
                held = [float(limits.dtype.type(value)) for value in values]
            return replace_numbers(x, held, copy)
    x = _core.array(given, copy=True) if copy else x
    if is_inexact(x.dtype):
        for part in (x.real, x.imag) if x.dtype.kind == "c" else (x,):
            masks = isnan(part), part == numpy.inf, part == -numpy.inf
            for mask, value in zip(masks, values, strict=True):
                copyto(part, value, where=mask, casting="unsafe")
    return x[()] if x.ndim == 0 else x


def replace_numbers(x, values, copy):
    """nan_to_num by one kernel, or one for each part of complex numbers."""
    if x.dtype.kind == "c":
        result = _core.array(x, copy=True) if copy else x
        for part in (result.real, result.imag):
            _core._finite(part, *values, part)
    else:
        result = _core._finite(x, *values, None if copy else x)
    return result[()] if x.ndim == 0 else result


def real_if_close(a, tol=100):
    """The real part, if every imaginary part is within `tol` units in the last place of zero."""
    a = asarray(a)
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol *= numpy.finfo(a.dtype).eps
    return a.real if bool(_core.all(abs(a.imag) < tol)) else a
