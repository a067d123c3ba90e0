"""Methods of ufuncs beyond call and reduce, and calls on data that no device holds.

`outer` is a broadcast call; `at` sorts by target and reduces slices, on the CPU device it is NumPy's.
"""

import numpy

import gpuarray
from gpuarray._core import arange, asarray, empty, ndarray, ones
from gpuarray._fallback import run, run_silently
from gpuarray._memory import may_share_memory
from gpuarray._shape import broadcast_to


def numpy_ufunc(ufunc):
    """NumPy's ufunc of the same name."""
    return getattr(numpy, ufunc.__name__)


def ufunc_at(ufunc, a, indices, *operands):
    """The ufunc in place at indices; an index that comes twice counts twice."""
    operand = fitting_operand(ufunc, a, operands)
    if operand is not None:
        apply_in_order(ufunc, a, indices, operand)
        return
    on_host = run_silently if isinstance(a, ndarray) and a.device == "cpu" else run
    name = f"gpuarray.{ufunc.__name__}.at"
    on_host(numpy_ufunc(ufunc).at, name, (a, indices, *operands), {}, "a")


def fitting_operand(ufunc, a, operands):
    """The operand as an array of a's dtype, if that is what the ufunc computes in; else None.

    On the CPU device NumPy works in the array's own memory, one after the other, and nothing is faster.
    """
    if not isinstance(a, ndarray) or a.device == "cpu" or len(operands) != 1 or ufunc.nout != 1:
        return None
    if isinstance(operands[0], (bool, int, float, complex)):
        number = numpy.asarray(operands[0])
        if not numpy.can_cast(number.dtype, a.dtype, "same_kind"):
            return None
        if number.astype(a.dtype) != number:
            return None
        operand = asarray(number.astype(a.dtype), device=a.device)
    else:
        operand = asarray(operands[0], device=a.device)
    try:
        loop = ufunc.resolve_dtypes((a.dtype, operand.dtype, None))
    except TypeError:
        return None
    return operand if all(dtype == a.dtype for dtype in loop) else None


def apply_in_order(ufunc, a, indices, operand):
    """Sorts the operands by the element that they go to, and reduces each element with those behind it.

    The sort is stable, so that an element meets its operands in the order in which they were given.
    """
    place = arange(a.size, device=a.device).reshape(a.shape)[indices]
    operand = broadcast_to(operand, place.shape).reshape(-1)
    place = place.reshape(-1)
    if place.size == 0:
        return
    order = gpuarray.argsort(place, kind="stable")
    place, operand = place[order], operand[order]
    changes = ones(place.size, bool, device=a.device)
    changes[1:] = place[1:] != place[:-1]
    first = gpuarray.flatnonzero(changes)
    flat, targets = a.reshape(-1), place[first]
    starts = first + arange(first.size, device=a.device)
    row = empty(place.size + targets.size, a.dtype, device=a.device)
    given = ones(row.size, bool, device=a.device)
    given[starts] = False
    row[starts] = flat[targets]
    row[given] = operand
    flat[targets] = ufunc.reduceat(row, starts)
    if not may_share_memory(flat, a):
        a[...] = flat.reshape(a.shape)


def ufunc_outer(ufunc, A, B, /, **kwargs):
    """The ufunc for every pair of elements of two arrays."""
    first, second = asarray(A), asarray(B)
    return ufunc(first.reshape(first.shape + (1,) * second.ndim), second, **kwargs)


def function_host(name, /, *args, **kwargs):
    """A function with operands of a dtype that no device holds: NumPy's own result, or its exception."""
    return run_silently(getattr(numpy, name), f"gpuarray.{name}", args, kwargs)


def ufunc_host(ufunc, method, args, kwargs):
    """A call with operands of a dtype that no device holds: NumPy's own result, or its TypeError."""
    function = numpy_ufunc(ufunc) if method == "__call__" else getattr(numpy_ufunc(ufunc), method)
    return run_silently(function, f"gpuarray.{ufunc.__name__}", args, kwargs)
