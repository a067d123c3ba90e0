"""Norms of vectors and matrices, composed of ufuncs, sums and singular values."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpuarray import linalg
from gpuarray._core import absolute, add, conjugate, dot, matmul, multiply, not_equal, power, sqrt
from gpuarray._dtypes import is_inexact
from gpuarray._shape import expand_dims, moveaxis
from gpuarray.linalg._stacks import on_host_if_unheld, take


@on_host_if_unheld
def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of a vector or matrix, or of each one along the given axes.

    Parameters
    ----------
    x : array_like
    ord : {None, int, float, inf, -inf, "fro", "nuc"}
        The order. None is the root of the sum of squares. Vectors: 0 counts what is not zero, inf and -inf are the
        greatest and the least absolute value, other numbers p the p-th root of the sum of p-th powers. Matrices: 1
        and -1 the greatest and the least sum of a column, inf and -inf of a row, 2 and -2 the greatest and the least
        singular value, "nuc" the sum of singular values, "fro" the same as None.
    axis : {None, int, tuple of two ints}
        The axis of vectors, or both of matrices; None: all of `x`, which with an `ord` has at most two.
    keepdims : bool
        Leave the axes as dimensions of length one.
    """
    x = take(x)
    if not is_inexact(x.dtype):
        x = x.astype(float)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1):
            return find_length(x, keepdims)
        axis = tuple(range(x.ndim))
    axis = as_axes(axis)
    if len(axis) == 1:
        return find_vector_norm(x, ord, axis, keepdims)
    if len(axis) == 2:
        return find_matrix_norm(x, ord, axis, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def as_axes(axis):
    """The `axis` argument as a tuple."""
    if isinstance(axis, tuple):
        return axis
    try:
        return (int(axis),)
    except Exception as error:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from error


def find_length(x, keepdims):
    """The root of the sum of squares of all elements."""
    flat = x.ravel(order="K")
    if x.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)  # squares of both parts add up in one product
    length = sqrt(dot(flat, flat))
    return length.reshape(x.ndim * [1]) if keepdims else length


def squares(x):
    """Squares of absolute values, real."""
    return multiply(conjugate(x), x).real if x.dtype.kind == "c" else multiply(x, x)


def sum_squares(x, axes, keepdims):
    """Sums of squares of absolute values over axes: on a GPU dot products, which read everything once."""
    vectors = as_real_vectors(x, axes)
    if vectors is None:
        return add.reduce(squares(x), axis=axes, keepdims=keepdims)
    total = matmul(vectors[..., None, :], vectors[..., None])[..., 0, 0]
    return expand_dims(total, axes) if keepdims else total


def as_real_vectors(x, axes):
    """The array with the axes joined to its last, complex numbers as pairs; None where no dot product serves."""
    if x.dtype.char not in "fdFD" or x.device == "cpu" or x.size == 0:
        return None
    x = moveaxis(x, axes, range(-len(axes), 0))
    if x.dtype.kind == "c":
        if x.strides[-1] != x.itemsize:
            return None
        x = x.view(x.real.dtype)
    return x.reshape((*x.shape[: -len(axes)], -1))


def find_vector_norm(x, ord, axis, keepdims):
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    axis = normalize_axis_tuple(axis, x.ndim)
    where = {"axis": axis, "keepdims": keepdims}
    if ord == numpy.inf:
        return absolute(x).max(initial=0, **where)
    if ord == -numpy.inf:
        return absolute(x).min(**where)
    if ord == 0:
        return not_equal(x, 0).astype(x.real.dtype).sum(**where)
    if ord == 1:
        return add.reduce(absolute(x), **where)
    if ord is None or ord == 2:
        return sqrt(sum_squares(x, axis, keepdims))
    powers = absolute(x)
    total = add.reduce(power(powers, ord, out=powers), **where)
    return power(total, numpy.reciprocal(ord, dtype=total.dtype))


def find_matrix_norm(x, ord, axis, keepdims):
    rows, columns = (normalize_axis_index(each, x.ndim) for each in axis)
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    if ord in (1, -1):
        result = find_extreme_sum(x, rows, columns, ord)
    elif ord in (numpy.inf, -numpy.inf):
        result = find_extreme_sum(x, columns, rows, ord)
    elif ord in (None, "fro", "f"):
        result = sqrt(sum_squares(x, axis, False))
    elif ord in (2, -2, "nuc"):
        result = reduce_singular_values(moveaxis(x, (rows, columns), (-2, -1)), ord)
    else:
        raise ValueError("Invalid norm order for matrices.")
    if not keepdims:
        return result
    return result.reshape([1 if i in (rows, columns) else n for i, n in enumerate(x.shape)])


def find_extreme_sum(x, summed, other, ord):
    """The greatest sum of absolute values along one axis, or with a negative `ord` the least."""
    sums = add.reduce(absolute(x), axis=summed)
    other -= other > summed
    return sums.max(axis=other, initial=0) if ord > 0 else sums.min(axis=other)


def reduce_singular_values(matrices, ord):
    values = linalg.svdvals(matrices)
    if ord == "nuc":
        return values.sum(axis=-1)
    return values.max(axis=-1, initial=0) if ord == 2 else values.min(axis=-1)


@on_host_if_unheld
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of a matrix, or of each one of a stack; `ord` as in norm."""
    return norm(x, axis=(-2, -1), keepdims=keepdims, ord=ord)


@on_host_if_unheld
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of all elements as one vector, or of the vectors along `axis`, one or several."""
    x = take(x)
    shape = x.shape
    if axis is None:
        x, along = x.ravel(), 0
    elif isinstance(axis, tuple):
        normalized = normalize_axis_tuple(axis, x.ndim)
        rest = [i for i in range(x.ndim) if i not in normalized]
        length = math.prod(x.shape[i] for i in normalized)
        x = x.transpose([*normalized, *rest]).reshape([length, *(x.shape[i] for i in rest)])
        along = 0
    else:
        along = axis
    result = norm(x, axis=along, ord=ord)
    if not keepdims:
        return result
    kept = normalize_axis_tuple(range(len(shape)) if axis is None else axis, len(shape))
    return result.reshape([1 if i in kept else n for i, n in enumerate(shape)])
