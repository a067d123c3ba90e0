"""Products of vectors and matrices, composed of matmul, ufuncs and sums."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpuarray import _core
from gpuarray._core import asarray, conjugate, dot, matmul, multiply, sum
from gpuarray._fallback import on_host_if_unheld
from gpuarray._shape import moveaxis

__all__ = ["inner", "kron", "matvec", "outer", "tensordot", "trace", "vdot", "vecdot", "vecmat"]


def outer(a, b, out=None):
    """Products of every element of one vector with every element of another."""
    return multiply(asarray(a).reshape(-1, 1), asarray(b).reshape(1, -1), out=out)


@on_host_if_unheld
def inner(a, b, /):
    """Sums of products over the last axes of two arrays."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
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
    return matmul(left, right).reshape(shape)


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


def vecdot(x1, x2, /, out=None, *, axis=-1, **kwargs):
    """Sums of the products of conj(x1) and x2 along an axis, with broadcasting."""
    x1, x2 = asarray(x1), asarray(x2)
    x1, x2 = (moveaxis(x, normalize_axis_index(axis, x.ndim), -1) for x in (x1, x2))
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(
            f"vecdot: operands of shapes {x1.shape} and {x2.shape} have unlike lengths along axis {axis}"
        )
    x1 = conjugate(x1) if x1.dtype.kind == "c" else x1
    return fit(matmul(x1[..., None, :], x2[..., :, None])[..., 0, 0], out, kwargs)


def matvec(x1, x2, /, out=None, **kwargs):
    """Products of matrices and vectors, with broadcasting."""
    x1, x2 = asarray(x1), asarray(x2)
    return fit(matmul(x1, x2[..., None])[..., 0], out, kwargs)


def vecmat(x1, x2, /, out=None, **kwargs):
    """Products of conjugate vectors and matrices, with broadcasting."""
    x1, x2 = asarray(x1), asarray(x2)
    x1 = conjugate(x1) if x1.dtype.kind == "c" else x1
    return fit(matmul(x1[..., None, :], x2)[..., 0, :], out, kwargs)


def fit(result, out, kwargs):
    """The result of a product as the ufunc's keywords ask for it."""
    dtype, casting = kwargs.pop("dtype", None), kwargs.pop("casting", "same_kind")
    if kwargs:
        raise TypeError(f"got an unexpected keyword argument {next(iter(kwargs))!r}")
    if dtype is not None:
        result = result.astype(dtype, casting=casting, copy=False)
    if out is not None:
        out = out[0] if isinstance(out, tuple) else out
        _core.multiply(result, 1, out=out, casting=casting)
        return out
    return result[()] if result.ndim == 0 else result
