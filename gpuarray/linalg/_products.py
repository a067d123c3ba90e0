"""The products of numpy.linalg, whose axes are the last ones: the main namespace's own, with fewer keywords."""

from gpuarray import _core, _linear, _products, _shape


def cross(x1, x2, /, *, axis=-1):
    """Cross products of vectors of three components along an axis."""
    x1, x2 = _core.asarray(x1), _core.asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return _linear.cross(x1, x2, axis=axis)


def matmul(x1, x2, /):
    """Matrix product, with broadcasting of the leading axes."""
    return _core.matmul(x1, x2)


def outer(x1, x2, /):
    """Products of every element of one vector with every element of another."""
    x1, x2 = _core.asarray(x1), _core.asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        dimensions = f"x1.ndim={x1.ndim} and x2.ndim={x2.ndim}"
        raise ValueError(f"Input arrays must be one-dimensional, but they are {dimensions}.")
    return _linear.outer(x1, x2)


def diagonal(x, /, *, offset=0):
    """View of the diagonals of the last two axes."""
    return _shape.diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """Sums along the diagonals of the last two axes."""
    return _linear.trace(x, offset, -2, -1, dtype)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over pairs of axes of two arrays."""
    return _linear.tensordot(x1, x2, axes)


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of the products of conj(x1) and x2 along an axis, with broadcasting."""
    return _products.vecdot(x1, x2, axis=axis)
