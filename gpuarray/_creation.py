"""New arrays by rule: sequences, diagonals, triangles and grids, composed of fills and ufuncs on the device."""

import operator

import numpy

from gpuarray import _core
from gpuarray._choice import where
from gpuarray._core import (
    arange,
    array,
    asarray,
    empty,
    greater_equal,
    multiply,
    ndarray,
    ones,
    zeros,
)
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import broadcast_to, diagonal, expand_dims, moveaxis

__all__ = [
    "asarray_chkfinite",
    "astype",
    "copy",
    "diag",
    "diagflat",
    "eye",
    "geomspace",
    "identity",
    "ix_",
    "linspace",
    "logspace",
    "require",
    "tri",
    "tril",
    "triu",
    "vander",
]

# What linspace and geomspace compute bounds of on the host.
NUMBERS = (int, float, complex, numpy.generic)
FLOAT64 = numpy.dtype(float)


def device_of(like, device):
    """Where a creation function puts its result: `device`, else where the array `like` lies."""
    return like.device if device is None and isinstance(like, ndarray) else device


def asarray_chkfinite(a, dtype=None, order=None):
    """As asarray, with a ValueError where an element is infinite or NaN."""
    result = asarray(a, dtype, order)
    if result.dtype.kind in "fc" and not _core.isfinite(result).all():
        raise ValueError("array must not contain infs or NaNs")
    return result


# The letters that `require` takes for the flags of an array.
FLAGS = {
    "C": "C",
    "C_CONTIGUOUS": "C",
    "CONTIGUOUS": "C",
    "F": "F",
    "F_CONTIGUOUS": "F",
    "FORTRAN": "F",
    "A": "A",
    "ALIGNED": "A",
    "W": "W",
    "WRITEABLE": "W",
    "O": "O",
    "OWNDATA": "O",
    "E": "E",
    "ENSUREARRAY": "E",
}


def require(a, dtype=None, requirements=None, *, device=None, like=None):
    """The array itself, or a copy, so that it has a dtype and the flags that are asked for."""
    device = device_of(like, device)
    wanted = {FLAGS[each.upper()] for each in requirements or ()} - {"E"}
    if wanted >= {"C", "F"}:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in wanted else "C" if "C" in wanted else "A"
    result = array(a, dtype, order=order if wanted else "K", copy=None, device=device)
    if not isinstance(result, ndarray):
        return numpy.require(result, dtype, requirements)
    kept = all(result.flags[each] for each in wanted - {"C", "F"})
    return result if kept else result.copy(order)


def astype(x, dtype, /, *, copy=True, device=None):
    """Copy of an array in another dtype."""
    if not isinstance(x, (ndarray, numpy.ndarray, numpy.generic)):
        raise TypeError(f"Input should be a gpuarray or NumPy array, not {type(x).__name__}.")
    return asarray(x, device=device).astype(dtype, copy=copy)


def copy(a, order="K", subok=False):
    """Copy of an array."""
    return array(a, order=order, copy=True)


@on_host_if_unheld
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` numbers at equal distances from `start` to `stop`, rounded as NumPy rounds them."""
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    start, stop, computed = as_bounds(start, stop, device)
    device = device if isinstance(start, numpy.generic) else start.device
    intervals = num - 1 if endpoint else num
    span = (numpy if isinstance(start, numpy.generic) else _core).subtract(stop, start)
    step = span / intervals if intervals > 0 else numpy.nan
    if (
        isinstance(step, numpy.floating) and computed.char in "fd" and step != 0
    ):  # float16 is rounded at each step
        result = empty(num, computed, device=device)
        last = float(stop) if endpoint and num > 1 else None
        _core._progression(result, float(start), float(step), last)
    else:
        steps = arange(num, dtype=computed, device=device).reshape((-1,) + (1,) * numpy.ndim(span))
        result, step = scale_steps(steps, span, intervals)
        result += start
        if endpoint and num > 1:
            result[-1, ...] = stop
    if axis != 0:
        result = moveaxis(result, 0, axis)
    dtype = computed if dtype is None else numpy.dtype(dtype)
    if dtype.kind in "iu":
        result = _core.floor(result)
    result = result.astype(dtype, copy=False)
    return (result, step) if retstep else result


def is_plain(number):
    """Whether a bound is a Python number that float64 holds."""
    return type(number) is float or (type(number) is int and -(2**53) < number < 2**53)


def as_bounds(start, stop, device):
    """Both bounds in the dtype that linspace computes in, as NumPy scalars or as device arrays; and that dtype."""
    if is_plain(start) and is_plain(stop):  # as most bounds are
        return numpy.float64(start), numpy.float64(stop), FLOAT64
    if isinstance(start, NUMBERS) and isinstance(stop, NUMBERS):
        computed = numpy.linspace(start, stop, 0).dtype
        return computed.type(start), computed.type(stop), computed
    kinds = [zero_of(each) for each in (start, stop)]
    computed = numpy.linspace(*kinds, 0).dtype
    start, stop = asarray(start, device=device), asarray(stop, device=device)
    return start.astype(computed, copy=False), stop.astype(computed, copy=False), computed


def zero_of(bound):
    """A zero whose dtype is that of a bound, and weak where that is a Python number."""
    return (
        type(bound)(0)
        if type(bound) in (int, float, complex)
        else numpy.zeros((), asarray(bound).dtype)
    )


def scale_steps(steps, span, intervals):
    """steps * (span / intervals), by division first where the step would be zero; and the step."""
    if intervals <= 0:
        return multiply(steps, span), numpy.nan
    step = span / intervals
    zero = step == 0
    if zero if isinstance(step, numpy.generic) else bool(zero.any()):
        return multiply(steps / intervals, span), step
    return multiply(steps, step), step


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0, *, device=None):
    """`num` powers of `base`, with exponents at equal distances from `start` to `stop`."""
    if is_counted(start, stop, dtype) and isinstance(base, NUMBERS):
        host = numpy.logspace(start, stop, num, endpoint, base, dtype, axis)
        return asarray(host, device=device)
    if not isinstance(base, (int, float)) and numpy.ndim(base):
        bounds = [asarray(each, device=device) for each in (start, stop, base)]
        ndim = len(numpy.broadcast_shapes(*(each.shape for each in bounds)))
        start, stop, base = (array(each, copy=None, ndmin=ndim) for each in bounds)
        base = expand_dims(base, axis)
    exponents = linspace(start, stop, num, endpoint, axis=axis, device=device)
    result = _core.power(base, exponents)
    return result if dtype is None else result.astype(dtype, copy=False)


@on_host_if_unheld
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, device=None):
    """`num` numbers from `start` to `stop`, each a constant multiple of the one before."""
    if is_counted(start, stop, dtype):
        host = numpy.geomspace(start, stop, num, endpoint, dtype, axis)
        return asarray(host, device=device)
    start, stop, ufuncs = as_geometric_bounds(start, stop, num, dtype, device)
    sign = ufuncs.sign(start)  # turned to the positive numbers, and back at the end
    start, stop = start / sign, stop / sign
    computed = start.dtype
    exponents = ufuncs.log10(start), ufuncs.log10(stop)
    result = logspace(*exponents, num, endpoint, dtype=computed, device=device)
    if num > 0:
        result[0, ...] = start
    if num > 1 and endpoint:
        result[-1, ...] = stop
    result *= sign
    if axis != 0:
        result = moveaxis(result, 0, axis)
    return result.astype(computed if dtype is None else dtype, copy=False)


def is_counted(start, stop, dtype):
    """Whether powers of numbers are truncated to integers: the last place decides which, so NumPy has to find it."""
    if dtype is None or numpy.dtype(dtype).kind not in "iu":
        return False
    return isinstance(start, NUMBERS) and isinstance(stop, NUMBERS)


def as_geometric_bounds(start, stop, num, dtype, device):
    """Both bounds in the dtype that geomspace computes in; and where their ufuncs are, in numpy for scalars."""
    scalar = isinstance(start, NUMBERS) and isinstance(stop, NUMBERS)
    home = numpy if scalar else _core
    start, stop = (
        numpy.asarray(each)[()] if scalar else asarray(each, device=device)
        for each in (start, stop)
    )
    if (start == 0).any() or (stop == 0).any():
        raise ValueError("Geometric sequence cannot include zero")
    wanted = numpy.zeros((), float if dtype is None else dtype)
    computed = numpy.result_type(start.dtype, stop.dtype, float(num), wanted.dtype)
    return start.astype(computed), stop.astype(computed), home


@on_host_if_unheld
def vander(x, N=None, increasing=False):
    """Matrix whose columns are the powers of a vector."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = len(x) if N is None else operator.index(N)
    result = empty((len(x), N), numpy.promote_types(x.dtype, int), device=x.device)
    powers = result if increasing else result[:, ::-1]
    if N > 0:
        powers[:, 0] = 1
    if N > 1:
        columns = broadcast_to(x[:, None], (len(x), N - 1))
        multiply.accumulate(columns, out=powers[:, 1:], axis=1, dtype=result.dtype)
    return result


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Matrix with ones on a diagonal and zeros elsewhere."""
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    result = zeros((rows, columns), dtype, order, device=device_of(like, device))
    fill_diagonal_view(result, operator.index(k), 1)
    return result


def fill_diagonal_view(matrix, k, value):
    """Write to the k-th diagonal of a fresh matrix in C or Fortran order."""
    if not matrix.flags.c_contiguous:
        matrix, k = matrix.T, -k
    rows, columns = matrix.shape
    length = min(rows, columns - k) if k >= 0 else min(rows + k, columns)
    if length > 0:
        start = k if k >= 0 else -k * columns
        matrix.reshape(-1)[start : start + (length - 1) * (columns + 1) + 1 : columns + 1] = value


def identity(n, dtype=None, *, device=None, like=None):
    """Square matrix with ones on its main diagonal and zeros elsewhere."""
    return eye(n, dtype=float if dtype is None else dtype, device=device, like=like)


@on_host_if_unheld
def diag(v, k=0):
    """A diagonal of a matrix, or a matrix with the vector `v` on a diagonal."""
    v = asarray(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    length = v.shape[0] + abs(k)
    result = zeros((length, length), v.dtype, device=v.device)
    fill_diagonal_view(result, k, v)
    return result


def diagflat(v, k=0):
    """Matrix with the flattened input on a diagonal."""
    return diag(asarray(v).ravel(), k)


def tri(N, M=None, k=0, dtype=float, *, device=None, like=None):
    """Matrix with ones at and below a diagonal and zeros above."""
    shape = N, N if M is None else M
    device = device_of(like, device)
    matrix = keep_triangle(ones(shape, dtype, device=device), k, True) if min(shape) > 0 else None
    if matrix is not None:
        return matrix
    rows = arange(N, device=device).reshape(-1, 1)
    return greater_equal(rows, arange(-k, shape[1] - k, device=device)).astype(dtype, copy=False)


def keep_triangle(m, k, lower):
    """Contiguous matrices with zeros on one side of a diagonal, by a kernel of their own; None for others."""
    return _core._triangle(m, k, lower) if isinstance(k, int) and m.size else None


@on_host_if_unheld
def tril(m, k=0):
    """Copy of a matrix with zeros above a diagonal."""
    m = asarray(m)
    result = keep_triangle(m, k, True)
    if result is not None:
        return result
    return where(
        tri(*m.shape[-2:], k=k, dtype=bool, device=m.device), m, zeros(1, m.dtype, device=m.device)
    )


@on_host_if_unheld
def triu(m, k=0):
    """Copy of a matrix with zeros below a diagonal."""
    m = asarray(m)
    result = keep_triangle(m, k, False)
    if result is not None:
        return result
    below = tri(*m.shape[-2:], k=k - 1, dtype=bool, device=m.device)
    return where(below, zeros(1, m.dtype, device=m.device), m)


def ix_(*args):
    """Index arrays for the cross product of one-dimensional indices."""
    result = []
    for position, index in enumerate(args):
        is_array = isinstance(index, (ndarray, numpy.ndarray))
        index = asarray(index)
        if index.size == 0 and not is_array:
            index = index.astype(numpy.intp)
        if index.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if index.dtype == bool:
            (index,) = index.nonzero()
        result.append(index.reshape((1,) * position + (-1,) + (1,) * (len(args) - position - 1)))
    return tuple(result)
