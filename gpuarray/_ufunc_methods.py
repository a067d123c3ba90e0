"""Methods of ufuncs beyond call and reduce, and calls on data that no device holds.

`outer` is a broadcast call; accumulate, reduceat and at have no kernel yet.
"""

import numpy

from gpuarray._core import asarray
from gpuarray._fallback import run, run_silently


def numpy_ufunc(ufunc):
    """NumPy's ufunc of the same name."""
    return getattr(numpy, ufunc.__name__)


def ufunc_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    """Results of applying the ufunc to ever more elements along an axis."""
    function = numpy_ufunc(ufunc).accumulate
    return run(
        function, f"gpuarray.{ufunc.__name__}.accumulate", (array, axis, dtype), {"out": out}
    )


def ufunc_reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    """Reductions of the slices that indices mark along an axis."""
    function = numpy_ufunc(ufunc).reduceat
    return run(
        function, f"gpuarray.{ufunc.__name__}.reduceat", (array, indices, axis, dtype), {"out": out}
    )


def ufunc_at(ufunc, a, indices, *operands):
    """The ufunc in place at indices; an index that comes twice counts twice."""
    run(numpy_ufunc(ufunc).at, f"gpuarray.{ufunc.__name__}.at", (a, indices, *operands), {}, "a")


def ufunc_outer(ufunc, A, B, /, **kwargs):
    """The ufunc for every pair of elements of two arrays."""
    first, second = asarray(A), asarray(B)
    return ufunc(first.reshape(first.shape + (1,) * second.ndim), second, **kwargs)


def ufunc_host(ufunc, method, args, kwargs):
    """A call with operands of a dtype that no device holds: NumPy's own result, or its TypeError."""
    function = numpy_ufunc(ufunc) if method == "__call__" else getattr(numpy_ufunc(ufunc), method)
    return run_silently(function, f"gpuarray.{ufunc.__name__}", args, kwargs)
