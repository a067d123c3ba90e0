"""Values of series of polynomials, in the power basis and five others: one kernel for each call.

Coefficients come lowest term first along the first axis of an array; its other axes are several series.
"""

import math

import numpy

from gpuarray import _core
from gpuarray._core import array, asarray, ndarray
from gpuarray._dtypes import is_short_float, result_type
from gpuarray._shape import broadcast_to, in_memory_order
from gpuarray._sorting import dense

# The numbers of enum ga_basis, by the names of numpy.polynomial's modules.
BASES = {
    name: number
    for number, name in enumerate(
        ("polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre")
    )
}
PYTHON_NUMBERS = (bool, int, float, complex)


def find_device(*values):
    return next((each.device for each in values if isinstance(each, ndarray)), None)


def computed_type(dtype):
    """The dtype of the kernel that computes in a dtype."""
    if dtype.kind in "biu":
        return numpy.dtype(numpy.int64)  # wraps as any integer does
    narrow = dtype.kind in "fc" or is_short_float(dtype)
    return numpy.result_type(dtype, numpy.float32) if narrow else dtype


def add_series(basis, x, coefficients, paired=False):
    """The sum of the series at points x; of several series at each point, or with `paired` each at its own.

    The result has the axes of the series and then those of the points; with `paired` they are broadcast together.
    """
    device = find_device(x, coefficients)
    weak = type(x) in PYTHON_NUMBERS
    x = x if weak else asarray(x, device=device)
    if isinstance(coefficients, tuple):  # our own: Python numbers, whose dtype is weak
        c = _core._asked["array"](coefficients, result_type(x, 0.0), device=device)
    else:
        c = array(coefficients, copy=None, device=device, ndmin=1)
    dtype = result_type(c, x)
    computed = computed_type(dtype)
    x = asarray(x, computed, device=c.device)
    c = c.astype(computed, copy=False)
    result = run_paired(basis, x, c) if paired else run_all(basis, x, c)
    result = result.astype(dtype, copy=False)
    return result[()] if result.ndim == 0 else result


def run_all(basis, x, c):
    if c.ndim == 1 and x.ndim > 1 and not x.flags.c_contiguous:
        return in_memory_order(x, lambda turned: run_all(basis, dense(turned), c))
    columns = c.reshape(len(c), math.prod(c.shape[1:]))
    return _core._series(basis, dense(columns), dense(x).reshape(-1), False).reshape(
        c.shape[1:] + x.shape
    )


def run_paired(basis, x, c):
    shape = numpy.broadcast_shapes(c.shape[1:], x.shape)
    columns = broadcast_to(
        c.reshape(c.shape[:1] + (1,) * (len(shape) - c.ndim + 1) + c.shape[1:]), (len(c), *shape)
    )
    columns, points = (
        dense(each) for each in (columns.reshape(len(c), -1), broadcast_to(x, shape).reshape(-1))
    )
    return _core._series(basis, columns, points, True).reshape(shape)
