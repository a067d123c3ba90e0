"""Products of vectors and matrices, composed of matmul, ufuncs and sums."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpuarray import _core
from gpuarray._core import asarray, conjugate, dot, empty, multiply, sum
from gpuarray._dtypes import is_inexact
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import broadcast_to, moveaxis

__all__ = ["cross", "inner", "kron", "outer", "tensordot", "trace", "vdot"]


def outer(a, b, out=None):
    """Products of every element of one vector with every element of another."""
    return multiply(asarray(a).reshape(-1, 1), asarray(b).reshape(1, -1), out=out)


@on_host_if_unheld
def inner(a, b, /):
    """Sums of products over the last axes of two arrays."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return dot(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
            f"{b.shape[-1]} (dim {b.ndim - 1})"
        )
    return tensordot(a, b, (-1, -1))[()]


def vdot(a, b, /):
    """Sum of the products of conj(a) and b, both flattened."""
    a, b = asarray(a).ravel(), asarray(b).ravel()
    return dot(conjugate(a) if a.dtype.kind == "c" else a, b)


def as_axes(axes):
    """The `axes` argument of tensordot as two lists."""
    if isinstance(axes, (int, numpy.integer)):
        return list(range(-axes, 0)), list(range(axes))
    first, second = axes
    return [list(each) if hasattr(each, "__len__") else [each] for each in (first, second)]


def tensordot(a, b, axes=2):
    """Sums of products over pairs of axes of two arrays."""
    a, b = asarray(a), asarray(b)
    first, second = as_axes(axes)
    if len(first) != len(second):
        raise ValueError("shape-mismatch for sum")
    first = normalize_axis_tuple(first, a.ndim, "axes")
    second = normalize_axis_tuple(second, b.ndim, "axes")
    if [a.shape[i] for i in first] != [b.shape[i] for i in second]:
        raise ValueError(
            f"shape-mismatch for sum: {a.shape} along {first}, {b.shape} along {second}"
        )
    kept_a = [i for i in range(a.ndim) if i not in first]
    kept_b = [i for i in range(b.ndim) if i not in second]
    length = math.prod(a.shape[i] for i in first)
    shape = [a.shape[i] for i in kept_a] + [b.shape[i] for i in kept_b]
    left = a.transpose([*kept_a, *first]).reshape((math.prod(a.shape[i] for i in kept_a), length))
    right = b.transpose([*second, *kept_b]).reshape((length, math.prod(b.shape[i] for i in kept_b)))
    return dot(left, right).reshape(shape)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sum along a diagonal of two axes."""
    return sum(asarray(a).diagonal(offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def kron(a, b):
    """Kronecker product: `b` scaled by each element of `a`, laid out in its place."""
    a, b = asarray(a), asarray(b)
    ndim = max(a.ndim, b.ndim)
    first = (1,) * (ndim - a.ndim) + a.shape
    second = (1,) * (ndim - b.ndim) + b.shape
    rows = a.reshape([n for each in first for n in (each, 1)])
    spread = multiply(rows, b.reshape([n for each in second for n in (1, each)]))
    return spread.reshape([m * n for m, n in zip(first, second, strict=True)])


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross products of vectors of three components, or of two (deprecated in NumPy), along an axis."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asarray(a), asarray(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    dtype = numpy.promote_types(a.dtype, b.dtype)
    normalize_axis_index(axisa, a.ndim, "axisa")  # these say which of the two is wrong
    normalize_axis_index(axisb, b.ndim, "axisb")
    a = moveaxis(a, axisa, -1).astype(dtype, copy=False)
    b = moveaxis(b, axisb, -1).astype(dtype, copy=False)
    check_components(a.shape[-1], b.shape[-1])
    first, second = components(a), components(b)
    shape = numpy.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    if first[2] is None and second[2] is None:
        product = empty(shape, dtype, device=a.device)
        return difference(first[0], second[1], first[1], second[0], product)
    normalize_axis_index(axisc, len(shape) + 1, "axisc")
    result = empty((*shape, 3), dtype, device=a.device)
    if has_kernel(a, b, result):
        spread = (x if x.shape == result.shape else broadcast_to(x, result.shape) for x in (a, b))
        _core._cross(*spread, result)
        return moveaxis(result, -1, axisc)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        difference(first[j], second[k], first[k], second[j], result[..., i])
    return moveaxis(result, -1, axisc)


def has_kernel(a, b, result):
    """Whether operands have three components each of a dtype that subtracts, and are on one device."""
    triples = a.shape[-1] == b.shape[-1] == 3
    held = result.dtype.kind in "iu" or is_inexact(result.dtype)
    return triples and held and a.device == b.device and result.size < 2**31


def check_components(first, second):
    """What the installed NumPy says to so many components: versions take, warn of, or refuse vectors of two."""
    if not first == second == 3:
        numpy.cross(numpy.ones(first), numpy.ones(second))


def components(vectors):
    """Views of three components along the last axis; the third is None for vectors of two."""
    return [vectors[..., i] if i < vectors.shape[-1] else None for i in range(3)]


def difference(x, y, u, v, out):
    """x * y - u * v into `out`; a product with None is zero."""
    if u is None or v is None:
        return multiply(x, y, out=out)
    if x is None or y is None:
        return _core.negative(multiply(u, v), out=out)
    return _core.subtract(multiply(x, y), multiply(u, v), out=out)


def multi_dot(arrays, *, out=None):
    """Product of two matrices or more, in the order that takes the fewest multiplications."""
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(arrays) == 2:
        return dot(arrays[0], arrays[1], out=out)
    arrays = [asarray(each) for each in arrays]
    row, column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    arrays[0] = arrays[0].reshape(1, -1) if row else arrays[0]
    arrays[-1] = arrays[-1].reshape(-1, 1) if column else arrays[-1]
    for each in arrays:
        if each.ndim != 2:
            raise numpy.linalg.LinAlgError(
                f"{each.ndim}-dimensional array given. Array must be two-dimensional"
            )
    result = multiply_chain(arrays, choose_splits(arrays), 0, len(arrays) - 1, out)
    if row and column:
        return result[0, 0]
    return result.ravel() if row or column else result


def choose_splits(arrays):
    """For each range of matrices the place to split it, by dynamic programming over the counts of multiplications."""
    sizes = [each.shape[0] for each in arrays] + [arrays[-1].shape[1]]
    cost, split = {(i, i): 0 for i in range(len(arrays))}, {}
    for length in range(1, len(arrays)):
        for i in range(len(arrays) - length):
            j = i + length
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )
    return split


def multiply_chain(arrays, split, i, j, out=None):
    """Product of the matrices i to j."""
    if i == j:
        return arrays[i]
    k = split[i, j]
    return dot(
        multiply_chain(arrays, split, i, k), multiply_chain(arrays, split, k + 1, j), out=out
    )
