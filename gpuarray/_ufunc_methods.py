"""The ufunc method `outer`, a broadcast call, and calls on data that no device holds. `at` has a file of its own."""

import numpy

from gpuarray._core import asarray
from gpuarray._fallback import run_silently


def numpy_ufunc(ufunc):
    """NumPy's ufunc of the same name."""
    return getattr(numpy, ufunc.__name__)


def is_numpys(ufunc):
    """Whether NumPy has it too, so that the host can run it; it has none of gpuarray.special."""
    return isinstance(getattr(numpy, ufunc.__name__, None), numpy.ufunc)


def ufunc_outer(ufunc, A, B, /, **kwargs):
    """The ufunc for every pair of elements of two arrays."""
    if ufunc.signature is not None:
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")
    if ufunc.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    first, second = asarray(A), asarray(B)
    return ufunc(first.reshape(first.shape + (1,) * second.ndim), second, **kwargs)


def function_host(name, /, *args, **kwargs):
    """A function with operands of a dtype that no device holds: NumPy's own result, or its exception."""
    return run_silently(getattr(numpy, name), f"gpuarray.{name}", args, kwargs)


def ufunc_host(ufunc, method, args, kwargs):
    """A call with operands of a dtype that no device holds: NumPy's own result, or its TypeError."""
    function = numpy_ufunc(ufunc) if method == "__call__" else getattr(numpy_ufunc(ufunc), method)
    return run_silently(function, f"gpuarray.{ufunc.__name__}", args, kwargs)
