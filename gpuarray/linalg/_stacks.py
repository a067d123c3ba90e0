"""Arguments of linear algebra: arrays of at least two dimensions, their common dtype, and who computes with them.

Invariants: errors are NumPy's in class and words; a function of this package sees arrays of one device.
"""

import functools

import numpy
from numpy.linalg import LinAlgError

from gpuarray import _fallback
from gpuarray._core import asarray, isfinite, ndarray
from gpuarray._dtypes import is_short_float
from gpuarray._fallback import run_library

NATIVE = "fdFD"  # dtypes that are factorised as they are; integers become float64
RESULTS = [numpy.dtype(letter) for letter in NATIVE]

# NumPy's classes of results, which it does not name in public.
_eig = numpy.linalg.eig(numpy.eye(1))
EigResult = type(_eig)
EighResult = type(numpy.linalg.eigh(numpy.eye(1)))
QRResult = type(numpy.linalg.qr(numpy.eye(1)))
SlogdetResult = type(numpy.linalg.slogdet(numpy.eye(1)))
SVDResult = type(numpy.linalg.svd(numpy.eye(1)))

# Until NumPy 2.5, eigenvalues of real matrices were real if all of them are.
NARROWS_EIGENVALUES = _eig[0].dtype.kind != "c"


# Decorator of functions that leave data which no device holds to NumPy.
on_host_if_unheld = functools.partial(_fallback.on_host_if_unheld, home=numpy.linalg)


def take(*values):
    """Arguments as arrays, on the device of the first that is on one."""
    device = None
    for value in values:
        if isinstance(value, ndarray):
            device = value.device
            break
    arrays = [take_one(value, device) for value in values]
    return arrays[0] if len(arrays) == 1 else arrays


def take_one(value, device):
    if isinstance(value, ndarray):
        return value
    array = asarray(value, device=device)
    if not isinstance(array, ndarray):
        raise TypeError(f"array type {array.dtype.name} is unsupported in linalg")
    return array


def check_stack(a):
    """LinAlgError unless `a` is a matrix or a stack of them."""
    if a.ndim < 2:
        raise LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )


def check_square(a):
    """LinAlgError unless `a` is a square matrix or a stack of them."""
    check_stack(a)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")


def check_matrix(*arrays):
    """LinAlgError unless each is one matrix."""
    for a in arrays:
        if a.ndim != 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")


def check_finite(a):
    """LinAlgError where an element is infinite or NaN; waits for the device."""
    if not isfinite(a).all():
        raise LinAlgError("Array must not contain infs or NaNs")


def common_dtype(*arrays):
    """The dtype of a result: float32 and complex64 where all operands are that narrow, TypeError for float16.

    bfloat16 and float8, which NumPy does not know to be floats, become float64 as integers do.
    """
    wide = is_complex = False
    for a in arrays:
        letter, kind = a.dtype.char, "i" if is_short_float(a.dtype) else a.dtype.kind
        if kind not in "biufc" or (kind in "fc" and letter not in NATIVE):
            raise TypeError(f"array type {a.dtype.name} is unsupported in linalg")
        wide |= letter not in "fF"
        is_complex |= kind == "c"
    return RESULTS[2 * is_complex + wide]


def real_dtype(dtype):
    """float32 of complex64, float64 of complex128, other dtypes themselves."""
    return numpy.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype


def is_numpys(*arrays):
    """Whether NumPy computes: on the CPU device, and where there is nothing to compute."""
    for a in arrays:  # faster than any() of a generator
        if a.device == "cpu" or a.size == 0:
            return True
    return False


def run_numpys(name, *args, **keywords):
    """numpy.linalg's function on views of the CPU device's arrays; results share its memory."""
    return run_library(getattr(numpy.linalg, name), f"gpuarray.linalg.{name}", args, keywords)


def is_empty_matrix(a):
    """Whether the last two axes hold nothing."""
    return a.size == 0 and a.shape[-1] * a.shape[-2] == 0
