"""Choosing among values: masked copies, where and clip."""

import numpy

from gpuarray import _core
from gpuarray._core import asarray, ndarray
from gpuarray._dtypes import can_cast, is_short_float, result_type
from gpuarray._fallback import on_host_if_unheld, run_silently

__all__ = ["clip", "copyto", "where"]

PYTHON_SCALARS = (int, float, complex)
# Before that, a Python integer that does not fit widened the result of where.
CHECKS_INTEGERS = numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0"


def as_operand(value):
    """Python scalars as they are, since their dtype is weak; anything else as a device array."""
    return (
        value
        if isinstance(value, PYTHON_SCALARS) and not isinstance(value, numpy.generic)
        else asarray(value)
    )


def check_integer(number, other):
    """OverflowError where a Python integer does not fit the dtype of the integers beside it."""
    if (
        type(number) is int
        and isinstance(other, ndarray | numpy.generic)
        and other.dtype.kind in "iu"
    ):
        numpy.asarray(number, dtype=other.dtype)


def where(condition, x=None, y=None, /):
    """Elements of `x` where the condition is true, of `y` elsewhere; with the condition alone, where it is true."""
    if x is None or y is None:
        if x is None and y is None:
            return asarray(condition).nonzero()
        raise ValueError("either both or neither of x and y should be given")
    if CHECKS_INTEGERS:
        check_integer(x, y)
        check_integer(y, x)
    result = _core._where(condition, x, y)
    if result is NotImplemented:
        return run_silently(numpy.where, "gpuarray.where", (condition, x, y), {})
    return result


def is_python(value):
    return not isinstance(value, ndarray)


def copyto(dst, src, casting="same_kind", where=True):
    """Copy values into an array, with broadcasting, where the mask `where` is true."""
    if not isinstance(dst, ndarray):
        return run_silently(
            numpy.copyto, "gpuarray.copyto", (dst, src), {"casting": casting, "where": where}
        )
    if not dst.flags.writeable:
        raise ValueError("assignment destination is read-only")
    if not isinstance(src, PYTHON_SCALARS):
        src = asarray(src, device=dst.device)
        if not can_cast(src, dst.dtype, casting):
            raise TypeError(
                f"Cannot cast array data from {src.dtype!r} to {dst.dtype!r} according to the rule {casting!r}"
            )
    else:
        check_weak(src, dst.dtype, casting)
        if isinstance(src, complex):
            src = asarray(src, device=dst.device)  # what it loses is warned of
    if where is True:
        dst[...] = src
        return None
    mask = asarray(where, device=dst.device)
    if mask.dtype != bool:
        raise TypeError(
            f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'"
        )
    if isinstance(src, ndarray) and src.ndim > dst.ndim:
        src = drop_axes(src, dst.ndim)
    _core._copy_masked(dst, src, mask)
    return None


def drop_axes(src, ndim):
    """The values without the axes of length one in front by which they have more than `ndim`, as in an assignment."""
    surplus = src.ndim - ndim
    return src.reshape(src.shape[surplus:]) if src.shape[:surplus] == (1,) * surplus else src


def check_weak(number, dtype, casting):
    """TypeError where the rule forbids a Python number on its way into `dtype`."""
    number_type = numpy.result_type(dtype, number)
    if not numpy.can_cast(number_type, dtype, casting):
        raise TypeError(
            f"Cannot cast scalar from {number_type!r} to {dtype!r} according to the rule {casting!r}"
        )


@on_host_if_unheld
def clip(
    a,
    min=numpy._NoValue,
    max=numpy._NoValue,
    out=None,
    *,
    a_min=numpy._NoValue,
    a_max=numpy._NoValue,
    **kwargs,
):
    """Elements limited to [min, max]; either bound may be None or left out. NumPy's `a_min`, `a_max` are the same."""
    return clip_between(
        asarray(a), choose_bound("min", min, a_min), choose_bound("max", max, a_max), out, **kwargs
    )


def choose_bound(name, value, older):
    """A bound that may have been given under either of two names."""
    if older is numpy._NoValue:
        return None if value is numpy._NoValue else value
    if value is not numpy._NoValue:
        raise ValueError(f"clip() takes `{name}` or `a_{name}`, not both")
    return older


def is_number_of(a, number):
    """Whether a Python number is of the kind of an array's elements, not NaN, and an integer within their range."""
    if is_short_float(a.dtype):
        return False
    if a.dtype.kind == "f":
        is_real = type(number) is float and number == number
        return is_real or (type(number) is int and abs(number) < 1024)
    if a.dtype.kind not in "iu" or type(number) is not int:
        return False
    limits = numpy.iinfo(a.dtype)
    return limits.min <= number <= limits.max


def clip_type(*operands):
    """The dtype that NumPy's clip has for them, which knows nothing shorter than float16."""
    short = (isinstance(each, ndarray) and is_short_float(each.dtype) for each in operands)
    pairs = zip(operands, short, strict=True)
    return result_type(*(numpy.float32 if replaced else each for each, replaced in pairs))


def clip_between(a, low, high, out, **keywords):
    """clip with both bounds, None for no bound. Python ints that no element can pass are no bounds."""
    if a.dtype.kind in "iu":
        limits = numpy.iinfo(a.dtype)
        low = None if type(low) is int and low <= limits.min else low
        high = None if type(high) is int and high >= limits.max else high
    if low is None and high is None:
        return _core.positive(a, out=out, **keywords)
    if low is None:
        return _core.minimum(a, high, out=out, **keywords)
    if high is None:
        return _core.maximum(a, low, out=out, **keywords)
    plain = out is None or (isinstance(out, ndarray) and out.flags.writeable)
    if plain and not keywords and is_number_of(a, low) and is_number_of(a, high):
        return _core._clip(a, low, high, out)
    low, high = as_operand(low), as_operand(high)
    dtype = keywords.pop("dtype", None) or clip_type(a, low, high)
    # dtype= of a ufunc takes no time units; the operands bring them.
    if numpy.dtype(dtype).kind not in "mM":
        keywords["dtype"] = dtype
    raised_keywords = {key: keywords[key] for key in ("dtype", "casting") if key in keywords}
    raised = _core.maximum(a, low, **raised_keywords)
    if out is None and raised.ndim and "order" not in keywords and fits_in(raised, high):
        out = raised
    return _core.minimum(raised, high, out=out, **keywords)


def fits_in(raised, high):
    """Whether the lesser of an array and a bound can take the array's place: in shape, dtype and memory order."""
    if result_type(raised, high) != raised.dtype:
        return False
    alike = isinstance(high, ndarray) and high.flags.c_contiguous and raised.flags.c_contiguous
    return not isinstance(high, ndarray) or (alike and high.shape == raised.shape)
